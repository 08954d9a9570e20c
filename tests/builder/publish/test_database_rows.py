"""The `databases` config of a tree: what was measured, and what is known of whose databases."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.card_counts import databases
from claimdb_builder.publish.databases import DatabaseEntry, chosen_files, with_measures
from claimdb_builder.publish.tree import write_tree
from claimdb_loader.cache_folder import database_folder
from claimdb_loader.hub import UPSTREAM_REPO
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import as_claimdb, as_read, labelled, of_rows, table_of
from tests.loader.claim_files import claim, write_copy
from tests.loader.made_databases import make_database

ZOO = DatabaseEntry("zoo", 2, 5, 8192, "a" * 64)
PARK = DatabaseEntry("park", 1, 3, 4096, "b" * 64)


def test_measures_replace_what_is_known_in_the_rows(tmp_path: Path) -> None:
    names = ("zoo", "superhero")
    benchmark = as_read(
        tmp_path / "copy",
        train=[row for i, name in enumerate(names) for row in labelled([i], db_name=name)],
    )
    rows = benchmark.configs["databases"]["train"]
    known, unknown = rows.to_pylist()
    assert (known["db_name"], unknown["n_tables"], unknown["sha256"]) == ("superhero", -1, "")
    filled = with_measures(benchmark, rows, [ZOO, PARK])
    assert filled.schema.equals(rows.schema, check_metadata=True)
    measured = {"n_claims": 1, "n_tables": 2, "n_rows": 5, "n_bytes": 8192, "sha256": "a" * 64}
    # Another's database of a published name is as large as it is measured to be, or not known.
    nothing = dict.fromkeys(measured, -1) | {"n_claims": 1, "sha256": ""}
    assert filled.to_pylist() == [
        {"db_name": "superhero", **nothing},
        {"db_name": "zoo", **measured},
    ]
    assert with_measures(as_claimdb(benchmark), rows, [ZOO]).to_pylist()[0] == known


@pytest.mark.parametrize("is_claimdb", [True, False])
def test_the_card_tells_sizes_of_the_published_benchmark_without_its_files(
    is_claimdb: bool,
) -> None:
    """Another's database of the same name may be any."""
    benchmark = of_rows(train=[claim(1, 0, "superhero")])
    (row,) = table_of(databases(as_claimdb(benchmark) if is_claimdb else benchmark, []))
    assert (row["tables"], row["MB here"]) == ("10" if is_claimdb else "–", "–")
    assert row["rows"] == ("–" if not is_claimdb else row["rows"])
    assert (row["rows"] == "–") != is_claimdb


def test_what_lies_here_is_told_by_what_was_measured() -> None:
    entry = DatabaseEntry("superhero", 2, 5000, 8192, "a" * 64)
    rows = [claim(1, 0, "superhero")]
    for benchmark in (of_rows(train=rows), as_claimdb(of_rows(train=rows))):
        (row,) = table_of(databases(benchmark, [entry]))
        assert [row[key] for key in ("tables", "rows", "MB here")] == ["2", "5,000", "0.008"]


def rows_of(folder: Path) -> list[dict[str, object]]:
    return list(pq.read_table(folder / "data/databases/train-00000-of-00001.parquet").to_pylist())


def test_a_tree_tells_no_size_that_was_not_measured_for_it(tmp_path: Path) -> None:
    """Also not that which stands in an earlier tree, which is another repository's."""
    copy = write_copy(tmp_path / "copy", train=labelled(range(3), db_name="superhero"))
    make_database(copy / "superhero" / "superhero.sqlite")
    write_tree(read_benchmark(str(copy)), tmp_path / "one", "you/claims", "split")
    (row,) = rows_of(tmp_path / "one")
    assert (row["n_tables"], row["n_rows"]) == (1, 3)
    write_tree(read_benchmark(str(tmp_path / "one")), tmp_path / "two", "you/others")
    (row,) = rows_of(tmp_path / "two")
    sizes = [row[key] for key in ("n_tables", "n_rows", "n_bytes", "sha256")]
    assert sizes == [-1, -1, -1, ""]


@pytest.mark.parametrize("choice", ["split", "all"])
def test_a_database_of_the_upstream_cache_is_not_taken_for_another_benchmark(
    tmp_path: Path, cache_dir: Path, choice: str
) -> None:
    made = make_database(database_folder(UPSTREAM_REPO, None) / "superhero" / "superhero.sqlite")
    rows = labelled([1], db_name="superhero")
    with pytest.raises(DataError, match=r"^1 database not on this machine: superhero; put each"):
        chosen_files(of_rows(tmp_path, train=rows), choice)  # type: ignore[arg-type]
    ours = as_claimdb(of_rows(tmp_path, train=rows))
    assert chosen_files(ours, choice) == {"superhero": made}  # type: ignore[arg-type]
    own = make_database(tmp_path / "superhero.sqlite")
    assert chosen_files(of_rows(tmp_path, train=rows), "split") == {"superhero": own}
