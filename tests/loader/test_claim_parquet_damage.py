"""Files that are no Parquet, damaged or cut short are one fault, never an error of pyarrow's."""

from __future__ import annotations

import io
import random
from collections.abc import Callable

import pyarrow as pa
import pytest

from claimdb_loader import claim_parquet
from claimdb_loader.claim_rows import check_row
from claimdb_loader.claim_tables import CLAIM_SCHEMA, ClaimFileReader
from claimdb_metric.errors import ClaimFileError
from tests.loader.claim_files import claim, jsonl, read
from tests.loader.parquet_files import PATH, faults, parquet_of

WHOLE = parquet_of(
    pa.Table.from_pylist([check_row(claim(i, i % 3))[0] for i in range(300)], schema=CLAIM_SCHEMA),
    compression="none",
    write_page_checksum=True,
    row_group_size=100,
)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "this is an empty file, not Parquet"),
        (jsonl([claim(1)]), "this is another format, not Parquet"),
        (b"<!DOCTYPE html>", "this is an HTML page, not Parquet"),
        (b"version https://git-lfs.github.com/spec/v1\n", "this is a Git LFS pointer"),
        (b"PAR1", "this is a Parquet file that cannot be read (Parquet file size is 4 bytes"),
        (WHOLE[:-1], "this is a Parquet file that cannot be read (Parquet magic bytes not found"),
        (WHOLE[: len(WHOLE) // 2], "this is a Parquet file that cannot be read"),
        (WHOLE[:-8] + WHOLE[-4:] * 2, "this is a Parquet file that cannot be read"),
    ],
    ids=["empty", "JSON", "HTML", "LFS", "magic only", "last byte", "half", "footer"],
)
def test_a_file_that_is_no_whole_parquet(content: bytes, reason: str) -> None:
    (said,) = faults(content)
    assert said.startswith(f"{PATH}:1: {reason}")


def test_damage_in_the_middle_is_named_with_the_row(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim_parquet, "BATCH_ROWS", 100)
    at = WHOLE.index(b"Line 150 carried")
    content = WHOLE[:at] + b"X" + WHOLE[at + 1 :]
    (said,) = faults(content)
    assert said.startswith(f"{PATH}:101: this is a Parquet file that cannot be read (")


def flip(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.choice([1, 2, 5])):
        changed[chance.randrange(4, len(changed))] = chance.randrange(256)
    return bytes(changed)


def cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(4, len(content))]


@pytest.mark.parametrize("damage", [flip, cut])
def test_damage_is_a_fault_or_harmless(damage: Callable[[bytes, random.Random], bytes]) -> None:
    """Never an error of pyarrow's, never fewer rows."""
    chance = random.Random(0)
    n_found = 0
    for _ in range(1500):
        try:
            assert read(damage(WHOLE, chance), PATH).num_rows == 300
        except ClaimFileError:
            n_found += 1
    assert n_found > 1000


class _Failing(io.BytesIO):
    """A file on a disk or network that fails after the first read."""

    def __init__(self, content: bytes, error: Exception) -> None:
        super().__init__(content)
        self.error = error

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell() > 0:
            raise self.error
        return super().read(size)


@pytest.mark.parametrize(
    "error", [OSError(5, "Input/output error"), ConnectionError("gone"), TimeoutError()]
)
def test_a_failing_disk_or_network_is_no_fault_of_the_file(error: OSError) -> None:
    with pytest.raises(type(error)) as caught:
        list(ClaimFileReader().tables(_Failing(WHOLE, error), PATH))
    assert caught.value is error
