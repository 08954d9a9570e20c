"""Real Dask clusters on this machine."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.children import child_env
from tests.conftest import _free_port


@contextmanager
def dask(folder: Path, what: str, *options: str, ready: str) -> Iterator[subprocess.Popen[str]]:
    """Run `dask scheduler` or `dask worker` until the end of the block."""
    with subprocess.Popen(
        [sys.executable, "-m", "dask", what, *options],
        cwd=folder,
        env=child_env(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        said = ""
        for line in process.stderr:
            said += line
            if re.search(ready, line):
                break
        assert process.poll() is None, said
        try:
            yield process
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def cluster(
    folder: Path, n_workers: int, *more: str
) -> Iterator[tuple[str, list[subprocess.Popen[str]]]]:
    """A scheduler with workers without nannies, which have more options; the URL for --executor."""
    port = str(_free_port())
    local = ("--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
    address = f"127.0.0.1:{port}"
    with ExitStack() as stack:
        scheduler = dask(folder, "scheduler", *local, "--port", port, ready="Scheduler at")
        stack.enter_context(scheduler)
        options = (f"tcp://{address}", *local, "--nthreads", "1", "--no-nanny", *more)
        workers = [
            stack.enter_context(dask(folder, "worker", *options, ready="Registered to"))
            for _ in range(n_workers)
        ]
        yield f"dask://{address}", workers
