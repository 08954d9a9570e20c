"""Everything that can move a number is in the signature, and nothing else."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from claimdb_metric import compare, compare_systems, score

ROWS = ([0, 1, 2, 2], [0, 1, 2, 1])
PATTERN = (
    r"claimdb_metric\|v:1\.0\|split:test_public\|n:4\|inv:wrong\|ki:none\|ci:boot1000"
    r"\|seed:12345\|groups:none\|refs:[0-9a-f]{8}"
)


def signed(*rows: Any, **options: Any) -> str:
    return score(*(rows or ROWS), **{"split": "test_public"} | options).signature


def test_its_form() -> None:
    assert re.fullmatch(PATTERN, signed())


@pytest.mark.parametrize(
    "options",
    [
        {"split": "train"},
        {"split": None},
        {"known_issues": "8-1a2b3c4d"},
        {"n_resamples": 0},
        {"n_resamples": 999},
        {"seed": 1},
        {"groups": [1, 1, 2, 3]},
        {"groups": {"bird_id": [1, 1, 2, 3]}},
        {"groups": {"bird_id": [1, 1, 2, 2]}},
        {"categories": [None, None, "SUBJECTIVE", None]},
    ],
)
def test_what_changes_it(options: dict[str, Any]) -> None:
    assert signed(**options) != signed()


def test_it_belongs_to_the_references_and_not_to_the_answers() -> None:
    assert signed([2, 2, None, 0], ROWS[1]) == signed()
    assert signed(ROWS[0], ["ENTAILED", 1, "NOT ENOUGH INFO", 1]) == signed()
    assert signed(ROWS[0], [0, 1, 2, 2]) != signed()


def test_it_tells_groupings_apart_but_not_the_types_of_their_values() -> None:
    together = [[5, 5, 3, 3], [5, 3, 5, 3], [3, 5, 3, 5]]
    found = [signed(groups={"bird_id": groups}) for groups in together]
    assert found[0] != found[1] == found[2]
    assert "|groups:bird_id/2-" in found[0]
    texts = [str(group) for group in together[0]]
    for same in (np.array(together[0]), tuple(together[0]), texts, np.array(texts)):
        assert signed(groups={"bird_id": same}) == found[0]


def test_categories_are_named_only_where_there_are_some() -> None:
    assert signed(categories=[None, "", -1, None]) == signed()
    named = signed(categories=[None, None, "SUBJECTIVE", None])
    assert named.startswith(f"{signed()}|cats:")


def test_the_last_claim_counts_too() -> None:
    references = [0] * 20
    assert signed(references, references) != signed(references, [*references[:-1], 1])


def test_a_comparison_has_one_of_its_own() -> None:
    """Its draw depends on the answers, and so on every system that is drawn along."""
    found = compare(ROWS[0], ROWS[1], ROWS[1], split="test_public").signature
    of_score, systems = found.rsplit("|", 1)
    assert of_score == signed().replace("boot1000", "boot10000")
    assert re.fullmatch("systems:2-[0-9a-f]{8}", systems)
    runs = {"a": ROWS[0], "b": ROWS[1], "c": [0, 0, 0, 0]}
    assert "|systems:3-" in compare_systems(runs, ROWS[1])[0].signature
