"""Whatever bytes a folder holds: no error; and what was written in an encoding is read back."""

from __future__ import annotations

import csv
import tempfile
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.schemas.descriptions import read_descriptions
from claimdb_builder.schemas.schema_text import schema_text
from tests.builder.schemas.made_descriptions import HEADER, make_database, table, write_files

FRAGMENTS = [
    *(b"\xef\xbb\xbf", b"\xff\xfe", b"\x81", b"\x96", b"\xc3\xa9", b"\xe2\x80", b"\0", b"\x1a"),
    *(b",", b'"', b'""', b"\n", b"\r", b"\r\n", b" ", b"\t", b";", b"wt", b"WT ", b"x" * 140_000),
    *(b"original_column_name", b"column_name", b"column_desription", ",".join(HEADER).encode()),
]
CONTENTS = st.binary(max_size=80) | st.lists(st.sampled_from(FRAGMENTS)).map(b"".join)
NAMES = st.sampled_from(["owl.csv", "OWL.csv", "owl.CSV", "owls.csv", ".csv", "heron.csv"])
LATIN = st.characters(codec="cp1252", exclude_characters="\0")
ANY = st.characters(exclude_categories=["Cs"], exclude_characters="\0")


@settings(deadline=None)
@given(files=st.dictionaries(NAMES, CONTENTS, max_size=4))
def test_no_bytes_are_an_error(files: dict[str, bytes]) -> None:
    limit = csv.field_size_limit()
    with tempfile.TemporaryDirectory() as name:
        folder = write_files(Path(name, "described"), {**files})
        path = make_database(Path(name, "zoo.sqlite"), "CREATE TABLE owl (id, wt)")
        found = read_descriptions(folder, ["owl"])
        full, paper = schema_text(path, folder, "full"), schema_text(path, folder, "paper")
    n_left_out = sum("is left out" in note for note in found.notes)
    n_described = sum(file != ".csv" for file in files)
    assert len(found.tables) + len(found.unmatched) + n_left_out == n_described
    assert full.count("\n") == len(full.splitlines()) == 3
    assert paper.count("Table: ") >= max(1, n_described)
    assert csv.field_size_limit() == limit


def rows_of(characters: st.SearchStrategy[str]) -> st.SearchStrategy[list[list[str]]]:
    """Rows of five cells, the first of which is not blank."""
    cell = st.text(characters, max_size=8)
    return st.lists(st.tuples(cell.filter(str.strip), cell, cell, cell, cell).map(list), max_size=5)


def assert_read_back(rows: list[list[str]], content: bytes, notes: tuple[str, ...]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = write_files(Path(name), {"owl.csv": content})
        found = read_descriptions(folder, ["owl"])
    read = [list(vars(column).values()) for column in found.tables[0].columns]
    assert read == [[cell.strip() for cell in row] for row in rows]
    assert found.notes == notes


@settings(deadline=None)
@given(rows=rows_of(ANY))
def test_utf_8_is_read_back_with_and_without_its_mark(rows: list[list[str]]) -> None:
    for encoding in ("utf-8", "utf-8-sig"):
        assert_read_back(rows, table(rows).encode(encoding), ())


@settings(deadline=None)
@given(rows=rows_of(LATIN))
def test_cp1252_is_read_back(rows: list[list[str]]) -> None:
    rows = [*rows, ["wt", "x–", "", "", ""]]  # the dash behind an x is no UTF-8
    content = table(rows).encode("cp1252")
    assert_read_back(rows, content, ("owl.csv is cp1252, not UTF-8",))
    marked = b"\xef\xbb\xbf" + content
    assert_read_back(rows, marked, ("owl.csv is cp1252, though it starts as UTF-8",))
