"""What must never be published, and names of databases that would break loading."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from datasets.data_files import EmptyDatasetError, get_data_patterns
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.publish.checks import check_benchmark, check_database_names
from claimdb_loader.fingerprints import known_databases
from claimdb_metric.errors import DataError, HiddenLabelsError
from tests.builder.publish.made_benchmarks import hidden, labelled, of_rows
from tests.loader.claim_files import claim, jsonl

CLAIM = "Zoë’s first line carried 3,000 people – more than in 2021."


@pytest.mark.parametrize("split", ["test_private", "secret"])
@pytest.mark.parametrize(
    ("given_away", "column"),
    [({"bird_id": 3}, "bird_id"), ({"bird_id": 0}, "bird_id")],
)
def test_a_hidden_split_must_not_name_questions(
    split: str, given_away: dict[str, Any], column: str
) -> None:
    rows = [*hidden([4, 5]), claim(6, None, **given_away)]
    with pytest.raises(HiddenLabelsError, match=rf"^{split} .*{column} gives .* claim_id 6$"):
        check_benchmark(of_rows(**{split: rows}))


def test_a_hidden_split_must_not_name_categories() -> None:
    """The loader refuses such rows, so that they are put in behind it."""
    benchmark = of_rows(test_private=hidden([4, 5]))
    table = benchmark.claims["test_private"]
    at = table.schema.get_field_index("category")
    category = table.schema.field("category")
    broken = type(benchmark)({"claims": {"secret": table.set_column(at, category, [[-1, 1]])}})
    with pytest.raises(HiddenLabelsError, match="category gives them away in claim_id 5"):
        check_benchmark(broken)


@pytest.mark.parametrize("labels", [(0, 1, 2), (0, None, None), (None, None, 2)])
def test_any_label_of_the_private_test_is_refused(labels: tuple[int | None, ...]) -> None:
    rows = [claim(number, label) for number, label in enumerate(labels)]
    with pytest.raises(HiddenLabelsError, match="test_private cannot be published") as caught:
        check_benchmark(of_rows(test_private=rows, test_public=labelled([9])))
    shown = [str(number) for number, label in enumerate(labels) if label is not None]
    assert f"not in claim_id {', '.join(shown)}" in str(caught.value)


def test_a_partly_hidden_split_is_refused_and_not_all_of_many_claims_are_listed() -> None:
    rows = [*labelled([1]), *hidden(range(100, 150))]
    with pytest.raises(HiddenLabelsError) as caught:
        check_benchmark(of_rows(train=rows))
    assert "labels are hidden in claim_id 100, 101," in str(caught.value)
    assert str(caught.value).count("1") < 20
    assert "109, …" in str(caught.value)


@pytest.mark.parametrize(
    ("again", "is_refused"),
    [
        (CLAIM, True),
        (CLAIM.upper(), True),
        (CLAIM.replace(" ", "  "), True),
        (CLAIM.replace(" ", "\N{NO-BREAK SPACE}"), True),
        (f"\t{CLAIM}\n", True),
        (CLAIM.replace("ë", "e\N{COMBINING DIAERESIS}"), True),
        (CLAIM.replace("3", "\N{FULLWIDTH DIGIT THREE}"), True),
        (CLAIM.replace("fi", "\N{LATIN SMALL LIGATURE FI}"), True),
        (CLAIM.replace("3", "4"), False),
    ],
    ids=[
        *("same", "case", "spaces", "no-break", "around", "composed", "full-width", "ligature"),
        "other",
    ],
)
def test_a_hidden_claim_must_not_stand_with_its_label_elsewhere(
    again: str, is_refused: bool
) -> None:
    benchmark = of_rows(
        train=[*labelled([1, 2]), claim(3, 0, claim=again)],
        test_private=[*hidden([7]), claim(8, None, claim=CLAIM)],
    )
    if not is_refused:
        check_benchmark(benchmark)
        return
    with pytest.raises(HiddenLabelsError, match=r"claim_id 8; take"):
        check_benchmark(benchmark)


def test_the_same_words_about_another_database_are_another_claim() -> None:
    rows = [claim(1, 0, "solar_coop", claim=CLAIM)]
    check_benchmark(of_rows(train=rows, test_private=[claim(8, None, claim=CLAIM)]))


@pytest.mark.parametrize("split", ["test_public", "train", "dev"])
def test_claims_that_the_folder_keeps_private_are_refused(tmp_path: Path, split: str) -> None:
    private = [{"claim_id": 9, "label": "ENTAILED"}, {"claim_id": 1, "label": "ENTAILED"}]
    (tmp_path / "private-labels.jsonl").write_bytes(jsonl(private))
    with pytest.raises(HiddenLabelsError, match=rf"{split} shows: claim_id 9$"):
        check_benchmark(of_rows(tmp_path, **{split: labelled([8, 9, 10])}))


def test_private_labels_of_hidden_claims_do_not_hinder(tmp_path: Path) -> None:
    (tmp_path / "private-labels.jsonl").write_bytes(jsonl([{"claim_id": 9, "label": "ENTAILED"}]))
    check_benchmark(of_rows(tmp_path, train=labelled([1]), test_private=hidden([9])))


@pytest.mark.parametrize(
    "content",
    [
        b"oops\n",
        b"[]\n",
        b'{"claim_id": 1}\n{"claim_id": 9\n',
        b"7\n",
        b"\xff\xfe{\x00",
        b'{"claim_id": [9]}\n',
        b'{"claim_id": "9"}\n',
        b'{"claim_id": null}\n',
        b'{"id": 9, "label": "ENTAILED"}\n',
        b'{"claim_id": 9, "claim_id": 8}\n',
        b'{"claim_id": true}\n',
    ],
    ids=[
        *("text", "list", "cut", "number", "utf-16", "id-list"),
        *("id-text", "id-null", "no-id", "id-twice", "id-bool"),
    ],
)
def test_damaged_private_labels_stop_a_push(tmp_path: Path, content: bytes) -> None:
    """What cannot be read cannot be checked."""
    (tmp_path / "private-labels.jsonl").write_bytes(content)
    with pytest.raises(HiddenLabelsError, match=r"private-labels\.jsonl.* cannot be checked"):
        check_benchmark(of_rows(tmp_path, test_public=labelled([9])))


def test_nothing_to_publish_is_an_error() -> None:
    with pytest.raises(DataError, match="no claim to publish"):
        check_benchmark(of_rows())


@pytest.mark.parametrize("name", ["test-public", "a b", "a/b", "", "train\n", "../x"])
def test_names_of_splits_that_datasets_refuses_are_refused(name: str) -> None:
    with pytest.raises(DataError, match="letters, digits and _"):
        check_benchmark(of_rows(**{name: labelled([1])}))


@pytest.mark.parametrize("name", ["dev", "test_public", "prüfung", "all_claims"])
def test_other_names_of_splits_are_taken(name: str) -> None:
    check_benchmark(of_rows(**{name: labelled([1])}))


def is_split_for_datasets(name: str) -> bool:
    """Whether `datasets` finds more than "all files are train" beside nothing else."""
    with TemporaryDirectory() as folder:
        path = Path(folder, "databases", name, f"{name}.sqlite")
        path.parent.mkdir(parents=True)
        path.touch()
        try:
            found = get_data_patterns(folder)
        except EmptyDatasetError:  # names that begin with __ are not looked at
            return False
    return {str(k): v for k, v in found.items()} != {"train": ["**"]}


def is_refused(name: str) -> bool:
    try:
        check_database_names([name])
    except DataError:
        return True
    return False


@pytest.mark.matrix
@pytest.mark.parametrize(
    "name",
    [
        *("train", "trains", "training", "strain", "train2", "2train", "test", "tests", "latest"),
        *("drug_test", "test_drug", "drugtest", "drug test", "drug-test-2", "my.dev", "developer"),
        *("dev", "eval", "evaluation", "evaluations", "val", "value", "valid", "valid9", "valid a"),
        *("validation", "invalid", "a.val.b", "a0test0b", "Test", "drug_TRAIN", "zürich_test"),
        *("testing_1", "test\N{NO-BREAK SPACE}a", "a\ntest", "superhero", "formula_1", "x" * 90),
    ],
)
def test_a_name_is_refused_if_and_only_if_datasets_takes_it_for_a_split(name: str) -> None:
    assert is_refused(name) == is_split_for_datasets(name)


PARTS = ["train", "training", "valid", "val", "dev", "test", "testing", "eval", "evaluation"]
NAMES = st.lists(
    st.sampled_from([*PARTS, "Test", "s", "x", "é", "-", ".", "_", " ", "0", "9", "\n"]),
    min_size=1,
    max_size=5,
).map("".join)


@settings(max_examples=60, deadline=None)
@given(NAMES.filter(lambda name: not name.startswith(".")))
def test_generated_names_are_refused_as_datasets_takes_them(name: str) -> None:
    assert is_refused(name) or not is_split_for_datasets(name)


def test_none_of_the_published_databases_is_refused() -> None:
    assert len(known_databases()) == 80
    check_database_names(known_databases())


def test_all_bad_names_are_said_at_once() -> None:
    with pytest.raises(DataError, match=r"folder named a_test or dev for a split"):
        check_database_names(["a_test", "trains", "dev"])
