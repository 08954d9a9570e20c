"""Runs of other programs become folders of runs; what is of no known form is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from claimdb_harness.imports.imported import SOURCES, import_into
from claimdb_harness.imports.transcripts import transcript_files
from claimdb_harness.labelled_claims import from_split
from claimdb_harness.runs.runs import read_run
from claimdb_metric.errors import DataError, PredictionFileError
from tests.harness.imports.recorded import CLAIMS, CLAUDE, CODEX, imported, written

ROWS = [{"claim_id": 9, "label": "no", "model": "m"}, {"claim_id": 7, "label": 0, "model": "m"}]


def test_the_folder_is_that_of_a_run(tmp_path: Path) -> None:
    found = imported(tmp_path, written(tmp_path / "mine.jsonl", ROWS), "predictions")
    run = read_run(found.out)
    assert (run.settings.model, run.settings.task, run.settings.split) == ("m", "imported", "mine")
    assert run.claims.columns == CLAIMS.columns
    assert [(one.claim_id, one.outcome) for one in run.done] == [
        (7, "answered"),
        (9, "no_verdict"),
    ]
    assert run.pending == [8]
    assert found.to_dict() == {
        "out": str(tmp_path / "out"),
        "model": "m",
        "answered": 1,
        "no_verdict": 1,
        "not_run": 0,
        "pending": [8],
        "sql_calls": 0,
        "left_aside": {},
    }


@pytest.mark.parametrize(
    ("models", "given", "model"),
    [((), "x", "x"), (("a", "a"), None, "a"), (("a", "b"), None, "mine"), ((), None, "mine")],
)
def test_its_model(tmp_path: Path, models: tuple[str, ...], given: str | None, model: str) -> None:
    rows = [{"claim_id": n, "label": 0} for n in (7, 8)]
    named = [row | {"model": name} for row, name in zip(rows, models, strict=False)]
    path = written(tmp_path / "mine.jsonl", named or rows)
    assert imported(tmp_path, path, "predictions", given).model == model


def test_a_folder_is_not_written_over(tmp_path: Path) -> None:
    path = written(tmp_path / "mine.jsonl", ROWS)
    imported(tmp_path, path, "predictions")
    with pytest.raises(DataError, match="holds a run already"):
        imported(tmp_path, path, "predictions")


def test_an_unknown_program(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="--from 'dspy' is none of predictions, openai-agents, "):
        imported(tmp_path, tmp_path, "dspy")


@pytest.mark.parametrize("source", ["claude-code", "codex"])
@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"id": 1, "msg": {}}', r"first line is a JSON object with keys id, msg; \S+ transcripts"),
        ('{"type": "summary", "x": 1}', "keys type, x and type 'summary'; "),
        ("{}", "a JSON object with keys none; "),
        ("[1]", r"7\.jsonl, line 1: not a JSON object but list; mend or remove"),
        ('{"type": "sys', "line 1: not JSON .* the file may be cut short"),
        ("", "is empty: remove it"),
    ],
)
def test_unknown_forms_are_refused(tmp_path: Path, source: str, line: str, message: str) -> None:
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "7.jsonl").write_text(line)
    with pytest.raises(DataError, match=message):
        imported(tmp_path, tmp_path / "runs", source)
    assert not (tmp_path / "out").exists()


def test_what_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "7.jsonl").write_bytes(b'{"type": "system"}\n\xff')
    with pytest.raises(DataError, match="byte 20 is not UTF-8 text"):
        imported(tmp_path, tmp_path, "claude-code")


def test_the_right_program_is_named(tmp_path: Path) -> None:
    written(tmp_path / "a" / "7.jsonl", CODEX)
    written(tmp_path / "b" / "7.jsonl", CLAUDE)
    with pytest.raises(DataError, match=r"type 'thread\.started'.*; use --from codex"):
        imported(tmp_path, tmp_path / "a", "claude-code")
    with pytest.raises(DataError, match=r"type 'system'.*; use --from claude-code"):
        imported(tmp_path, tmp_path / "b", "codex")


def test_files_are_named_for_claims(tmp_path: Path) -> None:
    for name in ("7", "007", "99", "notes"):
        written(tmp_path / f"{name}.jsonl", CODEX)
    expected = r"(?s)3 problems in a transcript.*7\.jsonl and 007.*99.*none of the 3.*notes"
    with pytest.raises(PredictionFileError, match=expected):
        transcript_files(tmp_path, {7, 8, 9})


def test_a_folder_of_transcripts(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"holds no <claim_id>\.jsonl"):
        transcript_files(tmp_path, {7})
    with pytest.raises(DataError, match="is a file; give a folder"):
        transcript_files(written(tmp_path / "7.jsonl", CODEX), {7})


def test_every_program_has_its_reader() -> None:
    assert list(SOURCES) == ["predictions", "openai-agents", "claude-code", "codex"]


def test_the_real_run_as_its_user_counted_it(shared: Path, tmp_path: Path) -> None:
    data = shared / "data"
    claims = from_split("test_public", str(data / "claimdb"))
    path = data / "reference" / "run_minimal_prompt" / "predictions.jsonl"
    import_into(tmp_path / "out", path, "predictions", claims)
    run = read_run(tmp_path / "out")
    labels = dict(zip(run.claims.claim_ids, run.claims.labels, strict=True))
    assert sum(one.verdict == labels[one.claim_id] for one in run.done) == 870
    assert (len(run.done), run.pending) == (1000, [])
