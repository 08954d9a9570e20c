"""The dataset card: a template of prose, with every number computed between markers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from importlib import resources
from typing import Any, Final

from claimdb_builder.publish import (
    card_considerations,
    card_counts,
    card_limits,
    card_sources,
)
from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.databases import DatabaseEntry
from claimdb_builder.publish.front_matter import joined, parted

_SECTION: Final = re.compile(
    r"(?P<open><!-- claimdb:(?P<name>\w+) -->\r?\n)"
    r"(?:(?!<!-- /?claimdb:).)*?"  # a section that lost its end takes nothing along
    r"(?P<close><!-- /claimdb:(?P=name) -->)",
    re.S,
)

NUMBERS: Final[Mapping[str, Callable[[Benchmark], str]]] = {
    "configs": card_counts.configs,
    "splits": card_counts.splits,
    "categories": card_counts.categories,
    "lengths": card_counts.lengths,
    "sources": card_sources.sources,
    "funnel": card_sources.funnel,
    "label_noise": card_considerations.label_noise,
    "biases": card_considerations.biases,
    "citation": card_considerations.citation,
    "baselines": card_limits.baselines,
    "cues": card_limits.cues,
    "overlap": card_limits.overlap,
    "hidden": card_limits.hidden_rows,
    "known_issues": card_limits.known_issues,
}
"""The sections that need nothing but the benchmark, by the name in their markers."""


def sections(
    benchmark: Benchmark, repo_id: str, entries: Iterable[DatabaseEntry], licence: str
) -> dict[str, str]:
    """Return the computed text of every section, by the name in its markers.

    Args:
        entries: the databases that lie in the repository.
        licence: as the card names it.
    """
    entries = list(entries)
    found = {name: compute(benchmark) for name, compute in NUMBERS.items()}
    found["usage"] = card_sources.usage(benchmark, repo_id, has_databases=bool(entries))
    found["licence"] = card_considerations.licence(licence)
    found["databases"] = card_counts.databases(benchmark, entries)
    return found


def is_ours(text: str) -> bool:
    """Whether a card has sections that `claimdb push` fills.

    >>> is_ours("# A dataset"), is_ours("<!-- claimdb:splits -->\\n<!-- /claimdb:splits -->")
    (False, True)
    """
    return _SECTION.search(text) is not None


def template(title: str) -> str:
    """Return the card of a benchmark that has none yet, its sections empty."""
    text = (resources.files("claimdb_card") / "card.md").read_text("utf-8")
    return text.replace("{title}", title)


def filled(body: str, computed: Mapping[str, str]) -> str:
    """Return a card's body with the sections between its markers replaced, and nothing else.

    A section that was taken out stays out; one that nobody computes stays as it is.
    """

    def fill(found: re.Match[str]) -> str:
        text = computed.get(found["name"])
        if text is None:
            return found[0]
        return found["open"] + (f"{text}\n" if text else "") + found["close"]

    return _SECTION.sub(fill, body)


def card_text(
    old: str | None, title: str, fields: Mapping[str, Any], computed: Mapping[str, str]
) -> str:
    """Return the README.md of the repository.

    Args:
        old: the card so far, of which fields and prose are kept; where no section is marked in it,
            its prose comes behind the template's.
        title: the heading of a new card.
        fields: of the front matter, as `front_matter.fields_of` gives them.
        computed: as `sections` gives them.
    """
    kept, body = parted(old or "")
    if not is_ours(body):
        own = body.strip()
        body = template(title) + (f"\n{own}\n" if own else "")
    return joined(kept, fields, filled(body, computed))
