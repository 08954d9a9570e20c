"""What the arguments of `load_dataset("claimdb", ...)` mean together."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from claimdb_loader.sources import DEFAULT_CONFIG, SAMPLE, SPLIT_FILES, chosen_data_dir
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
    return {name: value for name, value in given.items() if value != defaults[name]}


def chosen_data_dir_of(
    config_name: str, data_dir: str | None, options: Mapping[str, object]
) -> str | None:
    """Return the local copy that a config is to be read from, None for the Hub or the sample.

    A repository or revision that is asked for wins over CLAIMDB_DATA_DIR.

    Raises:
        DataError: data_dir is given together with something that it excludes.
    """
    excluded = [name for name in ("source_repo", "revision") if name in options]
    if data_dir and (excluded or config_name == SAMPLE):
        other = "the embedded sample" if config_name == SAMPLE else "repo_id= or revision="
        raise DataError(f"data_dir= cannot be combined with {other}: give one of the two")
    return None if excluded or config_name == SAMPLE else chosen_data_dir(data_dir)


def missing_split(config_name: str, split: object, where: str, there: Iterable[str]) -> str | None:
    """Return the sentence that says why a split is not there, None where it is.

    Args:
        split: what the user asked for, such as "train" or "train[:10]".
        where: the folder or repository that the files came from.
        there: the splits that are there.
    """
    asked = re.match(r"\w*", str(split))
    name = asked.group() if asked else ""
    there = list(there)
    if name in there:
        return None
    has = f"{where} gives {', '.join(there) or 'no split'}"
    file = SPLIT_FILES.get(name) if config_name == DEFAULT_CONFIG else None
    return f"there is no split {name!r}: " + (f"no {file} was found, {has}" if file else has)
