"""A claim's agent reads the claim's own database, which stays as it is, and no other file."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from inspect_ai.log import read_eval_log

from claimdb_harness.agents.run import RunFailedError
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.runs.plans import Plan
from claimdb_harness.runs.runs import read_run
from claimdb_metric.errors import DataError
from tests.harness.agents.scripts import YES, Asking, Played, Recorder, play, run
from tests.sandbox.made_databases import folder_state, heroes_database

VERDICT: Any = {"verdict": YES}


def plan_of(*databases: Path) -> Plan:
    """A claim about each database."""
    n = len(databases)
    columns: dict[str, list[object]] = {
        "claim_id": [*range(n)],
        "bird_id": [-1] * n,
        "db_name": [path.stem for path in databases],
        "claim": ["There are heroes."] * n,
        "extra_info": [""] * n,
        "label": [YES] * n,
        "category": [None] * n,
    }
    return Plan(LabelledClaims("made", columns), None, {path.stem: path for path in databases})


@pytest.fixture(scope="module")
def databases(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("databases")
    own = heroes_database(folder / "own.sqlite", n_rows=3)
    return own, heroes_database(folder / "other.sqlite", "CREATE TABLE secret (x);", n_rows=5)


@pytest.fixture(scope="module")
def states(databases: tuple[Path, Path]) -> list[dict[str, str]]:
    return [folder_state(databases[0].parent)]


@pytest.fixture(scope="module")
def played(
    tmp_path_factory: pytest.TempPathFactory,
    databases: tuple[Path, Path],
    states: list[dict[str, str]],
) -> Played:
    own, other = databases
    hostile = [
        f"ATTACH '{other}' AS other",
        f"ATTACH 'file:{other}?mode=ro' AS other",
        "SELECT * FROM secret",
        f"SELECT readfile('{other}')",
        f"VACUUM INTO '{own.parent / 'copy.sqlite'}'",
        "INSERT INTO heroes (name) VALUES ('X')",
        "PRAGMA journal_mode = WAL",
    ]
    count = {"sql": "SELECT count(*) FROM heroes"}
    played = play(
        tmp_path_factory.mktemp("played"),
        {"own": [count, {"sql": hostile}, VERDICT], "other": [count, VERDICT]},
        plan=plan_of(own, other),
    )
    states.append(folder_state(own.parent))
    return played


def test_each_claim_has_its_own_database(played: Played) -> None:
    counts = {name: trace.calls[0].output for name, trace in played.traces.items()}
    assert counts == {"own": "count(*)\n3\n(1 row)", "other": "count(*)\n5\n(1 row)"}


def test_no_other_file_is_read_or_written(
    played: Played, databases: tuple[Path, Path], states: list[dict[str, str]]
) -> None:
    _, *hostile = played.traces["own"].calls
    assert [call.sql for call in hostile if call.ok] == []
    assert played.traces["own"].verdict == YES
    assert states[0] == states[1]


def test_a_log_has_the_databases_hashes(
    played: Played, databases: tuple[Path, Path], states: list[dict[str, str]]
) -> None:
    log = read_eval_log(str(played.log), header_only=True)
    assert log.status == "success"
    settings = (log.eval.metadata or {})["claimdb"]
    hashes = {f"{name}.sqlite": one["sha256"] for name, one in settings["databases"].items()}
    assert hashes == states[0]


def test_a_database_that_changes_fails_the_run(tmp_path: Path) -> None:
    own = heroes_database(tmp_path / "own.sqlite", n_rows=3)
    other = heroes_database(tmp_path / "other.sqlite", n_rows=3)

    def add_a_row(_: Asking) -> None:
        with closing(sqlite3.connect(other)) as connection:
            connection.execute("INSERT INTO heroes (name) VALUES ('X')")
            connection.commit()

    script = {"default": [VERDICT]}
    with pytest.raises(RunFailedError, match=r"other\.sqlite") as caught:
        run(tmp_path / "run", plan_of(own, other), script, Recorder(add_a_row))
    assert "own.sqlite" not in str(caught.value)
    # Also where the file is restored, nobody knows which verdicts were about which.
    failed = r"failed: .*other\.sqlite.*begin it anew"
    with pytest.raises(DataError, match=failed):
        run(tmp_path / "run", plan_of(own, other), script)
    with pytest.raises(DataError, match=failed):
        read_run(tmp_path / "run")
    (log,) = (tmp_path / "run" / "logs").glob("*.eval")
    header = read_eval_log(str(log), header_only=True)
    assert header.status == "error"
    assert header.error is not None
    assert "other.sqlite" in header.error.message
