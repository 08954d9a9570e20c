"""Writes a predictions file in its one canonical form, where that needs no guess."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from claimdb_loader.prediction_problems import PathLike, refuse
from claimdb_loader.storage import replace_atomically
from claimdb_loader.submissions import Validation


def fixed_rows(validation: Validation) -> list[dict[str, Any]]:
    """Return the rows in canonical form: by claim_id, labels by name, equal rows once.

    Raises:
        PredictionFileError: a problem needs a decision; missing claims do not.

    >>> from claimdb_loader.prediction_rows import Prediction
    >>> rows = (Prediction(1, 8, "ENTAILED", 0, {"confidence": 0.9}),)
    >>> fixed_rows(Validation("p.csv", "line", 1, 1, (), (), {}, {}, rows))
    [{'claim_id': 8, 'label': 'ENTAILED', 'confidence': 0.9}]
    """
    problems = [
        problem
        for problem in validation.problems
        if not problem.fixable and problem.kind != "missing-id"
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
        OSError: the copy cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> from claimdb_loader.submissions import validate
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.csv")
    ...     _ = path.write_text("claim_id,verdict\n7,entailed\n")
    ...     write_fixed(validate(path, [7]), path), path.read_text()
    (1, '{"claim_id": 7, "label": "ENTAILED"}\n')
    """
    rows = fixed_rows(validation)
    write_rows(rows, out_path)
    return len(rows)


def write_rows(rows: Sequence[Mapping[str, object]], out_path: PathLike) -> None:
    """Write rows as strict JSONL; a file that was there is replaced in one step.

    Raises:
        OSError: the file cannot be written.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.jsonl")
    ...     write_rows([{"claim_id": 7, "label": "ENTAILED"}], path)
    ...     path.read_text()
    '{"claim_id": 7, "label": "ENTAILED"}\\n'
    """
    lines = [json.dumps(row, ensure_ascii=False, allow_nan=False) + "\n" for row in rows]
    content = "".join(lines).encode("utf-8")
    target = Path(out_path)
    if target.exists() and not target.is_file():
        # /dev/stdout is written to; to replace it would put a file in the place of the device.
        target.write_bytes(content)
        return
    replace_atomically(target.resolve(), content)
