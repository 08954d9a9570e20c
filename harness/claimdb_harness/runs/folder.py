"""The folder of a run, in which a killed run goes on where it was.

RUN/run.json      what was asked: model, prompt, budget, hashes of claims and databases
RUN/claims.jsonl  the claims, as their split has them
RUN/traces.jsonl  a line for each claim, as soon as it is done; asked again, the last line counts
RUN/failed.txt    why its verdicts do not count, where a database changed during the run
RUN/logs/*.eval   Inspect's own logs, for `inspect view`
"""

from __future__ import annotations

import hashlib
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.settings import Settings, differences, settings_from
from claimdb_harness.runs.traces import Trace, from_values, to_line
from claimdb_loader.storage import replace_atomically
from claimdb_metric.errors import DataError

SETTINGS_FILE: Final = "run.json"
CLAIMS_FILE: Final = "claims.jsonl"
TRACES_FILE: Final = "traces.jsonl"
FAILED_FILE: Final = "failed.txt"
LOGS_FOLDER: Final = "logs"
LOCK_FILE: Final = ".lock"


@dataclass(frozen=True)
class RunFolder:
    """The folder of one run.

    Args:
        path: the folder.
    """

    path: Path

    @property
    def exists(self) -> bool:
        """Whether a run was begun here."""
        return (self.path / SETTINGS_FILE).is_file()

    @property
    def logs(self) -> Path:
        """Where Inspect's logs are."""
        return self.path / LOGS_FOLDER

    def begin(self, settings: Settings, claims: bytes) -> None:
        """Write what was asked, its claims first; a folder with settings is a run.

        Args:
            settings: whose claims_sha256 is that of the claims.
            claims: from `claims_bytes`.

        Raises:
            DataError: there is a run already, or the folder holds something else.
            OSError: the folder cannot be written to.
        """
        if self.path.exists() and any(self.path.iterdir()):
            what = "a run already: go on with --resume, or" if self.exists else "other files:"
            raise DataError(f"{self.path} holds {what} give another --out")
        self.logs.mkdir(parents=True)
        replace_atomically(self.path / CLAIMS_FILE, claims)
        (self.path / TRACES_FILE).touch()
        text = json.dumps(settings.to_dict(), ensure_ascii=False, indent=2, allow_nan=False)
        replace_atomically(self.path / SETTINGS_FILE, text.encode() + b"\n")

    def check_same(self, settings: Settings) -> None:
        """Raise DataError where the run was asked something else, with every difference."""
        found = differences(self.settings(), settings)
        if found:
            raise DataError(
                f"{self.path} is the folder of another run: {'; '.join(found)}. "
                "Ask the same again, or give another --out"
            )

    def fail(self, reason: str) -> None:
        """Write why no verdict of this run counts, also after whatever it was is mended."""
        replace_atomically(self.path / FAILED_FILE, f"{reason}\n".encode())

    def check_not_failed(self) -> None:
        """Raise DataError where the run failed as a whole."""
        if (self.path / FAILED_FILE).is_file():
            reason = (self.path / FAILED_FILE).read_text("utf-8").strip()
            raise DataError(f"{self.path} failed: {reason}; begin it anew in another --out")

    def settings(self) -> Settings:
        """Return what was asked.

        Raises:
            DataError: there is no run here, or its settings are damaged.
        """
        try:
            return settings_from(_object((self.path / SETTINGS_FILE).read_bytes()))
        except FileNotFoundError:
            raise DataError(f"{self.path} is no folder of a run: no {SETTINGS_FILE}") from None
        except ValueError as error:
            raise DataError(f"{self.path / SETTINGS_FILE}: {error}") from None

    def claims(self) -> LabelledClaims:
        """Return the claims that were asked, under the name of their split.

        Raises:
            DataError: the file is not the one that the run was begun with.
        """
        settings = self.settings()
        content = (self.path / CLAIMS_FILE).read_bytes()
        if hashlib.sha256(content).hexdigest() != settings.claims_sha256:
            raise DataError(f"{self.path / CLAIMS_FILE} is not as the run wrote it")
        rows = [json.loads(line) for line in content.split(b"\n") if line]
        names = dict.fromkeys(name for row in rows for name in row)
        columns = {name: [row.get(name) for row in rows] for name in names}
        return LabelledClaims(settings.split, columns)

    def traces(self) -> dict[int, Trace]:
        """Return the last trace of each claim by claim_id; a torn last line is left out.

        Raises:
            DataError: another line is damaged.
        """
        path = self.path / TRACES_FILE
        found: dict[int, Trace] = {}
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                if not line.endswith(b"\n"):
                    break
                try:
                    trace = from_values(_object(line))
                except ValueError as error:
                    raise DataError(
                        f"{path}, line {number}: {error}; remove the line and --resume asks its "
                        "claim again"
                    ) from None
                found[trace.claim_id] = trace
        return found

    @contextmanager
    def appending(self) -> Iterator[TraceWriter]:
        """Yield what traces are given to; cuts a torn last line off, and lets nobody else in.

        Raises:
            DataError: another process works on this run.
        """
        from filelock import FileLock, Timeout

        lock = FileLock(self.path / LOCK_FILE)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise DataError(f"another process works on {self.path}: wait for its end") from None
        try:
            path = self.path / TRACES_FILE
            _cut_torn_line(path)
            with path.open("ab") as file:
                yield TraceWriter(file.fileno())
        finally:
            lock.release()


class TraceWriter:
    """Appends traces; each is on the disk when `add` returns."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._lock = threading.Lock()

    def add(self, trace: Trace) -> None:
        """Append a trace as one line, or nothing.

        Raises:
            OSError: it cannot be written; what stands of it is taken back, for the next to follow.
        """
        line = (to_line(trace) + "\n").encode("utf-8", "backslashreplace")
        with self._lock:
            end = os.fstat(self._descriptor).st_size
            try:
                while line:
                    line = line[os.write(self._descriptor, line) :]
                os.fsync(self._descriptor)
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._descriptor, end)
                raise


def claims_bytes(claims: Mapping[str, list[Any]]) -> bytes:
    """Return claims as the lines of a file.

    Args:
        claims: columns by name, equally long.

    >>> claims_bytes({"claim_id": [7], "claim": ["Vita sails."]})
    b'{"claim_id":7,"claim":"Vita sails."}\\n'
    """
    rows = (dict(zip(claims, row, strict=True)) for row in zip(*claims.values(), strict=True))
    return b"".join(
        json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode() + b"\n"
        for row in rows
    )


def write_run(
    path: Path, settings: Settings, claims: Mapping[str, list[Any]], traces: Iterable[Trace]
) -> RunFolder:
    """Return the folder of a run that is done already, such as an imported one.

    Raises:
        DataError: the folder holds something already.
    """
    folder = RunFolder(path)
    folder.begin(settings, claims_bytes(claims))
    lines = "".join(to_line(trace) + "\n" for trace in traces)
    replace_atomically(path / TRACES_FILE, lines.encode("utf-8", "backslashreplace"))
    return folder


def _object(text: bytes) -> dict[str, Any]:
    """The JSON object that a file or line is."""
    try:
        found = json.loads(text)
    except RecursionError:
        raise DataError("nested too deep") from None
    if not isinstance(found, dict):
        raise DataError("no JSON object")
    return found


def _cut_torn_line(path: Path) -> None:
    """Cut off what a killed process or a full disk left of a line."""
    content = path.read_bytes() if path.exists() else b""
    if content and not content.endswith(b"\n"):
        os.truncate(path, content.rfind(b"\n") + 1)
