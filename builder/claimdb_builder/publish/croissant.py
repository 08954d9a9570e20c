"""`croissant.json`: the dataset in MLCommons Croissant 1.0, which dataset search and loaders read.

Source: https://docs.mlcommons.org/croissant/docs/croissant-spec.html
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

import datasets

import claimdb
from claimdb_builder.publish.parquet_files import ParquetFile
from claimdb_loader.fingerprints import file_sha256

_CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_LICENCES: Final = {"cc-by-sa-4.0": "https://creativecommons.org/licenses/by-sa/4.0/"}
_TYPES: Final = {"string": "sc:Text", "int64": "sc:Integer"}
_AUTHORS: Final = [
    {"@type": "sc:Person", "name": name}
    for name in (
        "Michael Theologitis",
        "Preetam Prabhu Srikar Dammu",
        "Chirag Shah",
        "Dan Suciu",
    )
]
_CITATION: Final = (
    "Theologitis, M., Dammu, P. P. S., Shah, C., Suciu, D. (2026). ClaimDB: A Fact Verification "
    "Benchmark over Large Structured Data. arXiv:2601.14698"
)


@dataclass(frozen=True)
class Described:
    """What croissant.json says of a dataset as a whole.

    Attributes:
        published_on: ISO date of the first push.
        licence: as the card names it.
        is_claimdb: whether the paper's authors made it; else it is the repository's owner.
    """

    title: str
    repo_id: str
    published_on: str
    licence: str
    is_claimdb: bool


def croissant_text(
    dataset: Described,
    folder: Path,
    files: Iterable[ParquetFile],
    features: Mapping[str, datasets.Features],
) -> str:
    """Return the text of croissant.json.

    Args:
        folder: where the files lie, to take their hashes.
        features: the columns of each config.
    """
    files = list(files)
    url = f"https://huggingface.co/datasets/{dataset.repo_id}"
    owner = dataset.repo_id.partition("/")[0]
    described = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": dataset.title,
        "description": "Claims to be judged ENTAILED, CONTRADICTED or NOT ENOUGH INFO against "
        "SQLite databases.",
        "url": url,
        "license": _LICENCES.get(dataset.licence, dataset.licence),
        "creator": _AUTHORS
        if dataset.is_claimdb
        else [
            {"@type": "sc:Organization", "name": owner, "url": f"https://huggingface.co/{owner}"}
        ],
        "citeAs": _CITATION if dataset.is_claimdb else f"{owner}. {dataset.title}. {url}",
        "datePublished": dataset.published_on,
        "version": str(claimdb.ClaimDB.VERSION),
        "isLiveDataset": False,
        "distribution": [_file(folder, file) for file in files],
        "recordSet": [_record_set(file, features[file.config]) for file in files],
    }
    return json.dumps(described, ensure_ascii=False, indent=2) + "\n"


def published_on(old: bytes | None) -> str:
    """Return the date of the first push: that of the repository's croissant.json, else today.

    >>> published_on(b'{"datePublished": "2026-01-20"}')
    '2026-01-20'
    """
    try:
        return date.fromisoformat(json.loads(old or b"")["datePublished"]).isoformat()
    except (ValueError, KeyError, TypeError, RecursionError):
        return date.today().isoformat()


def _file(folder: Path, file: ParquetFile) -> dict[str, Any]:
    return {
        "@type": "cr:FileObject",
        "@id": file.name,
        "name": file.name,
        "contentUrl": file.name,
        "contentSize": f"{file.n_bytes} B",
        "encodingFormat": "application/x-parquet",
        "sha256": file_sha256(folder / file.name),
    }


def _record_set(file: ParquetFile, features: datasets.Features) -> dict[str, Any]:
    name = f"{file.config}/{file.split}"
    return {
        "@type": "cr:RecordSet",
        "@id": name,
        "name": name,
        "description": f"{file.n_rows:,} rows; label and category are the numbers of their names.",
        "field": [
            {
                "@type": "cr:Field",
                "@id": f"{name}/{column}",
                "name": column,
                "dataType": _TYPES[feature.dtype],
                "source": {"fileObject": {"@id": file.name}, "extract": {"column": column}},
            }
            for column, feature in features.items()
        ],
    }
