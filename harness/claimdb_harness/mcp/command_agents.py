"""Runs an agent of the command line on one claim; the database it reaches over MCP alone."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from claimdb_harness.mcp.call_trace import read_trace
from claimdb_harness.mcp.config import SERVER, mcp_config
from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.traces import Call
from claimdb_metric.errors import DataError

STDERR_TAIL_CHARS: Final = 2_000
MAX_STDOUT_BYTES: Final = 16 * 2**20
"""Of what an agent printed the end is kept, as a verdict stands last."""

TRACE_VARIABLE: Final = "CLAIMDB_TRACE"
PLACEHOLDERS: Final = ("{mcp_config}", "{mcp_command}", "{mcp_args}")
"""The path of a JSON file; or, for agents that take no such file, the server's command, and its
arguments as a JSON list, which is a TOML list as well."""


@dataclass(frozen=True)
class CommandResult:
    """What an agent's command did about one claim.

    Args:
        stdout: what it printed; of more than 16 MiB the end.
        stderr_tail: the last 2,000 characters of what it printed there.
        exit_code: of the command, negative where a signal ended it.
        timed_out: whether it was killed at the budget's limit of seconds.
        calls: what it asked of the database, in order.
        seconds: from its start to its end.
    """

    stdout: str
    stderr_tail: str
    exit_code: int
    timed_out: bool
    calls: tuple[Call, ...]
    seconds: float


async def run_command(
    command: str | Sequence[str],
    prompt: str,
    db: Path,
    budget: Budget,
    folder: Path | None = None,
) -> CommandResult:
    """Return what a command did that got the prompt on stdin, in an empty folder of its own.

    It is killed with its process group at `budget.max_seconds`, or when this task is cancelled, and
    whatever of the group is left when it ends. Nothing in its folder, arguments or environment
    names the database; only the MCP server's arguments do.

    Args:
        command: program and arguments, or one text as a shell writes them; no shell reads it. At
            least one of `PLACEHOLDERS` must be in it.
        prompt: what the agent is asked.
        db: the database.
        budget: max_seconds, max_sql_calls and max_output_bytes hold; turns and tokens are the
            agent's own affair.
        folder: where temporary folders are made; None is the system's place. Not a folder in which
            the claims' labels lie, nor one below it.

    Raises:
        DataError: no placeholder is in the command, or there is no such program.
        OSError: the folder cannot be written to.
    """
    words = split_command(command)
    with (
        tempfile.TemporaryDirectory(prefix="claimdb-", dir=folder) as ours,
        tempfile.TemporaryDirectory(prefix="agent-", dir=folder) as empty,
    ):
        place = Path(ours)
        trace = place / "calls.jsonl"
        config = mcp_config(db, trace, budget.max_sql_calls, budget.max_output_bytes)
        arguments = _filled(words, config, place / "mcp.json")
        (place / "prompt").write_text(prompt, "utf-8", "backslashreplace", newline="")
        started = time.monotonic()
        process = await _started(arguments, place, empty)
        timed_out = await _ended(process, budget.max_seconds)
        seconds = round(time.monotonic() - started, 3)
        return CommandResult(
            stdout=_end_of(place / "stdout", MAX_STDOUT_BYTES),
            stderr_tail=_end_of(place / "stderr", 4 * STDERR_TAIL_CHARS)[-STDERR_TAIL_CHARS:],
            exit_code=process.returncode or 0,
            timed_out=timed_out,
            calls=read_trace(trace) if trace.exists() else (),
            seconds=seconds,
        )


def split_command(command: str | Sequence[str]) -> list[str]:
    """Return program and arguments of a command that leaves a place for the MCP server.

    Raises:
        DataError: it has none, is empty, or a quote in it is not closed.

    >>> split_command("agent --mcp '{mcp_config}' -p")
    ['agent', '--mcp', '{mcp_config}', '-p']
    """
    try:
        words = shlex.split(command) if isinstance(command, str) else [*command]
    except ValueError as error:
        raise DataError(f"the command {command!r} cannot be read: {error}") from None
    if not any(placeholder in word for word in words[1:] for placeholder in PLACEHOLDERS):
        raise DataError(
            f"the command {shlex.join(words)!r} gives the agent no way to the database: put "
            f"{PLACEHOLDERS[0]} where it takes the path of an MCP configuration"
        )
    return words


def _filled(words: Sequence[str], config: Mapping[str, Any], path: Path) -> list[str]:
    """Write the configuration, and put it where the command has placeholders."""
    path.write_text(json.dumps(config, indent=2), "utf-8")
    server = config["mcpServers"][SERVER]
    values = (str(path), server["command"], json.dumps(server["args"]))
    filled = []
    for word in words:
        for placeholder, value in zip(PLACEHOLDERS, values, strict=True):
            word = word.replace(placeholder, value)
        filled.append(word)
    return filled


async def _started(arguments: Sequence[str], place: Path, empty: str) -> asyncio.subprocess.Process:
    """Start the command on files, as pipes would be open until the last of its children ends."""
    env = {name: value for name, value in os.environ.items() if name != TRACE_VARIABLE}
    with _files(place) as (stdin, stdout, stderr):
        try:
            return await asyncio.create_subprocess_exec(
                *arguments,
                stdin=stdin,
                stdout=stdout,
                stderr=stderr,
                cwd=empty,
                env=env,
                start_new_session=True,
            )
        except (FileNotFoundError, PermissionError) as error:
            raise DataError(
                f"{arguments[0]!r} cannot be started: {error.strerror}; is the agent installed?"
            ) from None


async def _ended(process: asyncio.subprocess.Process, limit_s: float) -> bool:
    """Wait for the end; return whether the time was over before it."""
    try:
        async with asyncio.timeout(limit_s):
            await process.wait()
    except TimeoutError:
        return True
    finally:
        _kill_group(process)
        await process.wait()
    return False


@contextmanager
def _files(place: Path) -> Iterator[tuple[IO[bytes], IO[bytes], IO[bytes]]]:
    with (
        (place / "prompt").open("rb") as stdin,
        (place / "stdout").open("wb") as stdout,
        (place / "stderr").open("wb") as stderr,
    ):
        yield stdin, stdout, stderr


def _kill_group(process: asyncio.subprocess.Process) -> None:
    """Kill what is left of the command and its children, which share its group."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)


def _end_of(path: Path, max_bytes: int) -> str:
    with path.open("rb") as file:
        file.seek(max(path.stat().st_size - max_bytes, 0))
        return file.read().decode("utf-8", "replace")
