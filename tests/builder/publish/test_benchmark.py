"""`read_benchmark`: the rows and notes of a local copy that a push is made of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import is_hidden, read_benchmark
from claimdb_builder.publish.databases import chosen_files
from claimdb_metric.errors import ClaimFileError, DataError
from tests.builder.publish.made_benchmarks import (
    as_read,
    as_read_from_parquet,
    hidden,
    labelled,
    of_rows,
    write_issues,
)
from tests.loader.claim_files import Row, claim, write_copy

F1: Row = {"claim_id": 4697, "db_name": "formula_1"}
"""A claim of the shipped list of known issues."""


def issue(claim_id: int, **more: Any) -> Row:
    return {"claim_id": claim_id, "db_name": "ferry_lines", **more}


def test_a_local_copy_gives_its_splits_in_order_and_leaves_empty_ones_out(copy: str) -> None:
    benchmark = read_benchmark(copy)
    sizes = {
        config: {split: table.num_rows for split, table in splits.items()}
        for config, splits in benchmark.configs.items()
    }
    assert sizes == {
        "claims": {"train": 10, "test_public": 6, "test_private": 3},
        "nei": {"counterfactual": 5},
        "databases": {"train": 3, "test": 2},
    }
    assert list(benchmark.claims) == ["train", "test_public", "test_private"]
    assert list(benchmark.labelled) == ["train", "test_public"]
    assert benchmark.folder == Path(copy)


def test_a_split_whose_file_is_empty_is_left_out(tmp_path: Path) -> None:
    benchmark = as_read(tmp_path / "copy", train=[], test_public=labelled(range(3)))
    assert list(benchmark.claims) == ["test_public"]
    assert list(as_read(tmp_path / "none", train=[]).claims) == []


def test_splits_of_other_names_follow_by_name(tmp_path: Path) -> None:
    benchmark = as_read_from_parquet(
        tmp_path / "copy", zoo=labelled([1]), dev=labelled([2]), test_public=labelled([3])
    )
    assert list(benchmark.claims) == ["test_public", "dev", "zoo"]


def test_a_split_that_datasets_gives_another_meaning_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="all"):
        as_read_from_parquet(tmp_path / "copy", all=labelled([1]))


def test_the_frame_names_labels_and_categories(copy: str) -> None:
    benchmark = read_benchmark(copy)
    rows = benchmark.rows
    assert len(rows) == 19
    assert rows.groupby("split", sort=False).size().to_dict() == {
        "train": 10,
        "test_public": 6,
        "test_private": 3,
    }
    by_id = rows.set_index("claim_id")
    shown = {i: tuple(by_id.loc[i, ["label", "category", "bird_id"]]) for i in (0, 1, 2, 15)}
    assert shown == {
        0: ("ENTAILED", "", 0),
        1: ("CONTRADICTED", "", 0),
        2: ("NOT ENOUGH INFO", "COUNTERFACTUAL", 0),
        15: ("HIDDEN", "", -1),
    }
    assert benchmark.db_names == ["city_library", "ferry_lines", "solar_coop"]


def test_only_a_split_without_any_label_is_hidden() -> None:
    benchmark = of_rows(a=labelled([1]), b=hidden([2]), c=[*labelled([3]), *hidden([4])])
    assert {name: is_hidden(table) for name, table in benchmark.claims.items()} == {
        "a": False,
        "b": True,
        "c": False,
    }


def test_known_issues_of_other_claims_are_not_taken_along(tmp_path: Path) -> None:
    write_issues(tmp_path, issue(1, reason="wrong"), issue(99), {**issue(2), "db_name": "other"})
    benchmark = of_rows(tmp_path, test_public=labelled(range(4)))
    assert benchmark.known_issues == [issue(1, reason="wrong")]
    assert of_rows(test_public=labelled(range(4))).known_issues == []


def test_shipped_known_issues_come_with_their_claims() -> None:
    benchmark = of_rows(test_public=[claim(4697, 0, "formula_1"), claim(5324, 0, "superhero")])
    (shipped,) = benchmark.known_issues
    assert shipped["claim_id"] == 4697
    assert {"reason", "bird_id", "source"} <= shipped.keys()


def test_the_issue_of_a_hidden_claim_says_nothing_of_its_label_or_question(tmp_path: Path) -> None:
    write_issues(
        tmp_path, issue(7, reason="is ENTAILED", bird_id=31, source="S", since="1", note="E")
    )
    benchmark = of_rows(tmp_path, test_private=[*hidden([7]), claim(4697, None, "formula_1")])
    shipped, own = benchmark.known_issues
    assert own == issue(7, since="1")
    assert shipped.keys() == {"claim_id", "db_name", "since"}


def test_the_source_of_a_hidden_claims_issue_does_not_name_its_question() -> None:
    """The shipped issue says "BIRD dev question 898 reads the current date"."""
    (shipped,) = of_rows(test_private=[claim(4697, None, "formula_1")]).known_issues
    assert "898" not in str(shipped)


def test_an_issue_that_stands_in_both_lists_counts_once(tmp_path: Path) -> None:
    (shipped,) = of_rows(test_public=[claim(4697, 0, "formula_1")]).known_issues
    write_issues(tmp_path, shipped, shipped)
    benchmark = of_rows(tmp_path, test_public=[claim(4697, 0, "formula_1")])
    assert benchmark.known_issues == [shipped]


def test_a_claim_that_two_lists_name_counts_once(tmp_path: Path) -> None:
    """So is a repository whose list was made while the claim was hidden."""
    write_issues(tmp_path, {**F1, "source": "our own reading", "since": "0.2.0"})
    benchmark = of_rows(tmp_path, test_public=[claim(4697, 0, "formula_1")])
    (known,) = benchmark.known_issues
    assert known == {**F1, "source": "our own reading", "since": "0.2.0"}


def test_a_damaged_list_of_known_issues_is_named(tmp_path: Path) -> None:
    (tmp_path / "known_issues.jsonl").write_text('{"claim_id": 1}\n')
    with pytest.raises(DataError, match=r"known_issues\.jsonl:1: a known issue needs"):
        _ = of_rows(tmp_path, test_public=labelled([1])).known_issues


def test_the_folder_of_the_environment_is_read(copy: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    benchmark = read_benchmark()
    assert (len(benchmark.rows), benchmark.folder) == (19, Path(copy))


def test_a_folder_that_is_given_wins_over_the_environment(
    copy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    folder = write_copy(tmp_path / "other", test_public=labelled([1]))
    assert len(read_benchmark(str(folder)).rows) == 1


def test_databases_lie_where_the_claims_were_read(
    copy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path / "nowhere"))
    assert sorted(chosen_files(read_benchmark(copy), "split")) == [
        "city_library",
        "ferry_lines",
        "solar_coop",
    ]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": "MAYBE"}, 'train.jsonl:2: unknown label "MAYBE"'),
        ({"claim_id": "7"}, "train.jsonl:2: claim_id must be an integer"),
        ({"claim_id": 0}, "claim_id 0"),
        ({"claim": " "}, "train.jsonl:2: claim must be a text"),
        ({"db_name": None}, "train.jsonl:2: db_name must be a text"),
        ({"label": "ENTAILED", "category": "SUBJECTIVE"}, "train.jsonl:2: a category is given"),
    ],
)
def test_a_wrong_row_is_named_by_file_line_and_column(
    tmp_path: Path, change: Row, said: str
) -> None:
    rows = [claim(0), {**claim(1, 1), **change}, claim(2, 2)]
    with pytest.raises(ClaimFileError) as caught:
        as_read(tmp_path / "copy", train=rows)
    assert said in str(caught.value)


def test_the_wrong_rows_of_several_splits_are_listed_together(tmp_path: Path) -> None:
    bad = {"label": "MAYBE"}
    with pytest.raises(ClaimFileError) as caught:
        as_read(
            tmp_path / "copy",
            train=[{**claim(1), **bad}],
            test_public=[claim(2), {**claim(3), **bad}],
        )
    assert "train.jsonl:1" in str(caught.value)
    assert "test-public.jsonl:2" in str(caught.value)


def test_a_mended_copy_is_read_anew(tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    before = as_read(folder, test_public=[claim(1, 0, claim="It has 3 owls.")])
    after = as_read(folder, test_public=[claim(1, 0, claim="It has 4 owls.")])
    assert [list(b.rows["claim"]) for b in (before, after)] == [
        ["It has 3 owls."],
        ["It has 4 owls."],
    ]


@pytest.mark.parametrize("name", ["absent", "empty"])
def test_a_folder_without_claims_is_an_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=name):
        read_benchmark(str(tmp_path / name))
