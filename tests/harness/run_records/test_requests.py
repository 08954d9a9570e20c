"""What was said and what an earlier run fills in: on --resume, the same or a refusal."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.requests import Request
from claimdb_metric.errors import DataError

ROW = {"label": "ENTAILED", "claim": "Vita sails.", "db_name": "ferry_lines"}


def write_claims(path: Path, n: int, **changed: Any) -> str:
    rows = ({"claim_id": claim_id, **ROW, **changed} for claim_id in range(1, n + 1))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(path)


def begun(path: Path, **said: Any) -> RunFolder:
    request = Request(**{"model": "openai/gpt-5-mini", "split": "sample", "limit": "1-5"} | said)
    plan, folder = request.plan(), RunFolder(path)
    folder.begin(request.asked().settings(plan, {}), plan.claims_file)
    return folder


def test_what_is_not_said_stays(tmp_path: Path) -> None:
    said: dict[str, Any] = {
        "prompt": "taxonomy",
        "protocol": "json",
        "final": "none",
        "budget": {"max_turns": 3},
        "generation": {"seed": 7},
    }
    folder = begun(tmp_path / "run", **said)
    again = Request()
    plan = again.plan(folder)
    assert again.asked(folder).settings(plan, {}) == folder.settings()
    assert plan.limit == "1-5"
    assert Request(budget={"max_turns": 4}).asked(folder).budget.max_turns == 4


@pytest.mark.parametrize("task", ["closed_book", "schema_only"])
def test_tasks_with_a_prompt_of_their_own(tmp_path: Path, task: str) -> None:
    folder = begun(tmp_path / "run", task=task)
    again = Request()
    assert again.asked(folder).settings(again.plan(folder), {}) == folder.settings()
    assert folder.settings().final is None


def test_a_command(tmp_path: Path) -> None:
    folder = begun(tmp_path / "run", model=None, command="agent {mcp_config}")
    again = Request()
    assert again.asked(folder).settings(again.plan(folder), {}) == folder.settings()
    assert (folder.settings().model, folder.settings().protocol) == ("command", None)


def test_a_prompt_of_ones_own_must_be_given_again(tmp_path: Path) -> None:
    own = tmp_path / "mine.txt"
    own.write_text("Be brief.")
    folder = begun(tmp_path / "run", prompt=str(own))
    with pytest.raises(DataError, match=r"give it, --prompt mine\.txt"):
        Request().asked(folder)
    again = Request(prompt=str(own))
    assert again.asked(folder).settings(again.plan(folder), {}) == folder.settings()
    own.write_text("Be long.")
    settings = again.asked(folder).settings(again.plan(folder), {})
    with pytest.raises(DataError, match="another run: prompt_sha256 was"):
        folder.check_same(settings)


@pytest.mark.parametrize("limit", ["5", "1-5", " 5", "01-5"])
def test_the_same_limit_in_other_words(tmp_path: Path, limit: str) -> None:
    folder = begun(tmp_path / "run")
    assert Request(limit=limit, split="sample").plan(folder).limit == "1-5"


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"limit": "6"}, "limit was '1-5' and is '1-6'"),
        ({"limit": "all"}, "neither N nor A-B"),
        ({"split": "train"}, "split was 'sample' and is 'train'"),
        ({"split": "sample", "references": "x"}, "give --split or --references, not both"),
    ],
)
def test_other_claims_are_refused(tmp_path: Path, said: dict[str, Any], message: str) -> None:
    folder = begun(tmp_path / "run")
    with pytest.raises(DataError) as caught:
        Request(**said).plan(folder)
    assert message in str(caught.value)


def test_a_file_of_claims_that_changed(tmp_path: Path) -> None:
    path = write_claims(tmp_path / "mine.jsonl", 3)
    folder = begun(tmp_path / "run", split=None, references=path, limit="2")
    assert Request(references=path).plan(folder).claims.claim_ids == [1, 2]
    assert Request().plan(folder).claims.claim_ids == [1, 2]
    write_claims(Path(path), 3, claim="Vita sinks.")
    with pytest.raises(DataError, match="another run: claims_sha256 was"):
        Request(references=path).plan(folder)
    assert Request().plan(folder).claims.column("claim") == ["Vita sails."] * 2


def test_nobody_to_ask() -> None:
    with pytest.raises(DataError, match="name a model: --model provider/model"):
        Request(split="sample").asked()
