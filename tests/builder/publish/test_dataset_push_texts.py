"""What others wrote into a repository on the Hub stays, however they wrote it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.dataset_push import Push, Pushed, push
from claimdb_metric.errors import DataError
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl
from tests.pushes import MINE, OLD_CLIENT

pytestmark = OLD_CLIENT


def pushed(folder: str) -> Pushed:
    return push(read_benchmark(folder), MINE, Push())


def test_what_was_written_on_the_hub_stays(hub: LocalHub, copy: str) -> None:
    pushed(copy)
    files = hub.files("you/r")
    card = files["README.md"].decode()
    mine = card.replace("license: cc-by-sa-4.0\n", "license: mit\nmine:\n- ä\n")
    first_marker = mine.index("<!-- claimdb:")
    mine = f"{mine[:first_marker]}My – prose.\n\n{mine[first_marker:]}\nAnd more.\n"
    citation = files["CITATION.cff"] + b"# mine\n"
    hub.update_repo("you/r", {"README.md": mine.encode(), "CITATION.cff": citation})
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
    with contextlib.suppress(DataError):  # to ask for --force would do as well
        pushed(copy)
    assert b"license: mit\n" in hub.files("you/r")["README.md"]


def test_a_citation_in_another_encoding(hub: LocalHub, copy: str) -> None:
    """It is its owner's: what cannot be read is named, or left as it is."""
    pushed(copy)
    citation = "authors: Müller\r\n".encode("latin-1")
    hub.update_repo("you/r", {"CITATION.cff": citation})
    with contextlib.suppress(DataError):  # one that names the file would do as well
        pushed(copy)
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
