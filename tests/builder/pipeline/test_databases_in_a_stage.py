"""Databases that are written to while a stage reads them, also where they are put back."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from claimdb_builder.pipeline.databases import Survey, survey
from claimdb_builder.pipeline.stages import NAMES
from claimdb_sandbox import ChangedDatabaseError
from tests.builder.pipeline.made_runs import Inline, built, question_file, rows, zoo


@pytest.fixture
def found(tmp_path: Path) -> Survey:
    """What is known of database zoo."""
    zoo(tmp_path / "dbs")
    return survey(["zoo"], [tmp_path / "dbs"], tmp_path / "run", Inline())


def path_of(found: Survey) -> Path:
    return found.databases["zoo"].paths.path


def write_and_put_back(path: Path) -> None:
    old = path.read_bytes()
    path.write_bytes(old.replace(b"Pet 7", b"Pet X"))
    path.write_bytes(old)


def put_back_from_a_copy(path: Path) -> None:
    """With its time, so that its inode alone is another one."""
    state, new = path.stat(), path.with_name("new")
    new.write_bytes(path.read_bytes())
    os.utime(new, ns=(state.st_atime_ns, state.st_mtime_ns))
    new.replace(path)


def touch(path: Path) -> None:
    os.utime(path, (1, 1))


@pytest.mark.parametrize("change", [write_and_put_back, put_back_from_a_copy, touch])
def test_a_file_that_was_written_to_and_put_back_was_changed(
    found: Survey, change: Callable[[Path], None]
) -> None:
    found.assert_untouched(["zoo"])
    change(path_of(found))
    with pytest.raises(ChangedDatabaseError, match=r"zoo\.sqlite was written to while it was read"):
        found.assert_untouched(["zoo"])
    found.assert_untouched(["gone"])


def test_a_file_that_is_another_one_was_changed(found: Survey) -> None:
    path = path_of(found)
    state = path.stat()
    path.write_bytes(path.read_bytes().replace(b"Pet 7", b"Pet X"))
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    with pytest.raises(ChangedDatabaseError, match="1 of 1 databases changed"):
        found.assert_untouched(["zoo"])


def owned(path: Path) -> None:
    os.chown(path, -1, -1)


def given_a_mode(path: Path) -> None:
    path.chmod(0o640)


def linked(path: Path) -> None:
    path.with_name("link").hardlink_to(path)


@pytest.mark.parametrize("change", [owned, given_a_mode, linked])
def test_a_file_whose_ctime_alone_is_another_was_not(
    found: Survey, change: Callable[[Path], None]
) -> None:
    before = path_of(found).stat().st_ctime_ns
    time.sleep(0.02)  # the clock of the file system ticks every few ms
    change(path_of(found))
    assert path_of(found).stat().st_ctime_ns != before
    for _ in range(2):
        found.assert_untouched(["zoo"])


def test_a_stage_that_read_such_a_file_is_not_kept(tmp_path: Path) -> None:
    path = zoo(tmp_path / "dbs")
    questions = question_file(tmp_path / "q.jsonl", rows(30))

    def disturb(number: int) -> None:
        if number == 3:
            write_and_put_back(path)

    with pytest.raises(ChangedDatabaseError, match="was written to while it was read"):
        built(tmp_path / "run", questions, tmp_path / "dbs", executor=Inline(disturb))
    finished = {path.parent.name.split("-")[0] for path in (tmp_path / "run").rglob("stage.json")}
    assert finished == {"ingest", "select"}
    assert built(tmp_path / "run", questions, tmp_path / "dbs").done == NAMES[2:]
