"""Descriptions are read whatever their encoding, and matched to tables, never guessed."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from claimdb_builder.schemas.descriptions import (
    ColumnDescription,
    Descriptions,
    TableDescription,
    read_descriptions,
)
from tests.builder.schemas.made_descriptions import (
    HEADER,
    descriptions_folder,
    dev_tables,
    table,
    write_files,
)

BOM = b"\xef\xbb\xbf"
OWL = table([["wt", "weight"]])


def only(descriptions: Descriptions) -> tuple[ColumnDescription, ...]:
    """The columns of the one table that is described."""
    (described,) = descriptions.tables
    return described.columns


def columns_of(folder: Path, content: str | bytes) -> tuple[ColumnDescription, ...]:
    """What is read of `owl.csv` with this content, about which nothing is odd."""
    found = read_descriptions(write_files(folder, {"owl.csv": content}), ["owl"])
    assert found.notes == ()
    return only(found)


def notes_on(folder: Path, content: str | bytes) -> tuple[str, ...]:
    """The notes on `owl.csv` with this content."""
    return read_descriptions(write_files(folder, {"owl.csv": content}), ["owl"]).notes


def test_every_cell_has_its_place_without_spaces_around_it(tmp_path: Path) -> None:
    content = table([[" wt ", "weight ", " of the\nbird", "real", "grams\r\n0: unknown"]])
    assert columns_of(tmp_path, content) == (
        ColumnDescription("wt", "weight", "of the\nbird", "real", "grams\r\n0: unknown"),
    )


@pytest.mark.parametrize("folder", ["missing", "empty", "file"])
def test_no_folder_describes_nothing(tmp_path: Path, folder: str) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    assert read_descriptions(tmp_path / folder, ["owl"]) == Descriptions((), (), ())


@pytest.mark.parametrize(
    ("content", "note"),
    [
        ("wt–µ".encode(), None),
        (BOM + "wt–µ".encode(), None),
        (BOM + BOM + "wt–µ".encode(), None),
        ("wt–µ".encode("cp1252"), "owl.csv is cp1252, not UTF-8"),
        (BOM + "wt–µ".encode("cp1252"), "owl.csv is cp1252, though it starts as UTF-8"),
    ],
)
def test_the_encoding_is_found_and_noted_once(
    tmp_path: Path, content: bytes, note: str | None
) -> None:
    marks = len(content) - len(content.lstrip(BOM))
    content = content[:marks] + b"original_column_name\nother\n" + content[marks:] + b"\n"
    found = read_descriptions(write_files(tmp_path, {"owl.csv": content}), ["owl"])
    assert [column.original_name for column in only(found)] == ["other", "wt–µ"]
    assert found.notes == (() if note is None else (note,))


def test_the_bytes_of_a_known_fault_are_read(tmp_path: Path) -> None:
    content = BOM + b"original_column_name\n" + bytes.fromhex("47502096") + b"\n"
    found = read_descriptions(write_files(tmp_path, {"ruling.csv": content}), ["ruling"])
    assert only(found)[0].original_name == "GP –"
    assert found.notes == ("ruling.csv is cp1252, though it starts as UTF-8",)


def test_bytes_of_no_encoding_are_read_as_latin_1(tmp_path: Path) -> None:
    content = b"original_column_name,column_name\nwt,\x81\xe9\n"
    found = read_descriptions(write_files(tmp_path, {"owl.csv": content}), ["owl"])
    assert only(found)[0].name == "\x81é"
    assert found.notes == ("owl.csv is neither UTF-8 nor cp1252; it is read as Latin-1",)


def test_a_file_describes_the_table_it_is_named_after_in_any_case(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"OWL.CSV": OWL, "Heron.csv": OWL, "swan.txt": OWL}
    found = read_descriptions(write_files(tmp_path, files), ["owl", "swan", "Heron"])
    assert [(entry.table, entry.file) for entry in found.tables] == [
        ("owl", "OWL.CSV"),
        ("Heron", "Heron.csv"),
    ]
    assert found.unmatched == ()


def test_a_similar_name_is_listed_not_guessed(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {"ruling.csv": OWL, "card set.csv": OWL}
    found = read_descriptions(write_files(tmp_path, files), ["rulings", "card_set"])
    assert found == Descriptions((), ("card set.csv", "ruling.csv"), ())


def test_names_that_differ_in_case_only_are_not_guessed_between(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"ÉTÉ.csv": OWL, "été.csv": OWL})
    found = read_descriptions(folder, ["été", "Été"])
    assert [(entry.table, entry.file) for entry in found.tables] == [("été", "été.csv")]
    assert found.unmatched == ("ÉTÉ.csv",)


def test_of_two_files_for_a_table_the_exact_name_counts(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"OWL.csv": table([["wt", "no"]]), "owl.csv": OWL})
    found = read_descriptions(folder, ["owl"])
    assert only(found)[0].name == "weight"
    assert found.unmatched == ()
    assert found.notes == ("OWL.csv is left out: another file describes that table",)


def test_what_macos_leaves_beside_files_is_no_description(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"._owl.csv": b"\0\5\x16\7", ".DS_Store": b"", "owl.csv": OWL})
    (folder / "heron.csv").mkdir()
    found = read_descriptions(folder, ["owl"])
    assert (len(found.tables), found.unmatched, found.notes) == (1, (), ())


@pytest.mark.parametrize(
    "header",
    [
        HEADER,
        [f" {name} " for name in HEADER],
        [name.upper() for name in HEADER],
        [name.replace("_", " ") for name in HEADER],
        [name.replace("column_description", "column_desription") for name in HEADER],
    ],
)
def test_spellings_of_the_header(tmp_path: Path, header: list[str]) -> None:
    content = table([["a", "b", "c", "d", "e"]], header)
    assert columns_of(tmp_path, content) == (ColumnDescription("a", "b", "c", "d", "e"),)


def test_the_header_tells_the_order_of_the_cells(tmp_path: Path) -> None:
    content = ",column_name,original_column_name,colour\n0,weight,wt,red\n"
    assert columns_of(tmp_path, content) == (ColumnDescription("wt", "weight", "", "", ""),)


def test_a_short_row_has_empty_cells_and_an_empty_one_is_none(tmp_path: Path) -> None:
    content = "\n" + ",".join(HEADER) + "\n\nwt\n,,,,\nage,years\n   \n"
    assert columns_of(tmp_path, content) == (
        ColumnDescription("wt", "", "", "", ""),
        ColumnDescription("age", "years", "", "", ""),
    )


@pytest.mark.parametrize(
    ("content", "note"),
    [
        (b"", "is empty"),
        (BOM + b"\r\n \r\n", "is empty"),
        (b"wt,weight\n", "has no header original_column_name; nothing of it is used"),
        (table([["a\nb"], ["", "x"], [" ", "y"]]), "names no column on line 4, 5"),
        (table([["", "x"]] * 13), "names no column on line 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 "),
        (table([["a", *"bcdef"], ["g", *"hijk", " "]]), "has more cells than its header on line 2"),
        (b"original_column_name\na\0b\n", "holds NUL characters; they are left out"),
    ],
)
def test_what_is_odd_is_noted(tmp_path: Path, content: str | bytes, note: str) -> None:
    (noted,) = notes_on(tmp_path, content)
    assert noted.startswith(f"owl.csv {note}")


def test_a_row_without_a_name_is_left_out(tmp_path: Path) -> None:
    folder = write_files(tmp_path, {"owl.csv": table([["", "x"], ["w\0t", "weight"]])})
    assert [column.original_name for column in only(read_descriptions(folder, ["owl"]))] == ["wt"]


def test_a_long_cell_is_read_and_the_limit_of_the_process_is_left(tmp_path: Path) -> None:
    limit = csv.field_size_limit()
    text = "x" * (limit + 1)
    assert columns_of(tmp_path, table([["wt", text]]))[0].name == text
    assert csv.field_size_limit() == limit


def test_columns_match_in_case_and_spaces_and_the_exact_name_counts() -> None:
    spelt = ["WT ", "wt", "ghost", "Colour"]
    described = [ColumnDescription(name, name * 2, "", "", "") for name in spelt]
    match = TableDescription("owl", "owl.csv", tuple(described)).match(["colour ", "wt", "age"])
    assert {name: column.name for name, column in match.described.items()} == {
        "colour ": "ColourColour",
        "wt": "wtwt",
    }
    assert match.notes == (
        "owl.csv describes what table owl does not have: ghost",
        "owl.csv describes again, which is left out: WT ",
        "owl.csv does not describe age",
    )


def test_braces_in_names_are_only_text() -> None:
    description = TableDescription("{1}", "{0}.csv", ())
    assert description.match(["{x}"]).notes == ("{0}.csv does not describe {x}",)


def test_the_real_descriptions_fit_their_tables(shared: Path) -> None:
    notes, column_notes, n_columns = [], [], 0
    for db_name, tables in dev_tables(shared).items():
        found = read_descriptions(descriptions_folder(shared, db_name), list(tables))
        assert found.unmatched == ()
        assert [entry.table for entry in found.tables] == list(tables)
        notes += [f"{db_name}: {note}" for note in found.notes]
        for entry in found.tables:
            match = entry.match(tables[entry.table])
            n_columns += len(match.described)
            column_notes += [f"{db_name}: {note}" for note in match.notes]
            assert list(match.described) == tables[entry.table]
    assert sorted(notes) == [
        "european_football_2: Player_Attributes.csv is cp1252, not UTF-8",
        "european_football_2: Team_Attributes.csv is cp1252, not UTF-8",
        "formula_1: qualifying.csv is cp1252, not UTF-8",
        "student_club: budget.csv is cp1252, not UTF-8",
    ]
    assert column_notes == [
        "formula_1: constructors.csv describes what table constructors does not have: wins"
    ]
    assert n_columns == 798
