"""The `inspect` config: prompts with three choices, for models without tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.inspect_rows import (
    BATCH_ROWS,
    INSPECT_FEATURES,
    inspect_batches,
    prompt,
    schemas_of,
)
from claimdb_builder.publish.tree import write_tree
from claimdb_metric.errors import DatabaseFileError
from claimdb_metric.labels import LABELS
from tests.builder.publish.made_benchmarks import hidden, labelled, of_rows
from tests.loader.claim_files import claim, jsonl, read
from tests.loader.made_databases import DDL, make_database

ROW = {"db_name": "zoo", "claim": "It has {3} owls.", "extra_info": ""}


def about(folder: Path, *names: str, secret: str | None = None) -> Benchmark:
    """A benchmark with one labelled claim on each database, and a hidden one on another."""
    rows = [row for i, name in enumerate(names) for row in labelled([i], db_name=name)]
    splits = {"train": rows}
    if secret:
        splits["test_private"] = hidden([99], db_name=secret)
    return of_rows(folder, **splits)


def test_a_prompt_shows_the_schema_only_where_there_is_one() -> None:
    with_schema, without = prompt(ROW, "CREATE TABLE owls (id);"), prompt(ROW, None)
    assert "You cannot query it, but its schema is given. Choose" in with_schema
    assert "\n\nSchema:\nCREATE TABLE owls (id);\n\nClaim: It has {3} owls." in with_schema
    assert "You cannot query it. Choose" in without
    assert "chema" not in without
    assert "database zoo holds" in without
    assert all(label in text for label in LABELS for text in (with_schema, without))
    assert prompt({**ROW, "db_name": "a{given}b"}, None).count("a{given}b") == 1


@pytest.mark.parametrize(
    ("extra_info", "end"),
    [
        ("", "Claim: It has {3} owls."),
        (" \n", "Claim: It has {3} owls."),
        ("  n = 3\n", "Clarification: n = 3"),
    ],
)
def test_a_prompt_ends_with_the_clarification_if_there_is_one(extra_info: str, end: str) -> None:
    assert prompt({**ROW, "extra_info": extra_info}, None).split("\n\n")[-1] == end


def test_schemas_are_those_of_the_databases_of_labelled_claims(tmp_path: Path) -> None:
    make_database(tmp_path / "zoo" / "zoo.sqlite")
    make_database(tmp_path / "park.sqlite", ddl="CREATE TABLE trees (id)")
    benchmark = about(tmp_path, "zoo", "park", "zoo", secret="not_here")
    assert schemas_of(benchmark) == {"park": "CREATE TABLE trees (id);", "zoo": f"{DDL};"}


def test_if_one_schema_is_missing_no_prompt_shows_any(tmp_path: Path) -> None:
    make_database(tmp_path / "zoo.sqlite")
    benchmark = about(tmp_path, "zoo", "not_here")
    assert schemas_of(benchmark) == {}
    (batch,) = inspect_batches(benchmark.claims["train"], schemas_of(benchmark))
    assert all("Schema:" not in text for text in batch["prompt"].to_pylist())


def prompts(benchmark: Benchmark, schemas: dict[str, str], name: str = "train") -> pa.Table:
    """The rows that an earlier push published."""
    return pa.concat_tables(inspect_batches(benchmark.claims[name], schemas))


def earlier_rows(table: pa.Table) -> list[tuple[str, ...]]:
    columns = (table[name].to_pylist() for name in ("db_name", "claim", "prompt"))
    return list(zip(*columns, strict=True))


SCHEMA = """CREATE TABLE "a b" (
  x TEXT DEFAULT 'Claim: {y}'
);

CREATE TABLE t (Schema INTEGER);"""


@pytest.mark.parametrize("extra_info", ["", "n = 3", "a\n\nClaim: b"])
def test_schemas_of_databases_that_are_away_come_from_earlier_prompts(
    tmp_path: Path, extra_info: str
) -> None:
    earlier = of_rows(train=labelled([1, 2], db_name="away", extra_info=extra_info))
    old = prompts(earlier, {"away": SCHEMA})
    assert schemas_of(about(tmp_path, "away"), earlier_rows(old)) == {"away": SCHEMA}
    assert prompts(earlier, schemas_of(earlier, earlier_rows(old))).equals(old)


def test_a_database_that_is_here_shows_its_schema_of_today(tmp_path: Path) -> None:
    make_database(tmp_path / "zoo.sqlite")
    old = prompts(about(tmp_path, "zoo", "away"), {"zoo": "CREATE TABLE old (x);", "away": SCHEMA})
    assert schemas_of(about(tmp_path, "zoo", "away"), earlier_rows(old)) == {
        "away": SCHEMA,
        "zoo": f"{DDL};",
    }


def test_earlier_prompts_without_a_schema_give_none(tmp_path: Path) -> None:
    make_database(tmp_path / "zoo.sqlite")
    benchmark = about(tmp_path, "zoo", "away")
    assert schemas_of(benchmark, earlier_rows(prompts(benchmark, {}))) == {}
    others = prompts(about(tmp_path, "other"), {"other": SCHEMA})
    assert schemas_of(benchmark, earlier_rows(others)) == {}
    assert schemas_of(benchmark, []) == {}


def test_earlier_prompts_are_only_read_where_a_database_is_away(tmp_path: Path) -> None:
    def unread() -> Iterator[tuple[str, ...]]:
        raise AssertionError
        yield

    make_database(tmp_path / "zoo.sqlite")
    assert schemas_of(about(tmp_path, "zoo"), unread()) == {"zoo": f"{DDL};"}


def test_all_labels_hidden_needs_no_schema(tmp_path: Path) -> None:
    assert schemas_of(of_rows(tmp_path, test_private=hidden([1], db_name="zoo"))) == {}


def test_a_damaged_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "zoo.sqlite").write_text("<html>")
    with pytest.raises(DatabaseFileError, match=r"zoo\.sqlite is an HTML page"):
        schemas_of(about(tmp_path, "zoo"))


@pytest.mark.parametrize("n_rows", [1, BATCH_ROWS, BATCH_ROWS + 1, 2 * BATCH_ROWS])
def test_rows_come_in_the_order_of_the_claims_in_batches(n_rows: int) -> None:
    rows = [claim(n_rows - i, i % 3) for i in range(n_rows)]
    claims = read(jsonl(rows)).combine_chunks()
    batches = list(inspect_batches(claims, {}))
    assert all(batch.num_rows <= BATCH_ROWS for batch in batches)
    table = pa.concat_tables(batches)
    for column in ("claim_id", "db_name", "claim", "label"):
        assert table[column].to_pylist() == claims[column].to_pylist()
    assert all(batch.schema == INSPECT_FEATURES.arrow_schema for batch in batches)


def test_the_label_is_the_number_of_its_choice() -> None:
    claims = of_rows(train=labelled(range(3))).claims["train"]
    (batch,) = inspect_batches(claims, {})
    for row in batch.to_pylist():
        choices = [row[f"choice_{letter}"] for letter in "abc"]
        assert choices == list(LABELS)
        assert choices[row["label"]] == LABELS[row["claim_id"] % 3]


def test_hidden_rows_never_appear_in_a_tree(copy: str, tmp_path: Path) -> None:
    tree = write_tree(read_benchmark(copy), tmp_path / "tree", "you/claims")
    inspect = {name: path for name, path in tree.files.items() if name.startswith("data/inspect/")}
    assert list(inspect) == [
        "data/inspect/test_public-00000-of-00001.parquet",
        "data/inspect/train-00000-of-00001.parquet",
    ]
    import pyarrow.parquet as pq

    rows = [row for path in inspect.values() for row in pq.read_table(path).to_pylist()]
    assert sorted(row["claim_id"] for row in rows) == [*range(15), 20]
    assert all(row["label"] in (0, 1, 2) for row in rows)
    assert all("CREATE TABLE" in row["prompt"] for row in rows)
