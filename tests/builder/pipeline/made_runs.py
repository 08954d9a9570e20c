"""Questions, databases and runs made for tests of the build, and what a run's folder holds."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, Future
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from claimdb_builder.pipeline.build import Build, Built, build
from claimdb_builder.pipeline.stage import Settings

NOT_COMPARED: Final = frozenset({".lock", "databases.json"})
"""Files of a run that hold paths and times of this machine."""

SQLS: Final = (
    "SELECT count(*) FROM pet",
    "SELECT species, count(*) FROM pet GROUP BY species ORDER BY species",
    "SELECT name FROM pet ORDER BY weight DESC LIMIT 1",
    "SELECT max(weight), min(weight) FROM pet WHERE species = 'cat'",
    "SELECT avg(weight) FROM pet AS p JOIN keeper AS k ON k.id = p.keeper_id WHERE k.name = 'Ann'",
    "SELECT name FROM pet WHERE id = 3",
)
"""The last is not selected."""

WRONG_SQLS: Final = {
    "unparsable": "SELECT count( FROM pet",
    "not_a_select": "DELETE FROM pet",
    "several_statements": "SELECT count(*) FROM pet; SELECT 1",
    "tie": "SELECT name FROM pet ORDER BY species LIMIT 1",
    "empty": "SELECT name FROM pet WHERE id < 0 ORDER BY name",
    "sql_error": "SELECT count(*) FROM no_such_table",
    "too_many_rows": "SELECT id FROM pet ORDER BY id",
}
"""By the reason for which `strict` drops them."""

SLOW_SQL: Final = (
    "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < {steps}) "
    "SELECT count(*) + 0 * (SELECT count(*) FROM pet) FROM r"
)


def zoo(folder: Path, name: str = "zoo", n_pets: int = 40) -> Path:
    """Make the database `<folder>/<name>/<name>.sqlite` unless it is there; return its path."""
    path = folder / name / f"{name}.sqlite"
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    pets = [
        (n, f"Pet {n}", ("cat", "dog", "newt")[n % 3], 1.5 + n, n % 4) for n in range(1, n_pets + 1)
    ]
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            "CREATE TABLE keeper (id INTEGER PRIMARY KEY, name TEXT);"
            "CREATE TABLE pet (id INTEGER PRIMARY KEY, name TEXT, species TEXT, weight REAL,"
            " keeper_id INT REFERENCES keeper);"
            "INSERT INTO keeper VALUES (0, 'Ann'), (1, 'Bo'), (2, 'Cy'), (3, 'Di');"
        )
        connection.executemany("INSERT INTO pet VALUES (?, ?, ?, ?, ?)", pets)
        connection.commit()
    return path


def row(sql: str, db_name: str = "zoo", **more: object) -> dict[str, object]:
    """Return a row of a question file."""
    return {"db_id": db_name, "question": f"What gives {sql[:20]}?", "SQL": sql} | more


def rows(n: int, db_names: Sequence[str] = ("zoo",), sqls: Sequence[str] = SQLS) -> list[Any]:
    """Return so many rows, SQL and databases in turn."""
    return [row(sqls[i % len(sqls)], db_names[i % len(db_names)]) for i in range(n)]


def question_file(path: Path, given: Iterable[object]) -> Path:
    """Write rows as JSONL; return the path."""
    path.write_text("".join(json.dumps(one) + "\n" for one in given), "utf-8")
    return path


class Inline(Executor):
    """Does the work where it is given, and tells of it before.

    Args:
        before: called with the running number of each piece of work, from 0.
    """

    def __init__(self, before: Callable[[int], object] = lambda number: None) -> None:
        self.before = before
        self.n_given = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.before(self.n_given)
        self.n_given += 1
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:
            future.set_exception(error)
        return future


def built(
    out: Path,
    questions: Path | Sequence[Path],
    *databases: Path,
    executor: Executor | None = None,
    settings: Settings | None = None,
    **more: Any,
) -> Built:
    """Build in this process; the arguments are those of `Build`."""
    files = (questions,) if isinstance(questions, Path) else tuple(questions)
    wanted = Build(files, out, databases, settings or Settings(), **more)
    return build(wanted, executor or Inline())


def files_of(run: Path) -> dict[str, bytes]:
    """Return the content of a run's files by their relative path, but for NOT_COMPARED."""
    return {
        str(path.relative_to(run)): path.read_bytes()
        for path in sorted(run.rglob("*"))
        if path.is_file() and path.name not in NOT_COMPARED
    }


def states_of(run: Path) -> dict[str, tuple[int, int]]:
    """Return inode and time of the last change of each file and folder of a run."""
    return {
        str(path.relative_to(run)): (path.stat().st_ino, path.stat().st_mtime_ns)
        for path in sorted(run.rglob("*"))
    }


def records(path: Path) -> list[dict[str, Any]]:
    """Return the records of a JSONL file."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def ids(path: Path) -> list[int]:
    """Return the ids in a JSONL file of records."""
    return [record["bird_id"] for record in records(path)]


def folder_of(run: Path, stage: str) -> Path:
    """Return the only folder of a stage in a run."""
    (folder,) = (run / "stages").glob(f"{stage}-*")
    return folder


def sums(funnel: dict[str, Any]) -> dict[str, tuple[int, int, dict[str, int]]]:
    """Return in, kept and dropped of each stage of a funnel."""
    return {one["stage"]: (one["in"], one["kept"], one["dropped"]) for one in funnel["stages"]}
