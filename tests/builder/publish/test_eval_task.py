"""eval.yaml: Inspect's own classes take it, and ask the rows of the public test."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import yaml

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.eval_task import TASK_ID, eval_yaml
from claimdb_builder.publish.inspect_rows import INSPECT_FEATURES
from claimdb_builder.publish.tree import write_tree
from claimdb_metric.labels import LABELS
from tests.builder.publish.made_benchmarks import as_read, hidden, labelled, of_rows


def page_of(title: str = "Zoo", shows_schema: bool = True, **splits: Any) -> dict[str, Any]:
    page = yaml.safe_load(str(eval_yaml(of_rows(**splits), title, shows_schema)))
    assert isinstance(page, dict)
    return page


def test_one_task_on_the_public_test_and_none_on_hidden_rows() -> None:
    page = page_of(
        train=labelled([1]), test_public=labelled([2]), dev=labelled([3]), test_private=hidden([4])
    )
    assert page["evaluation_framework"] == "inspect-ai"
    (task,) = page["tasks"]
    assert (task["id"], task["config"], task["split"]) == (TASK_ID, "inspect", "test_public")
    assert TASK_ID == "claimdb_public"
    assert "test_private" not in str(page)


@pytest.mark.parametrize(
    "splits",
    [
        {"train": labelled([1])},
        {"test_private": hidden([1])},
        {"train": labelled([1]), "test_public": hidden([2])},
    ],
    ids=["train", "private", "hidden-public"],
)
def test_without_a_labelled_public_test_there_is_none(splits: dict[str, Any]) -> None:
    assert [eval_yaml(of_rows(**splits), "Zoo", shows) for shows in (True, False)] == [None] * 2


@pytest.mark.parametrize("title", ["Zoë's: claims #1", "no", "1.0", "x" * 200, '"'])
def test_any_title_survives(title: str) -> None:
    assert page_of(title, test_public=labelled([1]))["name"] == title


@pytest.mark.parametrize("shows_schema", [True, False])
def test_it_says_whether_prompts_show_a_schema(shows_schema: bool) -> None:
    said = page_of(shows_schema=shows_schema, test_public=labelled([1]))["description"]
    assert said.endswith(f"without tools and {'with' if shows_schema else 'without'} the schema.")


@pytest.mark.parametrize("has_schema", [True, False])
def test_the_one_of_a_tree_says_what_its_prompts_show(tmp_path: Path, has_schema: bool) -> None:
    db_name = "ferry_lines" if has_schema else "not_here"
    benchmark = as_read(tmp_path / "copy", test_public=labelled(range(3), db_name=db_name))
    write_tree(benchmark, tmp_path / "tree", "you/claims")
    page = yaml.safe_load((tmp_path / "tree" / "eval.yaml").read_text("utf-8"))
    assert page["description"].endswith(f"{'with' if has_schema else 'without'} the schema.")


def test_every_column_that_it_names_is_there() -> None:
    spec = page_of(test_public=labelled([1]))["tasks"][0]["field_spec"]
    named = {spec["input"], spec["target"], *spec["choices"], *spec["metadata"]}
    assert named <= INSPECT_FEATURES.keys()


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # inspect_ai's own
def test_inspect_reads_the_task_and_makes_samples_of_the_rows(copy: str, tmp_path: Path) -> None:
    from inspect_ai._eval.task import hf

    write_tree(read_benchmark(copy), tmp_path, "you/claims")
    page = hf._load_eval_yaml(tmp_path / "eval.yaml")
    task = hf.HFTask.model_validate(page["tasks"][0])
    file = tmp_path / f"data/{task.config}/{task.split}-00000-of-00001.parquet"
    rows = pq.read_table(file).to_pylist()
    samples = [hf._record_to_sample_hf(row, task.field_spec) for row in rows]
    assert len(samples) == 6
    for row, sample in zip(rows, samples, strict=True):
        assert sample.choices == list(LABELS)
        assert sample.target == "ABC"[row["label"]]
        assert sample.input == row["prompt"]
        assert sample.metadata == {key: row[key] for key in ("claim_id", "db_name", "claim")}
