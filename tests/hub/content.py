"""What the Hub refuses for its content: the metadata of a card, the benchmark in `eval.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from tests.hub.message import Answer, Call, HubError, json_answer
from tests.hub.store import Store

FRONT_MATTER = re.compile(r"\s*---[\r\n]+(.*?)[\r\n]+---(?:[\r\n]|$)", re.DOTALL)
SPLIT_NAME = re.compile(r"\w+(\.\w+)*", re.ASCII)
NOT_YAML = (yaml.YAMLError, ValueError)  # the latter of a date like 2026-13-01
EVAL_FILE = "eval.yaml"
EVAL_KEYS = ("name", "description", "evaluation_framework", "tasks")
# What each task needs, of some of the frameworks that the Hub lists.
TASK_KEYS = {
    "inspect-ai": ("id", "field_spec", "solvers", "scorers"),
    "math-arena": ("id",),
    "mteb": ("id",),
    "swe-bench": ("id",),
}


def validate_yaml(store: Store, call: Call) -> Answer:
    """The errors in the front matter of a README.md, with status 400 if there are any."""
    asked = call.json()
    errors = [{"message": error} for error in card_errors(asked["content"], asked.get("repoType"))]
    return json_answer({"errors": errors, "warnings": []}, status=400 if errors else 200)


def card_errors(text: str, repo_type: str | None) -> list[str]:
    """What is wrong with the YAML block at the top of `text`; a text without one is fine.

    >>> card_errors("---\\na: [\\n---\\n", "model")[0].splitlines()[0]
    'YAML metadata: while parsing a flow node'
    """
    block = FRONT_MATTER.match(text)
    if block is None:
        return []
    try:
        card = yaml.safe_load(block[1])
    except NOT_YAML as error:
        return [f"YAML metadata: {error}"]
    if not isinstance(card, dict):
        return ["YAML metadata: must be an object"]
    return list(split_errors(card)) if repo_type == "dataset" else []


def split_errors(card: dict[str, Any]) -> Iterator[str]:
    """One line for each split whose name `datasets` could not load."""
    for i, config in enumerate(objects(card.get("configs"))):
        for j, files in enumerate(objects(config.get("data_files"))):
            split = files.get("split", "train")
            if not (isinstance(split, str) and SPLIT_NAME.fullmatch(split)):
                where = f'"configs[{i}].data_files[{j}].split"'
                yield f'{where} with value "{split}" fails to match the pattern ^\\w+(\\.\\w+)*$'


def objects(value: object) -> list[dict[str, Any]]:
    """The mappings in a list; other forms (one path, a list of paths) name no split."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def check_eval_file(content: bytes) -> None:
    """Raises HubError 400 unless `content` describes a benchmark as the Hub's documentation asks.

    See https://huggingface.co/docs/hub/eval-results.
    """
    try:
        benchmark = yaml.safe_load(content)
    except NOT_YAML as error:
        raise refused(f"not valid YAML: {error}") from error
    if not isinstance(benchmark, dict):
        raise refused("must be an object")
    if missing := [key for key in EVAL_KEYS if not benchmark.get(key)]:
        raise refused(f'"{missing[0]}" is required')
    needed = TASK_KEYS.get(str(benchmark["evaluation_framework"]))
    if needed is None:
        raise refused(f'"evaluation_framework" must be one of {", ".join(TASK_KEYS)}')
    tasks = benchmark["tasks"]
    if not isinstance(tasks, list) or len(objects(tasks)) < len(tasks):
        raise refused('"tasks" must be a list of objects')
    for index, task in enumerate(tasks):
        if missing := [key for key in needed if not task.get(key)]:
            raise refused(f'"tasks[{index}].{missing[0]}" is required')


def refused(reason: str) -> HubError:
    return HubError(400, "BadRequest", f"Invalid {EVAL_FILE}: {reason}")
