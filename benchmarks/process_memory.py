"""The memory of this process and all that it started, looked at while a block runs."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Final

import psutil

INTERVAL_S: Final = 0.05


class PeakMemory:
    """Holds the largest sum of the resident memory of this process and its descendants.

    Pages that processes share are counted in each of them, so it is an upper bound.
    """

    def __init__(self) -> None:
        self.peak_bytes = 0
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> PeakMemory:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    def _watch(self) -> None:
        this = psutil.Process()
        while True:
            self.peak_bytes = max(self.peak_bytes, _sum([this, *this.children(recursive=True)]))
            if self._stop.wait(INTERVAL_S):
                return


def _sum(processes: list[psutil.Process]) -> int:
    total = 0
    for process in processes:
        try:
            total += process.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total
