"""Whether what a repository holds is an earlier push of the benchmark, or another dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, push
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import parquet
from tests.hub import LocalHub
from tests.loader.claim_files import claim, write_copy
from tests.loader.made_databases import make_database
from tests.pushes import MINE, OLD_CLIENT, wrote_nothing

pytestmark = OLD_CLIENT

OURS = b"<!-- claimdb:splits -->\n# Mine\n<!-- /claimdb:splits -->\n"
THERE = "data/claims/train-00000-of-00001.parquet"


def pushed(folder: str | Path, **options: Any) -> Pushed:
    return push(read_benchmark(str(folder)), MINE, Push(**options))


CLAIM = str(claim(1)["claim"])
OTHERS: dict[str, dict[str, bytes]] = {
    "no card": {"data.csv": b"1"},
    "upstream's": {"train.jsonl": b"{}", "README.md": b"# ClaimDB\n"},
    "a card of another": {"data.csv": b"1", "README.md": b"# Mine\n", "LICENSE": b"x"},
    "our markers": {"data.csv": b"1", "README.md": OURS},
    "no Parquet": {THERE: b"PAR1"},
    "an empty file": {THERE: b""},
    "other columns": {THERE: parquet(name=["ferry_lines"])},
    "no claim": {THERE: parquet(db_name=["ferry_lines"])},
    "no database": {THERE: parquet(claim=[CLAIM])},
    "no row": {THERE: parquet(**dict.fromkeys(("db_name", "claim"), pa.array([], pa.string())))},
    "lists": {THERE: parquet(db_name=[["ferry_lines"]], claim=[[CLAIM]])},
    "other claims": {THERE: parquet(db_name=["ferry_lines", None], claim=["Another.", None])},
    "other databases": {THERE: parquet(db_name=["zoo"], claim=[CLAIM]), "README.md": OURS},
    "their rows elsewhere": {f"x/{THERE}": parquet(db_name=["ferry_lines"], claim=[CLAIM])},
    "of other configs": {
        THERE.replace("claims", "nei"): parquet(db_name=["ferry_lines"], claim=[CLAIM])
    },
}


@pytest.mark.parametrize("case", OTHERS)
def test_another_dataset(hub: LocalHub, copy: str, case: str) -> None:
    hub.add_repo("you/r", {**OTHERS[case], ".gitattributes": b"*.csv -text\n"})
    before = hub.files("you/r")
    with pytest.raises(DataError, match=r"^dataset repository you/r holds another .*--force$"):
        pushed(copy)
    assert hub.files("you/r") == before
    assert wrote_nothing(hub)
    pushed(copy, force=True)
    after = hub.files("you/r")
    assert after.keys() & before.keys() <= {
        "README.md",
        ".gitattributes",
        THERE,
        THERE.replace("claims", "nei"),
    }
    assert after[".gitattributes"] == b"*.csv -text\n"
    assert OURS.split()[1] in after["README.md"]
    assert b"# Mine" not in after["README.md"]
    assert pushed(copy).sent is None


def test_another_benchmark_of_ours(hub: LocalHub, copy: str, tmp_path: Path) -> None:
    """One that shares no claim with this one; its databases go with it."""
    pushed(copy, databases="split")
    other = write_copy(tmp_path / "other", train=[claim(1, 0, "zoo")])
    make_database(other / "zoo" / "zoo.sqlite")
    with pytest.raises(DataError, match="holds another dataset"):
        pushed(other)
    pushed(other, force=True)
    assert not [name for name in hub.files("you/r") if "databases/" in name and "data/" not in name]
    assert b"ferry_lines" not in b"".join(hub.files("you/r").values())
    assert pushed(other).sent is None


@pytest.mark.parametrize("split", ["train", "test_public", "test_private"])
def test_a_benchmark_that_shares_a_claim_is_a_newer_one(
    hub: LocalHub, copy: str, tmp_path: Path, split: str
) -> None:
    """Whatever became of its split, number and label."""
    pushed(copy)
    kept = claim(700, None if split == "test_private" else 2, claim=CLAIM)
    newer = write_copy(tmp_path / "newer", **{split: [kept]})
    assert pushed(newer).sent is not None


@pytest.mark.parametrize("change", [{"claim": "Another."}, {"db_name": "zoo"}])
def test_a_benchmark_on_the_same_databases_is_another(
    hub: LocalHub, copy: str, tmp_path: Path, change: dict[str, str]
) -> None:
    pushed(copy)
    before = hub.files("you/r")
    other = write_copy(tmp_path / "other", train=[claim(1, 1) | change])
    with pytest.raises(DataError, match="holds another dataset"):
        pushed(other)
    assert hub.files("you/r") == before
