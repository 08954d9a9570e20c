"""The card's numbers against counts that are made here in plain Python, from the files' lines."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable
from itertools import combinations
from pathlib import Path

import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.card import NUMBERS
from claimdb_builder.publish.databases import DatabaseEntry
from claimdb_loader.sources import SPLIT_FILES
from claimdb_metric.labels import CATEGORIES, LABELS
from tests.builder.publish.made_benchmarks import (
    labelled,
    of_rows,
    table_of,
    texts_of,
    write_funnel,
    write_issues,
)
from tests.loader.claim_files import Row, claim

ENTRIES = [DatabaseEntry("solar_coop", 8, 1234, 2_500_000, "a" * 64)]


@pytest.fixture
def rows(copy: str) -> dict[str, list[Row]]:
    """The rows of each split, as they stand in the small copy's files."""
    return {
        split: [json.loads(line) for line in Path(copy, name).read_text("utf-8").splitlines()]
        for split, name in SPLIT_FILES.items()
    }


@pytest.fixture
def benchmark(copy: str) -> Benchmark:
    return read_benchmark(copy)


@pytest.fixture
def texts(benchmark: Benchmark) -> dict[str, str]:
    return texts_of(benchmark, ENTRIES)


def count(rows: Iterable[Row], key: str, *values: object) -> str:
    """How many rows have one of the values; a key that is not there counts as None."""
    return f"{sum(row.get(key) in values for row in rows):,}"


def n_of(rows: Iterable[Row], key: str) -> str:
    """How many distinct values of a key there are, a dash for none."""
    return str(len({row[key] for row in rows if key in row})) or "–"


def every(rows: dict[str, list[Row]]) -> list[Row]:
    return [row for part in rows.values() for row in part]


def test_splits(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    wanted = []
    for name, part in [*rows.items(), ("all", every(rows))]:
        labels = {label: count(part, "label", label) for label in LABELS}
        wanted.append(
            {
                "split": name,
                "claims": str(len(part)),
                **labels,
                "hidden": count(part, "label", None),
                "databases": n_of(part, "db_name"),
                "questions": n_of(part, "bird_id").replace("0", "–"),
            }
        )
    assert table_of(texts["splits"]) == wanted


def test_categories(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    assert table_of(texts["categories"]) == [
        {
            "split": name,
            **{c: count(rows[name], "category", c) for c in CATEGORIES},
        }
        for name in ("train", "test_public")
    ]


def figures(values: list[int]) -> list[str]:
    """Shortest, mean, median, 95 % and longest."""
    values = sorted(values)
    place = 0.95 * (len(values) - 1)
    low, part = int(place), place - int(place)
    high = values[min(low + 1, len(values) - 1)]
    at_95 = values[low] + part * (high - values[low])
    middle = f"{statistics.median(values):.0f}"
    return [
        str(values[0]),
        f"{statistics.fmean(values):.1f}",
        middle,
        f"{at_95:.0f}",
        str(values[-1]),
    ]


def test_lengths(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    wanted = []
    for name, part in rows.items():
        for label in ("all", *LABELS):
            claims = [row["claim"] for row in part if label in ("all", row.get("label"))]
            if claims:
                characters = figures([len(text) for text in claims])
                words = figures([len(text.split()) for text in claims])
                wanted.append([name, label, *characters, *words])
    assert [list(row.values()) for row in table_of(texts["lengths"])] == wanted


def test_databases(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    sizes = {"solar_coop": ["8", "1,234", "2.500"]}
    wanted = []
    for name in ("city_library", "ferry_lines", "solar_coop"):
        of_split = [count(part, "db_name", name) for part in rows.values()]
        there = [row for row in every(rows) if row["db_name"] == name]
        of_label = [count(there, "label", label) for label in LABELS]
        wanted.append([name, *of_split, *of_label, *sizes.get(name, ["–"] * 3)])
    assert [list(row.values()) for row in table_of(texts["databases"])] == wanted
    assert texts["databases"].startswith(
        "Claims name 3 databases; 1 database here, 2,500,000 bytes. `databases/manifest.json` has "
        "the size and sha256 of each.\n\n"
    )


def test_overlap(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    wanted = []
    for (first, one), (second, other) in combinations(rows.items(), 2):
        shared = {row.get("bird_id") for row in one} & {row.get("bird_id") for row in other}
        databases = {row["db_name"] for row in one} & {row["db_name"] for row in other}
        is_known = all(any("bird_id" in row for row in part) for part in (one, other))
        wanted.append(
            [
                *(first, second),
                str(len(shared)) if is_known else "–",
                count(one, "bird_id", *shared) if is_known else "–",
                str(len(databases)),
                count(one, "db_name", *databases),
                count(one, "claim", *(row["claim"] for row in other)),
            ]
        )
    assert [list(row.values()) for row in table_of(texts["overlap"])] == wanted
    assert [row[:4] for row in wanted] == [
        ["train", "test_public", "2", "6"],
        ["train", "test_private", "–", "–"],
        ["test_public", "test_private", "–", "–"],
    ]


def test_hidden(rows: dict[str, list[Row]], texts: dict[str, str]) -> None:
    n_fitting = [
        len(
            {
                known["bird_id"]
                for known in rows["train"] + rows["test_public"]
                if all(known[key] == row[key] for key in ("db_name", "extra_info"))
            }
        )
        for row in rows["test_private"]
    ]
    several = sum(n > 1 for n in n_fitting)
    numbers = [str(n_fitting.count(1)), str(several), str(n_fitting.count(0))]
    assert re.findall(r"\b\d+\b", texts["hidden"]) == [str(len(n_fitting)), *numbers]


CUE_CLAIMS = {
    "If it had 3 owls, it would burn.": ("If", "would", "digit"),
    "What if it would?": ("would",),
    "Iffy wouldst notable nothing.": (),
    "It hasn't any.": ("negation",),
    "It hasn’t any owl.": ("negation",),
    "NO owl, neither 1 nor 2.": ("negation", "digit"),
    "Without owls": ("negation",),
    "Caféno, Ñor, Größenor": (),
    "Nonsense in Perúnot": (),
    "٣ owls": ("digit",),
}


def test_cues() -> None:
    marks = {
        'starts with "If"': "If",
        'contains "would"': "would",
        "contains a negation": "negation",
        "contains a digit": "digit",
    }
    made = [claim(i, i % 3, claim=text) for i, text in enumerate(CUE_CLAIMS)]
    first, *shown = table_of(NUMBERS["cues"](of_rows(train=made)))
    assert list(first.values()) == ["all", "4", "3", "3"]
    for row in shown:
        mark = marks[row["labelled claims"]]
        has = [i for i, words in enumerate(CUE_CLAIMS.values()) if mark in words]
        assert [row[label] for label in LABELS] == [
            str(sum(1 for i in has if i % 3 == number)) for number in range(3)
        ], row["labelled claims"]


def test_known_issues(copy: str) -> None:
    issues = {1: "odd", 9: "odd", 2: "a | b\nc", 99: "of another benchmark", 15: "is secret"}
    names = {9: "city_library", 15: "solar_coop"}
    write_issues(
        Path(copy),
        *(
            {"claim_id": i, "db_name": names.get(i, "ferry_lines"), "reason": reason}
            for i, reason in issues.items()
        ),
    )
    text = NUMBERS["known_issues"](read_benchmark(copy))
    assert text.startswith("4 claims: 1, 9, 2, 15.\n\n")
    assert text.split("\n")[4:] == [
        "| a \\| b c | 1 |",
        "| not said: the label is hidden | 1 |",
        "| odd | 2 |",
    ]
    assert "secret" not in text


def test_funnel(copy: str) -> None:
    write_funnel(
        Path(copy),
        [
            {"stage": "asked", "in": 12_000, "kept": 12_000, "dropped": {}},
            {"stage": "judged", "in": 12_000, "kept": 9_900, "dropped": {"b": 100, "a": 2_000}},
        ],
    )
    assert [list(row.values()) for row in table_of(NUMBERS["funnel"](read_benchmark(copy)))] == [
        ["asked", "12,000", "12,000", "0"],
        ["judged", "12,000", "9,900", "2,100 (a 2,000; b 100)"],
    ]


def test_usage_names_the_repository_and_a_split_that_is_there() -> None:
    benchmark = of_rows(dev=labelled([1]))
    text = texts_of(benchmark)["usage"]
    assert text.count('split="dev"') == 2
    code = text.removeprefix("```python\n").removesuffix("```")
    compile(code, "usage", "exec")
