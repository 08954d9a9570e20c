"""The verdict labels and NEI categories: the one place where these strings exist.

Names and order are the published benchmark's own (ClaimDB, arXiv 2601.14698).
"""

from __future__ import annotations

import re
from typing import Final

LABELS: Final = ("ENTAILED", "CONTRADICTED", "NOT ENOUGH INFO")
"""The three verdicts; a label's position is its ClassLabel integer."""

CATEGORIES: Final = ("OUT-OF-SCHEMA", "SUBJECTIVE", "COUNTERFACTUAL")
"""The three reasons why a claim can be NOT ENOUGH INFO."""

NOT_ENOUGH_INFO: Final = 2

HIDDEN: Final = -1
"""The integer of a label that is withheld, and of a category that does not apply."""

HIDDEN_NAME: Final = "HIDDEN"


def label_name(label: int) -> str:
    """Return the name of a label integer, "HIDDEN" for -1.

    `datasets.ClassLabel.int2str` raises on -1, which every hidden split holds.

    Args:
        label: 0, 1, 2 or -1.

    Raises:
        ValueError: for any other integer.

    >>> [label_name(label) for label in (0, 1, 2, -1)]
    ['ENTAILED', 'CONTRADICTED', 'NOT ENOUGH INFO', 'HIDDEN']
    """
    if label == HIDDEN:
        return HIDDEN_NAME
    if 0 <= label < len(LABELS):
        return LABELS[label]
    raise ValueError(f"label {label} is none of -1 (hidden), 0, 1, 2")


def slug(name: str) -> str:
    """Return a label's or category's name as it stands in keys and split names.

    >>> slug("NOT ENOUGH INFO"), slug("OUT-OF-SCHEMA")
    ('not_enough_info', 'out_of_schema')
    """
    return name.lower().replace(" ", "_").replace("-", "_")


def nearest_label(text: str) -> str | None:
    """Return the label that a misspelled one may stand for, None if it is near none.

    For messages only: no number is ever computed from a guess.

    >>> nearest_label("not_enough_info"), nearest_label("ENTAILMENT"), nearest_label("SUPPORTS")
    ('NOT ENOUGH INFO', 'ENTAILED', None)
    """
    from difflib import get_close_matches

    words = re.sub(r"[^A-Z]+", " ", text.upper()).strip()
    return next(iter(get_close_matches(words, LABELS, n=1, cutoff=0.7)), None)
