"""What stops a build: databases, folders and losses; nothing half-written, one clear error."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline.run_folder import RUN_FORMAT
from claimdb_builder.pipeline.stages import NAMES
from claimdb_metric.errors import DatabaseFileError, DataError, UnknownDatabaseError
from claimdb_sandbox import ChangedDatabaseError, UnusableDatabaseError
from tests.builder.pipeline.made_runs import (
    SQLS,
    WRONG_SQLS,
    Inline,
    built,
    files_of,
    question_file,
    row,
    rows,
    sums,
    zoo,
)
from tests.builder.schemas.made_descriptions import table, write_files

LOST = r"zoo: 2 of the 9 that .* \(deterministic: tie 1, execute: sql_error 1\)\n"


def simple(folder: Path, n: int = 30, **more: Any) -> Any:
    zoo(folder / "dbs")
    return built(folder / "run", question_file(folder / "q.jsonl", rows(n)), folder / "dbs", **more)


def stages_in(run: Path) -> set[str]:
    return {path.name.split("-")[0] for path in (run / "stages").glob("*")}


def test_a_wrong_question_builds_nothing(tmp_path: Path) -> None:
    path = question_file(tmp_path / "q.jsonl", [*rows(200), {"db_id": "zoo"}])
    with pytest.raises(DataError, match=r"q\.jsonl, line 201: has no question"):
        built(tmp_path / "run", path, until="select")
    assert stages_in(tmp_path / "run") == set()
    assert not (tmp_path / "run" / "funnel.json").exists()


def test_missing_databases_are_listed_before_any_stage_runs(tmp_path: Path) -> None:
    zoo(tmp_path / "dbs")
    path = question_file(tmp_path / "q.jsonl", rows(12, ("zoo", "farm", "zo")))
    with pytest.raises(UnknownDatabaseError, match=r"2 databases .*: farm, zo \(there is zoo\)"):
        built(tmp_path / "run", path, tmp_path / "dbs")
    assert stages_in(tmp_path / "run") == {"ingest"}
    done = built(tmp_path / "run", path, tmp_path / "dbs", allow_missing=True)
    assert sums(done.funnel)["deterministic"][2] == {"database_missing": 6}
    assert [note.split(":")[0] for note in done.notes] == ["farm", "zo"]
    zoo(tmp_path / "dbs", "farm")
    zoo(tmp_path / "dbs", "zo")
    assert built(tmp_path / "run", path, tmp_path / "dbs").done == NAMES[2:]


def test_a_database_that_loses_more_than_a_fifth_stops_the_build_unless_waived(
    tmp_path: Path,
) -> None:
    zoo(tmp_path / "dbs")
    good, wrong = [row(SQLS[0])] * 7, [row(WRONG_SQLS["tie"]), row(WRONG_SQLS["sql_error"])]
    path = question_file(tmp_path / "q.jsonl", good + wrong)
    with pytest.raises(DataError, match=LOST):
        built(tmp_path / "run", path, tmp_path / "dbs")
    assert list(sums(json.loads((tmp_path / "run" / "funnel.json").read_bytes()))) == [*NAMES[:4]]
    with pytest.raises(DataError, match="--waive farm: no question is on a database of that name"):
        built(tmp_path / "run", path, tmp_path / "dbs", waived=("zoo", "farm"))
    assert built(tmp_path / "run", path, tmp_path / "dbs", waived=("zoo",)).done == NAMES[4:]
    question_file(path, good + wrong + [row(SQLS[0])])
    assert sums(built(tmp_path / "run", path, tmp_path / "dbs").funnel)["answers"][1] == 8


FOLDERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "a file": (lambda out: out.write_text(""), "is a file; --out names a folder"),
    "other files": (
        lambda out: zoo(out, "thesis"),
        "holds other files and is no run of `claimdb build`",
    ),
    "another format": (lambda out: marked(out, b'{"format": 99}'), "another version of ClaimDB"),
    "no format": (lambda out: marked(out, b"{}"), "run.json is damaged"),
    "a list": (lambda out: marked(out, b"[]"), "run.json is damaged"),
    "null": (lambda out: marked(out, b"null"), "run.json is damaged"),
    "cut": (lambda out: marked(out, b'{"for'), "run.json is damaged"),
    "binary": (lambda out: marked(out, b"\xff\xfe"), "run.json is damaged"),
}


def marked(out: Path, content: bytes) -> None:
    out.mkdir()
    (out / "run.json").write_bytes(content)


@pytest.mark.parametrize(("make", "said"), FOLDERS.values(), ids=FOLDERS)
def test_a_folder_that_is_no_run_of_this_version_is_left_alone(
    tmp_path: Path, make: Callable[[Path], object], said: str
) -> None:
    out = tmp_path / "run"
    make(out)
    before = files_of(out) if out.is_dir() else out.read_bytes()
    with pytest.raises(DataError, match=said) as caught:
        simple(tmp_path)
    assert str(out) in str(caught.value)
    assert (files_of(out) if out.is_dir() else out.read_bytes()) == before


def test_a_folder_with_this_format_is_taken(tmp_path: Path) -> None:
    marked(tmp_path / "run", b'{"format": %d}' % RUN_FORMAT)
    assert simple(tmp_path).done == NAMES


@pytest.mark.parametrize("name", [".config/.settings.new", ".kept.new", ".run.json", ".git/x"])
def test_files_of_others_are_refused_or_left_alone(tmp_path: Path, name: str) -> None:
    theirs = tmp_path / "run" / name
    theirs.parent.mkdir(parents=True)
    theirs.write_text("mine")
    with pytest.raises(DataError, match="holds other files and is no run"):
        simple(tmp_path)
    assert files_of(tmp_path / "run") == {name: b"mine"}
    theirs.unlink()
    if theirs.parent != tmp_path / "run":
        theirs.parent.rmdir()
    simple(tmp_path)
    theirs.parent.mkdir(exist_ok=True)
    theirs.write_text("mine")
    simple(tmp_path)
    assert theirs.read_text() == "mine"


LEFT_OVER = (".run.json.1a.new", ".funnel.json.12ab34cd.new", ".databases.json.9.new")


def test_left_over_temporary_files_are_removed(tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    for name in (".lock", *LEFT_OVER):  # of a build that was killed as it began
        (run / name).touch()
    kept = simple(tmp_path).files["select"]
    before = files_of(run)
    for path in (*map(run.joinpath, LEFT_OVER), kept.with_name(".kept.new")):
        path.touch()
    kept.with_name("part.jsonl").touch()  # of one that was killed as a stage ended
    simple(tmp_path)
    assert files_of(run) == before


def test_a_stage_that_was_edited_is_an_error(tmp_path: Path) -> None:
    done = simple(tmp_path)
    kept = done.files["deterministic"]
    kept.write_bytes(kept.read_bytes().replace(b"Pet", b"Cat") + b"\n")
    with pytest.raises(DataError, match=r"kept\.jsonl is not as the stage wrote it"):
        simple(tmp_path)


def test_a_database_that_becomes_unreadable_is_named_and_may_come_back(tmp_path: Path) -> None:
    simple(tmp_path, until="select")
    path = tmp_path / "dbs" / "zoo" / "zoo.sqlite"
    old = path.read_bytes()

    def break_it(number: int) -> None:
        if number == 2:
            path.write_bytes(b"no database")

    with pytest.raises(
        (UnusableDatabaseError, DatabaseFileError, ChangedDatabaseError), match="zoo"
    ):
        simple(tmp_path, executor=Inline(break_it))
    path.write_bytes(old)
    simple(tmp_path)
    built(tmp_path / "whole", tmp_path / "q.jsonl", tmp_path / "dbs")
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


@pytest.mark.parametrize(
    ("changed_at", "stopped_at", "error"),
    [(1, 25, ChangedDatabaseError), (20, 20, KeyboardInterrupt), (20, 21, ChangedDatabaseError)],
)
def test_what_was_read_of_a_changed_database_is_not_taken_later(
    tmp_path: Path, changed_at: int, stopped_at: int, error: type[BaseException]
) -> None:
    """It changes, the build is stopped before it ends the stage, and the old file comes back."""
    simple(tmp_path, n=400, until="select")
    path = tmp_path / "dbs" / "zoo" / "zoo.sqlite"
    old = path.read_bytes()

    def change(number: int) -> None:
        if number == changed_at:
            path.unlink()
            zoo(tmp_path / "dbs", n_pets=7)
        if number == stopped_at:
            raise KeyboardInterrupt

    with pytest.raises(error):
        simple(tmp_path, n=400, executor=Inline(change))
    is_begun = "deterministic" in stages_in(tmp_path / "run")
    assert is_begun is (error is KeyboardInterrupt), "of two states of the data nothing is kept"
    path.write_bytes(old)
    simple(tmp_path, n=400, waived=("zoo",))
    built(tmp_path / "whole", tmp_path / "q.jsonl", tmp_path / "dbs")
    assert files_of(tmp_path / "run") == files_of(tmp_path / "whole")


def test_a_description_that_changes_during_the_build_is_an_error(tmp_path: Path) -> None:
    simple(tmp_path, until="execute")
    columns = table([("name", "call name", "", "text", "")])
    folder = write_files(tmp_path / "dbs" / "zoo" / "database_description", {"pet.csv": columns})
    simple(tmp_path, until="execute")

    def change(number: int) -> None:
        (folder / "pet.csv").write_text(columns.replace("call name", "nickname"))

    with pytest.raises(ChangedDatabaseError):
        simple(tmp_path, executor=Inline(change))
