"""The Parquet files of splits: in order, each split whole."""

from __future__ import annotations

import pytest

from claimdb_loader.published_splits import split_files
from claimdb_metric.errors import DataError


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["dev-00000-of-00002"], "split dev of here is not whole: .*dev-00001-of-00002.parquet is"),
        (["dev-00001-of-00002"], "split dev of here is not whole: .*dev-00000-of-00002.parquet is"),
        (["dev-00000-of-00001", "dev-00001-of-00002"], "is not whole: .*dev-00000-of-00002"),
        (["dev-00000-of-00001", "dev-00001-of-00001"], "too many files: remove .*dev-00001-of-0"),
        (["dev"], r"here holds data/claims/dev.parquet; .* must be named SPLIT-00000-of-00001"),
        (["my-dev-00000-of-00001"], "must be named"),
    ],
)
def test_no_file_of_a_split_is_missing_or_left_over(names: list[str], words: str) -> None:
    with pytest.raises(DataError, match=words):
        split_files([f"data/claims/{name}.parquet" for name in names], "here", ["train"])


def test_files_that_are_none_of_claims() -> None:
    names = ["data/nei/subjective-00000-of-00001.parquet", "data/claims/README.md", "x.parquet"]
    assert split_files(names, "here", ["train"]) == {}
