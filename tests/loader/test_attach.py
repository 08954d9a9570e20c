"""`attach_databases` as a transform of a dataset: lazy handles that never end up in its data."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import datasets
import pytest

import claimdb
from claimdb_loader.attach import DatabaseRef, attach_databases
from claimdb_loader.databases import open_database
from claimdb_metric.errors import DataError, UnknownDatabaseError
from tests.forks import forks
from tests.loader.made_databases import make_database

N_HEROES = {"small": 3, "large": 40}
NAMES = ["small", "large", "small", "large"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A local copy with two databases, named by the environment."""
    for name, n_heroes in N_HEROES.items():
        make_database(tmp_path / name / f"{name}.sqlite", n_heroes)
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path))
    return tmp_path


@pytest.fixture
def claims(folder: Path) -> Any:
    rows = {"claim_id": list(range(4)), "db_name": NAMES, "claim": ["c"] * 4}
    return datasets.Dataset.from_dict(rows).with_transform(claimdb.attach_databases)


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


def n_heroes(ref: DatabaseRef) -> Any:
    return ref.query("SELECT count(*) FROM heroes").rows[0][0]


def counted(row: dict[str, Any]) -> dict[str, Any]:
    return {"n_heroes": n_heroes(row["database"])}


def judged(row: dict[str, Any]) -> dict[str, Any]:
    return {"n_heroes": len(row["claim"])}


def test_every_way_to_read_a_row_gives_a_handle(claims: Any) -> None:
    assert n_heroes(claims[0]["database"]) == 3
    assert [n_heroes(ref) for ref in claims[:2]["database"]] == [3, 40]
    assert [n_heroes(ref) for ref in claims[[1, 3]]["database"]] == [40, 40]
    assert [n_heroes(row["database"]) for row in claims] == [3, 40, 3, 40]
    batches = list(claims.iter(batch_size=3))
    assert [n_heroes(ref) for batch in batches for ref in batch["database"]] == [3, 40, 3, 40]
    assert claims.column_names == ["claim_id", "db_name", "claim"]
    assert set(claims[0]) == {"claim_id", "db_name", "claim", "database"}


@forks
@pytest.mark.parametrize("num_proc", [None, 2])
@pytest.mark.parametrize(
    ("function", "numbers"), [(counted, [3, 40, 3, 40]), (judged, [1, 1, 1, 1])]
)
def test_map_reads_handles_and_stores_none(
    claims: Any, num_proc: int | None, function: Any, numbers: list[int]
) -> None:
    mapped = claims.map(function, num_proc=num_proc).with_format(None)
    assert mapped["n_heroes"][:] == numbers
    assert mapped["db_name"][:] == NAMES
    for column, feature in mapped.features.items():
        assert feature.dtype in ("int64", "string"), column
    if "database" in mapped.column_names:
        assert mapped["database"][:] == NAMES


@forks
@pytest.mark.parametrize("num_proc", [None, 2])
def test_map_in_batches_with_the_columns_it_keeps(claims: Any, num_proc: int | None) -> None:
    def count_all(batch: dict[str, Any]) -> dict[str, Any]:
        return {"n_heroes": [n_heroes(ref) for ref in batch["database"]]}

    mapped = claims.map(
        count_all, batched=True, num_proc=num_proc, remove_columns=claims.column_names
    ).with_format(None)
    assert mapped.to_dict()["n_heroes"] == [3, 40, 3, 40]


def test_filter_asks_a_handle(claims: Any) -> None:
    kept = claims.filter(lambda row: n_heroes(row["database"]) > 10).with_format(None)
    assert kept.to_dict() == {"claim_id": [1, 3], "db_name": ["large"] * 2, "claim": ["c"] * 2}


def test_a_stream(folder: Path) -> None:
    stream = datasets.Dataset.from_dict({"db_name": NAMES}).to_iterable_dataset()
    handled = stream.map(attach_databases, batched=True)
    assert [open_database(row["database"]).path.stem for row in handled] == NAMES


def test_nothing_is_opened_or_fetched_before_a_question(folder: Path) -> None:
    row = attach_databases({"db_name": ["nowhere"]}, data_dir=folder / "gone")
    assert row["database"] == ["nowhere"]
    refs = attach_databases({"db_name": ["nowhere"]})["database"]
    with pytest.raises(UnknownDatabaseError, match="no database 'nowhere'"):
        refs[0].tables()


def test_where_the_databases_are(tmp_path: Path) -> None:
    make_database(tmp_path / "elsewhere" / "heroes.sqlite", 8)
    rows = datasets.Dataset.from_dict({"db_name": ["heroes"]})
    attach = partial(attach_databases, data_dir=tmp_path / "elsewhere")
    assert n_heroes(rows.with_transform(attach)[0]["database"]) == 8


def test_a_ref_is_the_name_and_can_what_a_handle_can(folder: Path) -> None:
    ref = attach_databases({"db_name": "small"})["database"]
    assert ref == ref.db_name == "small"
    assert {"small": 1}[ref] == 1
    assert type(ref.db_name) is str
    assert ref.path == folder / "small" / "small.sqlite"
    assert ref.tables() == ["heroes"]
    assert ref.schema() == open_database("small").schema()
    assert ref.query("SELECT ?", [5], max_rows=1).rows == ((5,),)
    assert ref.open() is open_database("small")
    with ref as db:
        assert db is ref.open()
    ref.close()


def test_a_ref_may_be_copied_and_pickled(folder: Path) -> None:
    ref = DatabaseRef("small", {"data_dir": str(folder)})
    for other in (pickle.loads(pickle.dumps(ref)), copy.copy(ref), copy.deepcopy(ref)):
        assert type(other) is DatabaseRef
        assert n_heroes(other) == 3


def test_a_batch_and_a_row_keep_their_columns() -> None:
    batch = {"db_name": ["a", "b"], "claim": ["x", "y"]}
    assert attach_databases(batch) == {**batch, "database": ["a", "b"]}
    assert attach_databases({"db_name": "a", "claim": "x"})["database"] == "a"
    assert attach_databases({"db_name": []})["database"] == []
    assert batch == {"db_name": ["a", "b"], "claim": ["x", "y"]}


def test_rows_without_a_database_name() -> None:
    with pytest.raises(DataError, match=r"no column 'db_name' .* there are \['claim', 'label'\]"):
        attach_databases({"label": [0], "claim": ["x"]})


def test_a_reference_that_was_not_used_has_nothing_to_close() -> None:
    """`close()` must not fetch what was never asked for."""
    DatabaseRef("no such database").close()
