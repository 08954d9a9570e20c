"""The card and the citation of the benchmark's own folder, and those of an earlier dry run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, dry_run, push
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import DataError
from tests.hub import LocalHub
from tests.pushes import MINE, OLD_CLIENT, tree_of

pytestmark = OLD_CLIENT

NOBODY = Repo("you/r", token=False)
YAML = "---\nlicense: mit\nmine: ä\n---\n"
MARKERS = "# Ours\n\n<!-- claimdb:splits -->\n<!-- /claimdb:splits -->\n\nProse.\n"
CITATION = "title: Ours\r\nauthors: M\xfcller\r\n".encode("latin-1")


def pushed(folder: str, **options: Any) -> Pushed:
    return push(read_benchmark(folder), MINE, Push(**options))


def dry(folder: str, tree: Path, **options: Any) -> dict[str, bytes]:
    dry_run(read_benchmark(folder), NOBODY, tree, Push(**options))
    return tree_of(tree)


def test_a_card_of_the_folder_is_taken(hub: LocalHub, copy: str, tmp_path: Path) -> None:
    Path(copy, "README.md").write_text(f"{YAML}# Ours\n\nProse.\n", "utf-8")
    Path(copy, "CITATION.cff").write_bytes(CITATION)
    pushed(copy)
    files = hub.files("you/r")
    card = files["README.md"].decode()
    assert card.startswith("---\nlicense: mit\nmine: ä\n")
    assert card.endswith("\n# Ours\n\nProse.\n")
    assert "<!-- claimdb:splits -->\n|" in card
    assert files["CITATION.cff"] == CITATION
    assert b'"license": "mit"' in files["croissant.json"]
    assert dry(copy, tmp_path / "tree")["README.md"] == files["README.md"]
    assert pushed(copy).sent is None


@pytest.mark.parametrize("yaml", ["", YAML])
def test_a_card_with_our_markers_is_taken(hub: LocalHub, copy: str, yaml: str) -> None:
    """Also without YAML."""
    Path(copy, "README.md").write_text(yaml + MARKERS, "utf-8")
    pushed(copy)
    card = hub.files("you/r")["README.md"].decode()
    assert "\n---\n# Ours\n\n<!-- claimdb:splits -->\n|" in card
    assert card.endswith("\n\nProse.\n")
    assert card.count("<!--") == 2
    assert pushed(copy).sent is None


@pytest.mark.parametrize(
    "readme", ["# How to work in this folder\n", "", "x: 1\n---\n", "# T\n\n---\na: 1\n---\n"]
)
def test_a_readme_that_is_no_card_is_not_published(hub: LocalHub, copy: str, readme: str) -> None:
    Path(copy, "README.md").write_text(readme)
    pushed(copy)
    card = hub.files("you/r")["README.md"].decode()
    assert "\n---\n\n# r\n" in card
    assert "How to work" not in card
    Path(copy, "README.md").unlink()
    assert pushed(copy).sent is None


def test_what_the_repository_has_wins(hub: LocalHub, copy: str) -> None:
    pushed(copy)
    before = hub.files("you/r")
    Path(copy, "README.md").write_text(YAML + MARKERS, "utf-8")
    Path(copy, "CITATION.cff").write_bytes(CITATION)
    assert pushed(copy).sent is None
    hub.update_repo("you/r", {}, delete=["CITATION.cff"])
    assert pushed(copy).changes.added == ("CITATION.cff",)
    assert hub.files("you/r") == {**before, "CITATION.cff": CITATION}


def test_nothing_else_of_the_folder_goes_along(hub: LocalHub, copy: str) -> None:
    for name in ("LICENSE", "eval.yaml", "croissant.json", "notes.md", "databases/manifest.json"):
        Path(copy, name).parent.mkdir(exist_ok=True)
        Path(copy, name).write_text("[]")
    pushed(copy)
    files = hub.files("you/r")
    assert not files.keys() & {"LICENSE", "notes.md", "databases/manifest.json"}
    assert b"[]" not in (files["eval.yaml"], files["croissant.json"])


def test_of_another_dataset_nothing_is_kept_but_of_the_folder(hub: LocalHub, copy: str) -> None:
    theirs = {"data.csv": b"1", "README.md": b"---\na: b\n---\n# Theirs\n", "CITATION.cff": b"x"}
    hub.add_repo("you/r", theirs)
    Path(copy, "README.md").write_text(YAML + MARKERS, "utf-8")
    pushed(copy, force=True)
    files = hub.files("you/r")
    assert files["README.md"].startswith(YAML.encode()[:20])
    assert b"Theirs" not in files["README.md"]
    assert files["CITATION.cff"] != b"x"


@pytest.mark.parametrize("content", [b"---\nlicense: mit\n---\n# Caf\xe9\n"])
def test_a_card_of_the_folder_that_is_not_utf8(hub: LocalHub, copy: str, content: bytes) -> None:
    """It is not on the Hub that it has to be mended."""
    Path(copy, "README.md").write_bytes(content)
    with pytest.raises(DataError, match=r"README\.md .*is not UTF-8") as caught:
        pushed(copy)
    assert "on the Hub" not in str(caught.value)


def test_what_was_written_into_an_earlier_tree_stays(
    hub: LocalHub, copy: str, tmp_path: Path
) -> None:
    tree = tmp_path / "tree"
    before = dry(copy, tree, databases="split")
    card = before["README.md"].replace(b"license: cc-by-sa-4.0\n", b"license: mit\n") + b"Mine.\n"
    (tree / "README.md").write_bytes(card)
    (tree / "CITATION.cff").write_bytes(CITATION)
    Path(copy, "test-public.jsonl").unlink()
    after = dry(copy, tree)
    assert after["CITATION.cff"] == CITATION
    assert after["README.md"].startswith(b"---\nlanguage:\n- en\nlicense: mit\n")
    assert after["README.md"].endswith(b"Mine.\n")
    assert b"| test_public |" not in after["README.md"]
    assert dry(copy, tree) == after


def test_what_the_hub_has_wins_over_an_earlier_tree(
    hub: LocalHub, copy: str, tmp_path: Path
) -> None:
    pushed(copy)
    dry(copy, tmp_path / "tree")
    (tmp_path / "tree" / "CITATION.cff").write_bytes(CITATION)
    assert dry(copy, tmp_path / "tree")["CITATION.cff"] == hub.files("you/r")["CITATION.cff"]


def test_a_tree_for_another_repository_names_its_own_owner(
    hub: LocalHub, copy: str, tmp_path: Path
) -> None:
    """What nobody has written by hand is not kept from the tree for the first."""
    tree = tmp_path / "tree"
    dry(copy, tree)
    dry_run(read_benchmark(copy), Repo("your-lab/claims", token=False), tree)
    push(read_benchmark(copy), Repo("your-lab/claims", token="hf_test"))
    sent = hub.files("your-lab/claims")
    del sent[".gitattributes"]
    assert tree_of(tree) == sent
