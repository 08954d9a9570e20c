"""Description files beside a database: which are its own, and what becomes of the others."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from claimdb_builder.pipeline.databases import SurveyedDatabase, survey
from tests.builder.pipeline.made_runs import Inline, zoo
from tests.builder.schemas.made_descriptions import table, write_files

PET = table([("name", "call name", "", "text", ""), ("weight ", "", "in kg", "real", "")])


def looked(tmp_path: Path, name: str = "zoo") -> SurveyedDatabase:
    return survey([name], [tmp_path / "dbs"], tmp_path / "run", Inline()).databases[name]


def described(tmp_path: Path, files: dict[str, str | bytes]) -> Path:
    path = zoo(tmp_path / "dbs")
    return write_files(path.parent / "database_description", files)


def test_files_are_matched_in_any_case_and_the_others_listed(tmp_path: Path) -> None:
    folder = described(tmp_path, {"PET.csv": PET, "rulings.csv": PET, "old.csv": PET})
    found = looked(tmp_path)
    assert found.paths.descriptions == folder
    assert found.unmatched == ("old.csv", "rulings.csv")


def test_what_was_found_is_kept_in_the_run(tmp_path: Path) -> None:
    described(tmp_path, {"pet.csv": PET, "old.csv": PET})
    found = looked(tmp_path)
    noted = json.loads((tmp_path / "run" / "databases.json").read_bytes())["zoo"]
    assert noted["unmatched_descriptions"] == [*found.unmatched] == ["old.csv"]
    assert noted["notes"] == [*found.notes]
    assert noted["path"] == str(found.paths.path)


@pytest.mark.parametrize(
    "content",
    [
        PET.encode("utf-8-sig"),
        b"\xef\xbb\xbf" + PET.replace("kg", "kg – \x96").encode("cp1252", "replace"),
    ],
)
def test_files_in_any_encoding_stop_nothing(tmp_path: Path, content: bytes) -> None:
    described(tmp_path, {"pet.csv": content})
    assert looked(tmp_path).unmatched == ()


def test_a_changed_description_is_another_state_of_the_database(tmp_path: Path) -> None:
    folder = described(tmp_path, {"pet.csv": PET})
    hashes = [looked(tmp_path).paths.sha256]
    for name, text in {"pet.csv": PET + "\n", "keeper.csv": PET}.items():
        (folder / name).write_text(text)
        hashes.append(looked(tmp_path).paths.sha256)
    (folder / "keeper.csv").rename(folder / "Keeper.csv")
    hashes.append(looked(tmp_path).paths.sha256)
    assert len(set(hashes)) == 4
    (folder / "notes.txt").write_text("not read")
    assert looked(tmp_path).paths.sha256 == hashes[-1]


def test_a_folder_beside_flat_files_is_nobodys(tmp_path: Path) -> None:
    folder = described(tmp_path, {"pet.csv": PET})
    dbs = tmp_path / "dbs"
    (dbs / "zoo" / "zoo.sqlite").rename(dbs / "zoo.sqlite")
    folder.rename(dbs / "database_description")
    assert looked(tmp_path).paths.descriptions is None


def test_an_empty_folder_and_a_file_in_its_place(tmp_path: Path) -> None:
    folder = described(tmp_path, {})
    assert looked(tmp_path).unmatched == ()
    folder.rmdir()
    folder.write_text("no folder")
    assert looked(tmp_path).paths.descriptions is None


def test_a_description_whose_name_is_not_utf8_is_listed(tmp_path: Path) -> None:
    folder = described(tmp_path, {"pet.csv": PET})
    path = Path(str(folder), b"tabelle_\xe4.csv".decode("utf-8", "surrogateescape"))
    try:
        path.write_text(PET)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    assert len(looked(tmp_path).unmatched) == 1
