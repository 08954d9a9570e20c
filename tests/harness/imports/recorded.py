"""Records of other programs in the form in which these write them, a few lines each."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from claimdb_harness.imports.imported import ImportedRun, import_into
from claimdb_harness.labelled_claims import LabelledClaims

CLAIMS = LabelledClaims(
    "mine", {"claim_id": [7, 8, 9], "claim": ["Vita sails."] * 3, "label": ["ENTAILED"] * 3}
)
ANSWER = '{"verdict": "ENTAILED", "justification": "3 rows"}'


def imported(tmp_path: Path, path: Path, source: str, model: str | None = None) -> ImportedRun:
    return import_into(tmp_path / "out", path, source, CLAIMS, model)


def written(path: Path, lines: Iterable[object]) -> Path:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path


# Claude Code ------------------------------------------------------------------------------------


def said(message_id: str, *blocks: dict[str, Any], output_tokens: int = 5) -> dict[str, Any]:
    """A line with a block or more of one message of the model."""
    usage = {
        "input_tokens": 3,
        "cache_creation_input_tokens": 100,
        "cache_read_input_tokens": 1000,
        "output_tokens": output_tokens,
    }
    message = {"id": message_id, "role": "assistant", "content": [*blocks], "usage": usage}
    return {"type": "assistant", "message": message, "parent_tool_use_id": None}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def use(use_id: str, name: str, **given: Any) -> dict[str, Any]:
    return {"type": "tool_use", "id": use_id, "name": name, "input": given}


def read(use_id: str, content: object, is_error: bool | None = None) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": use_id, "content": content}
    block |= {} if is_error is None else {"is_error": is_error}
    return {"type": "user", "message": {"role": "user", "content": [block]}}


def ended(subtype: str = "success", **given: Any) -> dict[str, Any]:
    return {"type": "result", "subtype": subtype, "is_error": False, "num_turns": 2} | given


INIT = {"type": "system", "subtype": "init", "model": "claude-haiku-4-5", "tools": ["Bash"]}

CLAUDE = [
    INIT,
    said("m1", {"type": "thinking", "thinking": "hm"}, text("Let me look.")),
    said("m1", use("t1", "mcp__claimdb__execute_sql", sql="SELECT 1")),
    said("m1", use("t2", "Bash", command="sqlite3 zoo.sqlite 'SELECT 2'"), output_tokens=40),
    read("t1", [{"type": "text", "text": "1\n(1 row)"}]),
    read("t2", "Error: no such column: x", is_error=True),
    said("m2", use("t3", "Bash", command="ls")),
    read("t3", "zoo.sqlite"),
    said("m3", text(ANSWER)),
]

# Codex ------------------------------------------------------------------------------------------


def item(kind: str, **given: Any) -> dict[str, Any]:
    return {"type": "item.completed", "item": {"id": "item_0", "type": kind} | given}


def usage(read_: int, cached: int, wrote: int) -> dict[str, Any]:
    given = {"input_tokens": read_, "cached_input_tokens": cached, "output_tokens": wrote}
    return {"type": "turn.completed", "usage": given | {"reasoning_output_tokens": 2}}


CODEX = [
    {"type": "thread.started", "thread_id": "t"},
    {"type": "turn.started"},
    item("reasoning", text="hm"),
    item("agent_message", text='First {"verdict": "CONTRADICTED"}'),
    item(
        "mcp_tool_call",
        server="claimdb",
        tool="execute_sql",
        arguments={"sql": "SELECT 1"},
        result={"content": [{"type": "text", "text": "1"}], "structured_content": None},
        error=None,
        status="completed",
    ),
    item(
        "command_execution",
        command="/bin/bash -lc \"sqlite3 zoo.sqlite 'SELECT 2'\"",
        aggregated_output="Error: no such column: x\n",
        exit_code=1,
        status="failed",
    ),
    item("command_execution", command="bash -lc ls", aggregated_output="zoo", exit_code=0),
    item("agent_message", text=ANSWER),
    usage(100, 60, 10),
]
