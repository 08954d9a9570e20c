"""What an agent may ask of one database: which tables there are, what one holds, a query."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import Final

from claimdb_harness.mcp.created_schema import NAMED, schema_text
from claimdb_harness.runs.traces import Call
from claimdb_sandbox import AGENT_LIMITS, Executor, Limits
from claimdb_sandbox.model_forms import MIN_BYTES, check_max_bytes, cut_text
from claimdb_sandbox.results import DEFAULT_MAX_BYTES, Result

__all__ = ["TOOLS", "DatabaseTools", "schema_text"]

TOOLS: Final = ("list_tables", "describe_table", "execute_sql")

N_SAMPLE_ROWS: Final = 3
MAX_COUNTED_ROWS: Final = 1_000_000
"""Of a table: to count more takes longer than 50 ms, and seconds where the disk is slow."""

_TABLES: Final = f"SELECT name, type {NAMED} ORDER BY type, name"

# Not table_info, which leaves generated columns out; hidden = 1 is an argument of a virtual table.
_COLUMNS: Final = (
    "SELECT name AS \"column\", coalesce(nullif(type, ''), 'any') AS type, "
    '"notnull" AS not_null, pk AS primary_key '
    "FROM pragma_table_xinfo({text}) WHERE hidden <> 1 ORDER BY cid"
)
_FOREIGN_KEYS: Final = (
    'SELECT "from" AS "column", "table" AS refers_to_table, '
    "coalesce(\"to\", '(its primary key)') AS refers_to_column "
    "FROM pragma_foreign_key_list({text}) ORDER BY id, seq"
)
_COUNT: Final = f"SELECT count(*) FROM (SELECT 1 FROM {{name}} LIMIT {MAX_COUNTED_ROWS + 1})"
_SAMPLE: Final = f"SELECT * FROM {{name}} LIMIT {N_SAMPLE_ROWS}"


class DatabaseTools:
    """The tools over one database, which never raise for what a model asks.

    The queries run in one sandbox, whose process starts at the first of them; threads take turns.

    Args:
        path: the database.
        limits: what a query may cost at most.
        max_output_bytes: of one answer as the model reads it, at least 200.

    Raises:
        UnusableDatabaseError: there is no such file.
        ValueError: max_output_bytes is less than 200.

    >>> import sqlite3, tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = f"{folder.name}/ferries.sqlite"
    >>> db = sqlite3.connect(path)
    >>> _ = db.executescript("CREATE TABLE vessel (name TEXT); INSERT INTO vessel VALUES ('Vita')")
    >>> db.close()
    >>> with DatabaseTools(path) as tools:
    ...     print(tools.execute_sql("SELECT name FROM vessel").output)
    ...     tools.describe_table("vessels").output
    name
    Vita
    (1 row)
    "sql_error: no table or view 'vessels'; did you mean vessel?"
    >>> folder.cleanup()
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        limits: Limits = AGENT_LIMITS,
        max_output_bytes: int = DEFAULT_MAX_BYTES,
    ) -> None:
        check_max_bytes(max_output_bytes)
        self._max_bytes = max_output_bytes
        self._executor = Executor(path, limits)

    def execute_sql(self, sql: str) -> Call:
        """Return what became of one SQL statement.

        Raises:
            SandboxError: of `Executor.run`: no query can be run at all.
        """
        return self._call("execute_sql", sql)

    def list_tables(self) -> Call:
        """Return the names of tables and views; errors are those of `execute_sql`."""
        return self._call("list_tables", _TABLES)

    def describe_table(self, name: str) -> Call:
        """Return columns, keys, number of rows and first rows of a table or view.

        Errors are those of `execute_sql`.

        Args:
            name: as `list_tables` has it, letter case aside; any text is safe.
        """
        text = sql_text(name)
        sql = _COLUMNS.format(text=text)
        found = self._run(f"SELECT name, type {NAMED} AND name = {text} COLLATE NOCASE")
        if found.ok and not found.rows:
            found = Result("sql_error", message=self._unknown(name))
        columns = self._run(sql) if found.ok else found
        if not columns.ok:
            return self._as_call("describe_table", sql, columns, columns.to_text(self._max_bytes))
        (row,) = found.rows
        described = self._described(str(row[0]), str(row[1]), columns)
        return self._as_call("describe_table", sql, columns, described)

    def close(self) -> None:
        """End the sandbox; a query of another thread gets `worker_died`."""
        self._executor.close()

    def __enter__(self) -> DatabaseTools:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, sql: str) -> Result:
        return self._executor.run(sql)

    def _call(self, tool: str, sql: str) -> Call:
        result = self._run(sql)
        return self._as_call(tool, sql, result, result.to_text(self._max_bytes))

    def _as_call(self, tool: str, sql: str, result: Result, output: str) -> Call:
        n_rows = len(result) if result.ok else None
        return Call(tool, sql, result.status, output, result.message, n_rows, result.elapsed_ms)

    def _unknown(self, name: str) -> str:
        """Say that there is no such table, and which names are near."""
        names = {str(row[0]).lower(): str(row[0]) for row in self._run(_TABLES)}
        near = [names[found] for found in get_close_matches(name.lower(), names, n=3)]
        hint = f"did you mean {' or '.join(near)}?" if near else "list_tables names all"
        return f"no table or view {cut_text(name, 200)!r}; {hint}"

    def _described(self, name: str, kind: str, columns: Result) -> str:
        """The text on a table, of which the columns take one half at most."""
        quoted = sql_name(name)
        keys = self._run(_FOREIGN_KEYS.format(text=sql_text(name)))
        sample = self._run(_SAMPLE.format(name=quoted))
        parts = [
            f"{kind} {cut_text(name, 200)}{self._size(quoted) if kind == 'table' else ''}",
            self._part("columns", columns, 2),
            self._part("foreign keys", keys, 8) if keys.rows or not keys.ok else "",
            self._part("first rows", sample, 4),
        ]
        return cut_text("\n\n".join(filter(None, parts)), self._max_bytes)

    def _part(self, title: str, result: Result, share: int) -> str:
        return f"{title}:\n{result.to_text(max(self._max_bytes // share, MIN_BYTES))}"

    def _size(self, quoted: str) -> str:
        counted = self._run(_COUNT.format(name=quoted))
        if not counted.ok:
            return ""  # not quick, or a virtual table that this SQLite cannot read
        ((n,),) = counted.rows
        more = isinstance(n, int) and n > MAX_COUNTED_ROWS
        return f", more than {MAX_COUNTED_ROWS:,} rows" if more else f", {n:,} rows"


def sql_text(text: str) -> str:
    """Return a text as SQL writes it.

    >>> sql_text("o'clock")
    "'o''clock'"
    """
    return "'" + text.replace("'", "''") + "'"


def sql_name(name: str) -> str:
    """Return the name of a table as SQL writes it, whatever is in it.

    >>> sql_name('a "b" c')
    '"a ""b"" c"'
    """
    return '"' + name.replace('"', '""') + '"'
