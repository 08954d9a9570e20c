"""Gives each claim row a handle to its database, opened at first use."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claimdb_loader.databases import Database, QueryResult, open_database
from claimdb_metric.errors import DataError


class DatabaseRef(str):
    """The name of a database that fetches and opens it when it is first asked something.

    It can do what a Database can: `with row["database"] as db:` works too.

    It is a str because `datasets` writes what it finds in a row to Arrow when a function of `map`
    has read it; as a str it becomes the plain db_name there.
    """

    __slots__ = ("_handle", "_where")
    _where: Mapping[str, Any]
    _handle: Database | None

    def __new__(cls, db_name: str, where: Mapping[str, Any] | None = None) -> DatabaseRef:
        """Make a reference; `where` holds the keyword arguments of `open_database`."""
        ref = super().__new__(cls, db_name)
        ref._where = dict(where or {})
        ref._handle = None
        return ref

    def open(self) -> Database:
        """Return the read-only handle, as `open_database` does."""
        if self._handle is None:
            self._handle = open_database(str(self), **self._where)
        return self._handle

    @property
    def db_name(self) -> str:
        """The plain name."""
        return str(self)

    @property
    def path(self) -> Path:
        """Where the file is on this disk, fetched where necessary."""
        return self.open().path

    def tables(self) -> list[str]:
        """Return the names of the tables, sorted."""
        return self.open().tables()

    def schema(self) -> str:
        """Return the DDL text of the database."""
        return self.open().schema()

    def query(self, sql: str, *args: Any, **kwargs: Any) -> QueryResult:
        """Return the answer to one SQL statement; arguments are those of `Database.query`."""
        return self.open().query(sql, *args, **kwargs)

    def close(self) -> None:
        """Let the connection go, if there is one; a later query opens a new one."""
        if self._handle is not None:
            self._handle.close()

    def __enter__(self) -> Database:
        return self.open()

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[type[DatabaseRef], tuple[str, Mapping[str, Any]]]:
        return DatabaseRef, (str(self), self._where)


def attach_databases(
    batch: Mapping[str, Any],
    *,
    data_dir: str | os.PathLike[str] | None = None,
    repo_id: str | None = None,
    revision: str | None = None,
) -> dict[str, Any]:
    """Return a batch of claim rows with one more column, `database`: a handle for each row.

    Use it as `ds.with_transform(claimdb.attach_databases)`, or with `functools.partial` to say
    where the databases are. Nothing is fetched or opened before a handle is asked something.

    Args:
        batch: columns of a batch, or one row; `db_name` must be among them.
        data_dir, repo_id, revision: as in `open_database`.

    Raises:
        DataError: there is no `db_name`.

    >>> attach_databases({"db_name": ["ferry_lines"]})["database"][0].open().db_name
    'ferry_lines'
    """
    options = {"data_dir": data_dir, "repo_id": repo_id, "revision": revision}
    where = {key: value for key, value in options.items() if value is not None}
    if "db_name" not in batch:
        raise DataError(f"no column 'db_name' to attach databases to; there are {sorted(batch)}")
    names: str | Sequence[str] = batch["db_name"]
    if isinstance(names, str):
        return {**batch, "database": DatabaseRef(names, where)}
    return {**batch, "database": [DatabaseRef(name, where) for name in names]}
