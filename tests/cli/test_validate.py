"""`claimdb validate`, called as its users call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Call
from tests.harness.runs import right_labels, write_run

SAMPLE = ("--split", "sample")


def test_a_good_file(claimdb_command: Call, tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", right_labels())
    code, out, err = claimdb_command("validate", "run.jsonl", *SAMPLE)
    assert (code, out, err) == (0, "run.jsonl: 0 problems, 144 rows for 144 claims of sample\n", "")


def bad_run(path: Path) -> Path:
    labels: dict[int, Any] = right_labels()
    ids = sorted(labels)
    del labels[ids[0]]
    labels[ids[1]] = "SUPPORTS"
    labels[ids[2]] = labels[ids[2]].lower()
    write_run(path, labels)
    with path.open("a") as file:
        file.write(json.dumps({"claim_id": ids[3], "label": labels[ids[3]]}) + "\n")
        file.write(json.dumps({"claim_id": 10**9, "label": 0}) + "\n{torn")
    return path


def test_every_problem_at_once(claimdb_command: Call, tmp_path: Path) -> None:
    bad_run(tmp_path / "run.jsonl")
    code, out, err = claimdb_command("validate", "run.jsonl", *SAMPLE)
    assert (code, err) == (1, "")
    assert out.startswith("run.jsonl: 5 problems, 145 rows for 144 claims of sample")
    for kind in ("label", "duplicate", "unknown-id", "not-json", "missing-id"):
        assert f"  {kind} " in out
    assert "was taken for a label: 1" in out


def test_json_for_programs(claimdb_command: Call, tmp_path: Path) -> None:
    bad_run(tmp_path / "run.jsonl")
    code, out, err = claimdb_command("validate", "run.jsonl", *SAMPLE, "--json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    places = {problem["kind"]: problem["place"] for problem in found["problems"]}
    expected = {"label": 1, "duplicate": 144, "unknown-id": 145, "not-json": 146}
    assert places == expected | {"missing-id": None}
    assert found["n_fixed"] is None
    assert len(found["missing"]) == 1


def test_fix_writes_a_sorted_copy_where_nothing_is_ambiguous(
    claimdb_command: Call, tmp_path: Path
) -> None:
    labels = right_labels()
    rows = [{"claim_id": k, "verdict": f" {v.lower()}"} for k, v in reversed(labels.items())]
    (tmp_path / "run.json").write_text(json.dumps([*rows, rows[3]]))
    code, out, err = claimdb_command("validate", "run.json", *SAMPLE, "--fix", "fixed.jsonl")
    assert (code, err) == (0, "")
    assert "wrote 144 rows to fixed.jsonl; 0 problems left in it" in out
    fixed = [json.loads(line) for line in (tmp_path / "fixed.jsonl").read_text().split("\n")[:-1]]
    assert fixed == [{"claim_id": k, "label": labels[k]} for k in sorted(labels)]
    assert claimdb_command("validate", "fixed.jsonl", *SAMPLE)[0] == 0


def test_a_fixed_copy_still_lacks_what_was_missing(claimdb_command: Call, tmp_path: Path) -> None:
    write_run(tmp_path / "run.jsonl", dict(list(right_labels().items())[:-1]))
    code, out, err = claimdb_command("validate", "run.jsonl", *SAMPLE, "--fix", "run.jsonl")
    assert (code, err) == (1, "")
    assert "wrote 143 rows to run.jsonl; 1 problem left in it" in out


def test_fix_refuses_to_guess(claimdb_command: Call, tmp_path: Path) -> None:
    bad_run(tmp_path / "run.jsonl")
    code, out, err = claimdb_command("validate", "run.jsonl", *SAMPLE, "--fix", "fixed.jsonl")
    assert code == 1
    assert err == "claimdb: fixed.jsonl not written: some problems need a decision of yours\n"
    assert "5 problems" in out
    assert not (tmp_path / "fixed.jsonl").exists()


def test_hidden_claims_are_validated_and_the_wrong_split_is_told(
    claimdb_command: Call, copy: str, tmp_path: Path
) -> None:
    lines = Path(copy, "test-private.jsonl").read_text().split("\n")
    rows = [json.loads(line) for line in lines[:-1]]
    write_run(tmp_path / "run.jsonl", {row["claim_id"]: "ENTAILED" for row in rows})
    private = ("--split", "test_private", "--data-dir", copy)
    good = claimdb_command("validate", "run.jsonl", *private)
    assert good == (0, "run.jsonl: 0 problems, 3 rows for 3 claims of test_private\n", "")
    code, out, _ = claimdb_command("validate", "run.jsonl", "--split", "train", "--data-dir", copy)
    assert code == 1
    assert out.startswith("run.jsonl: 1 problem, 3 rows for 10 claims of train")
    assert "3 of the ids are of split test_private" in " ".join(out.split())


def test_confidences_that_cannot_be_scored(claimdb_command: Call, tmp_path: Path) -> None:
    labels = right_labels()
    sure: dict[int, Any] = dict.fromkeys(labels, 0.5)
    first, second, *_ = labels
    sure[first], sure[second] = 1.2, None
    write_run(tmp_path / "run.jsonl", labels, confidence=sure)
    code, out, _ = claimdb_command("validate", "run.jsonl", *SAMPLE, "--fix", "fixed.jsonl")
    assert code == 1
    lines = [line.split(maxsplit=2) for line in out.split("\n")]
    assert ["1", "confidence", "confidence must be from 0 to 1, got 1.2; mend it"] in lines
    assert "1 of 144 labels have no confidence" in out
    assert "2 problems left in it" in out


def test_a_long_list_of_problems_is_cut_for_people_only(
    claimdb_command: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("claimdb_cli.validate.MAX_SHOWN", 3)
    write_run(tmp_path / "run.jsonl", dict.fromkeys(right_labels(), "?"))
    out = claimdb_command("validate", "run.jsonl", *SAMPLE)[1]
    assert out.count("  label ") == 3
    assert "and 141 more: --json lists all of them" in out
    document = json.loads(claimdb_command("validate", "run.jsonl", *SAMPLE, "--json")[1])
    assert len(document["problems"]) == 144


def test_references_need_no_labels(claimdb_command: Call, tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_text("claim_id\n7\n8\n")
    (tmp_path / "run.csv").write_text("claim_id,label\n7,ENTAILED\n8,NOT ENOUGH INFO\n")
    assert claimdb_command("validate", "run.csv", "--references", "claims.csv")[0] == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing.jsonl", *SAMPLE], "no such file: nothing.jsonl"),
        (["run.jsonl", "--references", "nothing.csv"], "no such file: nothing.csv"),
        (["run.jsonl", "--split", "dev"], "no split 'dev'"),
        (["run.jsonl", *SAMPLE, "--references", "x"], "give --split or --references"),
        (["run.jsonl"], "give --split or --references"),
        (["run.jsonl", *SAMPLE, "--fix", ""], "name the file to write"),
        (["run.jsonl", *SAMPLE, "--fix", "-"], "name the file to write; /dev/stdout prints it"),
        (["run.jsonl", *SAMPLE, "--fix", "."], "is a folder; name a file in it"),
        (["run.jsonl", *SAMPLE, "--fix", "fixed.csv"], "predictions are written as JSONL"),
        (["run.jsonl", *SAMPLE, "--fix", "no/fixed.jsonl"], "there is no folder no; make it first"),
    ],
)
def test_wrong_input_is_exit_code_2(
    claimdb_command: Call,
    copy: str,
    arguments: list[str],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CLAIMDB_DATA_DIR", copy)
    write_run(Path(copy).parent / "run.jsonl", {1: 0})
    code, out, err = claimdb_command("validate", *arguments)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())
