"""What the rows of a predictions file say: a claim_id, a label, and whatever else they hold."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

from claimdb_loader.claim_rows import INT64_MAX, BadLineError, shown
from claimdb_loader.prediction_files import Format, RowFile, read_rows
from claimdb_loader.prediction_problems import PathLike, PlaceName, Problem, in_order
from claimdb_loader.prediction_tables import RAW_COLUMNS, Row
from claimdb_metric.labels import LABELS, nearest_label

_FLOAT_EXACT: Final = 2**53
"""Above it a whole float may stand for several integers."""

_TEXT_IDS: Final[frozenset[Format]] = frozenset({"CSV", "JSON map"})
"""The formats that have no other form for a claim_id than text."""

_DIGITS: Final = re.compile(r"([0-9]+)(?:\.0+)?")
_LABEL_DIGIT: Final = re.compile(r"([0-2])(?:\.0+)?")
_NAMES: Final = ", ".join(LABELS)


class Prediction(NamedTuple):
    """One row: `label` is None where `given` is no label; `extra` holds the other columns."""

    place: int
    claim_id: int
    label: str | None
    given: object
    extra: dict[str, Any]


@dataclass(frozen=True)
class Predictions:
    """What a predictions file says.

    Args:
        path: the file.
        place_name: what the places are: lines or rows.
        n_rows: how many rows could be read.
        predictions: the rows that name a claim, in the order of the file.
        problems: what is wrong with the file or its rows, each row looked at alone.
        notes: what was normalised besides labels, with a count.
        normalised: each spelling of a label that is not its name, with a count.
    """

    path: str
    place_name: PlaceName
    n_rows: int
    predictions: tuple[Prediction, ...]
    problems: tuple[Problem, ...]
    notes: dict[str, int]
    normalised: dict[str, int]


def claim_id_of(value: object) -> int:
    """Return the claim_id that a value stands for: an integer, its digits, or a whole float.

    Raises:
        BadLineError: with the reason why it is none.

    >>> claim_id_of(7), claim_id_of("7"), claim_id_of(7.0)
    (7, 7, 7)
    """
    number = _whole_number(value)
    if number is not None and 0 <= number <= INT64_MAX:
        return number
    if value is None:
        raise BadLineError("claim_id is missing; name the claim")
    raise BadLineError(f"claim_id must be an integer of at least 0, got {shown(value)}; mend it")


def _whole_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) <= _FLOAT_EXACT else None
    match = _DIGITS.fullmatch(value.strip()) if isinstance(value, str) else None
    # 19 digits hold every int64; Python refuses to convert some thousands.
    digits = match[1].lstrip("0") if match else None
    return int(digits or "0") if digits is not None and len(digits) <= 19 else None


def label_of(value: object, *, digits_count: bool = False) -> str | None:
    """Return the name of the label that a value stands for, None if it stands for none.

    Only case and surrounding white space are forgiven. The integers 0, 1, 2 are the labels'
    ClassLabel integers, also as whole floats.

    Args:
        value: what stands in the row.
        digits_count: whether the texts "0", "1", "2" count as integers, as they do in CSV.

    >>> [label_of(value) for value in (" entailed ", 1, "NOT_ENOUGH_INFO", "SUPPORTS", True)]
    ['ENTAILED', 'CONTRADICTED', None, None, None]
    """
    if not isinstance(value, str):
        number = _whole_number(value)
        return LABELS[number] if number is not None and 0 <= number < len(LABELS) else None
    text = value.strip()
    # ASCII only: upper() makes the letter I of the Turkish dotless one.
    if text.isascii() and text.upper() in LABELS:
        return text.upper()
    match = _LABEL_DIGIT.fullmatch(text) if digits_count else None
    return LABELS[int(match[1])] if match else None


def read_predictions(path: PathLike, needs_label: bool = True) -> Predictions:
    r"""Return what a predictions file says, without a look at the claims.

    Args:
        path: a file in any format of `read_rows`, with columns claim_id and label (or verdict).
        needs_label: whether a file in which no row has a label is refused as a whole.

    Raises:
        OSError: the file is missing, a folder, or may not be read.

    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "predictions.csv")
    ...     _ = path.write_text("claim_id,verdict,confidence\n7,entailed,0.9\n")
    ...     found = read_predictions(path)
    >>> found.predictions[0].label, found.predictions[0].extra, found.normalised
    ('ENTAILED', {'confidence': 0.9}, {'entailed': 1})
    """
    file = read_rows(path)
    absent = _absent_column(file, needs_label)
    if absent is not None:
        return _predictions(file, _Interpreter(file.format), [absent])
    interpreter = _Interpreter(file.format)
    for row in file.rows:
        interpreter.add(row)
    return _predictions(file, interpreter, [])


def _predictions(file: RowFile, interpreter: _Interpreter, problems: list[Problem]) -> Predictions:
    return Predictions(
        path=file.path,
        place_name=file.place_name,
        n_rows=len(file.rows),
        predictions=tuple(interpreter.predictions),
        problems=in_order([*file.problems, *problems, *interpreter.problems]),
        notes=dict(file.notes) | dict(interpreter.notes),
        normalised=dict(interpreter.normalised),
    )


def _absent_column(file: RowFile, needs_label: bool) -> Problem | None:
    """The problem of a file in which no row at all has one of the two columns."""
    for names in (("claim_id",), ("label", "verdict"))[: 1 + needs_label]:
        if file.rows and not any(name in row.values for row in file.rows for name in names):
            given = ", ".join(list(file.rows[0].values)[:10]) or "none"
            return Problem(
                "columns", f"no row has the key {' or '.join(names)} (there are: {given}); add it"
            )
    return None


class _Interpreter:
    """Takes one row after the other, and counts what it normalised."""

    def __init__(self, format_name: Format) -> None:
        self.predictions: list[Prediction] = []
        self.problems: list[Problem] = []
        self.notes: Counter[str] = Counter()
        self.normalised: Counter[str] = Counter()
        self._digits_count = format_name == "CSV"
        self._text_ids = format_name in _TEXT_IDS

    def add(self, row: Row) -> None:
        place, values = row
        given_id = values.get("claim_id")
        try:
            claim_id = claim_id_of(given_id)
        except BadLineError as reason:
            self.problems.append(Problem("claim-id", str(reason), place=place))
            return
        if type(given_id) is not int and not self._text_ids:
            self.notes[f"claim_id given as {_kind(given_id)}"] += 1
        given, label = self._label(place, claim_id, values)
        extra = {key: value for key, value in values.items() if key not in RAW_COLUMNS}
        self.predictions.append(Prediction(place, claim_id, label, given, extra))

    def _label(
        self, place: int, claim_id: int, values: dict[str, Any]
    ) -> tuple[object, str | None]:
        given, verdict = values.get("label"), values.get("verdict")
        if given is None:
            given = verdict
        label = label_of(given, digits_count=self._digits_count)
        if verdict is not None and not self._agree(given, label, verdict):
            message = f"label {shown(given)} and verdict {shown(verdict)} differ; keep one of them"
            self.problems.append(Problem("conflict", message, place=place, claim_id=claim_id))
            return given, None
        if label is None:
            near = nearest_label(given) if isinstance(given, str) else None
            what_to_do = f"did you mean {near}?" if near else "write one of them"
            message = f"label {shown(given)} is none of {_NAMES}; {what_to_do}"
            self.problems.append(Problem("label", message, place=place, claim_id=claim_id))
        elif given != label:
            self.normalised[str(given)] += 1
        return given, label

    def _agree(self, given: object, label: str | None, verdict: object) -> bool:
        if label is None:
            return bool(given == verdict)
        return label == label_of(verdict, digits_count=self._digits_count)


def _kind(value: object) -> str:
    return "text" if isinstance(value, str) else "a float"
