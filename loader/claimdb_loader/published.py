"""The layout of a published dataset repository: `claimdb push` writes it, the loader reads it.

    data/<config>/<split>-00000-of-00001.parquet
    databases/<db_name>/<db_name>.sqlite
    databases/manifest.json
    known_issues.jsonl

No `claimdb.py` at the root: `datasets` 4 and newer would refuse the whole repository.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

DATABASE_MANIFEST: Final = "databases/manifest.json"
"""A JSON list of {db_name, n_tables, n_rows, n_bytes, sha256}, one for each database beside it."""

EVAL_FILE: Final = "eval.yaml"
"""How models are asked: its tasks are those that results are published for."""

_CLAIMS_FILE: Final = re.compile(r"data/claims/(?P<split>\w+)-\d{5}-of-\d{5}\.parquet")


def parquet_name(config_name: str, split: str) -> str:
    """Return the path of the Parquet file of one split.

    >>> parquet_name("claims", "test_public")
    'data/claims/test_public-00000-of-00001.parquet'
    """
    return f"data/{config_name}/{split}-00000-of-00001.parquet"


def parquet_glob(config_name: str, split: str) -> str:
    """Return the pattern by which the card names the files of one split.

    >>> parquet_glob("claims", "train")
    'data/claims/train-*.parquet'
    """
    return f"data/{config_name}/{split}-*.parquet"


def claim_files(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Return the Parquet files of each split of the `claims` config, in order.

    Args:
        names: paths in a repository or folder, with "/" between their parts.

    >>> claim_files(["README.md", "data/claims/train-00000-of-00001.parquet"])
    {'train': ('data/claims/train-00000-of-00001.parquet',)}
    """
    found: dict[str, tuple[str, ...]] = {}
    for name in sorted(names):
        if match := _CLAIMS_FILE.fullmatch(name):
            found[match["split"]] = (*found.get(match["split"], ()), name)
    return found


def database_name(db_name: str) -> str:
    """Return where a database lies in a repository.

    >>> database_name("zoo")
    'databases/zoo/zoo.sqlite'
    """
    return f"databases/{db_name}/{db_name}.sqlite"
