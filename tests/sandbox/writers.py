"""A program that writes a database while a test reads it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PROGRAM = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    connection.execute(line).fetchall()
    print("done", flush=True)
"""


class Writer(subprocess.Popen[str]):
    """A connection that lives in another process, so that locks are between processes."""

    def run(self, *statements: str) -> None:
        """Run SQL, and return when it is done."""
        assert self.stdin is not None
        assert self.stdout is not None
        for sql in statements:
            self.stdin.write(sql + "\n")
            self.stdin.flush()
            assert self.stdout.readline() == "done\n", sql


@contextmanager
def writer(path: Path) -> Iterator[Writer]:
    """Open a database for writing; it is closed like any other at the end of the block."""
    command = [sys.executable, "-I", "-S", "-c", PROGRAM, str(path)]
    with Writer(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as program:
        try:
            yield program
        except BaseException:
            program.kill()
            raise
