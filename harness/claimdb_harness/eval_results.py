"""A scored run as an evaluation result in a model's repository, which the Hub shows beside others.

Format: `.eval_results/*.yaml`, read and written by huggingface_hub's own classes
(https://huggingface.co/docs/hub/eval-results).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from claimdb_harness.scored_runs import ScoredRun
from claimdb_loader import hub
from claimdb_loader.hub_account import sign_in
from claimdb_loader.hub_commit import Sent, commit
from claimdb_loader.hub_head import Head, Repo, compare, read_head
from claimdb_loader.published import EVAL_FILE
from claimdb_metric.errors import DataError


@dataclass(frozen=True)
class Reported:
    """What a result says beside its numbers.

    Attributes:
        dataset_id: the benchmark's repository.
        task_id: one of the tasks in its eval.yaml.
        notes: how the model was asked, such as "20 turns with SQL".
        source_url: where logs or a write-up are.
        dataset_revision: the commit of the benchmark; None where it was scored from a local copy.
    """

    dataset_id: str
    task_id: str
    notes: str | None = None
    source_url: str | None = None
    dataset_revision: str | None = None


def result_path(dataset_id: str) -> str:
    """Return the path of a benchmark's results in a model's repository.

    >>> result_path("you/claimdb")
    '.eval_results/you--claimdb.yaml'
    """
    return f".eval_results/{re.sub(r'[^A-Za-z0-9._-]', '--', dataset_id)}.yaml"


def results_text(run: ScoredRun, reported: Reported, old: str | None = None) -> str:
    """Return the YAML of a run's accuracy as a fraction; notes hold the rest and the signature.

    Args:
        run: of which no claim lacks a prediction.
        reported: what it says beside its numbers.
        old: the file so far; its result of the same task is replaced, others are kept.

    Raises:
        DataError: predictions are missing, the old file is damaged, or huggingface_hub is too old.
    """
    import yaml

    try:
        from huggingface_hub import (
            EvalResultEntry,
            eval_result_entries_to_yaml,
            parse_eval_result_entries,
        )
    except ImportError:
        raise DataError(
            "this huggingface_hub knows no evaluation results: pip install -U huggingface_hub"
        ) from None
    if run.missing:
        raise DataError(
            f"{len(run.missing):,} of {run.score.n:,} claims have no prediction: finish the run "
            "before you publish it"
        )
    entry = EvalResultEntry(
        dataset_id=reported.dataset_id,
        task_id=reported.task_id,
        value=round(run.score.accuracy, 4),
        dataset_revision=reported.dataset_revision,
        source_url=reported.source_url,
        notes=_notes(run, reported),
    )
    try:
        rows = _rows_of(old or "")
        parse_eval_result_entries(rows)
    except (ValueError, TypeError, AttributeError, KeyError, yaml.YAMLError) as error:
        raise DataError(f"the results that the model has already are damaged: {error}") from None
    # As they stand, because EvalResultEntry drops fields that it does not know.
    others = [row for row in rows if _task_of(row) != (entry.dataset_id, entry.task_id)]
    rows = [*others, *eval_result_entries_to_yaml([entry])]
    return str(yaml.safe_dump(rows, sort_keys=False, allow_unicode=True, width=10_000))


def _rows_of(text: str) -> list[dict[str, Any]]:
    """The entries of a results file; dates stay the texts that they are."""
    import yaml

    resolvers = {
        start: [(tag, pattern) for tag, pattern in found if not tag.endswith(":timestamp")]
        for start, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    loader = type("Loader", (yaml.SafeLoader,), {"yaml_implicit_resolvers": resolvers})
    rows: list[dict[str, Any]] = yaml.load(text, loader) or []
    return rows


def _task_of(row: Mapping[str, Any]) -> tuple[object, object]:
    dataset = row.get("dataset") or {}
    return dataset.get("id"), dataset.get("task_id")


def _notes(run: ScoredRun, reported: Reported) -> str:
    interval = run.score.intervals["accuracy"]
    parts = [
        reported.notes,
        "accuracy" + (f" [{interval[0]:.3f}, {interval[1]:.3f}]" if interval else ""),
        f"macro-F1 {run.score.macro_f1:.3f}",
        f"{run.score.n_invalid:,} invalid",
        str(run.score.signature),
    ]
    return "; ".join(part for part in parts if part)


def benchmark_head(dataset: Repo) -> Head:
    """Return what the repository of a benchmark holds.

    Raises:
        DataError: there is no such repository.
    """
    dataset.check()
    head = read_head(dataset)
    if head.sha is None:
        raise DataError(f"{dataset.what} does not exist: push the benchmark first")
    return head


def checked_task(dataset: Repo, head: Head, task_id: str | None, split: str) -> str:
    """Return the task that a result is of: the one asked for, else the only one there is.

    Args:
        dataset: the benchmark's repository; where it has no eval.yaml, any task is taken.
        head: what it holds.
        split: what the run was scored on.

    Raises:
        DataError: there is no such task, it is asked on another split, or none is named and there
            is not exactly one.
    """
    import yaml

    text = _old_text(dataset, head, EVAL_FILE)
    if text is None:
        if task_id is None:
            raise DataError(f"{dataset.what} has no {EVAL_FILE} with a task: name it, --task-id")
        return task_id
    try:
        tasks = yaml.safe_load(text)["tasks"]
        splits = {str(task["id"]): task.get("split", "test") for task in tasks}
    except (yaml.YAMLError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise DataError(f"{EVAL_FILE} of {dataset.what} is damaged: {error}") from None
    if task_id is None and len(splits) == 1:
        task_id = next(iter(splits))
    if task_id not in splits:
        has = ", ".join(splits) or "none"
        hint = f"give --task-id, one of {has}"
        if task_id is None:
            raise DataError(f"{EVAL_FILE} of {dataset.what} does not have exactly one task: {hint}")
        raise DataError(f"{dataset.what} has no task {task_id!r}: {hint}")
    if splits[task_id] != split:
        raise DataError(
            f"task {task_id} is asked on {splits[task_id]}, and the run was scored on {split}"
        )
    return task_id


def push_results(
    run: ScoredRun,
    reported: Reported,
    model: Repo,
    create_pr: bool = False,
    message: str | None = None,
) -> tuple[str, Sent | None]:
    """Return the YAML, and the commit in the model's repository, None where it is there already.

    Args:
        model: a repository of type "model" that exists.
        create_pr: open a pull request, as for a model of somebody else's.
        message: of the commit.

    Raises:
        DataError: as `results_text`; no token, no right to write, or no such model.
        UnavailableError: the Hub does not answer.
    """
    model.check(create_pr)
    Repo(reported.dataset_id).check()
    sign_in(model.token).check_may_write(model.repo_id, create_pr)
    head = read_head(model)
    if head.sha is None:
        raise DataError(f"{model.what} does not exist: push the model first, or check the name")
    name = result_path(reported.dataset_id)
    text = results_text(run, reported, _old_text(model, head, name))
    with TemporaryDirectory(prefix="claimdb-results-") as scratch:
        files = {name: Path(scratch, "results.yaml")}
        files[name].write_bytes(text.encode("utf-8"))
        changes = compare(files, head)
        if not changes:
            return text, None
        message = message or f"Add the result of {reported.dataset_id} {reported.task_id}"
        return text, commit(model, head, files, changes, message, create_pr)


def _old_text(repo: Repo, head: Head, name: str) -> str | None:
    if name not in head.files:
        return None
    from huggingface_hub import hf_hub_download

    path = hub.patiently(
        lambda: hf_hub_download(
            repo.repo_id, name, repo_type=repo.repo_type, revision=head.sha, token=repo.token
        ),
        f"{name} of {repo.repo_id}",
    )
    try:
        return Path(path).read_text("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{name} of {repo.what} is not UTF-8: mend it on the Hub") from None
