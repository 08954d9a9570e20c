"""The fixed copy of a submission: canonical, without a guess, the same bytes each time."""

from __future__ import annotations

import codecs
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_loader.fixed_submissions import write_fixed
from claimdb_loader.submissions import validate
from claimdb_metric.errors import DataError, PredictionFileError
from claimdb_metric.labels import LABELS
from tests.loader.prediction_writers import WRITERS, parquet, written

E7 = '{"claim_id": 7, "label": "ENTAILED"}\n'


def fixed(folder: Path, content: bytes | str, claim_ids: Sequence[int] = (7, 8)) -> str:
    path = written(folder, content)
    out_path = folder / "fixed.jsonl"
    n_rows = write_fixed(validate(path, claim_ids), out_path)
    text = out_path.read_bytes().decode()
    assert text.count("\n") == n_rows
    return text


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (E7, E7),
        (E7.strip(), E7),
        (E7.replace("\n", "\r\n") + "\r\n", E7),
        ("\ufeff" + E7, E7),
        (codecs.BOM_UTF16_LE + E7.encode("utf-16-le"), E7),
        ('{"label": " entailed ", "claim_id": "7"}', E7),
        ('{"verdict": 0, "claim_id": 7.0}', E7),
        ('{"label": null, "verdict": "ENTAILED", "claim_id": 7}', E7),
        ('{"7": 0}', E7),
        ("claim_id,verdict\n7,0\n", E7),
        (E7 + E7, E7),
        (E7 + '{"claim_id": "7", "label": 0}', E7),
        ('{"8": 0, "7": 0}', E7 + E7.replace("7", "8")),
        (
            '{"z": 1.50, "claim_id": 7, "a": {"c": [null], "b": "ë\\u2028"}, "verdict": 0}',
            '{"claim_id": 7, "label": "ENTAILED", "z": 1.5, "a": {"c": [null], "b": "ë\u2028"}}\n',
        ),
        (
            "claim_id,label,p,why\n7,0,nan,\n8,1,0.25,NaN\n",
            '{"claim_id": 7, "label": "ENTAILED", "p": null, "why": null}\n'
            '{"claim_id": 8, "label": "CONTRADICTED", "p": 0.25, "why": null}\n',
        ),
        (
            parquet([{"claim_id": 7, "label": 0, "p": float("nan"), "b": b"\xff"}]),
            '{"claim_id": 7, "label": "ENTAILED", "p": null, "b": "ff"}\n',
        ),
    ],
)
def test_the_canonical_form(tmp_path: Path, content: bytes | str, text: str) -> None:
    assert fixed(tmp_path, content) == text


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        ('{"claim_id": 8, "label": "NEI"}', ':2: label "NEI" is none of'),
        ('{"claim_id": 7, "label": 1}', ":2: claim_id 7 stands already at line 1 with another"),
        ('{"claim_id": 7, "label": 0, "p": 1}', ":2: claim_id 7 stands already at line 1 with the"),
        ('{"claim_id": 9, "label": 0}', ":2: claim_id 9 is none of the 2 claims"),
        ('{"claim_id": 8, "label": 0, "verdict": 1}', ":2: label 0 and verdict 1 differ"),
        ('{"label": 0}', ":2: claim_id is missing"),
        ("{", ":2: not JSON"),
    ],
)
def test_what_needs_a_decision_is_not_fixed(tmp_path: Path, more: str, reason: str) -> None:
    path = written(tmp_path, E7 + more + "\n" + E7)
    with pytest.raises(PredictionFileError) as caught:
        write_fixed(validate(path, [7, 8]), tmp_path / "fixed.jsonl")
    head, problem, last = str(caught.value).split("\n")
    assert head == "1 problem in a predictions file:"
    assert problem.startswith(f"  {tmp_path.name}/p.jsonl{reason}")
    assert last == f"these need a decision, so no fixed copy was written; mend {path} first"
    assert not (tmp_path / "fixed.jsonl").exists()


@pytest.mark.parametrize(
    "content", [b"", b"x", b"PAR1", b'{"claim_id": 7, "label": 0, "a": "\xe9"}']
)
def test_what_cannot_be_read_is_not_fixed(tmp_path: Path, content: bytes) -> None:
    path = written(tmp_path, content)
    with pytest.raises(PredictionFileError):
        write_fixed(validate(path, [7]), path)
    assert path.read_bytes() == content


def test_a_wrong_split_is_not_fixed(tmp_path: Path) -> None:
    path = written(tmp_path, E7)
    with pytest.raises(PredictionFileError, match="1 of the ids are of split train"):
        write_fixed(validate(path, [8], {"train": [7]}), path)


def test_the_file_itself_may_be_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, '{"7": 0}')
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    for out_path in (path, link):
        path.write_text('{"7": 0}')
        assert write_fixed(validate(path, [7]), out_path) == 1
        assert path.read_text() == E7
    assert link.is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["link.jsonl", "p.jsonl"]


def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_fixed(validate(written(tmp_path, E7), [7]), pipe)
        assert os.read(reader, 1000).decode() == E7
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_other_files_and_the_rights_of_the_file_are_left_alone(tmp_path: Path) -> None:
    validation = validate(written(tmp_path, E7), [7])
    out, other = tmp_path / "fixed.jsonl", tmp_path / "fixed.jsonl.new"
    for path in (out, other):
        path.write_text("mine\n")
        path.chmod(0o600)
    write_fixed(validation, out)
    assert out.read_text() == '{"claim_id": 7, "label": "ENTAILED"}\n'
    assert (other.read_text(), out.stat().st_mode & 0o777) == ("mine\n", 0o600)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_link_that_leads_to_itself_is_an_error_of_the_system(tmp_path: Path) -> None:
    validation = validate(written(tmp_path, E7), [7])
    loop = tmp_path / "loop.jsonl"
    loop.symlink_to("loop.jsonl")
    with pytest.raises(OSError, match="loop"):
        write_fixed(validation, loop)


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ("absent/fixed.jsonl", "there is no folder .*absent; make it first"),
        ("", "is a folder; name a file in it"),
        ("p.csv", "predictions are written as JSONL"),
        ("fixed.PARQUET", "predictions are written as JSONL"),
    ],
)
def test_places_that_cannot_take_a_copy(tmp_path: Path, out: str, message: str) -> None:
    validation = validate(written(tmp_path, E7), [7])
    with pytest.raises(DataError, match=message):
        write_fixed(validation, tmp_path / out)


KEYS = st.text(max_size=5).filter(lambda key: key not in ("claim_id", "label", "verdict"))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=5,
)
FINITE = VALUES.filter(lambda value: "Infinity" not in json.dumps(value))
LABEL = st.sampled_from([*LABELS, " entailed", "Not Enough Info", 0, 1.0])
EXTRAS = st.dictionaries(KEYS, FINITE, max_size=3)
ROWS = st.dictionaries(st.integers(0, 30), st.tuples(LABEL, EXTRAS), min_size=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fixed")


@settings(deadline=None)
@given(rows=ROWS, name=st.sampled_from([name for name in WRITERS if not name.endswith("parquet")]))
def test_a_fixed_copy_has_no_problem_and_is_its_own_fixed_copy(
    folder: Path, rows: dict[int, tuple[Any, dict[str, Any]]], name: str
) -> None:
    has_extra = name.startswith("predictions.json")
    written_rows = [
        {"claim_id": claim_id, "label": label, **(extra if has_extra else {})}
        for claim_id, (label, extra) in rows.items()
    ]
    path = written(folder, WRITERS[name](written_rows), name)
    once, twice = folder / "once.jsonl", folder / "twice.jsonl"
    write_fixed(validate(path, range(31)), once)
    again = validate(once, range(31))
    assert {problem.kind for problem in again.problems} <= {"missing-id"}
    assert (again.n_rows, again.normalised, again.notes) == (len(rows), {}, {})
    write_fixed(again, twice)
    assert once.read_bytes() == twice.read_bytes()
    if has_extra:
        extras = {row.claim_id: row.extra for row in again.predictions}
        assert extras == {claim_id: extra for claim_id, (_, extra) in rows.items()}
