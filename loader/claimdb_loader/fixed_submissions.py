"""Writes a predictions file in its one canonical form, where that needs no guess."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from claimdb_loader.prediction_problems import PathLike, refuse
from claimdb_loader.storage import replace_atomically
from claimdb_loader.submissions import Validation
from claimdb_metric.errors import DataError

# A missing row cannot be written, and a confidence that is none is copied: the label counts.
_LEFT_AS_THEY_ARE: Final = ("missing-id", "confidence")
_OTHER_FORMATS: Final = (".csv", ".tsv", ".json", ".parquet")


def fixed_rows(validation: Validation) -> list[dict[str, Any]]:
    """Return the rows in canonical form: by claim_id, labels by name, equal rows once.

    Raises:
        PredictionFileError: a problem needs a decision; missing claims and confidences do not.

    >>> from claimdb_loader.prediction_rows import Prediction
    >>> rows = (Prediction(1, 8, "ENTAILED", 0, {"confidence": 0.9}),)
    >>> fixed_rows(Validation("p.csv", "line", 1, 1, (), (), {}, {}, rows))
    [{'claim_id': 8, 'label': 'ENTAILED', 'confidence': 0.9}]
    """
    problems = [
        problem
        for problem in validation.problems
        if not problem.fixable and problem.kind not in _LEFT_AS_THEY_ARE
    ]
    if problems:
        what_to_do = "these need a decision, so no fixed copy was written; mend {path} first"
        refuse(validation.path, validation.place_name, problems, what_to_do)
    first = {row.claim_id: row for row in reversed(validation.predictions)}
    return [
        {"claim_id": claim_id, "label": first[claim_id].label, **first[claim_id].extra}
        for claim_id in sorted(first)
    ]


def write_fixed(validation: Validation, out_path: PathLike) -> int:
    r"""Return the number of rows written to a canonical copy: JSONL, sorted, strict.

    Args:
        validation: what `validate` returned.
        out_path: the copy; may be the file itself, which is then replaced in one step.

    Raises:
        PredictionFileError: a problem needs a decision; nothing is written.
        DataError: the folder is not there, or the name is one of another format.
        OSError: the copy cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> from claimdb_loader.submissions import validate
    >>> with TemporaryDirectory() as folder:
    ...     path, copy = Path(folder, "predictions.csv"), Path(folder, "fixed.jsonl")
    ...     _ = path.write_text("claim_id,verdict\n7,entailed\n")
    ...     write_fixed(validate(path, [7]), copy), copy.read_text()
    (1, '{"claim_id": 7, "label": "ENTAILED"}\n')
    """
    rows = fixed_rows(validation)
    write_rows(rows, out_path)
    return len(rows)


def check_out(out_path: PathLike) -> None:
    """Raise DataError if predictions cannot be written there: no folder, or another format's name.

    >>> check_out("run.csv")
    Traceback (most recent call last):
    claimdb_metric.errors.DataError: run.csv: predictions are written as JSONL; name it *.jsonl
    """
    if os.fspath(out_path) in ("", "-"):
        raise DataError("name the file to write; /dev/stdout prints it")
    path = Path(out_path)
    if path.suffix.lower() in _OTHER_FORMATS:
        raise DataError(f"{path}: predictions are written as JSONL; name it *.jsonl")
    if not path.absolute().parent.is_dir():
        raise DataError(f"{path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise DataError(f"{path} is a folder; name a file in it")


def write_rows(rows: Sequence[Mapping[str, object]], out_path: PathLike) -> None:
    """Write rows as strict JSONL; a file that was there is replaced in one step.

    Raises:
        DataError: the folder is not there, or the name is one of another format.
        OSError: the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.jsonl")
    ...     write_rows([{"claim_id": 7, "label": "ENTAILED"}], path)
    ...     path.read_text()
    '{"claim_id": 7, "label": "ENTAILED"}\\n'
    """
    check_out(out_path)
    lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    content = "".join(lines).encode("utf-8")
    target = Path(out_path)
    if target.exists() and not target.is_file():
        # /dev/stdout is written to; to replace it would put a file in the place of the device.
        target.write_bytes(content)
        return
    replace_atomically(Path(os.path.realpath(target)), content)
