"""What others wrote into a repository on the Hub stays, however they wrote it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, push
from tests.builder.publish.made_benchmarks import write_funnel, write_issues
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl
from tests.pushes import MINE, OLD_CLIENT

pytestmark = OLD_CLIENT


def pushed(folder: str, **options: Any) -> Pushed:
    return push(read_benchmark(folder), MINE, Push(**options))


def test_what_was_written_on_the_hub_stays(hub: LocalHub, copy: str) -> None:
    pushed(copy)
    files = hub.files("you/r")
    card = files["README.md"].decode()
    mine = card.replace("license: cc-by-sa-4.0\n", "license: mit\nmine:\n- ä\n")
    first_marker = mine.index("<!-- claimdb:")
    mine = f"{mine[:first_marker]}My – prose.\n\n{mine[first_marker:]}\nAnd more.\n"
    citation = files["CITATION.cff"] + b"# mine\n"
    hub.update_repo("you/r", {"README.md": mine.encode(), "CITATION.cff": citation})
    # Both name the licence, the card in a section of its own.
    assert pushed(copy).changes.changed == ("README.md", "croissant.json")
    assert json.loads(hub.files("you/r")["croissant.json"])["license"] == "mit"
    mine = hub.files("you/r")["README.md"].decode()
    assert "The head of this card names the licence: mit." in mine
    assert pushed(copy).sent is None
    with (Path(copy) / "train.jsonl").open("ab") as train:
        train.write(jsonl([claim(900, 1)]))
    assert pushed(copy).sent is not None
    after = hub.files("you/r")
    new = after["README.md"].decode()
    assert all(text in new for text in ("license: mit\nmine:\n- ä\n", "My – prose.\n", "And more."))
    assert after["CITATION.cff"] == citation
    assert new != mine


def test_a_readme_of_the_hub_is_kept(hub: LocalHub, copy: str) -> None:
    """A repository made on the Hub's page holds the licence that was chosen there."""
    hub.add_repo("you/r", {"README.md": b"---\nlicense: mit\n---\n"})
    pushed(copy)
    files = hub.files("you/r")
    assert files["README.md"].startswith(b"---\nlicense: mit\n")
    assert b"<!-- claimdb:splits -->\n|" in files["README.md"]
    assert json.loads(files["croissant.json"])["license"] == "mit"
    assert pushed(copy).sent is None


def test_a_citation_in_another_encoding(hub: LocalHub, copy: str) -> None:
    """It is its owner's: left as it is, byte for byte."""
    pushed(copy)
    citation = "authors: Müller\r\n".encode("latin-1")
    hub.update_repo("you/r", {"CITATION.cff": citation})
    assert pushed(copy).sent is None
    assert pushed(copy, databases="split").sent is not None
    assert hub.files("you/r")["CITATION.cff"] == citation


def test_a_citation_with_line_ends_of_windows_is_left_alone(hub: LocalHub, copy: str) -> None:
    pushed(copy)
    citation = hub.files("you/r")["CITATION.cff"].replace(b"\n", b"\r\n")
    hub.update_repo("you/r", {"CITATION.cff": citation})
    assert pushed(copy).sent is None


def test_a_card_with_a_byte_order_mark_keeps_its_fields(hub: LocalHub, copy: str) -> None:
    pushed(copy)
    card = hub.files("you/r")["README.md"].replace(b"license: cc-by-sa-4.0", b"license: mit")
    hub.update_repo("you/r", {"README.md": b"\xef\xbb\xbf" + card})
    pushed(copy)
    after = hub.files("you/r")["README.md"]
    assert b"license: mit" in after
    assert b"license: cc-by-sa-4.0" not in after
    assert after.count(b"pretty_name: ") == 1


def test_a_funnel_comes_and_goes(hub: LocalHub, copy: str) -> None:
    stages = [{"stage": "judged", "in": 20, "kept": 19, "dropped": {"no": 1}}]
    write_funnel(Path(copy), stages)
    pushed(copy)
    files = hub.files("you/r")
    assert json.loads(files["funnel.json"]) == {"stages": stages}
    assert b"| judged | 20 | 19 | 1 (no 1) |" in files["README.md"]
    (Path(copy) / "funnel.json").unlink()
    again = pushed(copy).changes
    assert (again.changed, again.removed) == (("README.md",), ("funnel.json",))
    assert b"| judged |" not in hub.files("you/r")["README.md"]


def test_known_issues_that_are_mended_go(hub: LocalHub, copy: str) -> None:
    write_issues(Path(copy), {"claim_id": 1, "db_name": "ferry_lines", "reason": "odd"})
    pushed(copy)
    assert b'"odd"' in hub.files("you/r")["known_issues.jsonl"]
    (Path(copy) / "known_issues.jsonl").unlink()
    assert pushed(copy).changes.changed == ("README.md", "known_issues.jsonl")
    assert hub.files("you/r")["known_issues.jsonl"] == b""


def test_prose_below_the_readme_of_the_hub_stays(hub: LocalHub, copy: str) -> None:
    hub.add_repo("you/r", {"README.md": "---\nlicense: mit\n---\n# Mine\n\nProse – ä.\n".encode()})
    pushed(copy)
    assert hub.files("you/r")["README.md"].decode().endswith("\n\n# Mine\n\nProse – ä.\n")
    assert pushed(copy).sent is None
