"""The YAML at the head of a dataset card, from which the Hub and `datasets` know what is where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.card_sources import is_from_bird
from claimdb_metric.errors import DataError

_FRONT_MATTER: Final = re.compile(r"---\r?\n(.*?\n)---\r?\n?(.*)", re.S)

COMPUTED: Final = ("size_categories", "configs", "dataset_info")
"""The fields that every push sets; all others are only set where a card does not have them yet."""

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)


def fields_of(
    benchmark: Benchmark,
    title: str,
    configs: list[dict[str, Any]],
    dataset_info: list[dict[str, Any]],
) -> dict[str, Any]:
    """Return the fields of the card in the Hub's own names.

    Source: the Hub's specification of dataset cards (hub-docs, datasetcard.md).
    """
    return {
        "language": ["en"],
        "license": "cc-by-sa-4.0",
        "pretty_name": title,
        "size_categories": [size_category(len(benchmark.rows))],
        "task_categories": ["text-classification"],
        "task_ids": ["fact-checking"],
        "annotations_creators": ["machine-generated"],
        "language_creators": ["machine-generated"],
        "multilinguality": ["monolingual"],
        "source_datasets": ["extended|other-BIRD" if is_from_bird(benchmark) else "original"],
        "tags": ["claimdb", "fact-verification", "sql", "sqlite", "structured-data", "abstention"],
        "configs": configs,
        "dataset_info": dataset_info,
    }


def size_category(n_rows: int) -> str:
    """Return the Hub's name for a number of rows.

    >>> size_category(53368), size_category(999), size_category(10**8)
    ('10K<n<100K', 'n<1K', 'n>10M')
    """
    return next((name for limit, name in _SIZES if n_rows < limit), "n>10M")


def parted(card: str) -> tuple[dict[str, Any], str]:
    """Return the fields of a card and its body.

    Raises:
        DataError: the YAML is damaged.
    """
    import yaml

    match = _FRONT_MATTER.match(card)
    if match is None:
        return {}, card
    try:
        fields = yaml.safe_load(match[1]) or {}
    except yaml.YAMLError as error:
        reason = " ".join(str(error).split())
        raise DataError(f"the YAML of the card (README.md) is damaged: {reason}") from None
    if not isinstance(fields, dict):
        raise DataError("the YAML of the card (README.md) is no mapping of fields")
    return fields, match[2]


def joined(kept: Mapping[str, Any], fields: Mapping[str, Any], body: str) -> str:
    """Return a card of the fields that it had, ours, and its body.

    Args:
        kept: fields of the card so far; they win, but for those in COMPUTED.
    """
    import yaml

    ours = {key: value for key, value in fields.items() if key in COMPUTED or key not in kept}
    text = yaml.safe_dump({**kept, **ours}, sort_keys=False, allow_unicode=True, width=10_000)
    return f"---\n{text}---\n{body}"
