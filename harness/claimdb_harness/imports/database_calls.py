"""Which of an agent's tool calls ask the database, and the SQL in them."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

_SCHEMA_TOOLS: Final = ("list_tables", "describe_table")
_SQL_ARGUMENTS: Final = ("sql", "query", "statement")
_NAMED_FOR_SQL: Final = re.compile(r"sql|quer(?:y|ies)", re.IGNORECASE)

ANSWER_TOOLS: Final = re.compile(
    r"(?:.*__)?(?:submit|final|give|return|report)_?(?:verdict|answer|result|output|response)\w*"
    r"|StructuredOutput",
    re.IGNORECASE,
)
"""Tools that give the answer and ask nothing: `final_result` and `final_result_<type>` of
Pydantic AI, `StructuredOutput` of Claude Code, submit_verdict, final_answer and the like."""

_SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
_ENDS: Final = "();<>|&\n"
_BEFORE: Final = re.compile(r"timeout|time|nice|env|sudo|exec|command|\d+[smh]?|-\w+|\w+=.*")
"""What may stand before the name of a program."""

_PLAIN_WORDS: Final = re.compile(r"[();<>|&\n]+|[^\s();<>|&]+")
_QUIET: Final = re.compile(r"\s\d?>{1,2}\s*(?:&\d|/dev/null)")
_VALUE_OPTIONS: Final = frozenset(
    {"cmd", "init", "maxsize", "mmap", "newline", "nonce", "nullvalue", "separator", "vfs"}
)
"""Options of `sqlite3` that take a value of their own (https://sqlite.org/cli.html)."""

_DOT_COMMANDS: Final[Mapping[str, str]] = {
    ".tables": "list_tables",
    ".schema": "describe_table",
    ".fullschema": "describe_table",
}


class Asked(NamedTuple):
    """A call of the database: the tool as our own record names it, and its SQL."""

    tool: str
    sql: str


def database_call(name: str, arguments: object) -> Asked | None:
    """Return what a tool call asked of the database, None where it asked it nothing.

    It did if its tool is execute_sql, list_tables or describe_table, whatever stands before the
    name (`mcp__db__execute_sql`, `zoo_execute_sql`), or if it has a text argument `sql`, or one
    `query` or `statement` and a name that speaks of SQL or queries.

    Args:
        name: of the tool.
        arguments: a JSON object, or its text.

    >>> database_call("zoo_execute_sql", '{"sql": "SELECT 1"}')
    Asked(tool='execute_sql', sql='SELECT 1')
    >>> database_call("mcp__sqlite__read_query", {"query": "SELECT 1"}).sql
    'SELECT 1'
    >>> database_call("web_search", {"q": "ferries"}), database_call("final_result", {"sql": "x"})
    (None, None)
    """
    if ANSWER_TOOLS.fullmatch(name):
        return None
    given = _object(arguments)
    for tool in _SCHEMA_TOOLS:
        if _ends_with(name, tool):
            return Asked(tool, next((v for v in given.values() if isinstance(v, str)), ""))
    is_ours = _ends_with(name, "execute_sql")
    named = _SQL_ARGUMENTS if _NAMED_FOR_SQL.search(name) else _SQL_ARGUMENTS[:1]
    sql = next((given[key] for key in named if isinstance(given.get(key), str)), None)
    if sql is None and is_ours:
        sql = arguments if isinstance(arguments, str) else json.dumps(given, ensure_ascii=False)
    return None if sql is None else Asked("execute_sql", sql)


def shell_call(command: str) -> Asked | None:
    """Return what a shell command asked of a database through `sqlite3`, None where nothing.

    The SQL is that of `sqlite3 [options] FILE 'SQL'`; of any other command that calls sqlite3, or
    Python's module of that name, the whole command stands for it.

    >>> shell_call("cd db && sqlite3 -header zoo.sqlite 'SELECT 1' | head").sql
    'SELECT 1'
    >>> shell_call("sqlite3 zoo.sqlite < q.sql").sql
    'sqlite3 zoo.sqlite < q.sql'
    >>> shell_call("which sqlite3"), shell_call("ls *.sqlite3")
    (None, None)
    """
    if "sqlite3" not in command:
        return None
    script = _script_of(command)
    asked = [words for words in map(_arguments, _commands(script)) if words]
    if len(asked) == 1 and len(asked[0]) == 2:
        sql = asked[0][1]
        name, _, argument = sql.partition(" ")
        tool = _DOT_COMMANDS.get(name)
        return Asked("execute_sql", sql) if tool is None else Asked(tool, argument)
    return Asked("execute_sql", script) if asked or "sqlite3.connect(" in script else None


def _object(arguments: object) -> Mapping[str, Any]:
    if isinstance(arguments, str):
        try:
            arguments = json.loads(arguments)
        except (ValueError, RecursionError):
            return {}
    return arguments if isinstance(arguments, Mapping) else {}


def _ends_with(name: str, tool: str) -> bool:
    return name == tool or name.endswith(f"_{tool}")


def _script_of(command: str) -> str:
    """The script of `bash -lc SCRIPT`, the form in which Codex notes its commands."""
    try:
        words = shlex.split(command)
    except ValueError:
        return command
    is_wrapped = len(words) == 3 and words[1] in ("-c", "-lc")
    return words[2] if is_wrapped and words[0].rpartition("/")[2] in _SHELLS else command


def _commands(script: str) -> list[list[str]]:
    """The words of each simple command of a script."""
    commands: list[list[str]] = [[]]
    for word in _words(script):
        if set(word) <= set(_ENDS):
            commands.append([])
        else:
            commands[-1].append(word)
    return commands


def _words(script: str) -> list[str]:
    words = shlex.shlex(_QUIET.sub(" ", script), posix=True, punctuation_chars=_ENDS)
    words.whitespace = " \t\r"
    words.whitespace_split = True
    words.commenters = ""
    try:
        return list(words)
    except ValueError:  # a quote alone, as in the text of a here-document
        return _PLAIN_WORDS.findall(script)


def _arguments(words: list[str]) -> list[str]:
    """The arguments of a call of `sqlite3` that are no options: the file, and its SQL."""
    place = next((n for n, word in enumerate(words) if not _BEFORE.fullmatch(word)), None)
    if place is None or words[place].rpartition("/")[2] != "sqlite3":
        return []
    found: list[str] = []
    rest = iter(words[place + 1 :])
    for word in rest:
        if not word.startswith("-"):
            found.append(word)
        elif word.lstrip("-") in _VALUE_OPTIONS:
            next(rest, None)
    return found
