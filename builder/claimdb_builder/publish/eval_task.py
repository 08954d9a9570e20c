"""`eval.yaml`: how Inspect asks a model the public test split, without tools.

Schema: huggingface.js packages/tasks (`evaluation_framework`, `tasks[].id`) and inspect_ai
_eval/task/hf.py, which forbids fields that it does not know; the last one is `scorers`.
"""

from __future__ import annotations

from typing import Any, Final

from claimdb_builder.publish.benchmark import PUBLIC_TEST, Benchmark
from claimdb_builder.publish.inspect_rows import CHOICES

TASK_ID: Final = "claimdb_public"


def eval_yaml(benchmark: Benchmark, title: str, shows_schema: bool) -> str | None:
    """Return the text of eval.yaml, None where there is no labelled public test split.

    Inspect turns a hidden label into the answer "Z", so a hidden split is never listed.

    Args:
        shows_schema: whether the prompts show the schema of the database.
    """
    import yaml

    if PUBLIC_TEST not in benchmark.labelled:
        return None
    task: dict[str, Any] = {
        "id": TASK_ID,
        "config": "inspect",
        "split": PUBLIC_TEST,
        "field_spec": {
            "input": "prompt",
            "target": "label",
            "choices": list(CHOICES),
            "metadata": ["claim_id", "db_name", "claim"],
        },
        "solvers": [{"name": "multiple_choice"}],
        "scorers": [{"name": "choice"}],
    }
    page = {
        "name": title,
        "description": "Claims about SQLite databases; as Inspect asks them, without tools and "
        + ("with the schema." if shows_schema else "without the schema."),
        "evaluation_framework": "inspect-ai",
        "tasks": [task],
    }
    return str(yaml.safe_dump(page, sort_keys=False, allow_unicode=True, width=10_000))
