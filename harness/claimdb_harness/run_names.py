"""Names of runs: what tells their predictions files apart."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from claimdb_metric.errors import DataError

_FORMATS: Final = frozenset({".jsonl", ".json", ".csv", ".tsv", ".parquet", ".eval"})


def run_names(paths: Sequence[str]) -> list[str]:
    """Return a name for each file: the shortest end of its path that no other one has.

    What all paths end in says nothing, and is left out.

    Raises:
        DataError: the same file twice, also under another name.

    >>> run_names(["runs/gpt/predictions.jsonl", "runs/qwen/predictions.jsonl"])
    ['gpt', 'qwen']
    >>> run_names(["runs/gpt-4.1.jsonl", "mine.csv", "runs/gpt-4.1-nano"])
    ['gpt-4.1', 'mine', 'gpt-4.1-nano']
    """
    files = [Path(path).resolve() for path in paths]
    twice = sorted({str(file) for file in files if files.count(file) > 1})
    if twice:
        raise DataError(f"the same file twice: {', '.join(twice)}")
    absolute = [Path(path).absolute() for path in paths]
    parts = [_without_format(file).parts for file in absolute]
    if len(set(parts)) < len(parts):  # two formats of one name
        parts = [file.parts for file in absolute]
    while len({own[-1] for own in parts}) == 1 < len(parts) and min(map(len, parts)) > 2:
        parts = [own[:-1] for own in parts]
    return ["/".join(_shortest_end(own, parts)) for own in parts]


def _without_format(file: Path) -> Path:
    """A name without the format it ends in; a folder gpt-4.1-nano ends in none."""
    return file.with_suffix("") if file.suffix.lower() in _FORMATS else file


def _shortest_end(own: tuple[str, ...], all_parts: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    for length in range(1, len(own) + 1):
        end = own[-length:]
        if sum(other[-length:] == end for other in all_parts) == 1:
            return end
    return own
