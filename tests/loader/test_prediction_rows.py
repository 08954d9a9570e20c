"""What a row says: which claim, which label, and what is forgiven."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from claimdb_loader.claim_rows import BadLineError
from claimdb_loader.prediction_rows import Predictions, claim_id_of, label_of, read_predictions
from tests.loader.prediction_writers import written


def found(folder: Path, content: str, name: str = "p.jsonl") -> Predictions:
    return read_predictions(written(folder, content, name))


@pytest.mark.parametrize(
    ("value", "claim_id"),
    [
        (0, 0),
        (7, 7),
        (2**63 - 1, 2**63 - 1),
        (7.0, 7),
        (-0.0, 0),
        (float(2**53), 2**53),
        ("7", 7),
        (" 7\t", 7),
        ("007", 7),
        ("7.0", 7),
        ("0", 0),
        (str(2**63 - 1), 2**63 - 1),
        ("0" * 5000 + "7", 7),
    ],
)
def test_what_names_a_claim(value: object, claim_id: int) -> None:
    assert claim_id_of(value) == claim_id
    assert type(claim_id_of(value)) is int


@pytest.mark.parametrize(
    "value",
    [
        *(True, False, -1, 2**63, 1.5, -1.0, math.nan, math.inf, float(2**53) * 2),
        *("", "x", "-1", "+7", "1_000", "1e3", "7.5", "7.", "７", "²", "0x7", str(2**63)),
        *("9" * 5000, [7], {"a": 7}, [], {}),
    ],
)
def test_what_names_no_claim(value: object) -> None:
    with pytest.raises(BadLineError, match=r"^claim_id must be an integer of at least 0, got "):
        claim_id_of(value)


def test_a_missing_claim_id() -> None:
    with pytest.raises(BadLineError, match=r"^claim_id is missing; name the claim$"):
        claim_id_of(None)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("ENTAILED", "ENTAILED"),
        ("Contradicted", "CONTRADICTED"),
        ("not enough info", "NOT ENOUGH INFO"),
        (" entailed \n", "ENTAILED"),
        ("\u00a0ENTAILED\u2028", "ENTAILED"),
        (0, "ENTAILED"),
        (1, "CONTRADICTED"),
        (2.0, "NOT ENOUGH INFO"),
        (-0.0, "ENTAILED"),
    ],
)
@pytest.mark.parametrize("digits_count", [False, True])
def test_what_is_a_label(value: object, label: str, digits_count: bool) -> None:
    assert label_of(value, digits_count=digits_count) == label


@pytest.mark.parametrize(
    "value",
    [
        *("SUPPORTS", "REFUTES", "NEI", "TRUE", "HIDDEN", "", " ", "NOT_ENOUGH_INFO"),
        *("NOT  ENOUGH INFO", "NOTENOUGHINFO", "ENTAILED.", "entaıled", "ЕNTAILED", "ＥNTAILED"),
        *(None, True, False, -1, 3, 0.5, math.nan, math.inf, 2**70, [0], ["ENTAILED"], {}),
        *("3", "-1", "01", "0.5", "1e0", "+1", "٢"),
    ],
)
@pytest.mark.parametrize("digits_count", [False, True])
def test_what_is_no_label(value: object, digits_count: bool) -> None:
    assert label_of(value, digits_count=digits_count) is None


@pytest.mark.parametrize(("text", "name"), [("0", "ENTAILED"), (" 2.0 ", "NOT ENOUGH INFO")])
def test_digits_are_a_label_only_where_all_is_text(text: str, name: str) -> None:
    assert (label_of(text), label_of(text, digits_count=True)) == (None, name)


@pytest.mark.parametrize(
    ("row", "label"),
    [
        ('"verdict": "ENTAILED"', "ENTAILED"),
        ('"label": null, "verdict": "ENTAILED"', "ENTAILED"),
        ('"label": "ENTAILED", "verdict": null', "ENTAILED"),
        ('"label": 0, "verdict": " entailed"', "ENTAILED"),
    ],
)
def test_a_verdict_is_a_label(tmp_path: Path, row: str, label: str) -> None:
    predictions = found(tmp_path, f'{{"claim_id": 7, {row}, "p": 1}}')
    assert predictions.problems == ()
    assert predictions.predictions[0].label == label
    assert predictions.predictions[0].extra == {"p": 1}


@pytest.mark.parametrize(
    ("label", "verdict"),
    [('"ENTAILED"', '"CONTRADICTED"'), ('"ENTAILED"', '"x"'), ('"x"', "0"), ('"x"', '"y"')],
)
def test_a_verdict_that_differs_is_a_conflict(tmp_path: Path, label: str, verdict: str) -> None:
    row = f'{{"claim_id": 7, "label": {label}, "verdict": {verdict}}}'
    predictions = found(tmp_path, row)
    (problem,) = predictions.problems
    assert (problem.kind, problem.place, problem.claim_id) == ("conflict", 1, 7)
    assert problem.message == f"label {label} and verdict {verdict} differ; keep one of them"
    assert predictions.predictions[0].label is None


def test_an_invalid_label_that_stands_twice_is_one_problem(tmp_path: Path) -> None:
    (problem,) = found(tmp_path, '{"claim_id": 7, "label": "x", "verdict": "x"}').problems
    names = "ENTAILED, CONTRADICTED, NOT ENOUGH INFO"
    assert problem.kind == "label"
    assert problem.message == f'label "x" is none of {names}; write one of them'


def test_each_spelling_is_counted(tmp_path: Path) -> None:
    given = ["Entailed", "Entailed", "ENTAILED", 0, 1.0, "SUPPORTS", None]
    rows = [f'{{"claim_id": {n}, "label": {_json(label)}}}' for n, label in enumerate(given)]
    predictions = found(tmp_path, "\n".join(rows))
    assert predictions.normalised == {"Entailed": 2, "0": 1, "1.0": 1}
    assert [problem.claim_id for problem in predictions.problems] == [5, 6]
    assert (predictions.n_rows, len(predictions.predictions)) == (7, 7)


def _json(value: object) -> str:
    return "null" if value is None else repr(value).replace("'", '"')


@pytest.mark.parametrize(
    ("content", "name", "notes"),
    [
        ('{"claim_id": "7", "label": 0}\n{"claim_id": "8", "label": 0}', "p.jsonl", ("text", 2)),
        ('[{"claim_id": 7.0, "label": 0}]', "p.json", ("a float", 1)),
        ('{"7": 0}', "p.json", None),
        ("claim_id,label\n7,0", "p.csv", None),
    ],
)
def test_an_id_in_another_form_is_noted_where_there_was_a_choice(
    tmp_path: Path, content: str, name: str, notes: tuple[str, int] | None
) -> None:
    expected = {f"claim_id given as {notes[0]}": notes[1]} if notes else {}
    assert found(tmp_path, content, name).notes == expected


def test_a_row_without_a_claim_is_a_problem(tmp_path: Path) -> None:
    text = '{"claim_id": 7, "label": 0}\n{"label": 0}\n{"claim_id": "x", "label": 0}'
    predictions = found(tmp_path, text)
    assert [(p.kind, p.place) for p in predictions.problems] == [("claim-id", 2), ("claim-id", 3)]
    assert (predictions.n_rows, len(predictions.predictions)) == (3, 1)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            '{"id": 7, "label": 0}\n{"id": 8}',
            "no row has the key claim_id (there are: id, label); ",
        ),
        (
            '{"claim_id": 7, "answer": 0}',
            "no row has the key label or verdict (there are: claim_id",
        ),
        ("claim_id,answer\n7,0\n8,0", "no row has the key label or verdict (there are: claim_id, "),
        ("{}\n{}", "no row has the key claim_id (there are: none); add it"),
    ],
)
def test_a_column_that_no_row_has_is_one_problem(
    tmp_path: Path, content: str, message: str
) -> None:
    predictions = found(tmp_path, content, "p.csv")
    (problem,) = predictions.problems
    assert (problem.kind, problem.place, predictions.predictions) == ("columns", None, ())
    assert problem.message.startswith(message)
