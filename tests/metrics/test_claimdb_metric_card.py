"""The metric's card: every block runs, every output is described."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimdb_metric import LABELS
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
    assert printed.split() == ["4", "0"]


def test_the_card_names_every_output() -> None:
    card = (FOLDER / "README.md").read_text("utf-8")
    slugs = [label.lower().replace(" ", "_") for label in LABELS]
    keys = {key for key in EXPECTED if not any(key.endswith(f"_{slug}") for slug in slugs)}
    keys |= {f"{part}_L" for part in ("precision", "recall", "f1", "support")} | set(slugs)
    assert {key for key in keys if f"`{key}`" not in card} == set()
