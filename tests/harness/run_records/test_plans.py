"""Which claims are asked, and on which files: all is known before anything costs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.labelled_claims import LabelledClaims, from_file
from claimdb_harness.runs.plans import limited, plan_run
from claimdb_metric.errors import DataError, HiddenLabelsError
from tests.harness.runs import sample

TEN = LabelledClaims("mine", {"claim_id": [*range(11, 21)], "claim": ["A claim."] * 10})
ROW = {"claim_id": 1, "label": "ENTAILED", "claim": "Vita sails.", "db_name": "ferry_lines"}


@pytest.mark.parametrize(
    ("limit", "ids", "shown"),
    [
        (None, range(11, 21), None),
        ("3-5", range(13, 16), "3-5"),
        (5, range(11, 16), "1-5"),
        ("5", range(11, 16), "1-5"),
        (" 2 ", range(11, 13), "1-2"),
        ("10-10", [20], "10-10"),
        ("1-10", range(11, 21), "1-10"),
        ("007", range(11, 18), "1-7"),
    ],
)
def test_limits(limit: Any, ids: Any, shown: str | None) -> None:
    chosen, said = limited(TEN, limit)
    assert (chosen.claim_ids, said, chosen.name) == ([*ids], shown, "mine")
    assert len(chosen.column("claim")) == len(ids)


@pytest.mark.parametrize("limit", ["0", 0, "5-3", "1-9999", 11, "0-3", "1-11"])
def test_limits_out_of_range(limit: Any) -> None:
    with pytest.raises(
        DataError, match=f"^limit {limit} is out of range: mine has the claims 1-10$"
    ):
        limited(TEN, limit)


@pytest.mark.parametrize(
    "limit", ["a", "", "-3", -3, "3-", "1-2-3", "1 - 2", "1.5", 2.0, True, "9" * 10]
)
def test_limits_that_are_none(limit: Any) -> None:
    with pytest.raises(DataError, match="is neither N nor A-B, such as 20 or 21-40"):
        limited(TEN, limit)


def claims_of(tmp_path: Path, *rows: dict[str, Any]) -> LabelledClaims:
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return from_file(str(path))


def test_what_claims_of_ones_own_may_lack(tmp_path: Path) -> None:
    bare = {name: value for name, value in ROW.items() if name != "label"}
    plan = plan_run(claims_of(tmp_path, bare, {**ROW, "claim_id": 2, "hops": [1], "bird_id": 9}))
    columns = plan.claims.columns
    assert columns["extra_info"] == ["", ""]
    assert columns["bird_id"] == [-1, 9]
    assert columns["category"] == [None, None]
    assert columns["hops"] == [None, [1]]
    with pytest.raises(HiddenLabelsError):
        _ = plan.claims.labels
    assert [*plan.databases] == ["ferry_lines"]
    assert plan.claims_file.count(b"\n") == 2


@pytest.mark.parametrize("name", ["claim", "db_name"])
def test_a_column_that_is_not_there(tmp_path: Path, name: str) -> None:
    row = {key: value for key, value in ROW.items() if key != name}
    with pytest.raises(DataError, match=f"mine.jsonl have no column '{name}'; they have claim_id"):
        plan_run(claims_of(tmp_path, row))


@pytest.mark.parametrize("name", ["claim", "db_name"])
@pytest.mark.parametrize("value", [None, "", "  ", 5, ["Vita"]])
def test_a_claim_that_lacks_its_text(tmp_path: Path, name: str, value: Any) -> None:
    claims = claims_of(tmp_path, ROW, {**ROW, "claim_id": 2, name: value})
    with pytest.raises(DataError, match=f"1 claims of mine.jsonl have no text as their {name}: 2"):
        plan_run(claims)
    assert plan_run(claims, 1).claims.claim_ids == [1]


def test_all_databases_that_are_missing_are_listed(tmp_path: Path) -> None:
    names = ["nothing", "ferry_lines", "nothing", "../up"]
    rows = [{**ROW, "claim_id": place, "db_name": name} for place, name in enumerate(names)]
    with pytest.raises(DataError) as caught:
        plan_run(claims_of(tmp_path, *rows))
    first, *listed = str(caught.value).split("\n  ")
    assert first.startswith("2 of 3 databases are missing, and nothing was asked yet")
    assert [line.split(": ")[0] for line in listed] == ["../up (1 claims)", "nothing (2 claims)"]


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "zoo.sqlite").write_text("lions")
    claims = claims_of(tmp_path, {**ROW, "db_name": "zoo"})
    with pytest.raises(DataError, match=r"zoo \(1 claims\): .*zoo\.sqlite"):
        plan_run(claims, data_dir=str(tmp_path))


def test_the_hash_is_that_of_the_claims_asked() -> None:
    one, two, same = (plan_run(sample(), limit) for limit in ("1-5", "2-6", 5))
    assert one.claims_sha256 == same.claims_sha256 != two.claims_sha256
