"""Stage 1: questions with ids, or all that is wrong with their rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from claimdb_builder.pipeline.records import Question
from claimdb_builder.pipeline.stage import Context
from claimdb_builder.stages.ingest import ingest, read_questions
from claimdb_loader import sample_files
from claimdb_metric.errors import DataError
from tests.builder.pipeline.made_runs import question_file

GOOD = {"db_id": "zoo", "question": "How many?", "SQL": "SELECT count(*) FROM pet"}


def read(tmp_path: Path, *files: list[Any]) -> list[Question]:
    paths = [question_file(tmp_path / f"{i}.jsonl", rows) for i, rows in enumerate(files)]
    return list(read_questions(paths))


def faults(tmp_path: Path, *files: list[Any]) -> list[str]:
    with pytest.raises(DataError) as caught:
        read(tmp_path, *files)
    first, *others = str(caught.value).split("\n  ")
    assert "(nothing was built)" in first
    return others


def test_ids_run_over_all_files_unless_rows_have_them(tmp_path: Path) -> None:
    numbered = [{**GOOD, "question_id": n} for n in range(3)]
    found = read(tmp_path, numbered, [GOOD, GOOD])
    assert [(one.bird_id, one.source, one.place) for one in found] == [
        *((0, "0.jsonl", 1), (1, "0.jsonl", 2), (2, "0.jsonl", 3)),
        *((3, "1.jsonl", 1), (4, "1.jsonl", 2)),
    ]


NAMES: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "BIRD": ({**GOOD, "question_id": 7, "evidence": "e"}, {"bird_id": 7, "evidence": "e"}),
    "ours": ({**GOOD, "bird_id": 8, "extra_info": "e"}, {"bird_id": 8, "evidence": "e"}),
    "bird_id first": ({**GOOD, "bird_id": 8, "question_id": 7}, {"bird_id": 8}),
    "null is none": ({**GOOD, "bird_id": None, "question_id": 7}, {"bird_id": 7}),
    "other names": (
        {"db_name": "zoo", "question": "q", "gold_sql": "SELECT 2"},
        {"db_name": "zoo", "sql": "SELECT 2", "evidence": "", "difficulty": ""},
    ),
    "query": ({"db_id": "zoo", "question": "q", "query": "SELECT 3"}, {"sql": "SELECT 3"}),
    "blank texts": ({**GOOD, "SQL": "", "question": " "}, {"sql": "", "question": " "}),
    "spaces stay": ({**GOOD, "evidence": " e\n"}, {"evidence": " e\n"}),
    "unknown columns": ({**GOOD, "notes": [1]}, {"bird_id": 0}),
    "id a float": ({**GOOD, "bird_id": 1.0}, {"bird_id": 1}),
    "id of pandas in text": ({**GOOD, "question_id": "1.0"}, {"bird_id": 1}),
    "largest id": ({**GOOD, "bird_id": 2**63 - 1}, {"bird_id": 2**63 - 1}),
}


@pytest.mark.parametrize(("given", "wanted"), NAMES.values(), ids=NAMES)
def test_fields_under_the_names_of_several_benchmarks(
    tmp_path: Path, given: dict[str, Any], wanted: dict[str, Any]
) -> None:
    (question,) = read(tmp_path, [given])
    assert {name: getattr(question, name) for name in wanted} == wanted


WRONG: dict[str, tuple[Any, str]] = {
    "no db_id": ({"question": "q", "SQL": "s"}, "has no db_id or db_name"),
    "no question": ({"db_id": "zoo", "SQL": "s"}, "has no question"),
    "no SQL": ({"db_id": "zoo", "question": "q"}, "has no SQL or sql or query or gold_sql"),
    "null SQL": ({**GOOD, "SQL": None}, "has no SQL or sql or query or gold_sql"),
    "SQL a list": ({**GOOD, "SQL": ["s"]}, "SQL must be text, got ['s']"),
    "evidence a number": ({**GOOD, "evidence": 1}, "evidence must be text, got 1"),
    "blank db_id": ({**GOOD, "db_id": " "}, "db_id is empty"),
    "id a fraction": ({**GOOD, "bird_id": 1.5}, "must be an integer of at least 0, got 1.5"),
    "id a fraction in text": ({**GOOD, "bird_id": "1.50"}, "must be an integer of at least 0"),
    "id infinite": ({**GOOD, "bird_id": "inf"}, "must be an integer of at least 0, got 'inf'"),
    "id a float below 0": ({**GOOD, "bird_id": -1.0}, "must be an integer of at least 0, got -1"),
    "id a bool": ({**GOOD, "bird_id": True}, "must be an integer of at least 0, got True"),
    "id below 0": ({**GOOD, "question_id": -1}, "question_id must be an integer of at least 0"),
    "id of 64 bits": ({**GOOD, "bird_id": 2**63}, "must be an integer of at least 0"),
    "id a word": ({**GOOD, "bird_id": "seven"}, "must be an integer of at least 0, got 'seven'"),
    "a list": ([1], "not a JSON object but list"),
    **{
        name: ({**GOOD, "db_id": name}, "cannot be the name of a database")
        for name in (
            "a/b",
            "../zoo",
            "/etc/zoo",
            "a\\b",
            "C:zoo",
            ".hidden",
            "a\nb",
            "a\0",
            "x" * 101,
        )
    },
}


@pytest.mark.parametrize(("row", "said"), WRONG.values(), ids=range(len(WRONG)))
def test_a_wrong_row_is_named_by_file_and_line(tmp_path: Path, row: Any, said: str) -> None:
    (fault,) = faults(tmp_path, [GOOD, row, GOOD])
    assert fault.startswith("0.jsonl, line 2: ")
    assert said in fault


@pytest.mark.parametrize(
    "name", ["zoo", "Zoo 2", "zoo.v2", "動物園", "x" * 100, "a-b_c", "..".join("ab")]
)
def test_names_that_databases_have(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, [{**GOOD, "db_id": name}])[0].db_name == name


def test_ids_that_stand_twice_are_named(tmp_path: Path) -> None:
    rows = [{**GOOD, "bird_id": n} for n in (1, 2, 1, 2, 3)]
    assert faults(tmp_path, rows) == [
        "0.jsonl, line 3: id 1 stands in an earlier row, too",
        "0.jsonl, line 4: id 2 stands in an earlier row, too",
    ]


def test_train_before_dev_is_an_error_and_no_other_ids(tmp_path: Path) -> None:
    dev = [{**GOOD, "question_id": n} for n in range(30)]
    told = faults(tmp_path, [GOOD] * 40, dev)
    assert len(told) == 20
    assert told[0] == (
        "1.jsonl, line 1: id 0 stands in an earlier row, too; of BIRD's files, dev comes first"
    )


def test_twenty_problems_are_told_and_that_there_may_be_more(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"^20 problems, and perhaps more in question files"):
        read(tmp_path, [{}] * 30)
    with pytest.raises(DataError, match=r"^1 problem in question files"):
        read(tmp_path, [{**GOOD, "db_id": 1}])


def test_no_question_comes_after_a_problem(tmp_path: Path) -> None:
    path = question_file(tmp_path / "a.jsonl", [GOOD, {}, GOOD])
    questions = read_questions([path])
    assert next(questions).place == 1
    with pytest.raises(DataError):
        next(questions)


@pytest.mark.parametrize("text", ["[]", "db_id,question,SQL\n"])
def test_files_without_a_question_are_an_error(tmp_path: Path, text: str) -> None:
    path = tmp_path / ("a.json" if text == "[]" else "a.csv")
    path.write_text(text)
    with pytest.raises(DataError, match="no question in"):
        list(read_questions([path]))


def test_ids_in_cells(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text('question_id,db_id,question,SQL\n5,zoo,"a\nb",s\n,zoo,q,s\n007,zoo,q,s\n')
    assert [(one.bird_id, one.place) for one in read_questions([path])] == [(5, 2), (1, 4), (7, 5)]


def test_nan_is_none(tmp_path: Path) -> None:
    """Parquet that pandas wrote has it where a column lacks a value."""
    nan = float("nan")
    rows = [
        {**GOOD, "bird_id": nan, "question_id": 5.0, "evidence": nan, "difficulty": nan},
        {**GOOD, "bird_id": nan, "question_id": nan, "evidence": nan, "difficulty": nan},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "a.parquet")
    found = list(read_questions([tmp_path / "a.parquet"]))
    assert [(one.bird_id, one.evidence, one.difficulty) for one in found] == [
        (5, "", ""),
        (1, "", ""),
    ]
    pq.write_table(pa.Table.from_pylist([{**GOOD, "SQL": nan}]), tmp_path / "a.parquet")
    with pytest.raises(DataError, match=r"a\.parquet, row 1: has no SQL"):
        list(read_questions([tmp_path / "a.parquet"]))


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path: Path) -> None:
    paths = []
    for folder in ("dev", "train"):
        (tmp_path / folder).mkdir()
        paths.append(question_file(tmp_path / folder / "a.jsonl", [GOOD]))
    paths.append(question_file(tmp_path / "b.jsonl", [GOOD]))
    sources = [one.source for one in read_questions(paths)]
    assert sources == ["dev/a.jsonl", "train/a.jsonl", "b.jsonl"]
    question_file(paths[1], [GOOD, {}])
    with pytest.raises(DataError, match=r"\n  train/a\.jsonl, line 2: has no db_id"):
        list(read_questions(paths))


def test_a_cell_of_many_digits_is_a_wrong_id(tmp_path: Path) -> None:
    (fault,) = faults(tmp_path, [{**GOOD, "bird_id": "9" * 5000}])
    assert "must be an integer" in fault


@pytest.mark.parametrize("value", ["x" * 10**6, [0] * 10**6], ids=["text", "list"])
def test_a_message_holds_no_megabyte(tmp_path: Path, value: object) -> None:
    (fault,) = faults(tmp_path, [{**GOOD, "bird_id": value}])
    assert len(fault) < 150


def test_a_file_whose_name_is_not_utf8(tmp_path: Path) -> None:
    path = Path(str(tmp_path), b"fragen_\xe4.jsonl".decode("utf-8", "surrogateescape"))
    try:
        question_file(path, [GOOD])
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    (question,) = read_questions([path])
    json.dumps(vars(question), ensure_ascii=False).encode()


def test_the_sample_is_read_and_nothing_is_dropped() -> None:
    questions = list(read_questions([sample_files.questions_path()]))
    assert [one.bird_id for one in questions] == list(range(46))
    assert ingest(questions, Context()) == (questions, [])
