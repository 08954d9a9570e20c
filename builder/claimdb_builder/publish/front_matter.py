"""The YAML at the head of a dataset card, from which the Hub and `datasets` know what is where."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_metric.errors import DataError

_FRONT_MATTER: Final = re.compile(r"\ufeff?\s*---[ \t]*\r?\n(|.*?\n)---[ \t]*(?:\r?\n|$)(.*)", re.S)

LICENCE: Final = "cc-by-sa-4.0"

COMPUTED: Final = ("size_categories", "configs", "dataset_info")
"""The fields that every push sets; all others are only set where a card does not have them yet."""

_SIZES: Final = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
    (100_000_000, "10M<n<100M"),
    (1_000_000_000, "100M<n<1B"),
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
    creators = "machine-generated" if benchmark.is_claimdb else "other"
    return {
        "language": ["en"],
        "license": LICENCE,
        "pretty_name": title,
        "size_categories": [size_category(len(benchmark.rows))],
        "task_categories": ["text-classification"],
        "task_ids": ["fact-checking"],
        "annotations_creators": [creators],
        "language_creators": [creators],
        "multilinguality": ["monolingual"],
        "source_datasets": ["extended|other-BIRD" if benchmark.is_claimdb else "original"],
        "tags": ["claimdb", "fact-verification", "sql", "sqlite", "structured-data", "abstention"],
        "configs": configs,
        "dataset_info": dataset_info,
    }


def size_category(n_rows: int) -> str:
    """Return the Hub's name for a number of rows.

    >>> size_category(53368), size_category(999), size_category(10**8)
    ('10K<n<100K', 'n<1K', '100M<n<1B')
    """
    return next((name for limit, name in _SIZES if n_rows < limit), "1B<n<10B")


def parted(card: str) -> tuple[str, str]:
    """Return the YAML of a card and its body; the YAML is "" where there is none.

    >>> parted("---\\nlicense: mit\\n---\\n# Mine\\n")
    ('license: mit\\n', '# Mine\\n')
    """
    match = _FRONT_MATTER.match(card)
    return (match[1], match[2]) if match else ("", card)


def read_fields(text: str) -> dict[str, Any]:
    """Return the fields that YAML text holds.

    Raises:
        DataError: it is damaged.
    """
    import yaml

    try:
        fields = yaml.safe_load(text) or {}
    except (yaml.YAMLError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise DataError(f"the YAML of the card (README.md) is damaged: {reason}") from None
    if not isinstance(fields, dict):
        raise DataError("the YAML of the card (README.md) is no mapping of fields")
    return fields


def license_of(card: str | None) -> str:
    """Return the licence that a card names, ours where it names none."""
    named = read_fields(parted(card or "")[0]).get("license") or LICENCE
    return ", ".join(map(str, named)) if isinstance(named, list) else str(named)


def joined(kept: str, fields: Mapping[str, Any], body: str) -> str:
    """Return a card of the YAML that it had, our fields, and its body.

    Only the lines of computed fields are replaced: to write YAML anew would lose comments and turn
    texts such as 1.10 or `no` into other values.

    Args:
        kept: YAML of the card so far; it wins, but for the fields in COMPUTED.
    """
    old = read_fields(kept)
    ours = {key: value for key, value in fields.items() if key in COMPUTED or key not in old}
    blocks = {_key_of(block): block for block in _TOP_LEVEL.split(kept) if block}
    for key, value in ours.items():
        # Comments below a field stand before the next one, which they are about.
        comments = "".join(re.findall(r"^#.*\n", blocks.get(key, ""), re.M))
        blocks[key] = _yaml({key: value}) + comments
    text = "".join(blocks.values())
    if _fields_or_none(text) != {**old, **ours}:  # YAML in a form that lines do not show
        text = _yaml({**old, **ours})
    return f"---\n{text}---\n{body}"


def _fields_or_none(text: str) -> dict[str, Any] | None:
    try:
        return read_fields(text)
    except DataError:
        return None


_TOP_LEVEL: Final = re.compile(r"^(?=[^\s#-])", re.M)
"""Where a field begins: lists may stand in the first column, and so do comments."""


def _key_of(block: str) -> str:
    return block.partition(":")[0].strip().strip("\"'")


def _yaml(fields: Mapping[str, Any]) -> str:
    import yaml

    return str(yaml.safe_dump(dict(fields), sort_keys=False, allow_unicode=True, width=10_000))
