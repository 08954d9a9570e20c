"""`claimdb mcp`: its configuration, and what keeps it from serving."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.children import child_env, run_claimdb
from tests.cli.conftest import Call
from tests.harness.mcp.clients import ferries


@pytest.fixture
def db(tmp_path: Path) -> Path:
    return ferries(tmp_path / "ferries.sqlite")


def server_of(out: str) -> dict[str, Any]:
    servers = json.loads(out)["mcpServers"]
    assert [*servers] == ["claimdb"]
    server: dict[str, Any] = servers["claimdb"]
    return server


def test_the_configuration_starts_the_server_from_any_folder(
    claimdb_command: Call, db: Path, tmp_path: Path
) -> None:
    options = ("--trace", "calls.jsonl", "--max-sql-calls", 3, "--print-config")
    code, out, err = claimdb_command("mcp", "--db", "ferries.sqlite", *options)
    server = server_of(out)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "claimdb_cli.py").write_text("raise SystemExit('not this one')")
    done = subprocess.run(
        [server["command"], *server["args"]],
        cwd=tmp_path / "elsewhere",
        env=child_env(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert (code, err) == (0, "")
    assert server["args"][-8:] == [
        *("--db", str(db)),
        *("--trace", str(tmp_path / "calls.jsonl")),
        *("--max-sql-calls", "3"),
        *("--max-output-bytes", "16000"),
    ]
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert (tmp_path / "calls.jsonl").read_bytes() == b""


def test_the_configuration_of_a_benchmark_database_has_its_file(claimdb_command: Call) -> None:
    _, out, _ = claimdb_command("mcp", "--db", "ferry_lines", "--print-config")
    path = Path(server_of(out)["args"][5])
    assert path.is_absolute()
    assert path.name == "ferry_lines.sqlite"
    assert path.is_file()


BAD_INPUT: dict[str, tuple[tuple[Any, ...], str]] = {
    "no database": ((), "Missing option '--db'"),
    "no such name": (("--db", "ferry_line"), "did you mean ferry_lines"),
    "no such file": (("--db", "gone.sqlite"), "gone.sqlite cannot be read: No such file"),
    "no such file, asked for its configuration": (
        ("--db", "gone.sqlite", "--print-config"),
        "gone.sqlite cannot be read: No such file",
    ),
    "no SQLite": (("--db", "page.html"), "page.html is an HTML page, not SQLite"),
    "a trace in no folder": (
        ("--db", "ferries.sqlite", "--trace", "gone/calls.jsonl"),
        "No such file or directory: gone/calls.jsonl",
    ),
    "the database as trace": (
        ("--db", "ferries.sqlite", "--trace", "ferries.sqlite"),
        "ferries.sqlite is no trace of calls: give another file",
    ),
    "calls below 0": (("--db", "ferries.sqlite", "--max-sql-calls", -1), "--max-sql-calls"),
    "too many calls": (("--db", "ferries.sqlite", "--max-sql-calls", 10_001), "--max-sql-calls"),
    "no room": (("--db", "ferries.sqlite", "--max-output-bytes", 199), "--max-output-bytes"),
    "too long": (("--db", "ferries.sqlite", "--max-output-bytes", 32_769), "--max-output-bytes"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_exit_code_2(claimdb_command: Call, db: Path, case: str) -> None:
    (db.parent / "page.html").write_text("<html>")
    before = db.read_bytes()
    arguments, message = BAD_INPUT[case]
    code, out, err = claimdb_command("mcp", *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert db.read_bytes() == before


def test_without_the_sdk_it_says_what_to_install(
    claimdb_command: Call, db: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where the package is not there: find_spec finds nothing on an empty path.
    for name in [name for name in sys.modules if name.split(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    site = next(path for path in sys.path if Path(path, "mcp", "__init__.py").is_file())
    monkeypatch.setattr(sys, "path", [path for path in sys.path if path != site])
    code, out, err = claimdb_command("mcp", "--db", db)
    assert (code, out) == (2, "")
    assert "pip install 'claimdb[agents]'" in err


def test_stdin_at_its_end_is_exit_code_0(db: Path, tmp_path: Path) -> None:
    done = run_claimdb("mcp", "--db", str(db), cwd=tmp_path, env=child_env(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
