"""`claimdb score` on runs: folders and logs that a scripted model left behind."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimdb_harness.runs.plans import plan_run
from claimdb_harness.runs.runs import read_run
from claimdb_metric.labels import LABELS
from tests.cli.conftest import Call
from tests.cli.test_predictions import made
from tests.harness.runs import sample

Answer = Callable[..., Any]

ASK = {"sql": "SELECT 1"}
SILENT, FORCED, WRONG = (range(start, 40, 7) for start in range(3))
"""Of the forty claims, by their places; all others get the right verdict at once."""

N_RIGHT = 40 - len(SILENT) - len(WRONG)


def script() -> dict[str, Any]:
    """What the model says: nothing, a verdict at its last turn, a wrong one, or the right one."""
    claims = {}
    for place, (claim_id, label) in enumerate(
        zip(sample().claim_ids[:40], map(str, sample().labels[:40]), strict=True)
    ):
        other = LABELS[(LABELS.index(label) + 1) % 3]
        steps: list[dict[str, Any]] = [{"verdict": other if place in WRONG else label}]
        claims[str(claim_id)] = [ASK, *steps] if place in FORCED else steps
        if place in SILENT:
            claims[str(claim_id)] = [{"text": "hm"}]
    return {"claims": claims}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs of the forty claims: whole in one log, in parts, and in small logs."""
    from tests.harness.agents.scripts import run

    folder = tmp_path_factory.mktemp("played")
    for name, limit, size in (
        ("whole", "1-40", 5000),
        ("first", "1-20", 5000),
        ("second", "21-40", 5000),
        ("small", "1-40", 15),
    ):
        plan = plan_run(sample(), limit)
        run(folder / name, plan, script(), max_turns=2, claims_per_log=size)
    (log,) = (folder / "whole" / "logs").glob("*.eval")
    shutil.copy(log, folder / "whole.eval")
    return folder


def without(found: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in found.items() if name not in names}


EXTRA = ("notes", "run", "intervals_by", "signature")


def test_a_folder_a_log_and_predictions_have_the_same_score(
    answer: Answer, played: Path, tmp_path: Path
) -> None:
    folder = answer("score", played / "whole")
    log = answer("score", played / "whole.eval")
    answer("predictions", played / "whole", "--out", "mine.jsonl")
    gold = plan_run(sample(), 40).claims
    rows = [
        dict(zip(gold.columns, row, strict=True))
        for row in zip(*gold.columns.values(), strict=True)
    ]
    (tmp_path / "gold.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    file = answer("score", "mine.jsonl", "--references", "gold.jsonl")
    assert folder == log
    assert without(folder, *EXTRA) == without(file, *EXTRA)
    assert folder["signature"] == file["signature"].replace("gold.jsonl", "sample")
    assert folder["accuracy"] == pytest.approx(N_RIGHT / 40)
    assert (folder["n"], folder["n_invalid"], folder["missing"]) == (40, len(SILENT), [])
    assert "run" not in file
    assert folder["run"].startswith("claimdb_run|v:1|model:claimdb-recording/test|task:verify|")
    assert "|split:sample[1-40]|prompt:minimal-0c1acb25|" in folder["run"]


def test_verdicts_that_were_forced(answer: Answer, played: Path) -> None:
    (note,) = answer("score", played / "whole")["notes"]
    share = (N_RIGHT - len(FORCED)) / 40
    assert note == (
        f"{len(FORCED)} verdicts were forced, nothing else being offered: "
        f"counted as no verdict, accuracy is {share:.3f}"
    )


def test_intervals_over_claims_questions_and_databases(answer: Answer, played: Path) -> None:
    run = played / "whole"
    found = answer("score", run)
    assert [*found["intervals_by"]] == ["claims", "questions", "databases"]
    for unit, options in (
        ("claims", ()),
        ("questions", ("--group-by", "bird_id")),
        ("databases", ("--group-by", "db_name")),
    ):
        grouped = answer("score", run, *options)
        expected = {rate: grouped[f"{rate}_ci"] for rate in ("accuracy", "macro_f1")}
        assert found["intervals_by"][unit] == expected


def test_tables_for_people(claimdb_command: Call, played: Path) -> None:
    code, out, err = claimdb_command("score", played / "whole", "--by", "stop")
    assert (code, err) == (0, "")
    lines = out.rstrip().split("\n")
    assert lines[0].startswith("whole on sample: accuracy 0.7")
    assert lines[0].endswith(f"0 missing, {len(SILENT)} invalid")
    assert f'{len(SILENT)} answers are no label, counted as wrong: "" ({len(SILENT)})' in out
    at = lines.index("95 % intervals")
    assert lines[at + 1].split() == ["resampled", "accuracy", "macro-F1"]
    assert [line.split()[0] for line in lines[at + 3 : at + 6]] == [
        "claims",
        "questions",
        "databases",
    ]
    assert lines[-2].startswith("claimdb_metric|")
    assert lines[-1].startswith("claimdb_run|")
    assert "By stop" in lines


def test_other_claims_than_the_runs_own(answer: Answer, played: Path, tmp_path: Path) -> None:
    whole = answer("score", played / "whole", "--split", "sample")
    assert (whole["n"], len(whole["missing"])) == (144, 104)
    assert whole["accuracy"] == pytest.approx(N_RIGHT / 144)
    assert f"accuracy is {(N_RIGHT - len(FORCED)) / 144:.3f}" in whole["notes"][0]
    ids = sample().claim_ids[:40]
    rows = [{"claim_id": claim_id, "label": LABELS[0]} for claim_id in ids]
    (tmp_path / "mine.json").write_text(json.dumps(rows))
    mine = answer("score", played / "whole", "--references", "mine.json")
    assert mine["support_entailed"] == 40
    assert [*mine["intervals_by"]] == ["claims"]


def test_known_issues_are_left_out_of_all_numbers(
    answer: Answer, played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claims = sample()
    places = [*FORCED][:2]
    issues = [
        {"claim_id": claims.claim_ids[at], "db_name": claims.column("db_name")[at]} for at in places
    ]
    (tmp_path / "known_issues.jsonl").write_text("".join(json.dumps(one) + "\n" for one in issues))
    monkeypatch.setenv("CLAIMDB_DATA_DIR", str(tmp_path))
    found = answer("score", played / "whole", "--exclude-known-issues")
    assert (found["n"], found["missing"]) == (38, [])
    assert found["accuracy"] == pytest.approx((N_RIGHT - 2) / 38)
    n_forced = len(FORCED) - 2
    assert found["notes"][0].startswith(f"{n_forced} verdicts were forced")
    assert found["notes"][0].endswith(f"{(N_RIGHT - 2 - n_forced) / 38:.3f}")


def test_parts_make_a_whole(answer: Answer, played: Path, tmp_path: Path) -> None:
    parts = (played / "first", played / "second")
    for name, runs in (
        ("parts", parts),
        ("whole", (played / "whole",)),
        ("small", (played / "small",)),
    ):
        assert answer("predictions", *runs, "--out", f"{name}.jsonl")["rows"] == 40
    parts_, whole, small = (untimed(tmp_path / f"{n}.jsonl") for n in ("parts", "whole", "small"))
    assert parts_ == whole == small


def untimed(path: Path) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in path.read_text().split("\n") if line]
    return [without(row, "seconds") for row in rows]


def test_small_logs_in_one_folder(played: Path) -> None:
    logs = [*(played / "small" / "logs").glob("*.eval")]
    assert sorted(len(read_run(log).done) for log in logs) == [10, 15, 15]
    ids = [trace.claim_id for log in logs for trace in read_run(log).done]
    assert sorted(ids) == sorted(sample().claim_ids[:40])
    small, whole = (read_run(played / name).traces for name in ("small", "whole"))
    for claim_id, trace in whole.items():
        same = small[claim_id]
        assert (same.verdict, same.stop, same.forced, same.n_sql, same.tokens) == (
            *(trace.verdict, trace.stop, trace.forced, trace.n_sql, trace.tokens),
        )


def test_compare(answer: Answer, claimdb_command: Call, played: Path, tmp_path: Path) -> None:
    made(tmp_path / "right", "1-144")
    found = answer("compare", "right", played / "whole", "--split", "sample")
    assert [*found["systems"]] == ["right", "whole"]
    assert found["systems"]["right"]["accuracy"] == 1
    assert len(found["systems"]["whole"]["missing"]) == 104
    code, out, err = claimdb_command("compare", "right", played / "whole", "--split", "sample")
    assert (code, err) == (0, "")
    assert f"whole: {len(FORCED)} verdicts were forced" in out


def test_a_log_that_was_cut_short(claimdb_command: Call, played: Path, tmp_path: Path) -> None:
    content = (played / "whole.eval").read_bytes()
    (tmp_path / "cut.eval").write_bytes(content[: len(content) // 2])
    code, out, err = claimdb_command("score", "cut.eval")
    assert (code, out) == (2, "")
    assert "cut.eval is no log that Inspect can read" in err


def test_a_log_of_which_samples_are_gone(
    claimdb_command: Call, answer: Answer, played: Path, tmp_path: Path
) -> None:
    with (
        zipfile.ZipFile(played / "whole.eval") as old,
        zipfile.ZipFile(tmp_path / "part.eval", "w") as new,
    ):
        names = old.namelist()
        gone = sorted(name for name in names if name.startswith("samples/"))[:3]
        for name in names:
            if name not in gone:
                new.writestr(name, old.read(name))
    code, _, err = claimdb_command("score", "part.eval")
    assert code == 2
    assert "part.eval is incomplete: 37 of 40 claims were run" in err
    assert answer("score", "part.eval", "--allow-partial")["n"] == 37
