"""The instructions: each composes, none gives an answer away, and no word changes unnoticed."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from claimdb_harness.mcp.created_schema import schema_text
from claimdb_harness.prompts import FIXED, PROMPTS, PROTOCOLS, claim_message, prompt
from claimdb_metric.errors import DataError
from claimdb_metric.labels import LABELS
from tests.harness.runs import sample

HASHES = {
    ("minimal", "tools"): "0c1acb25da6fa543",
    ("minimal", "json"): "a0e1ffa1906b0979",
    ("minimal", "constrained"): "54c8e1eb01147151",
    ("minimal", "command"): "673a65e57dfd2cbd",
    ("taxonomy", "tools"): "6331a9327672fcce",
    ("taxonomy", "json"): "386e07f0c8c17c00",
    ("taxonomy", "constrained"): "e1bfcfbf41b09338",
    ("taxonomy", "command"): "6633e2a211b8f55f",
    ("schema-first", "tools"): "756b9f00d9bfe205",
    ("schema-first", "json"): "9de4f3eead515b3e",
    ("schema-first", "constrained"): "7b4757a56c914294",
    ("schema-first", "command"): "d6437866f549133a",
    ("closed-book", "tools-verdict"): "ce530b03e98195be",
    ("closed-book", "json-verdict"): "e6db4f1d12666ee3",
    ("closed-book", "constrained-verdict"): "3814e0f96a3ae40f",
    ("schema-only", "tools-verdict"): "ccb4883e80f1c6bc",
    ("schema-only", "json-verdict"): "7048d43edb4ae609",
    ("schema-only", "constrained-verdict"): "8ddcb27673a0f68b",
}
"""Runs with different hashes cannot be compared: change one on purpose only, and say so."""


def test_all_of_them_are_here() -> None:
    verify = {(name, how) for name in PROMPTS for how in (*PROTOCOLS, "command")}
    fixed = {(name, f"{how}-verdict") for name in FIXED.values() for how in PROTOCOLS}
    assert {*HASHES} == verify | fixed
    assert len({*HASHES.values()}) == len(HASHES)


@pytest.mark.parametrize(("name", "how"), HASHES)
def test_what_every_prompt_says(name: str, how: str) -> None:
    found = prompt(name, how)
    assert (found.name, found.sha256[:16]) == (name, HASHES[name, how])
    assert all(f"{label}: the data" in found.text for label in LABELS)
    assert found.needs_schema == (name in ("schema-first", "schema-only"))
    may_query = name in PROMPTS
    assert ("execute_sql" in found.text) == may_query
    assert found.text.isascii()
    assert "\n\n\n" not in found.text


@pytest.mark.parametrize(("name", "how"), HASHES)
def test_nothing_of_the_claims_or_answers_is_in_it(name: str, how: str) -> None:
    text = prompt(name, how).text
    claims = sample()
    for column in ("claim", "db_name"):
        assert not [value for value in claims.column(column) if str(value) in text]
    words = {"gold", "category", "bird_id", "claim_id"}
    assert not words & {*text.lower().replace(".", " ").split()}


def test_the_schema_goes_where_its_mark_is() -> None:
    found = prompt("schema-first", "tools")
    filled = found.filled("CREATE TABLE t (a);  -- {x} \\1 {schema}")
    assert "CREATE TABLE t (a);  -- {x} \\1 {schema}\n\nRun queries" in filled
    assert found.sha256 == prompt("schema-first", "tools").sha256


def test_a_large_schema_is_bounded(tmp_path: Path) -> None:
    from claimdb_harness.agents.agent import MAX_SCHEMA_BYTES

    path = tmp_path / "wide.sqlite"
    with closing(sqlite3.connect(path)) as database:
        columns = ", ".join(f"column_{n:04d} TEXT" for n in range(300))
        for n in range(60):
            database.execute(f"CREATE TABLE table_{n} ({columns})")
        database.commit()
    text = schema_text(path, MAX_SCHEMA_BYTES)
    assert MAX_SCHEMA_BYTES / 2 < len(text.encode()) <= MAX_SCHEMA_BYTES
    found = prompt("schema-only", "tools-verdict")
    assert len(found.filled(text).encode()) < MAX_SCHEMA_BYTES + 2000


def test_a_text_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "mine.md"
    path.write_text("Be brïef.\n{schema}\n\n\n", "utf-8")
    found = prompt(str(path), "json")
    assert found.name == "mine.md"
    assert found.text.startswith("Be brïef.\n{schema}\n\nRun queries with execute_sql.")
    assert found.needs_schema
    assert found.sha256 != prompt(str(path), "tools").sha256


def test_a_file_named_as_a_packaged_prompt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "minimal").write_text("Mine.")
    monkeypatch.chdir(tmp_path)
    assert "Mine." not in prompt("minimal", "tools").text
    assert "Mine." in prompt("./minimal", "tools").text


@pytest.mark.parametrize(
    "name", ["maximal", "", ".", "how-tools", "minimal.md", "../prompts/minimal"]
)
def test_no_such_prompt(name: str) -> None:
    with pytest.raises(DataError, match="there are minimal, taxonomy, schema-first, or give the"):
        prompt(name, "tools")


def test_a_text_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"Be br\xefef.")
    with pytest.raises(DataError, match=r"mine\.txt is not UTF-8"):
        prompt(str(path), "tools")


@pytest.mark.parametrize(
    ("extra", "expected"),
    [
        ("", "Claim: Vita sails."),
        ("at noon", "Claim: Vita sails.\nExtra information: at noon"),
    ],
)
def test_what_is_said_of_a_claim(extra: str, expected: str) -> None:
    assert claim_message("Vita sails.", extra) == expected
