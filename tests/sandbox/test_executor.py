"""One database, one query at a time."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from claimdb_sandbox import ClosedError, Executor, Limits


def test_rows_come_back_as_they_are(sandbox: Executor) -> None:
    result = sandbox.run("SELECT id, name, height_cm, NULL FROM heroes ORDER BY id LIMIT 2")
    assert result.status == "ok"
    assert result.columns == ("id", "name", "height_cm", "NULL")
    assert result.rows == ((1, "Hero 1", 151.5, None), (2, "Hero 2", 152.5, None))


def test_no_worker_runs_before_the_first_query_and_one_after(sandbox: Executor) -> None:
    assert sandbox.worker_pid is None
    sandbox.run("SELECT 1")
    pid = sandbox.worker_pid
    sandbox.run("SELECT 2")
    assert pid is not None
    assert sandbox.worker_pid == pid


def test_a_pickled_executor_has_a_worker_of_its_own(sandbox: Executor) -> None:
    sandbox.run("SELECT 1")
    with pickle.loads(pickle.dumps(sandbox)) as copy:
        assert copy.run("SELECT count(*) FROM heroes").rows == ((2000,),)
        assert copy.worker_pid != sandbox.worker_pid
        assert copy.limits == sandbox.limits


def test_after_its_end_an_executor_says_so(database: Path) -> None:
    with Executor(database, Limits(1)) as executor:
        executor.run("SELECT 1")
    with pytest.raises(ClosedError, match="is closed; make a new one"):
        executor.run("SELECT 1")


@pytest.mark.parametrize("sql", [None, 1, b"SELECT 1"])
def test_sql_that_is_no_text_is_a_mistake_of_the_program(sandbox: Executor, sql: object) -> None:
    with pytest.raises(TypeError, match="sql must be text"):
        sandbox.run(sql)  # type: ignore[arg-type]
