"""`python -m claimdb_loader.sample.generate`: the packed databases from nothing but a seed."""

from __future__ import annotations

import lzma
import sqlite3
import sys
from pathlib import Path

import pytest

from claimdb_loader.sample.generate import __main__ as generate
from claimdb_loader.sample.generate.build import SOURCES, build


def test_the_command_writes_every_database_and_says_what_went_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["generate", "--out", str(tmp_path / "new")])
    generate.main()
    header, *rows = capsys.readouterr().out.strip().split("\n")
    assert header.split() == ["database", "tables", "rows", "packed", "bytes"]
    assert [row.split()[0] for row in rows] == list(SOURCES)
    for row in rows:
        name, *_, n_bytes = row.split()
        packed = tmp_path / "new" / f"{name}.sqlite.xz"
        assert packed.stat().st_size == int(n_bytes)
        assert lzma.decompress(packed.read_bytes()).startswith(b"SQLite format 3")


def test_another_seed_gives_other_rows(tmp_path: Path) -> None:
    dumps = []
    for seed in (1, 2):
        path = tmp_path / f"{seed}.sqlite"
        build("solar_coop", path, seed)
        connection = sqlite3.connect(path)
        dumps.append(list(connection.iterdump()))
        connection.close()
    assert dumps[0] != dumps[1]


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "x.sqlite").touch()
    with pytest.raises(FileExistsError, match="exists already"):
        build("solar_coop", tmp_path / "x.sqlite")
