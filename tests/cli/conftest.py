"""The command called here in this process, on a small copy of the benchmark."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_cli import main

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def claimdb_command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Call:
    """Exit code, stdout and stderr of one `claimdb …`, called in tmp_path."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["claimdb", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "120")
        monkeypatch.chdir(tmp_path)
        capsys.readouterr()  # what the making of predictions said
        code = 0
        try:
            main.run()
        except SystemExit as exit_:
            code = int(exit_.code or 0)
        return (code, *capsys.readouterr())

    return run


@pytest.fixture
def answer(claimdb_command: Call) -> Callable[..., Any]:
    """The JSON document of one call with --json that goes well."""

    def run(*arguments: object) -> Any:
        code, out, err = claimdb_command(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)

    return run
