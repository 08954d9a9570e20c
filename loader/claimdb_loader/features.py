"""The columns of every config, as the Hugging Face features that all splits and files share."""

from __future__ import annotations

from typing import Final

import datasets

from claimdb_metric.labels import CATEGORIES, LABELS, slug

FORMAT_VERSION: Final = 1
"""Part of every cache key: raise it when the same input would give other rows."""

CLAIM_FEATURES: Final = datasets.Features(
    {
        "claim_id": datasets.Value("int64"),
        "bird_id": datasets.Value("int64"),
        "db_name": datasets.Value("string"),
        "claim": datasets.Value("string"),
        "extra_info": datasets.Value("string"),
        "label": datasets.ClassLabel(names=list(LABELS)),
        "category": datasets.ClassLabel(names=list(CATEGORIES)),
    }
)

DATABASE_FEATURES: Final = datasets.Features(
    {
        "db_name": datasets.Value("string"),
        "n_claims": datasets.Value("int64"),
        "n_tables": datasets.Value("int64"),
        "n_rows": datasets.Value("int64"),
        "n_bytes": datasets.Value("int64"),
        "sha256": datasets.Value("string"),
    }
)

CLAIM_SPLITS: Final = ("train", "test_public", "test_private")
NEI_SPLITS: Final = tuple(map(slug, CATEGORIES))

_DESCRIPTION: Final = (
    "Claims to be judged ENTAILED, CONTRADICTED or NOT ENOUGH INFO against databases that are too "
    "large to read: only a program can decide. The published train split shares questions and the "
    "eleven test databases with the test splits: see train_excludes."
)


def dataset_info(config_name: str) -> datasets.DatasetInfo:
    """Return description, columns, homepage and licence of a config.

    >>> list(dataset_info("claims").features)[:3]
    ['claim_id', 'bird_id', 'db_name']
    """
    return datasets.DatasetInfo(
        description=_DESCRIPTION,
        features=DATABASE_FEATURES if config_name == "databases" else CLAIM_FEATURES,
        homepage="https://arxiv.org/abs/2601.14698",
        license="CC BY-SA 4.0; made from BIRD (https://bird-bench.github.io) and ClaimDB",
    )
