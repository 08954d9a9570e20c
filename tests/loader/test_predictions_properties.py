"""Whatever the format, order or bytes: the same labels, and never an error of another kind."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from claimdb_loader.predictions import join
from claimdb_loader.submissions import validate
from claimdb_metric.errors import PredictionFileError
from claimdb_metric.labels import LABELS
from tests.loader.prediction_writers import WRITERS, written

IDS = st.integers(0, 2**63 - 1)
SPELLINGS = [*LABELS, "entailed", " Not Enough Info ", "SUPPORTS", "", 'a,"b"\n;c\t\'', "ЕNTAILED"]
PREDICTED = st.dictionaries(IDS, st.sampled_from(SPELLINGS), min_size=1, max_size=12)
NAMES = ["p.jsonl", "p.json", "p.csv", "p.tsv", "p.parquet", "p"]
FRAGMENTS = [
    *(b"PAR1", b"[", b"]", b"{", b"}", b",", b":", b"\n", b"\r\n", b'"', b"\t", b";", b"\\"),
    *(b"claim_id", b'"claim_id"', b'"label"', b'"verdict"', b"label", b'"ENTAILED"', b"7", b"NaN"),
    *(b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf", b"\xff", b"\0", b"\\ud800", b"1e999", b"-", b"."),
    *(b'{"claim_id": 7, "label": 0}\n', b'{"7": 0}', b"claim_id,label\n7,1\n", b"[" * 3000),
]
ALLOWED = ("label", "missing-id")
CONTENTS = st.binary(max_size=60) | st.lists(st.sampled_from(FRAGMENTS)).map(b"".join)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("files")


@settings(deadline=None)
@given(predicted=PREDICTED, absent=st.sets(IDS, max_size=3), seed=st.integers(0, 99))
def test_every_format_and_order_gives_the_same_labels(
    folder: Path, predicted: dict[int, str], absent: set[int], seed: int
) -> None:
    claim_ids = [*predicted, *(absent - set(predicted))]
    rows = [{"claim_id": claim_id, "label": label} for claim_id, label in predicted.items()]
    results = []
    for number, (name, write) in enumerate(WRITERS.items()):
        random.Random(seed + number).shuffle(rows)
        path = written(folder, write(rows), name)
        results.append(join(path, claim_ids))
    names = [label.strip().upper() for label in predicted.values()]
    expected = [name if name in LABELS else None for name in names]
    for result in results:
        assert result.labels == expected + [None] * len(claim_ids[len(predicted) :])
        assert result.missing == claim_ids[len(predicted) :]
        assert [entry.claim_id for entry in result.invalid] == [
            claim_id for claim_id, label in zip(predicted, expected, strict=True) if label is None
        ]


@settings(deadline=None)
@given(content=CONTENTS, name=st.sampled_from(NAMES))
@example(content=b"", name="p.csv")
@example(content=b"PAR1", name="p.jsonl")
@example(content=b"\xff\xfe\xff", name="p.jsonl")
@example(content=b"\xff\xfe\0\0", name="p.csv")
@example(content=b"\0", name="p.csv")
@example(content=b"[" * 100_000, name="p.jsonl")
@example(content=b'{"7":' * 50_000, name="p.jsonl")
@example(content=b'{"claim_id": 7, "label": 0}', name="p.csv")
def test_bytes_of_any_kind_raise_no_other_error(folder: Path, content: bytes, name: str) -> None:
    path = written(folder, content, name)
    validation = validate(path, [7, 8], {"train": [1, 2]})
    if any(problem.kind not in ALLOWED for problem in validation.problems):
        with pytest.raises(PredictionFileError):
            join(path, [7, 8])
    else:
        assert join(path, [7, 8]).missing == list(validation.missing)
