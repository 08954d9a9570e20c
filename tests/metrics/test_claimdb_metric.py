"""The `evaluate` module: how it is fed, how it breaks, how several processes share it."""

from __future__ import annotations

import ast
import math
import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from claimdb_metric import CATEGORIES, LABELS, score
from claimdb_metric.labels import slug
from tests.metrics.module_runs import EXPECTED, FOLDER, PREDICTIONS, REFERENCES

pytestmark = pytest.mark.matrix


def test_compute(metric: Any) -> None:
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == EXPECTED
    with_categories = metric.compute(
        predictions=[2, 1], references=[2, 2], categories=["SUBJECTIVE", 0]
    )
    recalls = [with_categories[f"nei_recall_{slug(name)}"] for name in CATEGORIES]
    assert recalls == [0.0, 1.0, None]


def column(values: list[Any]) -> Any:
    import datasets

    return datasets.Dataset.from_dict({"label": values})["label"]


@pytest.mark.parametrize("container", [tuple, np.array, pd.Series, column])
@pytest.mark.parametrize("values", [list(LABELS), [0, 1, 2]], ids=["strings", "integers"])
def test_containers(metric: Any, container: Callable[..., Any], values: list[Any]) -> None:
    expected = score(values, [0, 1, 1]).to_dict()
    references = container([values[0], values[1], values[1]])
    assert metric.compute(predictions=container(values), references=references) == expected
    metric.add_batch(predictions=container(values), references=references)
    assert metric.compute() == expected


def test_rows_one_by_one_and_in_batches(metric: Any) -> None:
    metric.add(prediction=PREDICTIONS[0], reference=REFERENCES[0])
    metric.add_batch(predictions=PREDICTIONS[1:5], references=REFERENCES[1:5])
    metric.add_batch(predictions=[], references=[])
    metric.add(prediction=PREDICTIONS[5], reference=REFERENCES[5])
    assert len(metric) == 6
    assert metric.compute() == EXPECTED
    assert len(metric) == 0


def test_categories_of_rows_added_before(metric: Any) -> None:
    metric.add_batch(predictions=[2, 1, 0], references=[2, 2, 0])
    result = metric.compute(categories=["SUBJECTIVE", "SUBJECTIVE", -1])
    assert result["nei_recall_subjective"] == 0.5


def test_all_that_score_takes(metric: Any) -> None:
    options: dict[str, Any] = {
        "groups": {"bird_id": [1, 1, 2, 3, 3, 3]},
        "confidences": [0.9, 0.8, None, 0.7, None, 0.6],
        "by": {"db_name": list("aabbcc")},
        "n_resamples": 100,
        "seed": 1,
        "split": "test_public",
        "known_issues": "none",
    }
    given = metric.compute(predictions=PREDICTIONS, references=REFERENCES, **options)
    assert given == score(PREDICTIONS, REFERENCES, **options).to_dict()
    metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert metric.compute(**options) == given
    assert "|ci:boot100|seed:1|groups:bird_id/3-" in given["signature"]


def test_combine(make: Callable[..., Any]) -> None:
    import evaluate

    both = evaluate.combine({"one": make(), "two": make()})
    result = both.compute(predictions=PREDICTIONS, references=REFERENCES)
    assert result["one_accuracy"] == result["two_accuracy"] == EXPECTED["accuracy"]
    both.add(prediction="ENTAILED", reference="ENTAILED")
    both.add_batch(predictions=[None], references=[2])
    assert both.compute()["two_n_invalid"] == 1


def test_pickle_keeps_the_rows(metric: Any) -> None:
    metric.add_batch(predictions=PREDICTIONS, references=REFERENCES)
    assert pickle.loads(pickle.dumps(metric)).compute() == EXPECTED


def leaves(value: Any) -> Iterator[Any]:
    if type(value) in (dict, list):
        for part in value.values() if type(value) is dict else value:
            yield from leaves(part)
    else:
        yield value


def test_values_are_pythons_own(metric: Any) -> None:
    rows = {"predictions": np.array([0, 2, 5]), "references": np.array([0, 1, 2])}
    for result in (metric.compute(**rows), metric.compute(**rows, categories=[-1, -1, 0])):
        assert {type(leaf) for leaf in leaves(result)} == {int, float, str, type(None)}
        assert [key for key, value in result.items() if type(value) is str] == ["signature"]
        assert not any(isinstance(leaf, float) and math.isnan(leaf) for leaf in leaves(result))


def test_help_describes_the_input(metric: Any) -> None:
    assert "categories:" in metric.compute.__doc__
    assert "CONTRADICTED" in metric.inputs_description
    assert "Theologitis" in metric.citation
    assert metric.features[0].keys() == {"predictions", "references"}


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.compute(predictions=[], references=[]), "nothing to score"),
        (lambda m: m.compute(), "nothing to score"),
        (lambda m: m.compute(predictions=[0]), "both predictions and references"),
        (lambda m: m.compute(references=[0]), "both predictions and references"),
        (lambda m: m.compute(predictions=[0], references=[0, 1]), "1 predictions but 2"),
        (lambda m: m.compute(predictions=[0], references=["HIDDEN"]), "labels are hidden"),
        (lambda m: m.compute(predictions=[0], references=[0], categories=[1]), "categories"),
        (lambda m: m.add_batch(predictions=[0, 1], references=[0]), "2 predictions but 1"),
        (lambda m: m.add_batch(predictions=["ENTAILED"], references=["maybe"]), "'maybe'"),
        (lambda m: m.add_batch(predictions=[0]), "needs both"),
        (lambda m: m.add_batch(predictions=[0], references=[0], categories=[0]), "compute"),
        (lambda m: m.add(prediction=None), "labels are hidden"),
        (lambda m: m.add(prediction=0, reference="maybe"), "'maybe'"),
        (lambda m: m.add(prediction=0, reference=0, category=0), "not category"),
    ],
)
def test_a_failed_call_says_why_and_leaves_the_metric_as_it_was(
    metric: Any, call: Callable[[Any], object], message: str
) -> None:
    from claimdb_metric import DataError

    with pytest.raises(DataError, match=message):
        call(metric)
    assert len(metric) == 0
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == EXPECTED


def test_an_unknown_option_is_an_error(metric: Any) -> None:
    with pytest.raises(TypeError, match="average"):
        metric.compute(predictions=[0], references=[0], average="macro")


def test_a_failed_batch_leaves_the_rows_before_it(metric: Any) -> None:
    metric.add_batch(predictions=[None, "ENTAILED"], references=[0, 0])
    with pytest.raises(ValueError, match="hidden"):
        metric.add_batch(predictions=[0, 1], references=[0, -1])
    with pytest.raises(ValueError, match="1 categories but 2 references"):
        metric.compute(categories=[-1])
    assert metric.compute()["accuracy"] == 0.5


def test_rows_that_wait_are_not_mixed_with_rows_given(metric: Any) -> None:
    metric.add_batch(predictions=[0, 0], references=[0, 1])
    with pytest.raises(ValueError, match="2 rows of add"):
        metric.compute(predictions=[0], references=[0])
    assert metric.compute()["accuracy"] == 0.5
    assert metric.compute(predictions=[0], references=[0])["accuracy"] == 1.0


def test_the_first_row_does_not_choose_the_type_of_all(metric: Any) -> None:
    for predictions in ([None, "ENTAILED"], [7, "ENTAILED"], ["?", 0], [["?"], 0], [True, 0]):
        metric.add_batch(predictions=predictions, references=["ENTAILED", 0])
        result = metric.compute()
        assert (result["n_invalid"], result["accuracy"]) == (1, 0.5)


def test_one_process_uses_no_file_and_so_waits_for_no_lock(
    make: Callable[..., Any], tmp_path: Path
) -> None:
    first, second = make(), make(keep_in_memory=True)
    first.add(prediction=0, reference=0)
    second.add_batch(predictions=[0], references=[1])
    assert first.compute()["accuracy"] == 1.0
    assert second.compute()["accuracy"] == 0.0
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


SHARED = """
import sys
from claimdb_metric import claimdb_metric as module
module._FLUSH_ROWS = 2
process, cache = int(sys.argv[1]), sys.argv[2]
rows = [("ENTAILED", 0), (None, 1), (2, "NOT ENOUGH INFO")] if process == 0 else [("?", 2)]
predictions, references = [row[0] for row in rows], [row[1] for row in rows]
options = {"num_process": 2, "process_id": process, "cache_dir": cache, "timeout": 60}

metric = module.ClaimdbMetric(experiment_id="batches", **options)
try:
    metric.add_batch(predictions=predictions, references=[-1] * len(rows))
except ValueError:
    metric.add(prediction=predictions[0], reference=references[0])
metric.add_batch(predictions=predictions[1:2], references=references[1:2])
for row in rows[2:]:
    metric.add(prediction=row[0], reference=row[1])
print(metric.compute(categories=[-1, -1, 0, 1]))

metric = module.ClaimdbMetric(experiment_id="given", **options)
print(metric.compute(predictions=predictions, references=references))

metric = module.ClaimdbMetric(experiment_id="empty shard", **options)
kept = len(rows) * process
print(metric.compute(predictions=predictions[:kept], references=references[:kept]))
"""


def test_two_processes_share_their_rows(tmp_path: Path) -> None:
    env = {**os.environ, "HF_HOME": str(tmp_path), "PYTHONPATH": str(FOLDER.parent)}
    env |= {"HF_HUB_OFFLINE": "1", "HF_EVALUATE_OFFLINE": "1"}
    children = [
        subprocess.Popen(
            [sys.executable, "-c", SHARED, str(process), str(tmp_path / "rows")],
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for process in range(2)
    ]
    printed = [child.communicate(timeout=120) for child in children]
    assert [child.returncode for child in children] == [0, 0], printed
    predictions, references = ["ENTAILED", None, 2, "?"], [0, 1, 2, 2]
    whole = score(predictions, references)
    parts = score(predictions, references, categories=[-1, -1, 0, 1])
    results = [ast.literal_eval(line) for line in printed[0][0].splitlines()]
    assert results == [parts.to_dict(), whole.to_dict(), score(["?"], [2]).to_dict()]
    assert printed[1][0].split() == ["None"] * 3


def test_a_process_left_alone_gives_up_and_frees_its_locks(make: Callable[..., Any]) -> None:
    for _ in range(2):
        alone = make(num_process=2, process_id=0, timeout=0.1)
        with pytest.raises(ValueError, match="Expected to find locked file"):
            alone.add_batch(predictions=[0], references=[0])
        assert len(alone) == 0
        assert alone.filelock is None
