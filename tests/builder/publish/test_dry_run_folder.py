"""The folder of a dry run: what is written over, what never, and what an interrupted one leaves."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run
from claimdb_builder.publish.tree_folder import stale_files
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import DataError, UnavailableError
from tests.hub import LocalHub
from tests.loader.claim_files import claim, small_copy, write_copy
from tests.pushes import tree_of

NOBODY = Repo("you/r", token=False)
SHIPPED = ("city_library", "ferry_lines", "solar_coop")
DATABASES = {f"databases/{name}/{name}.sqlite" for name in SHIPPED}


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """19 claims in three splits."""
    return read_benchmark(str(small_copy(tmp_path_factory.mktemp("benchmark") / "copy")))


@pytest.fixture
def tree(hub: LocalHub, tmp_path: Path) -> Path:
    return tmp_path / "tree"


def dry(benchmark: Benchmark, folder: Path, **options: Any) -> Pushed:
    return dry_run(benchmark, NOBODY, folder, Push(**options))


@pytest.fixture(scope="module")
def made(
    session_hub: LocalHub, benchmark: Benchmark, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A folder with what dry runs write by `databases`: made once, as each takes 0.2 s of CPU."""
    session_hub.reset()
    folder = tmp_path_factory.mktemp("made")
    for databases in ("none", "split"):
        dry(benchmark, folder / databases, databases=databases)
    return folder


def test_what_of_a_tree_is_stale(benchmark: Benchmark, tree: Path) -> None:
    assert stale_files(tree, benchmark) == []
    dry(benchmark, tree, databases="split")
    ours = tree_of(tree).keys()
    others = {
        *("notes.txt", "LICENSE", "data/mine.parquet", "databases/zoo.sqlite"),
        *("databases/zoo/other.sqlite", "databases/zoo/zoo.sqlite-wal", "sub/README.md"),
    }
    for name in others:
        (tree / name).parent.mkdir(parents=True, exist_ok=True)
        (tree / name).write_text("mine")
    stale = {path.relative_to(tree).as_posix() for path in stale_files(tree, benchmark)}
    assert stale == ours
    assert stale >= DATABASES


def test_databases_of_an_earlier_tree_go(benchmark: Benchmark, tree: Path) -> None:
    dry(benchmark, tree, databases="split")
    done = dry(benchmark, tree)
    assert not [name for name in tree_of(tree) if name.startswith("databases/")]
    assert {path.parent for path in done.tree.files.values()} <= {tree, *tree.glob("data/*")}


def test_an_empty_folder_is_taken(benchmark: Benchmark, tree: Path) -> None:
    (tree / "data" / "empty").mkdir(parents=True)
    dry(benchmark, tree)
    assert "README.md" in tree_of(tree)


def test_databases_that_lie_in_the_earlier_tree_itself(
    benchmark: Benchmark, tree: Path, tmp_path: Path
) -> None:
    """A benchmark may link to them there: they are its own, and perhaps the only copy."""
    dry(benchmark, tree, databases="split")
    before = {name: content for name, content in tree_of(tree).items() if name in DATABASES}
    folder = write_copy(tmp_path / "one", train=[claim(1, 0)])
    (folder / "databases").symlink_to(tree / "databases")
    files = tree_of(tree)
    for choice in ("all", "split"):
        linked = read_benchmark(str(folder))
        said = rf"^{tree} holds databases/.*\.sqlite, which is part of the benchmark itself$"
        with pytest.raises(DataError, match=said):
            dry(linked, tree, databases=choice)
    assert tree_of(tree) == files
    assert {name: files[name] for name in before} == before


def test_a_single_linked_file_of_an_earlier_tree(
    benchmark: Benchmark, tree: Path, tmp_path: Path
) -> None:
    dry(benchmark, tree, databases="split")
    before = tree_of(tree)
    folder = write_copy(tmp_path / "one", train=[claim(1, 0, "zoo")])
    (folder / "zoo.sqlite").symlink_to(tree / "databases/ferry_lines/ferry_lines.sqlite")
    with pytest.raises(DataError, match="part of the benchmark itself"):
        dry(read_benchmark(str(folder)), tree, databases="split")
    assert tree_of(tree) == before
    dry(read_benchmark(str(folder)), tmp_path / "other", databases="split")
    assert "databases/zoo/zoo.sqlite" in tree_of(tmp_path / "other")


def test_a_disk_that_is_too_small_leaves_the_earlier_tree(
    benchmark: Benchmark, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dry(benchmark, tree)
    before = tree_of(tree)
    usage = shutil.disk_usage(tree)._replace(free=1000)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(UnavailableError, match=r"tree: [\d,]+ bytes .* on a larger disk$"):
        dry(benchmark, tree, databases="split")
    assert tree_of(tree) == before
    dry(benchmark, tree)  # as large as what it takes the place of
    assert tree_of(tree) == before


class Interrupted(Exception):
    pass


def half_copied(is_last: Callable[[int, Path], bool]) -> Callable[[Path, Path], Path]:
    """Copies files until one is the last, of which it copies half."""
    calls: list[Path] = []
    copyfile = shutil.copyfile

    def copied(source: Path, target: Path) -> Path:
        calls.append(target)
        if not is_last(len(calls), target):
            return copyfile(source, target)
        content = source.read_bytes()
        target.write_bytes(content[: len(content) // 2])
        raise Interrupted

    return copied


@pytest.mark.parametrize("n_whole", [0, 1, 5])
@pytest.mark.parametrize("is_new", [True, False])
def test_one_that_stopped_within_a_file_leaves_whole_files(
    benchmark: Benchmark,
    made: Path,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    n_whole: int,
    is_new: bool,
) -> None:
    """And the card is the first of them, by which the next one knows the folder."""
    whole = tree_of(made / "split")
    if not is_new:
        shutil.copytree(made / "none", tree)
    earlier = tree_of(tree)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "copyfile", half_copied(lambda n, target: n > n_whole))
        with pytest.raises(Interrupted):
            dry(benchmark, tree, databases="split")
    there = {name: content for name, content in tree_of(tree).items() if name in whole}
    assert all(content in (whole[name], earlier.get(name)) for name, content in there.items())
    assert earlier.keys() <= there.keys()
    assert ("README.md" in there) == (n_whole > 0 or not is_new)
    assert not is_new or len(there) == n_whole
    dry(benchmark, tree, databases="split")
    assert tree_of(tree) == whole


def test_what_one_left_half_written_goes_with_the_next(
    benchmark: Benchmark, tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the next has no such file."""
    dry(benchmark, tree)
    before = tree_of(tree)
    with monkeypatch.context() as patch:
        is_last = half_copied(lambda n, target: ".sqlite" in target.name)
        patch.setattr(shutil, "copyfile", is_last)
        with pytest.raises(Interrupted):
            dry(benchmark, tree, databases="split")
    dry(benchmark, tree)
    assert tree_of(tree) == before


@pytest.mark.parametrize("n_calls", [0, 1, 7, 12])
@pytest.mark.parametrize("where", ["unlink", "copy"])
def test_an_interrupted_one_is_written_over_the_next_time(
    benchmark: Benchmark,
    made: Path,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    where: str,
    n_calls: int,
) -> None:
    """Wherever it was interrupted: it is known by its card."""
    shutil.copytree(made / "none", tree)
    (tree / "notes.txt").write_text("mine")
    before = tree_of(tree)
    calls: list[object] = []

    def count(path: object) -> None:
        calls.append(path)
        if len(calls) > n_calls:
            raise Interrupted

    unlink, copyfile = Path.unlink, shutil.copyfile

    def unlinked(path: Path, missing_ok: bool = False) -> None:
        if tree in path.parents:
            count(path)
        unlink(path, missing_ok)

    def copied(source: Path, target: Path) -> Path:
        count(target)
        return copyfile(source, target)

    with monkeypatch.context() as patch:
        if where == "unlink":
            patch.setattr(Path, "unlink", unlinked)
        else:
            patch.setattr(shutil, "copyfile", copied)
        try:
            dry(benchmark, tree)
        except Interrupted:
            assert len(calls) == n_calls + 1
    dry(benchmark, tree)
    assert tree_of(tree) == before
