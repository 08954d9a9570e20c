"""Which databases a report is on, what is missing, and what is said of it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.stats.claim_counts import ClaimCounts, claims_in_files, counted_claims
from claimdb_builder.stats.database_choice import Place
from claimdb_builder.stats.report import StatsReport, report_on_counts, report_on_files
from claimdb_builder.stats.report_tables import report_tables
from claimdb_metric.errors import ClaimFileError, DataError, UnknownDatabaseError
from tests.builder.stats.made_tables import counting, zoo
from tests.loader.claim_files import claim, jsonl


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Two databases, one in each layout, and what is none."""
    zoo(tmp_path / "dbs" / "zoo" / "zoo.sqlite", 300)
    zoo(tmp_path / "dbs" / "park.sqlite", 5)
    (tmp_path / "dbs" / "._park.sqlite").write_text("what macOS leaves beside a file")
    (tmp_path / "dbs" / "README").write_text("")
    return str(tmp_path / "dbs")


@pytest.fixture
def sizes(tmp_path: Path) -> str:
    path = tmp_path / "sizes.json"
    known = {"zoo": {"tables": {"owl": 3}}, "park": {"tables": {"tree": 4, "bench": 1}}}
    path.write_text(json.dumps({"databases": known}))
    return str(path)


def names(report: StatsReport) -> list[str]:
    return [found.db_name for found in report.databases]


def mine(**by_database: int) -> ClaimCounts:
    return ClaimCounts("mine", by_database)


def test_all_of_a_folder(folder: str) -> None:
    assert names(report_on_files([], None, Place(folder))) == ["park", "zoo"]


def test_some_by_name_by_file_and_from_the_sample(folder: str) -> None:
    chosen = ["zoo", f"{folder}/park.sqlite", "ferry_lines", "zoo"]
    assert names(report_on_files(chosen, None, Place(folder))) == ["ferry_lines", "park", "zoo"]


def test_two_files_of_the_same_name(folder: str, tmp_path: Path) -> None:
    zoo(tmp_path / "zoo.sqlite")
    with pytest.raises(DataError, match="are both called zoo"):
        report_on_files(["zoo", str(tmp_path / "zoo.sqlite")], None, Place(folder))


def test_those_of_claims_and_the_missing(folder: str) -> None:
    report = report_on_files([], mine(zoo=3, gone=2, far=5), Place(folder), counting())
    assert (names(report), report.missing) == (["zoo"], ("gone", "far"))
    assert report.per_claim is not None
    assert report.per_claim.n == 3
    assert report.notes()[0] == (
        "not here and left out: gone, far (7 of 10 claims); `claimdb databases fetch` brings them"
    )
    assert report.to_dict()["missing_databases"] == {"gone": 2, "far": 5}


def test_many_missing_are_counted(folder: str) -> None:
    claims = mine(zoo=1, **{f"gone_{i}": 1 for i in range(12)})
    note = report_on_files([], claims, Place(folder)).notes()[0]
    assert "gone_9 and 2 more (12 of 13 claims)" in note


@pytest.mark.parametrize("name", ["a/b", "..", "x" * 200, "a\nb"])
def test_a_name_that_no_file_can_have_is_missing(folder: str, name: str) -> None:
    assert report_on_files([], mine(**{"zoo": 1, name: 1}), Place(folder)).missing == (name,)


def test_none_is_there(folder: str, sizes: str) -> None:
    claims = mine(gone=1, far=2)
    with pytest.raises(DataError, match=r"of mine is on this machine; .* gone, far"):
        report_on_files([], claims, Place(folder))
    with pytest.raises(DataError, match=r"of mine is in .*sizes\.json: gone, far"):
        report_on_counts(sizes, [], claims)


def test_nothing_asked_for(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="name databases, or say where they are"):
        report_on_files([], None, Place())
    with pytest.raises(DataError, match="holds no database; give the folder that holds"):
        report_on_files([], None, Place(str(tmp_path)))
    with pytest.raises(DataError, match="gone is not a folder"):
        report_on_files([], None, Place(str(tmp_path / "gone")))
    with pytest.raises(UnknownDatabaseError, match="did you mean ferry_lines"):
        report_on_files(["ferry_line"], None, Place())


def test_counts_of_all_some_and_of_claims(sizes: str) -> None:
    assert names(report_on_counts(sizes, [], None)) == ["park", "zoo"]
    assert names(report_on_counts(sizes, ["zoo", "zoo"], None)) == ["zoo"]
    report = report_on_counts(sizes, [], mine(zoo=1, gone=1))
    assert (names(report), report.missing) == (["zoo"], ("gone",))
    with pytest.raises(UnknownDatabaseError, match=r"'zo' in .*sizes\.json; did you mean zoo\?"):
        report_on_counts(sizes, ["zo"], None)
    with pytest.raises(UnknownDatabaseError, match="it names 2"):
        report_on_counts(sizes, ["quite another"], None)


def test_the_document_is_json_and_complete(folder: str) -> None:
    report = report_on_files([], mine(zoo=3, park=1), Place(folder), counting(50))
    document: dict[str, Any] = json.loads(json.dumps(report.to_dict(), allow_nan=False))
    assert [(x["db_name"], x["domain"], x["n_claims"]) for x in document["databases"]] == [
        ("park", "Park", 1),
        ("zoo", "Zoo", 3),
    ]
    owl = document["databases"][1]["tables"][1]
    assert (owl["name"], owl["n_rows"], owl["n_rows_read"]) == ("owl", 300, 50)
    assert document["per_claim"]["n_rows"] == (3 * 301 + 6) / 4
    assert document["claims"] == {"name": "mine", "n": 4}
    tokens = document["tokens"]
    assert (tokens["counter"], tokens["is_estimate"], tokens["seed"]) == ("estimate", True, 1)
    assert tokens["sample_rows"] == 50


def test_what_is_said_of_tokens(folder: str) -> None:
    sampled = report_on_files([], None, Place(folder), counting(50)).notes()
    assert "estimated without a tokenizer: one token for up to 3 digits" in sampled[0]
    assert "1 of 4 tables were judged by 50 rows drawn with seed 1" in sampled[0]
    assert "seed" not in report_on_files([], None, Place(folder), counting()).notes()[0]
    assert report_on_files([], None, Place(folder)).notes() == []


def test_domains(folder: str) -> None:
    claims = mine(zoo=3, park=1, ferry_lines=4)
    given = {"zoo": "Outdoors", "park": "Outdoors", "elsewhere": "Sea"}
    report = report_on_files([], claims, Place(folder), None, given)
    assert report.notes() == ["called after themselves, as no domain is given: ferry_lines"]
    *_, domains = report_tables(report)
    assert domains.title == "2 domains"
    assert domains.rows[1] == ("Outdoors", "2", "4", "307")


def test_claims_in_files(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_bytes(jsonl([claim(1, 0, "zoo"), claim(2, None, "park")]))
    other.write_bytes(jsonl([claim(3, 2, "zoo")]))
    found = claims_in_files([str(one), str(other)])
    assert (found.name, found.by_database, found.n) == (
        "one.jsonl, other.jsonl",
        {"park": 1, "zoo": 2},
        3,
    )


def test_wrong_claims(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.write_bytes(jsonl([claim(1), {"claim_id": 2, "claim": "Owls."}]))
    with pytest.raises(ClaimFileError, match=r"mine\.jsonl:2: db_name must be a text"):
        claims_in_files([str(path)])
    path.write_bytes(b"")
    with pytest.raises(DataError, match=r"mine\.jsonl holds no claim"):
        claims_in_files([str(path)])
    with pytest.raises(DataError, match=r"^no such file: .*gone\.jsonl"):
        claims_in_files([str(path), str(tmp_path / "gone.jsonl")])
    with pytest.raises(DataError, match="split holds no claim"):
        counted_claims("split", [])
