"""Instructions for models: packaged texts, each known by its name and the hash of what it says.

A prompt is one text about the verdicts and one about how to answer: `minimal.md`, `how-tools.md`.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Final

from claimdb_metric.errors import DataError

PROMPTS: Final = ("minimal", "taxonomy", "schema-first")
"""For agents that may ask the database: what the labels mean; with the kinds of NOT ENOUGH INFO;
with these and the schema. The kinds were worth 7.4 points of accuracy to one user."""

PROTOCOLS: Final = ("tools", "json", "constrained")
"""How a model calls tools and gives its verdict: by calls of its own; queries by calls, the verdict
as JSON in its text; all as JSON that decoding is held to, for models that know no tools."""

FIXED: Final = {"closed_book": "closed-book", "schema_only": "schema-only"}
"""The one prompt of a task that gives the model no database."""

_SCHEMA: Final = "{schema}"


@dataclass(frozen=True)
class Prompt:
    """What a model is told before the claim.

    Args:
        name: of the packaged text, or of a file of one's own.
        text: all instructions; `{schema}` stands where the schema goes.
    """

    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Return the hash of the instructions, 64 hex digits."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def needs_schema(self) -> bool:
        """Whether the schema of the claim's database is part of it."""
        return _SCHEMA in self.text

    def filled(self, schema: str) -> str:
        """Return the instructions with a database's schema where it goes."""
        return self.text.replace(_SCHEMA, schema)


def prompt(name: str, how: str) -> Prompt:
    """Return the instructions of a prompt for one way to answer.

    Args:
        name: one of `PROMPTS` or of the values of `FIXED`, or the path of a text file.
        how: a protocol, or "command"; with "-verdict" where there is nothing to query.

    Raises:
        DataError: there is no such prompt, or the file cannot be read.

    >>> prompt("minimal", "tools").sha256 == prompt("taxonomy", "tools").sha256
    False
    """
    packaged = (*PROMPTS, *FIXED.values())
    if name in packaged:
        return Prompt(name, f"{_packaged(name)}\n{_packaged(f'how-{how}')}")
    path = Path(name)
    if not path.is_file():
        raise DataError(
            f"no prompt {name!r}: there are {', '.join(PROMPTS)}, or give the path of a text file"
        )
    try:
        own = path.read_text("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8") from None
    return Prompt(path.name, f"{own.rstrip()}\n\n{_packaged(f'how-{how}')}")


def claim_message(claim: str, extra_info: str) -> str:
    """Return what a model is told about a claim.

    >>> claim_message("Vita carries 40 cars.", "")
    'Claim: Vita carries 40 cars.'
    """
    return f"Claim: {claim}" + (f"\nExtra information: {extra_info}" if extra_info else "")


def _packaged(name: str) -> str:
    return files(__name__).joinpath(f"{name}.md").read_text("utf-8")
