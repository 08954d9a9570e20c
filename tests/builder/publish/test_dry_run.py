"""A dry run writes what a push would send, and sends nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import Benchmark, read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run, push
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import ClaimDBError, DataError, HiddenLabelsError
from tests.children import answer_of, child_env
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, small_copy, write_copy
from tests.pushes import MINE, OLD_CLIENT, noted_naps, tree_of, wrote_nothing

pytestmark = OLD_CLIENT

NOBODY = Repo("you/r", token=False)


@pytest.fixture(scope="module")
def benchmark(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    """19 claims in three splits."""
    return read_benchmark(str(small_copy(tmp_path_factory.mktemp("benchmark") / "copy")))


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    return tmp_path / "tree"


def dry(benchmark: Benchmark, folder: Path, repo: Repo = MINE, **options: Any) -> Pushed:
    return dry_run(benchmark, repo, folder, Push(**options))


@pytest.mark.parametrize("databases", ["split", "none"])
def test_it_is_what_is_sent_byte_for_byte(
    hub: LocalHub, benchmark: Benchmark, tree: Path, databases: Any
) -> None:
    planned = dry(benchmark, tree, databases=databases)
    assert wrote_nothing(hub)
    done = push(benchmark, MINE, Push(databases))
    assert (planned.changes, planned.is_compared, planned.sent) == (done.changes, True, None)
    sent = hub.files("you/r")
    del sent[".gitattributes"]
    assert tree_of(tree) == sent


def test_it_says_what_would_change(hub: LocalHub, copy: str, tree: Path) -> None:
    push(read_benchmark(copy), MINE, Push("split"))
    (Path(copy) / "test-public.jsonl").unlink()
    since = len(hub.requests)
    planned = dry(read_benchmark(copy), tree)
    assert wrote_nothing(hub, since)
    done = push(read_benchmark(copy), MINE)
    assert planned.changes == done.changes
    assert "eval.yaml" in planned.changes.removed
    assert "databases/manifest.json" in planned.changes.unchanged
    assert "databases/manifest.json" in tree_of(tree)


def test_it_keeps_what_others_wrote(hub: LocalHub, benchmark: Benchmark, tree: Path) -> None:
    push(benchmark, MINE)
    card = hub.files("you/r")["README.md"].replace(b"license: cc-by-sa-4.0", b"license: mit")
    hub.update_repo("you/r", {"README.md": card + b"Mine.\n"})
    planned = dry(benchmark, tree).changes
    assert (planned.added, planned.removed) == ((), ())
    assert planned.changed == ("README.md", "croissant.json")  # which name the licence
    text = tree_of(tree)["README.md"]
    assert text.startswith(card[: card.index(b"### Licence")])
    assert b"names the licence: mit." in text
    assert text.endswith(b"Mine.\n")
    push(benchmark, MINE)
    assert hub.files("you/r")["README.md"] == text
    assert not dry(benchmark, tree).changes


def test_it_needs_no_token(hub: LocalHub, benchmark: Benchmark, tree: Path) -> None:
    assert dry(benchmark, tree, NOBODY).is_compared
    push(benchmark, MINE, Push(private=True))
    hidden = dry(benchmark, tree, NOBODY)
    assert len(hidden.changes.added) == len(tree_of(tree))
    push(benchmark, Repo("you/open", token="hf_test"))
    assert not dry(benchmark, tree, Repo("you/open", token=False)).changes


def no_answer(hub: LocalHub, patch: pytest.MonkeyPatch) -> None:
    hub.fault(".", status=503, times=None)


def a_cut_line(hub: LocalHub, patch: pytest.MonkeyPatch) -> None:
    hub.fault(".", cut_after_bytes=0, times=None)


def offline(hub: LocalHub, patch: pytest.MonkeyPatch) -> None:
    patch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)


def a_web_page(hub: LocalHub, patch: pytest.MonkeyPatch) -> None:
    hub.fault(".", html=True, times=None)


@pytest.mark.parametrize("break_it", [no_answer, a_cut_line, offline, a_web_page])
def test_it_needs_no_network(
    hub: LocalHub,
    benchmark: Benchmark,
    tree: Path,
    monkeypatch: pytest.MonkeyPatch,
    break_it: Callable[[LocalHub, pytest.MonkeyPatch], None],
) -> None:
    noted_naps(monkeypatch)
    with pytest.MonkeyPatch.context() as patch:
        break_it(hub, patch)
        planned = dry(benchmark, tree, databases="split")
    assert (planned.is_compared, planned.changes.changed) == (False, ())
    assert set(planned.changes.added) == tree_of(tree).keys()


@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("hf_gone", "answered 401 .* your token is not valid; `hf auth login` again or unset"),
        ("hf_tëst", "token"),
        ("hf_te\nst", "token"),
    ],
)
def test_a_token_that_is_wrong_is_an_error(
    hub: LocalHub, benchmark: Benchmark, tree: Path, token: str, said: str
) -> None:
    """Not a Hub that could not be reached: without it, nobody knows what would change."""
    with pytest.raises(ClaimDBError, match=said):
        dry(benchmark, tree, Repo("you/r", token=token))
    assert not tree.exists()


def test_it_needs_no_network_at_all(copy: str, tmp_path: Path) -> None:
    """In a process that may not even look."""
    code = f"""
import json
from pathlib import Path
from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import dry_run
from claimdb_loader.hub_head import Repo
done = dry_run(read_benchmark({copy!r}), Repo("you/r"), Path("tree"))
print(json.dumps([done.is_compared, len(done.changes.added)]))
"""
    answer = answer_of(code, tmp_path, child_env(tmp_path))
    assert answer == [False, len(tree_of(tmp_path / "tree"))]


def test_it_writes_over_its_own_tree(hub: LocalHub, copy: str, tree: Path) -> None:
    dry(read_benchmark(copy), tree, databases="split")
    (tree / "notes.txt").write_text("mine")
    (Path(copy) / "test-public.jsonl").unlink()
    dry(read_benchmark(copy), tree)
    assert (tree / "notes.txt").read_text() == "mine"
    (tree / "notes.txt").unlink()
    push(read_benchmark(copy), MINE)
    sent = hub.files("you/r")
    del sent[".gitattributes"]
    assert tree_of(tree) == sent


def something_else(folder: Path) -> None:
    folder.mkdir()
    (folder / "thesis.tex").write_text("x")


def another_card(folder: Path) -> None:
    folder.mkdir()
    (folder / "README.md").write_text("# Mine\n")
    (folder / "croissant.json").write_text("{}")


def a_file(folder: Path) -> None:
    folder.write_text("x")


@pytest.mark.parametrize("make", [something_else, another_card, a_file])
def test_it_takes_no_folder_of_others(
    hub: LocalHub, benchmark: Benchmark, tree: Path, make: Callable[[Path], None]
) -> None:
    make(tree)
    before = tree_of(tree.parent)
    with pytest.raises(DataError, match=r"tree (holds something else|is not a folder)"):
        dry(benchmark, tree)
    assert tree_of(tree.parent) == before


@pytest.mark.parametrize("way", ["{}", "{}/.", "{}/../copy"])
def test_it_does_not_take_the_benchmark_itself(hub: LocalHub, copy: str, way: str) -> None:
    before = tree_of(Path(copy))
    with pytest.raises(DataError, match=r"is the benchmark itself: give another folder to --dry"):
        dry(read_benchmark(copy), Path(way.format(copy)))
    assert tree_of(Path(copy)) == before


def test_it_does_not_take_the_tree_that_it_is_made_of(
    hub: LocalHub, benchmark: Benchmark, tree: Path, tmp_path: Path
) -> None:
    dry(benchmark, tree, databases="split")
    (tmp_path / "link").symlink_to(tree)
    before = tree_of(tree)
    with pytest.raises(DataError, match="is the benchmark itself"):
        dry(read_benchmark(str(tree)), tmp_path / "link")
    assert tree_of(tree) == before


def test_a_refused_one_leaves_the_earlier_tree(hub: LocalHub, copy: str, tree: Path) -> None:
    dry(read_benchmark(copy), tree)
    before = tree_of(tree)
    (Path(copy) / "test-private.jsonl").write_bytes(jsonl([claim(15, 1, "solar_coop")]))
    with pytest.raises(HiddenLabelsError):
        dry(read_benchmark(copy), tree)
    assert tree_of(tree) == before


def test_a_push_of_the_tree_is_the_same(
    hub: LocalHub, benchmark: Benchmark, tree: Path, tmp_path: Path
) -> None:
    dry(benchmark, tree, databases="split")
    again = tmp_path / "again"
    dry(read_benchmark(str(tree)), again, databases="all")
    assert tree_of(again) == tree_of(tree)
    push(read_benchmark(str(tree)), MINE, Push("split"))
    sent = hub.files("you/r")
    del sent[".gitattributes"]
    assert sent == tree_of(tree)
    assert push(benchmark, MINE, Push("split")).sent is None


def test_the_databases_of_a_tree_are_all_that_lie_in_it(
    hub: LocalHub, benchmark: Benchmark, tree: Path, tmp_path: Path
) -> None:
    dry(benchmark, tree, databases="split")
    folder = write_copy(tmp_path / "one", train=[claim(1, 0)])
    (folder / "databases").symlink_to(tree / "databases")
    push(read_benchmark(str(folder)), MINE, Push("all"))
    names = [row["db_name"] for row in json.loads(hub.files("you/r")["databases/manifest.json"])]
    assert names == ["city_library", "ferry_lines", "solar_coop"]
