"""Runs for the tests: of a few claims by hand, and of the published counts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from claimdb_harness.runs.folder import claims_bytes, write_run
from claimdb_harness.runs.settings import Settings
from claimdb_harness.runs.traces import Call, Trace
from claimdb_metric.labels import LABELS

E, C, NEI = LABELS


def answer(sql: str, *rows: str, head: str = "n", **given: Any) -> Call:
    """A call that brought rows, as the sandbox writes them."""
    count = f"({len(rows)} row{'s' * (len(rows) != 1)})"
    text = "\n".join([head, *rows, count])
    return Call("execute_sql", sql, "ok", text, n_rows=len(rows), **given)


def failed(sql: str, message: str, status: str = "sql_error") -> Call:
    return Call("execute_sql", sql, status, f"{status}: {message}", message)


def claims_of(n: int, **columns: list[Any]) -> dict[str, list[Any]]:
    """Claims 1 to n, each "Claim <n>." and ENTAILED unless columns say otherwise."""
    made = {"claim_id": [*range(1, n + 1)], "claim": ["A claim."] * n, "label": [E] * n}
    return made | columns


def made_run(
    path: Path,
    traces: Iterable[Trace],
    claims: dict[str, list[Any]],
    model: str = "openai/gpt-5-mini",
) -> Path:
    """The folder of a run."""
    sha256 = hashlib.sha256(claims_bytes(claims)).hexdigest()
    write_run(path, Settings(model, "mine", sha256), claims, traces)
    return path


QUERY = answer("SELECT COUNT(*) FROM trip", "48")


def published_run(shared: Path, path: Path, model: str) -> Path:
    """A run with the published confusion and SQL calls of a model.

    The published calls are those of valid verdicts only; of more than 20 only the mean is known.
    """
    reference = shared / "data" / "reference"
    counts = json.loads((reference / "tool_call_histograms.json").read_text())[model]
    confusion = json.loads((reference / "confusion_matrices.json").read_text())[model]
    golds, verdicts = [], []
    for gold, row, n_invalid in zip(
        LABELS, confusion["matrix"], confusion["invalid_by_gold_row"], strict=True
    ):
        answers = [label for label, n in zip(LABELS, row, strict=True) for _ in range(n)]
        golds += [gold] * (len(answers) + n_invalid)
        verdicts += [*answers, *[None] * n_invalid]
    claims = claims_of(len(golds), claim=["A claim."] * len(golds), label=golds)
    calls = _calls(counts)
    traces = (_trace(place, verdict, calls) for place, verdict in enumerate(verdicts, start=1))
    return made_run(path, traces, claims, model)


def _trace(claim_id: int, verdict: str | None, calls: Iterator[int]) -> Trace:
    if verdict is None:
        return Trace(claim_id, "no_verdict", stop="turns", invalid="no_answer")
    return Trace(claim_id, "answered", verdict, calls=(QUERY,) * next(calls))


def _calls(counts: Any) -> Iterator[int]:
    for n_calls, n_claims in enumerate(counts["counts_0_to_20"]):
        yield from [n_calls] * n_claims
    n_over = counts["n_over_20"]
    total = round((counts["avg_of_over20_implied"] or 0) * n_over)
    for place in range(n_over):
        yield total // n_over + (place < total % n_over)
