"""The `inspect` config: each labelled claim as one prompt with three choices, and no tool.

`eval.yaml` lets Inspect ask these of any model; none of its solvers can query SQLite, so this is
the variant without tools: how far a model comes with the schema, or with the claim alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

import datasets
import pyarrow as pa

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.databases import local_file
from claimdb_loader.databases import Database
from claimdb_metric.labels import LABELS

CHOICES: Final = ("choice_a", "choice_b", "choice_c")
"""Three columns of text: a column of lists would not load under all versions of `datasets`."""

INSPECT_FEATURES: Final = datasets.Features(
    {
        "claim_id": datasets.Value("int64"),
        "db_name": datasets.Value("string"),
        "claim": datasets.Value("string"),
        "prompt": datasets.Value("string"),
        **dict.fromkeys(CHOICES, datasets.Value("string")),
        "label": datasets.ClassLabel(names=list(LABELS)),
    }
)
BATCH_ROWS: Final = 1000

_SCHEMA: Final = "\n\nSchema:\n"
_QUESTION: Final = (
    "Judge the claim by what the database {db_name} holds. You cannot query it{given}. Choose "
    "ENTAILED if its data shows that the claim is true, CONTRADICTED if its data shows that it is "
    "false, and NOT ENOUGH INFO if its data cannot tell."
)


def schemas_of(benchmark: Benchmark, old_rows: Iterable[tuple[str, ...]] = ()) -> dict[str, str]:
    """Return the schema of each database that labelled claims name; none where one is missing.

    All prompts show the schema or none does, because the two measure different things.

    Args:
        old_rows: (db_name, claim, prompt) of an earlier push, for databases that are not here.
    """
    names = {n for t in benchmark.labelled.values() for n in t["db_name"].unique().to_pylist()}
    files = {name: local_file(benchmark, name) for name in sorted(names)}
    schemas = _old_schemas(old_rows) if None in files.values() else {}
    for name, path in files.items():
        if path is not None:
            with Database(name, path) as database:
                schemas[name] = database.schema()
    return schemas if names <= schemas.keys() else {}


def _old_schemas(rows: Iterable[tuple[str, ...]]) -> dict[str, str]:
    found = {}
    for db_name, claim, text in rows:
        _, _, rest = text.partition(_SCHEMA)
        schema, _, _ = rest.rpartition(f"\n\nClaim: {claim}")
        if schema:
            found[db_name] = schema
    return found


def prompt(row: Mapping[str, str], schema: str | None) -> str:
    """Return the question that a model is asked.

    Args:
        row: db_name, claim and extra_info of a claim.
        schema: SQL text; None where the prompt shows none.

    >>> row = {"db_name": "zoo", "claim": "It has 3 owls.", "extra_info": ""}
    >>> print(prompt(row, None).split("\\n")[-1])
    Claim: It has 3 owls.
    """
    given = ", but its schema is given" if schema is not None else ""
    parts = [_QUESTION.format(db_name=row["db_name"], given=given)]
    if schema is not None:
        parts.append(f"{_SCHEMA.lstrip()}{schema}")
    parts.append(f"Claim: {row['claim']}")
    if row["extra_info"].strip():
        parts.append(f"Clarification: {row['extra_info'].strip()}")
    return "\n\n".join(parts)


def inspect_batches(claims: pa.Table, schemas: Mapping[str, str]) -> Iterator[pa.Table]:
    """Yield the rows of a split as tables of INSPECT_FEATURES, in the order of its claims."""
    for batch in claims.to_batches(max_chunksize=BATCH_ROWS):
        rows = [
            {
                "claim_id": row["claim_id"],
                "db_name": row["db_name"],
                "claim": row["claim"],
                "prompt": prompt(row, schemas.get(row["db_name"])),
                **dict(zip(CHOICES, LABELS, strict=True)),
                "label": row["label"],
            }
            for row in batch.to_pylist()
        ]
        yield pa.Table.from_pylist(rows, schema=INSPECT_FEATURES.arrow_schema)
