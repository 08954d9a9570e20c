"""The funnel of a build: counts that tie, within a stage and from one to the next."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.card import NUMBERS
from claimdb_builder.publish.card_sources import funnel_text
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import labelled, of_rows, table_of, write_funnel

Stage = dict[str, Any]
ASKED: Stage = {"stage": "asked", "in": 10, "kept": 9, "dropped": {"no answer": 1}}


def stage(n: int, **more: Any) -> Stage:
    return {"stage": f"of {n}", "in": n, "kept": n, "dropped": {}, **more}


def shown(folder: Path, stages: object) -> str:
    write_funnel(folder, stages)
    return NUMBERS["funnel"](of_rows(folder, train=labelled([1])))


def published(folder: Path, stages: object) -> Any:
    write_funnel(folder, stages)
    text = funnel_text(of_rows(folder, train=labelled([1])))
    assert text is not None
    assert text.endswith("}\n")
    return json.loads(text)


def test_without_a_funnel_nothing_is_said(tmp_path: Path) -> None:
    for folder in (tmp_path, None):
        benchmark = of_rows(folder, train=labelled([1]))
        assert (NUMBERS["funnel"](benchmark), funnel_text(benchmark)) == ("", None)


def test_stages_that_make_other_things_say_how_many(tmp_path: Path) -> None:
    """Questions become several claims each."""
    made = {"stage": "questions | asked", "in": 10, "kept": 9, "dropped": {"no\nanswer": 1}}
    assert shown(tmp_path, [{**made, "made": 2700}, stage(2700)]).split("\n")[2:] == [
        "| questions \\| asked | 10 | 9 | 1 (no answer 1) |",
        "| of 2700 | 2,700 | 2,700 | 0 |",
    ]


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ([ASKED, stage(10)], "stage of 10 takes in 10, and asked gave 9"),
        ([ASKED, stage(9), stage(8)], "stage of 8 takes in 8, and of 9 gave 9"),
        ([{**ASKED, "made": 20}, stage(9)], "stage of 9 takes in 9, and asked gave 20"),
        ([{**ASKED, "made": 0}, stage(9)], "stage of 9 takes in 9, and asked gave 0"),
    ],
)
def test_stages_must_tie(tmp_path: Path, stages: list[Stage], said: str) -> None:
    write_funnel(tmp_path, stages)
    benchmark = of_rows(tmp_path, train=labelled([1]))
    for made in (NUMBERS["funnel"], funnel_text):
        with pytest.raises(DataError, match=rf"funnel\.json is no funnel of .*: {said}$"):
            made(benchmark)


@pytest.mark.parametrize("made", [-1, "20", None, True, 2.0, [20]])
def test_what_was_made_is_a_count(tmp_path: Path, made: object) -> None:
    write_funnel(tmp_path, [{**ASKED, "made": made}])
    with pytest.raises(DataError, match=r"funnel\.json is no funnel of `claimdb build`: "):
        funnel_text(of_rows(tmp_path, train=labelled([1])))


def test_only_counts_are_published(tmp_path: Path) -> None:
    """And nothing else of what the file holds, such as paths or keys."""
    write_funnel(tmp_path, [])
    secret = {"model": "/home/me/model", "dropped_ids": [1, 2]}
    made = {**ASKED, "made": 20}
    (tmp_path / "funnel.json").write_text(
        json.dumps({"stages": [made | secret, stage(20)], "key": "sk-1", "note": "ö"}), "utf-8"
    )
    text = funnel_text(of_rows(tmp_path, train=labelled([1])))
    assert json.loads(str(text)) == {"stages": [made, stage(20)]}


def test_text_of_any_language_is_published(tmp_path: Path) -> None:
    stages = [{**ASKED, "stage": "geprüft – ja", "dropped": {"größer": 1}}]
    assert published(tmp_path, stages) == {"stages": stages}
    assert [list(row.values()) for row in table_of(shown(tmp_path, stages))] == [
        ["geprüft – ja", "10", "9", "1 (größer 1)"]
    ]


def test_what_was_published_is_published_again_as_it_is(copy: str) -> None:
    write_funnel(Path(copy), [{**ASKED, "made": 20}, stage(20)])
    once = str(funnel_text(read_benchmark(copy)))
    (Path(copy) / "funnel.json").write_text(once, "utf-8")
    assert funnel_text(read_benchmark(copy)) == once


@pytest.mark.parametrize(
    "stages",
    [
        [{"stage": "a", "in": 3, "kept": 1, "dropped": {"x": 1}}],
        [{"in": 1, "kept": 1, "dropped": {}}],
        [{"stage": "a", "in": 1, "kept": 1}],
        [{"stage": "a", "in": "1", "kept": "1", "dropped": {}}],
        [{"stage": "a", "in": 5, "kept": 10, "dropped": {"x": -5}}],
        [{"stage": "a", "in": 1, "kept": 1, "dropped": []}],
        [
            {"stage": "a", "in": 9, "kept": 5, "dropped": {"x": 4}},
            {"stage": "b", "in": 4, "kept": 4, "dropped": {"x": 1}},
        ],
        [{"stage": 7, "in": 1, "kept": 1, "dropped": {}}],
        [{"stage": "a", "in": True, "kept": True, "dropped": {}}],
        [],
        ["a"],
        {},
        None,
        7,
    ],
    ids=[
        *("not-tying", "no-stage", "no-dropped", "texts", "negative", "list", "second-stage"),
        *("no-name", "bools", "none", "text", "object", "null", "number"),
    ],
)
def test_a_funnel_that_cannot_be_shown_is_named(tmp_path: Path, stages: object) -> None:
    write_funnel(tmp_path, stages)
    with pytest.raises(DataError, match=r"funnel\.json is no funnel of `claimdb build`: "):
        NUMBERS["funnel"](of_rows(tmp_path, train=labelled([1])))


@pytest.mark.parametrize("content", [b"", b"oops", b"[]", b"\xff\xfe", b"{}"])
def test_a_damaged_funnel_is_named(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "funnel.json").write_bytes(content)
    with pytest.raises(DataError, match=r"funnel\.json is no funnel"):
        NUMBERS["funnel"](of_rows(tmp_path, train=labelled([1])))
