"""`claimdb stats`, called as its users call it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.stats.token_counters import DEFAULT_SAMPLE_ROWS, DEFAULT_SEED
from claimdb_cli import stats
from tests.builder.stats.made_tables import zoo
from tests.cli.conftest import Call
from tests.loader.claim_files import claim, jsonl, write_copy

Answer = Callable[..., Any]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two databases, and claims on them and on one that is not there."""
    zoo(tmp_path / "mine" / "zoo" / "zoo.sqlite", 2000)
    zoo(tmp_path / "mine" / "park.sqlite")
    rows = [claim(1, 0, "zoo"), claim(2, 1, "zoo"), claim(3, 0, "gone"), claim(4, 0, "park")]
    return write_copy(tmp_path / "mine", test_public=rows)


@pytest.fixture
def sizes(tmp_path: Path) -> Path:
    path = tmp_path / "sizes.json"
    known = {"zoo": {"tables": {"owl": 3000}}, "park": {"tables": {"tree": 4, "bench": 1}}}
    path.write_text(json.dumps({"databases": known}))
    return path


@pytest.mark.usefixtures("folder")
def test_a_folder(claimdb_command: Call) -> None:
    code, out, err = claimdb_command("stats", "--databases", "mine", "--tokens", "none")
    assert (code, err) == (0, "")
    lines = out.split("\n")
    assert lines[:5] == [
        "2 databases",
        "database  tables  cols   rows     size",
        "──────────────────────────────────────",
        "park           2     5      4  12.3 kB",
        "zoo            2     5  2,001  45.1 kB",
    ]
    assert lines[6].startswith("Averages; 501.25 rows per table")
    assert "rows      2,005      1,002.50" in lines


def test_the_folder_of_the_environment(
    claimdb_command: Call, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(folder))
    assert claimdb_command("stats")[1].startswith("2 databases\n")


def test_the_sample_by_name(claimdb_command: Call) -> None:
    code, out, _ = claimdb_command("stats", "ferry_lines", "--tokens", "estimate")
    assert (code, out.split("\n")[3]) == (
        0,
        "ferry_lines       7    43  17,376  827 kB   441 k",
    )
    assert "7 tables of ferry_lines\n" in out
    notes = out.split("\n\n")[-1]
    assert notes.startswith("tokens as CSV text, estimated without a tokenizer")
    assert max(map(len, notes.split("\n"))) <= 80


def test_a_split(answer: Answer) -> None:
    found = answer("stats", "--split", "sample", "--tokens", "none")
    assert found["claims"] == {"name": "sample", "n": 144}
    assert sum(entry["n_claims"] for entry in found["databases"]) == 144
    assert found["tokens"] is None
    weighted = sum(entry["n_claims"] * entry["n_rows"] for entry in found["databases"])
    assert found["per_claim"]["n_rows"] == weighted / 144


@pytest.mark.parametrize(
    "options",
    [
        ["--split", "test_public", "--data-dir", "mine"],
        ["--claims", "mine/test-public.jsonl", "--databases", "mine"],
    ],
)
@pytest.mark.usefixtures("folder")
def test_claims_of_which_some_have_no_database(
    claimdb_command: Call, answer: Answer, options: list[str]
) -> None:
    code, out, err = claimdb_command("stats", *options)
    assert (code, err) == (0, "")
    assert out.startswith("2 databases named by 3 claims of test")
    assert "not here and left out: gone (1 of 4 claims); `claimdb databases fetch`" in out
    found = answer("stats", *options)
    assert found["missing_databases"] == {"gone": 1}
    assert (found["per_claim"]["n"], found["per_claim"]["n_rows"]) == (3, (2 * 2001 + 4) / 3)


@pytest.mark.usefixtures("folder")
def test_tokens_are_sampled_with_a_seed(answer: Answer) -> None:
    def tokens(*options: object) -> tuple[int, float]:
        entry = answer("stats", "zoo", "--databases", "mine", "--tokens", "estimate", *options)
        (found,) = entry["databases"]
        return found["n_tokens"], found["tokens_error_95"]

    exact, error = tokens()
    assert error == 0
    first, error = tokens("--sample-rows", 200)
    assert 0 < abs(first - exact) < 2 * error
    assert tokens("--sample-rows", 200) == (first, error)
    assert tokens("--sample-rows", 200, "--seed", 7) != (first, error)


def test_counts(claimdb_command: Call, answer: Answer, sizes: Path) -> None:
    out = claimdb_command("stats", "--counts", sizes)[1]
    assert out.split("\n")[1:5] == [
        "database  tables   rows",
        "───────────────────────",
        "park           2      5",
        "zoo            1  3,000",
    ]
    (found,) = answer("stats", "zoo", "--counts", sizes)["databases"]
    assert (found["n_rows"], found["n_bytes"], found["n_tokens"]) == (3000, None, None)


def test_domains(claimdb_command: Call, sizes: Path) -> None:
    (sizes.parent / "domains.json").write_text('{"zoo": "Outdoors", "park": "Outdoors"}')
    out = claimdb_command("stats", "--counts", sizes, "--domains", "domains.json")[1]
    assert "1 domain\n" in out
    assert "Outdoors          2  3,005" in out


@pytest.mark.parametrize("name", ["sizes.svg", "sizes.png"])
def test_a_figure(claimdb_command: Call, sizes: Path, name: str) -> None:
    pytest.importorskip("matplotlib")
    code, _, err = claimdb_command("stats", "--counts", sizes, "--figure", name)
    assert (code, err) == (0, "")
    assert (sizes.parent / name).stat().st_size > 1000


BAD_INPUT: dict[str, tuple[list[str], str]] = {
    "nothing": ([], "name databases, or say where they are (--databases DIR)"),
    "no folder": (["--databases", "gone"], "gone is not a folder"),
    "no database in it": (["--databases", "empty"], "empty holds no database"),
    "an unknown name": (["ferry_line"], "did you mean ferry_lines"),
    "an unknown name in counts": (["zo", "--counts", "sizes.json"], "did you mean zoo"),
    "no such file": (["gone.sqlite"], "gone.sqlite cannot be read: No such file"),
    "no SQLite": (["page.sqlite"], "page.sqlite is an HTML page, not SQLite"),
    "no claims file": (["--claims", "gone.jsonl"], "no such file: gone.jsonl"),
    "no claim": (["--claims", "none.jsonl"], "none.jsonl holds no claim"),
    "a wrong claim": (["--claims", "sizes.json"], "claim_id is missing"),
    "no database of any claim": (["--claims", "lost.jsonl"], "on this machine"),
    "an unknown split": (["--split", "tset_public"], "did you mean test_public"),
    "no counts": (["--counts", "none.jsonl"], "none.jsonl: not JSON"),
    "no domains": (["zoo", "--domains", "gone.json"], "gone.json cannot be read"),
    "an unknown tokenizer": (["zoo", "--tokens", "words"], "tokens 'words' cannot be counted"),
    "too small a sample": (["zoo", "--sample-rows", "1"], "--sample-rows"),
    "no figure": (["ferry_lines", "--figure", "x.gif"], "drawn as SVG or PNG"),
    "names and a split": (["zoo", "--split", "sample"], "give DB or --split, not both"),
    "claims and a split": (["--claims", "a", "--split", "sample"], "--claims or --split"),
    "a folder and counts": (["--databases", "a", "--counts", "b"], "--databases or --counts"),
}


@pytest.mark.parametrize("case", BAD_INPUT)
def test_bad_input_is_exit_code_2(
    claimdb_command: Call, sizes: Path, tmp_path: Path, case: str
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "page.sqlite").write_text("<html>")
    (tmp_path / "none.jsonl").write_text("")
    (tmp_path / "lost.jsonl").write_bytes(jsonl([claim(1, 0, "lost")]))
    arguments, message = BAD_INPUT[case]
    code, out, err = claimdb_command("stats", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.replace("│", " ").split())


def test_a_wrong_option_is_found_before_anything_is_counted(
    claimdb_command: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimdb_builder.stats.report.measure", None)
    for option, value in (("--figure", "x.gif"), ("--tokens", "words"), ("--domains", "gone")):
        assert claimdb_command("stats", "ferry_lines", option, value)[0] == 2


def test_the_defaults_are_those_of_the_package() -> None:
    assert (stats.DEFAULT_SAMPLE_ROWS, stats.DEFAULT_SEED) == (DEFAULT_SAMPLE_ROWS, DEFAULT_SEED)
