"""A stage's folder: its key, its part while it runs, its files, and what is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.pipeline.stage_folder import Batch, StageFolder, add_counts, as_json, total
from claimdb_metric.errors import DataError

MADE_FROM = {"version": 1, "settings": {"select": "paper"}, "input": "ab", "database_hashes": None}


def batch(number: int, kept: int = 2, dropped: int = 1) -> Batch:
    counts: dict[str, Any] = {"in": kept + dropped, "kept": kept, "dropped": {"tie": dropped}}
    return Batch(
        {"zoo": counts},
        b"".join(b'{"id":"k%d-%d \xc3\xa9"}\n' % (number, i) for i in range(kept)),
        b"".join(b'{"id":"d%d-%d"}\n' % (number, i) for i in range(dropped)),
    )


BATCHES = [batch(0), batch(1, kept=0, dropped=2), batch(2, kept=3, dropped=0)]


def folder_in(run: Path, **more: object) -> StageFolder:
    return StageFolder.of(run, "select", MADE_FROM | more)


def written(run: Path, batches: list[Batch] = BATCHES) -> StageFolder:
    folder = folder_in(run)
    assert list(folder.append(batches)) == [one.n_in for one in batches]
    return folder


def files(folder: StageFolder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.path.iterdir()}


@pytest.mark.parametrize(
    "changed",
    [
        {"version": 2},
        {"settings": {"select": "strict"}},
        {"settings": {}},
        {"input": "ac"},
        {"database_hashes": {}},
        {"more": None},
    ],
    ids=str,
)
def test_what_a_stage_is_made_from_names_its_folder(tmp_path: Path, changed: Any) -> None:
    assert folder_in(tmp_path, **changed).path != folder_in(tmp_path).path


def test_the_same_made_from_names_the_same_folder(tmp_path: Path) -> None:
    turned = dict(reversed(MADE_FROM.items()))
    folder = StageFolder.of(tmp_path, "select", turned)
    assert folder.path == folder_in(tmp_path).path
    assert folder.path.parent == tmp_path / "stages"
    assert folder.path.name.startswith("select-")
    assert StageFolder.of(tmp_path, "ingest", turned).path.name[-16:] != folder.path.name[-16:]
    assert StageFolder.of(tmp_path / "b", "select", turned).path.name == folder.path.name


def test_a_finished_stage_has_three_files_and_counts_that_tie(tmp_path: Path) -> None:
    folder = written(tmp_path)
    assert folder.read_summary() is None
    summary = folder.finish("select")
    assert sorted(files(folder)) == ["dropped.jsonl", "kept.jsonl", "stage.json"]
    assert folder.kept.read_bytes() == b"".join(one.kept for one in BATCHES)
    assert folder.dropped.read_bytes() == b"".join(one.dropped for one in BATCHES)
    counts = {"in": 8, "kept": 5, "dropped": {"tie": 3}}
    on_disk = json.loads(folder.summary.read_bytes())
    assert len(on_disk.pop("sha256")) == 64
    assert summary == folder.read_summary() == on_disk
    assert summary["databases"] == {"zoo": counts}
    assert {name: summary[name] for name in counts} == counts
    assert {name: summary[name] for name in ("version", "settings", "input")} == {
        name: MADE_FROM[name] for name in ("version", "settings", "input")
    }


def test_a_summary_names_all_that_the_stage_was_made_from(tmp_path: Path) -> None:
    folder = folder_in(tmp_path, database_hashes={"zoo": "12ab"})
    list(folder.append(BATCHES))
    summary = folder.finish("select")
    made_from = MADE_FROM | {"database_hashes": {"zoo": "12ab"}}
    assert {name: summary[name] for name in made_from} == made_from


def test_a_stage_without_records_is_finished_too(tmp_path: Path) -> None:
    folder = written(tmp_path, [])
    summary = folder.finish("select")
    assert (summary["in"], summary["kept"], summary["dropped"]) == (0, 0, {})
    assert (folder.kept.read_bytes(), folder.dropped.read_bytes()) == (b"", b"")


def test_a_part_torn_at_any_byte_is_continued_to_the_same_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.fsync", lambda fd: None)  # takes the most of the time
    whole = written(tmp_path / "whole")
    part = whole.part.read_bytes()
    whole.finish("select")
    n_so_far = set()
    for end in range(len(part) + 1):
        folder = folder_in(tmp_path / str(end))
        folder.path.mkdir(parents=True)
        folder.part.write_bytes(part[:end])
        n_done = folder.batches_so_far()
        n_so_far.add(n_done)
        left = {0: BATCHES, 3: BATCHES[1:], 5: BATCHES[2:], 8: []}[n_done]
        list(folder.append(left))
        assert folder.part.read_bytes() == part
        folder.finish("select")
        assert files(folder) == files(whole)
    assert n_so_far == {0, 3, 5, 8}


@pytest.mark.parametrize(
    "tail", [b"\0" * 4096, b"{}\n", b"null\n", b'{"kept": 3}\n', b"\xff\n", b"[" * 9]
)
def test_what_follows_whole_batches_is_cut_off(tmp_path: Path, tail: bytes) -> None:
    folder = written(tmp_path, BATCHES[:2])
    part = folder.part.read_bytes()
    folder.part.write_bytes(part + tail)
    assert folder.batches_so_far() == 5
    assert folder.part.read_bytes() == part


def test_a_batch_whose_bytes_never_reached_the_disk_is_not_taken(tmp_path: Path) -> None:
    """After a loss of power a file may have its length, and zeros in place of its last pages."""
    folder = written(tmp_path, BATCHES[:2])
    part = folder.part.read_bytes()
    head = part.index(b"\n") + 1
    folder.part.write_bytes(part[:head] + bytes(len(part) - head))
    assert folder.batches_so_far() == 0


def test_a_batch_is_in_the_part_before_the_next_is_asked_for(tmp_path: Path) -> None:
    folder = folder_in(tmp_path)
    for n_done, _ in zip((3, 5, 8), folder.append(BATCHES), strict=True):
        assert folder_in(tmp_path).batches_so_far() == n_done


def edit(path: Path, content: bytes | None) -> None:
    path.unlink() if content is None else path.write_bytes(content)


def without(folder: StageFolder, name: str) -> bytes:
    summary = json.loads(folder.summary.read_bytes())
    del summary[name]
    return as_json(summary)


def replaced(folder: StageFolder, old: bytes, new: bytes) -> bytes:
    content = folder.summary.read_bytes()
    assert old in content
    return content.replace(old, new)


DAMAGES: dict[str, tuple[str, Callable[[StageFolder], bytes | None]]] = {
    "kept edited": ("kept.jsonl", lambda f: f.kept.read_bytes() + b"{}\n"),
    "kept emptied": ("kept.jsonl", lambda f: b""),
    "kept gone": ("kept.jsonl", lambda f: None),
    "dropped edited": ("dropped.jsonl", lambda f: b"\n"),
    "dropped gone": ("dropped.jsonl", lambda f: None),
    "summary empty": ("stage.json", lambda f: b""),
    "summary cut": ("stage.json", lambda f: f.summary.read_bytes()[:-9]),
    "summary binary": ("stage.json", lambda f: b"\xff\xfe"),
    "summary a list": ("stage.json", lambda f: b"[]"),
    "summary null": ("stage.json", lambda f: b"null"),
    "summary a number": ("stage.json", lambda f: b"5"),
    "no hash": ("stage.json", lambda f: without(f, "kept_sha256")),
    "no hash of its own": ("stage.json", lambda f: without(f, "sha256")),
    "no counts": ("stage.json", lambda f: without(f, "kept")),
    "no databases": ("stage.json", lambda f: without(f, "databases")),
    "another count": ("stage.json", lambda f: replaced(f, b'"in": 8', b'"in": 9')),
    "another version": ("stage.json", lambda f: replaced(f, b'"version": 1', b'"version": 2')),
}


@pytest.mark.parametrize(("name", "damage"), DAMAGES.values(), ids=DAMAGES)
def test_files_that_the_stage_did_not_write_are_an_error(
    tmp_path: Path, name: str, damage: Callable[[StageFolder], bytes | None]
) -> None:
    folder = written(tmp_path)
    folder.finish("select")
    edit(folder.path / name, damage(folder))
    with pytest.raises(DataError) as caught:
        folder.read_summary()
    assert str(caught.value) == (
        f"{folder.path / name} is not as the stage wrote it; "
        "delete its folder to have the stage done again"
    )


@pytest.mark.parametrize(("batch", "n_left"), [(0, 0), (1, 3), (2, 5)])
def test_a_batch_with_another_byte_is_not_taken(tmp_path: Path, batch: int, n_left: int) -> None:
    folder = written(tmp_path)
    part = folder.part.read_bytes()
    one = BATCHES[batch]
    at = part.index(one.kept + one.dropped)
    folder.part.write_bytes(part[:at] + bytes([part[at] ^ 1]) + part[at + 1 :])
    assert folder.batches_so_far() == n_left
    list(folder.append(BATCHES[batch:]))
    assert folder.part.read_bytes() == part


def test_counts_are_summed_and_their_reasons_sorted() -> None:
    counts: dict[str, dict[str, Any]] = {}
    add_counts(counts, {"b": {"in": 2, "kept": 0, "dropped": {"tie": 1, "empty": 1}}})
    add_counts(counts, {"a": {"in": 1, "kept": 1, "dropped": {}}})
    add_counts(counts, {"b": {"in": 1, "kept": 0, "dropped": {"blob": 1}}})
    assert counts["b"] == {"in": 3, "kept": 0, "dropped": {"tie": 1, "empty": 1, "blob": 1}}
    assert total(counts) == {"in": 4, "kept": 1, "dropped": {"blob": 1, "empty": 1, "tie": 1}}
    assert list(total(counts)["dropped"]) == ["blob", "empty", "tie"]


def test_json_for_people_is_strict_and_keeps_letters() -> None:
    assert as_json({"ä": 1}) == '{\n  "ä": 1\n}\n'.encode()
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json(float("inf"))
