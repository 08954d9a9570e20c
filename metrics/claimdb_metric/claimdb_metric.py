"""The ClaimDB score as an `evaluate` module: `evaluate.load("claimdb_metric")`.

`evaluate` 0.4.6 copies this file and the siblings that it imports here, flat, to where no package
is installed: so every sibling that a sibling needs is imported here too, without a comment on the
line (its scanner would take that for an address).

Rows are kept as int8 codes in memory. The library's own store keeps a failed batch for ever,
chooses the type of all rows by the first, waits a second for a lock that another metric holds,
and encodes element by element; only where several processes share their rows is it used, for codes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import datasets
import evaluate
import numpy as np

from .calibration import calibration
from .citation import BIBTEX
from .columns import Column
from .confidences import encode_confidences
from .encoding import INVALID, Codes, code_of, encode_pairs, encode_references
from .errors import DataError
from .grouping import grouping
from .intervals import percentile_intervals
from .labels import CATEGORIES, LABELS
from .rates import rates
from .resampling import resample
from .score_tables import score_tables
from .scores import Score
from .scoring import score
from .signature import signature

_DESCRIPTION = """\
Scores verdicts on claims about databases (ClaimDB): accuracy, precision, recall and F1 of the three
labels, how often the system abstains (NOT ENOUGH INFO), and how many answers are no label at all;
with 95 % intervals, and a signature of everything that can move the numbers.
"""

_INPUTS = f"""
Args:
    predictions: the verdicts, label names or integers, also mixed: {", ".join(LABELS)} or 0, 1, 2.
        Anything else (None, an unknown string, NaN) is an invalid answer: wrong, and counted.
    references: the true labels, likewise; hidden or unknown ones raise.

To compute() only, a value for each claim; of all processes in turn where several share the rows:
    categories: the NEI category, {", ".join(CATEGORIES)}, or -1, "", None where there is none.
    groups: the question or database, plain or under its name, {{"bird_id": [...]}}: intervals
        resample whole groups, because claims of one question are not independent.
    confidences: the probability of the predicted label, or three (E, C, NEI).
    by: columns by name, {{"db_name": [...]}}: adds by_db_name, a list with the scores of each part.

To compute() only:
    n_resamples, seed: of the bootstrap behind the 95 % intervals; 1000 and 12345; 0 for none.
    split, known_issues: text for the signature: what the claims are, what was left out.

Returns:
    A dict of plain Python values, described one by one in the metric's card.
"""

# What is accepted, as the library shows it, and the codes that it stores for several processes.
_ACCEPTED = [
    datasets.Features({"predictions": datasets.Value(one), "references": datasets.Value(other)})
    for one in ("string", "int64")
    for other in ("string", "int64")
]
_STORED = datasets.Features(
    {"predictions": datasets.Value("int8"), "references": datasets.Value("int8")}
)
_FLUSH_ROWS = 10_000


class ClaimdbMetric(evaluate.Metric):
    """Accuracy, per-class F1 and abstention of ClaimDB verdicts."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clear()

    def _info(self) -> evaluate.MetricInfo:
        return evaluate.MetricInfo(
            description=_DESCRIPTION,
            citation=BIBTEX,
            inputs_description=_INPUTS,
            features=_ACCEPTED,
            homepage="https://claimdb.github.io",
            reference_urls=["https://arxiv.org/abs/2601.14698"],
        )

    def __len__(self) -> int:
        return self._rows

    def add(self, *, prediction: object = None, reference: object = None, **kwargs: Any) -> None:
        """Add one row to those that the next compute() scores.

        Raises:
            HiddenLabelsError, DataError: the reference is hidden or no label; nothing is added.
        """
        # `evaluate.combine` says predictions and references here too.
        prediction = kwargs.pop("predictions", prediction)
        reference = kwargs.pop("references", reference)
        _refuse(kwargs)
        predicted, known = code_of(prediction), code_of(reference)
        if known == INVALID:
            # Raises, and says why.
            encode_references([reference])
        self._append(bytes([predicted]), bytes([known]))

    def add_batch(
        self,
        *,
        predictions: Iterable[object] | None = None,
        references: Iterable[object] | None = None,
        **kwargs: Any,
    ) -> None:
        """Add rows, all or none of them, to those that the next compute() scores.

        Raises:
            HiddenLabelsError, DataError: references are hidden or no labels, or lengths differ.
        """
        _refuse(kwargs)
        if predictions is None or references is None:
            raise DataError("add_batch() needs both predictions and references")
        predicted, known = encode_pairs(predictions, references)
        self._append(predicted.tobytes(), known.tobytes())

    def compute(
        self,
        *,
        predictions: Iterable[object] | None = None,
        references: Iterable[object] | None = None,
        **kwargs: Any,
    ) -> dict[str, object] | None:
        """Return the scores of the rows given, or of all rows added before, which it then forgets.

        Where several processes share the rows, the first gets the scores, the others None.

        Raises:
            HiddenLabelsError, DataError: nothing to score, or rows that cannot be scored; rows
                added before are kept, except where several processes share them.
        """
        given = predictions is not None
        if given != (references is not None):
            raise DataError("compute() needs both predictions and references, or none of them")
        if given and self._rows:
            raise DataError(
                f"{self._rows} rows of add() or add_batch() still wait to be scored:"
                " call compute() without rows first, which scores and forgets them"
            )
        if self.num_process > 1:
            rows = {"predictions": predictions, "references": references}
            result: dict[str, object] | None = self._shared(super().compute, **rows, **kwargs)
        elif given:
            result = self._compute(predictions=predictions, references=references, **kwargs)
        else:
            result = self._compute(**self._waiting(), **kwargs)
        self._clear()
        return result

    def _compute(self, *, predictions: Any, references: Any, **options: Any) -> dict[str, object]:
        return score(predictions, references, **options).to_dict()

    def _append(self, predicted: bytes, known: bytes) -> None:
        self._predicted += predicted
        self._known += known
        self._rows += len(known)
        # The first rows at once: with them the processes find each other.
        if self.num_process > 1 and (self.writer is None or len(self._known) >= _FLUSH_ROWS):
            self._shared(self._flush)

    def _waiting(self) -> dict[str, Codes]:
        columns = {"predictions": self._predicted, "references": self._known}
        return {name: np.frombuffer(bytes(codes), np.int8) for name, codes in columns.items()}

    def _clear(self) -> None:
        self._predicted, self._known, self._rows = bytearray(), bytearray(), 0

    def _shared(self, store: Callable[..., Any], /, **rows: Any) -> Any:
        """Return what the library's store returns; leave it empty and unlocked if it fails."""
        try:
            return store(**rows)
        except BaseException:
            for lock in (*(self.filelocks or ()), self.filelock, self.rendez_vous_lock):
                if lock is not None:
                    lock.release(force=True)
            for name in ("writer", "data", "filelock", "filelocks", "cache_file_name"):
                setattr(self, name, None)
            self._clear()
            raise

    def _flush(self) -> None:
        # Always by batch: with datasets 3.6, rows given to the library's add() come out after
        # those of a later add_batch().
        rows = self._waiting()
        self._predicted, self._known = bytearray(), bytearray()
        super().add_batch(**rows)

    def _finalize(self) -> None:
        self._flush()
        super()._finalize()

    def _infer_feature_from_batch(self, batch: object) -> datasets.Features:
        return _STORED


def _refuse(unknown: dict[str, Any]) -> None:
    if unknown:
        raise DataError(
            f"rows have predictions and references, not {', '.join(sorted(unknown))}"
            " (categories are given to compute())"
        )
