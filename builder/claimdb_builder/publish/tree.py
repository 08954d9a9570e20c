"""Every file of a dataset repository, written to a folder: what a push sends, byte for byte."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import datasets

from claimdb_builder.publish import card, croissant, databases, inspect_rows, parquet_files
from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.card_sources import FUNNEL, funnel_text
from claimdb_builder.publish.checks import check_benchmark
from claimdb_builder.publish.citation import citation_text
from claimdb_builder.publish.eval_task import eval_yaml
from claimdb_builder.publish.front_matter import fields_of, license_of
from claimdb_builder.publish.parquet_files import ParquetFile, write_parquet
from claimdb_loader.exclusions import KNOWN_ISSUES
from claimdb_loader.features import CLAIM_FEATURES, DATABASE_FEATURES
from claimdb_loader.published import DATABASE_MANIFEST, EVAL_FILE, database_name, parquet_name
from claimdb_loader.sources import DEFAULT_CONFIG
from claimdb_metric.errors import DataError

CARD: Final = "README.md"
CITATION: Final = "CITATION.cff"
CROISSANT: Final = "croissant.json"

FEATURES: Final[Mapping[str, datasets.Features]] = {
    "claims": CLAIM_FEATURES,
    "nei": CLAIM_FEATURES,
    "databases": DATABASE_FEATURES,
    "inspect": inspect_rows.INSPECT_FEATURES,
}
"""The columns of each config that is published, in the order of the card."""

ReadOld = Callable[[str], bytes | None]
"""Gives the content of a file that the repository holds already, None where it holds none."""


@dataclass(frozen=True)
class Tree:
    """The files of a repository: path in it -> file on this disk.

    Databases are not copied: their files are those that the benchmark is made of.

    Attributes:
        notes: what the maker should know of what is published.
    """

    files: Mapping[str, Path]
    n_claims: int
    databases: tuple[databases.DatabaseEntry, ...]
    notes: tuple[str, ...] = ()

    @property
    def sha256(self) -> dict[str, str]:
        """The hashes that are known already, by path in the repository: those of databases."""
        return {database_name(entry.db_name): entry.sha256 for entry in self.databases}


def write_tree(
    benchmark: Benchmark,
    folder: Path,
    repo_id: str,
    choice: databases.Choice = "none",
    read_old: ReadOld = lambda name: None,
) -> Tree:
    """Return the files of the repository after writing all but the databases to a folder.

    Args:
        folder: an empty folder.
        repo_id: "owner/name".
        choice: which databases are to lie in the repository; those that lie there already stay.
        read_old: what the repository holds now.

    Raises:
        DataError: the benchmark must not be published as it is, or a database is missing.
        DatabaseFileError: a database is too large, damaged, or has a log beside it.
    """
    check_benchmark(benchmark)
    files = databases.chosen_files(benchmark, choice)
    measured = databases.measure(files)
    entries = databases.merged(_old_entries(read_old), measured)
    schemas = inspect_rows.schemas_of(benchmark, _old_prompts(benchmark, read_old))
    written = _write_rows(benchmark, folder, entries, schemas)
    texts = _notes_and_task(benchmark, repo_id, bool(schemas), read_old)
    texts |= _descriptions(benchmark, folder, repo_id, written, entries, read_old)
    for name, content in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    names = sorted([*texts, *(file.name for file in written)])
    own = {name: folder / name for name in names}
    linked = {database_name(name): path for name, path in files.items()}
    notes = _notes(benchmark, entries, bool(schemas))
    return Tree(own | linked, len(benchmark.rows), tuple(measured), notes)


_REPLACED: Final = re.compile(
    rf"data/(?:{'|'.join(FEATURES)})/\w+-\d{{5}}-of-\d{{5}}\.parquet"
    rf"|{'|'.join(map(re.escape, (EVAL_FILE, KNOWN_ISSUES, CROISSANT, FUNNEL)))}"
)


def is_replaced(name: str) -> bool:
    """Whether a push takes a file away that the benchmark no longer has; never a database.

    >>> is_replaced("eval.yaml"), is_replaced("databases/zoo/zoo.sqlite"), is_replaced("LICENSE")
    (True, False, False)
    """
    return _REPLACED.fullmatch(name) is not None


def _notes(
    benchmark: Benchmark, entries: list[databases.DatabaseEntry], shows_schema: bool
) -> tuple[str, ...]:
    notes = []
    local = {entry.db_name: databases.local_file(benchmark, entry.db_name) for entry in entries}
    changed = [
        entry.db_name
        for entry in entries
        if (path := local[entry.db_name]) is not None and path.stat().st_size != entry.n_bytes
    ]
    if changed:
        notes.append(
            f"another size than in the repository: {', '.join(changed)}; send with --databases"
        )
    if benchmark.labelled and not shows_schema:
        notes.append(
            "the prompts of config inspect show no schema, as not every database is on this machine"
        )
    return tuple(notes)


def _old_prompts(benchmark: Benchmark, read_old: ReadOld) -> Iterator[tuple[str, ...]]:
    """(db_name, claim, prompt) of the `inspect` config that the repository holds already."""
    for split in benchmark.labelled:
        content = read_old(parquet_name("inspect", split))
        yield from parquet_files.read_texts(content or b"", ("db_name", "claim", "prompt"))


def _write_rows(
    benchmark: Benchmark,
    folder: Path,
    entries: list[databases.DatabaseEntry],
    schemas: Mapping[str, str],
) -> list[ParquetFile]:
    written = []
    for config, splits in benchmark.configs.items():
        for split, table in splits.items():
            if config == "databases":
                table = databases.with_measures(benchmark, table, entries)
            written.append(write_parquet(folder, config, split, [table], FEATURES[config]))
    for split, table in benchmark.labelled.items():
        batches = inspect_rows.inspect_batches(table, schemas)
        written.append(write_parquet(folder, "inspect", split, batches, FEATURES["inspect"]))
    return written


def _old_entries(read_old: ReadOld) -> list[databases.DatabaseEntry]:
    manifest = read_old(DATABASE_MANIFEST)
    return databases.read_manifest(manifest) if manifest else []


def _title(benchmark: Benchmark, repo_id: str) -> str:
    return "ClaimDB" if benchmark.is_claimdb else repo_id.partition("/")[2]


def _notes_and_task(
    benchmark: Benchmark, repo_id: str, shows_schema: bool, read_old: ReadOld
) -> dict[str, bytes]:
    """Citation, known issues, funnel and eval.yaml; a citation that is there is its owner's."""
    title = _title(benchmark, repo_id)
    citation = read_old(CITATION)
    if citation is None:
        citation = citation_text(benchmark, title, repo_id).encode("utf-8")
    lines = [json.dumps(issue, ensure_ascii=False) + "\n" for issue in benchmark.known_issues]
    texts = {
        KNOWN_ISSUES: "".join(lines),
        EVAL_FILE: eval_yaml(benchmark, title, shows_schema),
        FUNNEL: funnel_text(benchmark),
    }
    there = {name: text.encode("utf-8") for name, text in texts.items() if text is not None}
    return there | {CITATION: citation}


def _descriptions(
    benchmark: Benchmark,
    folder: Path,
    repo_id: str,
    written: list[ParquetFile],
    entries: list[databases.DatabaseEntry],
    read_old: ReadOld,
) -> dict[str, bytes]:
    """The card, croissant.json and the manifest of databases."""
    title = _title(benchmark, repo_id)
    old_card = _text_of(CARD, read_old(CARD))
    licence = license_of(old_card)
    configs = parquet_files.configs_of(written, DEFAULT_CONFIG)
    infos = parquet_files.dataset_info_of(written, FEATURES)
    fields = fields_of(benchmark, title, configs, infos)
    computed = card.sections(benchmark, repo_id, entries, licence)
    first = croissant.published_on(read_old(CROISSANT))
    described = croissant.Described(title, repo_id, first, licence, benchmark.is_claimdb)
    texts = {
        CARD: card.card_text(old_card, title, fields, computed),
        CROISSANT: croissant.croissant_text(described, folder, written, FEATURES),
    }
    if entries:
        texts[DATABASE_MANIFEST] = databases.manifest_text(entries)
    return {name: text.encode("utf-8") for name, text in texts.items()}


def _text_of(name: str, content: bytes | None) -> str | None:
    try:
        return None if content is None else content.decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{name} of the repository is not UTF-8: mend it on the Hub") from None
