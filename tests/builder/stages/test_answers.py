"""The record that claims are made from: answer, domain, schema, and what came before."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.pipeline.records import AnsweredQuestion, from_line, to_line
from claimdb_builder.stages.answers import ANSWERS, answers, compact_answer
from claimdb_builder.stats.domains import domain_from_name
from tests.builder.stages.made_questions import PETS, context, executed, zoo

COMPACT: list[tuple[list[tuple[Any, ...]], str]] = [
    ([(1, "value2"), (2, "value4")], "1.000, value2; 2.000, value4"),
    ([], ""),
    ([(None,)], "None"),
    ([(0,), (-3,)], "0.000; -3.000"),
    ([(2.0005, -0.5, 1e-9)], "2.001, -0.500, 0.000"),
    ([(2**63 - 1, -(2**63))], "9223372036854775807.000, -9223372036854775808.000"),
    ([(2**53 + 1,)], "9007199254740993.000"),
    ([(1e22,)], "10000000000000000000000.000"),
    ([("1", "1.5")], "1, 1.5"),
    ([("",), ("a, b; c",)], "; a, b; c"),
    ([("ü", "名", "X'00'")], "ü, 名, X'00'"),
]
DOMAINS = [
    ("california_schools", "California Schools"),
    ("european_football_2", "European Football 2"),
    ("superhero", "Superhero"),
    ("mondial_geo", "Mondial Geo"),
    ("bike_share_1", "Bike Share 1"),
    ("", ""),
]
values = (
    st.none()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]))
)
one_row = st.lists(values, min_size=1, max_size=3).map(tuple)


@pytest.fixture(scope="module")
def pets(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = zoo(tmp_path_factory.mktemp("pets"), f"{PETS} CREATE TABLE Owner (id INTEGER, pet_id);")
    folder = path.parent / "database_description"
    folder.mkdir()
    text = "original_column_name,column_name\nname,its name\nage,age in years\n"
    (folder / "pet.csv").write_text(text, "utf-8")
    return path


@pytest.mark.parametrize(("rows", "text"), COMPACT)
def test_an_answer_as_text_is_as_published(rows: list[tuple[Any, ...]], text: str) -> None:
    assert compact_answer(rows) == text


@pytest.mark.parametrize(("name", "expected"), DOMAINS)
def test_a_domain_is_the_name_in_title_case(name: str, expected: str) -> None:
    assert domain_from_name(name) == expected


@settings(deadline=None)
@given(st.lists(one_row, max_size=3))
def test_numbers_have_three_decimals_whatever_they_are(rows: list[tuple[Any, ...]]) -> None:
    text = compact_answer(rows)
    numbers = [value for row in rows for value in row if isinstance(value, int | float)]
    for value in numbers:
        shown = f"{value}.000" if isinstance(value, int) else f"{value:.3f}"
        assert shown in text


@pytest.mark.parametrize("n_rows", [0, 1, 10])
def test_none_is_dropped_and_order_stays(pets: Path, n_rows: int) -> None:
    questions = [executed([(n,)]) for n in range(n_rows)]
    kept, dropped = answers(questions, context(pets))
    assert dropped == []
    assert [one.rows for one in kept] == [question.rows for question in questions]


def test_a_record_has_all_that_came_before_and_more(pets: Path) -> None:
    question = executed([(3, "dog"), (None, "owl")])
    kept, _ = answers([question], context(pets))
    record: AnsweredQuestion = kept[0]
    added = {"domain", "answer", "schema"}
    assert vars(record).keys() - vars(question).keys() == added
    assert {name: vars(record)[name] for name in vars(question)} == vars(question)
    assert (record.domain, record.answer) == ("Zoo", "3.000, dog; None, owl")


def test_both_styles_of_schema_reach_the_record(pets: Path) -> None:
    folder = pets.parent / "database_description"
    full, paper = (
        answers([executed([(1,)])], context(pets, schema_style=style, descriptions=folder))[0][0]
        for style in ("full", "paper")
    )
    assert "pet_id" in full.schema
    assert "its name" in full.schema
    assert "TEXT" in full.schema
    assert paper.schema.strip() == "Table: pet\nColumns:\n  - its name\n  - age in years"


def test_without_descriptions_there_is_a_schema_all_the_same(pets: Path) -> None:
    full = answers([executed([(1,)])], context(pets))[0][0]
    assert "weight" in full.schema
    assert "its name" not in full.schema


def test_another_state_of_a_database_has_another_schema(tmp_path: Path) -> None:
    from dataclasses import replace

    path = zoo(tmp_path)
    before = context(path)
    first = answers([executed([(1,)])], before)[0][0].schema
    zoo(tmp_path, "CREATE TABLE shop (till INT);")
    place = replace(before.databases["zoo"], sha256="another")
    after = replace(before, databases={"zoo": place})
    second = answers([executed([(1,)])], after)[0][0].schema
    assert "pet" in first
    assert "shop" in second
    assert "weight" not in second


@settings(deadline=None)
@given(
    st.lists(one_row, max_size=3),
    st.text(st.characters(exclude_categories=["Cs"])),
    st.lists(st.sampled_from(["tie", "empty"]), max_size=2),
)
def test_records_are_strict_json_and_come_back_as_they_were(
    rows: list[tuple[Any, ...]], text: str, marks: list[str]
) -> None:
    fields = vars(executed([(0,)])) | {"rows": tuple(rows), "marks": tuple(marks), "question": text}
    record = AnsweredQuestion(**fields, domain=text, answer=compact_answer(rows), schema=text)
    line = to_line(record)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1

    def refuse(constant: str) -> None:
        raise ValueError(constant)

    assert json.loads(line, parse_constant=refuse)["question"] == text
    again = from_line(AnsweredQuestion, line)
    assert repr(again) == repr(record)
    assert to_line(again) == line


def test_infinity_is_no_json() -> None:
    with pytest.raises(ValueError, match="JSON"):
        to_line(executed([(float("inf"),)]))


def test_the_stage_depends_on_the_style_of_schemas_only() -> None:
    assert (ANSWERS.settings, ANSWERS.reads_databases, ANSWERS.reasons) == (
        ("schema_style",),
        True,
        {},
    )
