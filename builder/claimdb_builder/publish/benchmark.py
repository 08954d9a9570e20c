"""A benchmark as the loader gives it: the rows of each config and split that is there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pyarrow as pa
import pyarrow.compute as pc

from claimdb_loader.exclusions import read_known_issues
from claimdb_loader.fingerprints import known_databases
from claimdb_loader.notices import hidden_labels_expected
from claimdb_loader.sources import chosen_data_dir
from claimdb_metric.labels import CATEGORIES, HIDDEN, HIDDEN_NAME, label_name

if TYPE_CHECKING:
    import pandas as pd

CONFIGS: Final = ("claims", "nei", "databases")
"""The configs of the loader that are published; the sample lies in the package itself."""

PUBLIC_TEST: Final = "test_public"


_CLAIMDB_SHA256: Final = {
    "test_public": "54dac0de74330cb998d885a0cf859339babe2f1a6974be7f5060e94a46dd3ddf",
    "test_private": "f9fc72a312faea20a45c864204a1319f2804c44b535d7bda7542828d7bb85724",
}
"""Of the published test splits: the sorted (claim_id, db_name, claim, label) as JSON."""


@dataclass(frozen=True)
class Benchmark:
    """The rows to publish, and the folder that databases and notes are taken from.

    Attributes:
        configs: the splits of each config, with the features of `claimdb_loader.features`.
        folder: the local copy; None where the rows came from the Hub.
    """

    configs: Mapping[str, Mapping[str, pa.Table]]
    folder: Path | None = None

    @property
    def claims(self) -> Mapping[str, pa.Table]:
        """The splits of the `claims` config."""
        return self.configs["claims"]

    @property
    def labelled(self) -> dict[str, pa.Table]:
        """The splits whose labels are not hidden."""
        return {name: table for name, table in self.claims.items() if not is_hidden(table)}

    @cached_property
    def rows(self) -> pd.DataFrame:
        """All claims with their split; labels and categories by name, "HIDDEN" and "" for -1."""
        import pandas as pd

        frames = [table.to_pandas().assign(split=split) for split, table in self.claims.items()]
        rows: pd.DataFrame = pd.concat(frames, ignore_index=True)
        rows["label"] = rows["label"].map(label_name)
        rows["category"] = rows["category"].map(dict(enumerate(CATEGORIES))).fillna("")
        return rows

    @cached_property
    def db_names(self) -> list[str]:
        """The databases that claims name, sorted."""
        return sorted(set(self.rows["db_name"]))

    @cached_property
    def is_claimdb(self) -> bool:
        """Whether these are the claims of the published benchmark (ACL 2026).

        Its train split was not at hand to be hashed: the test splits tell, and the databases.
        """
        tests = self.claims.keys() & _CLAIMDB_SHA256.keys()
        if not tests or not self.claims.keys() <= {"train", *tests}:
            return False
        if not set(self.db_names) <= set(known_databases()):
            return False
        return all(self._sha256_of(split) == _CLAIMDB_SHA256[split] for split in tests)

    def _sha256_of(self, split: str) -> str:
        columns = ["claim_id", "db_name", "claim", "label"]
        rows = self.rows.loc[self.rows["split"] == split, columns]
        listed = sorted(rows.itertuples(index=False, name=None))
        return hashlib.sha256(json.dumps(listed).encode()).hexdigest()

    @cached_property
    def known_issues(self) -> list[dict[str, object]]:
        """The known issues of these claims; of a hidden one, nothing that hints at its label."""
        labels = self.rows.set_index(["claim_id", "db_name"])["label"].to_dict()
        issues: dict[tuple[object, object], dict[str, object]] = {}
        for issue in read_known_issues(str(self.folder) if self.folder else None):
            claim = issue["claim_id"], issue["db_name"]
            keys = _HIDDEN_ISSUE_KEYS if labels.get(claim) == HIDDEN_NAME else issue.keys()
            if claim in labels:  # the benchmark's own list comes last, and wins
                issues[claim] = {key: value for key, value in issue.items() if key in keys}
        return list(issues.values())


_HIDDEN_ISSUE_KEYS: Final = ("claim_id", "db_name", "since")


def is_hidden(table: pa.Table) -> bool:
    """Whether every label of a split is hidden."""
    return bool(pc.all(pc.equal(table["label"], HIDDEN)).as_py())


def read_benchmark(folder: str | None = None) -> Benchmark:
    """Return the benchmark of a folder, else of CLAIMDB_DATA_DIR, else the published one.

    Args:
        folder: a local copy: upstream's files, or a tree that `claimdb push --dry-run` wrote.

    Raises:
        ClaimFileError: rows are wrong; it names file, row and column of each.
        DataError: no claims are there.
        UnavailableError: nothing local and no network.
    """
    import claimdb

    chosen = chosen_data_dir(folder)
    configs = {}
    for name in CONFIGS:
        builder = claimdb.ClaimDB(config_name=name, data_dir=chosen)
        with hidden_labels_expected():
            builder.download_and_prepare()
            splits = builder.as_dataset()
        # `datasets` cannot read a split without rows.
        configs[name] = {
            str(split): rows.data.table.combine_chunks()
            for split, rows in splits.items()
            if rows.num_rows
        }
    return Benchmark(configs, Path(chosen) if chosen else None)
