"""One database, one query at a time."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest

from claimdb_sandbox import ClosedError, Executor, Limits, UnusableDatabaseError
from tests.sandbox.made_databases import heroes_database


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


def test_text_that_is_far_too_long_is_not_sent(sandbox: Executor) -> None:
    result = sandbox.run("x" * 100_001)
    assert (result.status, result.limit) == ("sql_error", "max_sql_chars")
    assert result.message == "the SQL has 100,001 characters; the limit is 100,000"
    assert sandbox.worker_pid is None


@pytest.mark.parametrize("pickled", [False, True])
def test_a_file_that_becomes_a_link_out_of_the_root_is_not_read(
    database: Path, tmp_path: Path, pickled: bool
) -> None:
    other = heroes_database(tmp_path / "other" / "heroes.sqlite")
    with Executor(database, root=database.parent) as executor:
        if pickled:
            executor = pickle.loads(pickle.dumps(executor))
        assert executor.run("SELECT 1").ok
        database.unlink()
        database.symlink_to(other)
        with pytest.raises(UnusableDatabaseError, match="leads out of"):
            executor.run("SELECT 1")
        executor.close()


@pytest.mark.parametrize("sql", [None, 1, b"SELECT 1"])
def test_sql_that_is_no_text_is_a_mistake_of_the_program(sandbox: Executor, sql: object) -> None:
    with pytest.raises(TypeError, match="sql must be text"):
        sandbox.run(sql)  # type: ignore[arg-type]


def test_a_damaged_page_is_not_the_fault_of_the_query(tmp_path: Path) -> None:
    path = heroes_database(tmp_path / "heroes.sqlite", n_rows=5000)
    content = bytearray(path.read_bytes())
    content[5 * 4096 : 6 * 4096] = b"\xff" * 4096
    path.write_bytes(content)
    with Executor(path) as executor:
        assert executor.run("SELECT 1").ok
        with pytest.raises(UnusableDatabaseError, match=r"malformed; it is damaged: replace it"):
            executor.run("SELECT sum(height_cm) FROM heroes")
        assert executor.run("SELECT 1").ok


@pytest.mark.unmeasured
def test_as_many_rows_as_the_limits_allow_are_answered(database: Path) -> None:
    sql = "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r) SELECT 1 FROM r"
    limits = Limits(60, max_rows=10**9, max_bytes=2**23, max_heap_bytes=8 * 2**20)
    with Executor(database, limits) as executor:
        result = executor.run(sql)
        assert (result.status, result.limit) == ("truncated", "max_bytes")
        assert 2**21 - 100 < len(result) <= 2**21  # `[1],` for each
