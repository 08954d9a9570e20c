"""The metric's card: every block runs, every output is described."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

from claimdb_metric import CATEGORIES, LABELS, score
from claimdb_metric.labels import slug
from tests.metrics.module_runs import EXPECTED, FOLDER, run_child

pytestmark = pytest.mark.matrix

RUN_CARD = """
import doctest, pathlib, re, sys
card = pathlib.Path(sys.argv[1]).read_text("utf-8")
blocks = re.findall(r"```python\\n(.*?)```", card, re.S)
test = doctest.DocTestParser().get_doctest("\\n".join(blocks), {}, "card", sys.argv[1], 0)
print(len(blocks), doctest.DocTestRunner().run(test).failed)
"""


def test_every_block_of_the_card_runs(tmp_path: Path) -> None:
    printed = run_child(RUN_CARD, tmp_path, str(FOLDER / "README.md"), package=True)
    assert printed.split() == ["5", "0"]


def test_the_card_names_every_output() -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    named = set(re.findall(r"`(\w+)`", card))
    ends = {"L": map(slug, LABELS), "K": map(slug, CATEGORIES)}
    for placeholder, slugs in ends.items():
        stems = [
            name.removesuffix(placeholder) for name in named if name.endswith(f"_{placeholder}")
        ]
        named |= {stem + end for end in slugs for stem in stems}
    assert {key.removesuffix("_ci") for key in EXPECTED} - named == set()


def test_the_card_describes_every_input() -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    inputs = set(re.findall(r"\*\*(\w+)\*\*", card))
    assert inputs == set(inspect.signature(score).parameters)
