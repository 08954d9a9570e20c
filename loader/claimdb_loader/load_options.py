"""What the arguments of `load_dataset("claimdb", ...)` mean together."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from claimdb_loader.sources import (
    DEFAULT_CONFIG,
    SAMPLE,
    SPLIT_FILES,
    chosen_data_dir,
    holds_databases_only,
)
from claimdb_metric.errors import DataError


def chosen_options(
    config_class: type[Any], repo_id: str | None, kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Take the options of ClaimDB out of `kwargs` and return those that differ from the default.

    An option at its default must not name another cache folder than leaving it out does.
    """
    defaults = {
        field.name: field.default
        for field in dataclasses.fields(config_class)
        if field.name in config_class.__annotations__
    }
    given = {name: kwargs.pop(name) for name in defaults if name in kwargs}
    if repo_id is not None:
        given["source_repo"] = repo_id
    for name, value in given.items():
        wanted = bool if isinstance(defaults[name], bool) else str
        if value is not None and not isinstance(value, wanted):
            shown = "repo_id" if name == "source_repo" else name
            raise DataError(f"{shown}={value!r} must be a {wanted.__name__}")
    return {name: value for name, value in given.items() if value != defaults[name]}


def chosen_data_dir_of(
    config_name: str, data_dir: str | None, options: Mapping[str, object]
) -> str | None:
    """Return the local copy that a config is to be read from, None for the Hub or the sample.

    A repository or revision that is asked for wins over CLAIMDB_DATA_DIR, and so does the Hub over
    a CLAIMDB_DATA_DIR with databases but no claims in it.

    Raises:
        DataError: data_dir is given together with something that it excludes.
    """
    excluded = [name for name in ("source_repo", "revision") if name in options]
    if data_dir and (excluded or config_name == SAMPLE):
        other = "the embedded sample" if config_name == SAMPLE else "repo_id= or revision="
        raise DataError(f"data_dir= cannot be combined with {other}: give one of the two")
    if excluded or config_name == SAMPLE:
        return None
    chosen = chosen_data_dir(data_dir)
    if data_dir is None and chosen is not None and holds_databases_only(chosen):
        return None
    return chosen


def missing_split(config_name: str, split: object, where: str, there: Iterable[str]) -> str | None:
    """Return the sentence that says why a split is not there, None where all are.

    Args:
        split: what the user asked for: "train", "train[:10]", "train+test_public", or a list.
        where: the folder or repository that the files came from.
        there: the splits that are there.
    """
    there = list(there)
    absent = [name for name in split_names(split) if name not in there]
    if not absent:
        return None
    has = f"{where} gives {', '.join(there) or 'no split'}"
    file = SPLIT_FILES.get(absent[0]) if config_name == DEFAULT_CONFIG else None
    return f"there is no split {absent[0]!r}: " + (f"no {file} was found, {has}" if file else has)


def split_names(split: object) -> list[str]:
    """Return the names of the splits that an expression is made of.

    >>> split_names("train[:10%]+test_public"), split_names(["train", "dev"])
    (['train', 'test_public'], ['train', 'dev'])
    """
    expressions = split if isinstance(split, (list, tuple)) else [split]
    parts = [part for expression in expressions for part in str(expression).split("+")]
    return [name.group().strip() for part in parts if (name := re.match(r"[^\[(]+", part))]
