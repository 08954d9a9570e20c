"""A scored run as an evaluation result: its YAML, and the commit in the model's repository."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries

from claimdb_harness.eval_results import Reported, push_results, result_path, results_text
from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_harness.scored_runs import ScoredRun, score_run
from claimdb_loader.hub_head import Repo
from claimdb_metric.errors import DataError, UnavailableError
from tests.harness.runs import right_labels, sample, write_run, wrong
from tests.hub import LocalHub

REPORTED = Reported("you/claimdb", "claimdb_public")
PATH = ".eval_results/you--claimdb.yaml"
MODEL = Repo("you/model", "model", token="hf_test")
CARD = b"---\nlicense: mit\n---\n# A model\n"


def run_with(folder: Path, n_wrong: int = 36, **answers: Any) -> ScoredRun:
    """A run on the 144 claims of the sample, of which the first few answers are wrong."""
    labels: dict[int, Any] = right_labels()
    ids = sorted(labels)
    labels |= {claim_id: wrong(labels[claim_id]) for claim_id in ids[:n_wrong]}
    labels |= {ids[int(place)]: answer for place, answer in answers.items()}
    return score_run(str(write_run(folder / "run.jsonl", labels)), sample())


@pytest.fixture
def run(tmp_path: Path) -> ScoredRun:
    return run_with(tmp_path)


def only(text: str) -> dict[str, Any]:
    (row,) = yaml.safe_load(text)
    return dict(row)


@pytest.mark.parametrize(("n_wrong", "value"), [(0, 1.0), (1, 0.9931), (36, 0.75), (144, 0.0)])
def test_the_value_is_accuracy_as_a_fraction(tmp_path: Path, n_wrong: int, value: float) -> None:
    row = only(results_text(run_with(tmp_path, n_wrong), REPORTED))
    assert row["dataset"] == {"id": "you/claimdb", "task_id": "claimdb_public"}
    assert row["value"] == value
    assert row.keys() == {"dataset", "value", "notes"}


def test_notes_hold_what_else_is_known(tmp_path: Path) -> None:
    run = run_with(tmp_path, 0, **{"3": "SUPPORTS", "5": "maybe", "7": ""})
    low, high = run.score.intervals["accuracy"] or (0, 0)
    notes = only(results_text(run, REPORTED))["notes"]
    assert 0 < low < run.score.accuracy == 141 / 144 < high <= 1
    assert notes.split("; ") == [
        f"accuracy [{low:.3f}, {high:.3f}]",
        f"macro-F1 {run.score.macro_f1:.3f}",
        "3 invalid",
        run.score.signature,
    ]
    assert "|split:sample|n:144|" in notes


def test_a_single_claim_has_no_interval(tmp_path: Path) -> None:
    claims = LabelledClaims("one", {"claim_id": [7], "label": ["ENTAILED"]})
    run = score_run(str(write_run(tmp_path / "run.jsonl", {7: "ENTAILED"})), claims)
    row = only(results_text(run, REPORTED))
    assert row["value"] == 1.0
    assert row["notes"].startswith("accuracy; macro-F1 ")


@pytest.mark.parametrize(
    "notes", ["no tools", "20 turns: SQL – «yes» #1", "- [x]\n'y'", "0", "null", "🦉" * 200]
)
def test_the_hub_reads_what_was_written(run: ScoredRun, notes: str) -> None:
    reported = Reported("you/claimdb", "sql", notes, "https://x.org/a?b#c", "5503434ddd")
    (entry,) = parse_eval_result_entries(yaml.safe_load(results_text(run, reported)))
    found = (entry.dataset_id, entry.task_id, entry.value, entry.dataset_revision)
    assert found == ("you/claimdb", "sql", 0.75, "5503434ddd")
    assert entry.source_url == "https://x.org/a?b#c"
    assert str(entry.notes).startswith(f"{notes}; accuracy [")
    assert (entry.date, entry.verify_token, entry.source_name) == (None, None, None)


OTHERS = """
- dataset: {id: cais/hle, task_id: default, revision: abc}
  value: 20.9
  verifyToken: eyJ
  date: 2026-01-15T10:30:00Z
  source: {url: https://x.org, name: Logs, user: celinah, org: cais}
  notes: no-tools
- dataset: {id: you/claimdb, task_id: claimdb_public, revision: old}
  value: 0.1
- dataset: {id: you/claimdb, task_id: claimdb_sql}
  value: {accuracy: 0.5}
  evaluation_framework: inspect-ai
  date: 2026-13-45
"""


def test_other_results_are_kept(run: ScoredRun) -> None:
    """Whole, also what this huggingface_hub does not know of them."""
    before = yaml.load(OTHERS, yaml.BaseLoader)
    text = results_text(run, REPORTED, OTHERS)
    after = yaml.load(text, yaml.BaseLoader)
    assert [row["value"] for row in after] == ["20.9", {"accuracy": "0.5"}, "0.75"]
    assert after[:2] == [before[0], before[2]]
    dates = [entry.date for entry in parse_eval_result_entries(yaml.safe_load(text))]
    assert dates == ["2026-01-15T10:30:00Z", "2026-13-45", None]


def test_the_same_result_again_is_the_same_text(run: ScoredRun) -> None:
    once = results_text(run, REPORTED, OTHERS)
    assert results_text(run, REPORTED, once) == once


@pytest.mark.parametrize("old", ["", "\n", "[]\n", "# nothing yet\n", "---\n"])
def test_a_file_without_results(run: ScoredRun, old: str) -> None:
    assert results_text(run, REPORTED, old) == results_text(run, REPORTED)


DAMAGED = {
    "not YAML": "- {",
    "a text": "hello",
    "a number": "42",
    "a mapping": "dataset: {id: a, task_id: b}\nvalue: 1\n",
    "a list of texts": "- hello\n",
    "no dataset": "- value: 1\n",
    "a dataset that is a text": "- dataset: cais/hle\n  value: 1\n",
    "no task": "- dataset: {id: a}\n  value: 1\n",
    "no value": "- dataset: {id: a, task_id: b}\n",
    "a source that is a text": "- {dataset: {id: a, task_id: b}, value: 1, source: x}\n",
    "a name without url": "- {dataset: {id: a, task_id: b}, value: 1, source: {name: x}}\n",
    "a constructor": "- !!python/object/apply:os.getcwd []\n",
}


@pytest.mark.parametrize("kind", DAMAGED)
def test_a_damaged_file_is_named_and_not_overwritten(run: ScoredRun, kind: str) -> None:
    with pytest.raises(DataError, match="results that the model has already are damaged: "):
        results_text(run, REPORTED, DAMAGED[kind])


def test_a_run_that_is_not_finished(tmp_path: Path) -> None:
    labels = right_labels()
    for claim_id in sorted(labels)[:2]:
        del labels[claim_id]
    run = score_run(str(write_run(tmp_path / "run.jsonl", labels)), sample())
    with pytest.raises(DataError, match="2 of 144 claims have no prediction: finish the run"):
        results_text(run, REPORTED)


def test_an_older_huggingface_hub(run: ScoredRun, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", ModuleType("huggingface_hub"))
    with pytest.raises(DataError, match="pip install -U huggingface_hub"):
        results_text(run, REPORTED)


def test_names_of_files() -> None:
    names = ("you/claimdb", "your-lab/claim.db_2")
    assert [result_path(name) for name in names] == [
        PATH,
        ".eval_results/your-lab--claim.db_2.yaml",
    ]


def test_a_model_of_ones_own(hub: LocalHub, run: ScoredRun) -> None:
    first = hub.add_repo("you/model", {"README.md": CARD, PATH: OTHERS.encode()}, repo_type="model")
    text, sent = push_results(run, REPORTED, MODEL)
    assert text == results_text(run, REPORTED, OTHERS)
    files = hub.files("you/model", repo_type="model")
    assert files == {"README.md": CARD, PATH: text.encode()}
    assert sent is not None
    assert sent.sha != first
    assert (sent.url, sent.pull_request) == (f"{hub.url}/you/model/commit/{sent.sha}", None)
    assert push_results(run, REPORTED, MODEL) == (text, None)
    again, _ = push_results(run, Reported("you/claimdb", "claimdb_public", "again"), MODEL)
    assert [row["value"] for row in yaml.safe_load(again)] == [20.9, {"accuracy": 0.5}, 0.75]


@pytest.mark.parametrize("private", [False, True])
def test_a_model_of_an_organisation(hub: LocalHub, run: ScoredRun, private: bool) -> None:
    hub.add_repo("your-lab/model", {"README.md": CARD}, repo_type="model", private=private)
    push_results(run, REPORTED, Repo("your-lab/model", "model", token="hf_test"))
    assert only(hub.files("your-lab/model", repo_type="model")[PATH].decode())["value"] == 0.75


def test_a_pull_request_to_somebody_else(hub: LocalHub, run: ScoredRun) -> None:
    hub.add_repo("them/model", {"README.md": CARD}, repo_type="model")
    model = Repo("them/model", "model", token="hf_test")
    text, sent = push_results(run, REPORTED, model, create_pr=True, message="Our score")
    assert sent is not None
    assert sent.pull_request == f"{hub.url}/them/model/discussions/1"
    assert hub.files("them/model", repo_type="model") == {"README.md": CARD}
    assert hub.files("them/model", "refs/pr/1", repo_type="model")[PATH].decode() == text


REFUSED: list[tuple[str, Any, str]] = [
    ("them/model", "hf_test", "belongs to them, and you are signed in as you: .* --create-pr"),
    ("you/none", "hf_test", "model repository you/none does not exist: push the model first"),
    ("you/model", "hf_read", "the token of you may only read"),
    ("you/model", "hf_fine", "your token may not write to model repository you/model"),
    ("you/model", None, "no Hub token: `hf auth login`, or set HF_TOKEN"),
    ("model", "hf_test", "'model' must be OWNER/NAME, such as you/model"),
    ("you/mo del", "hf_test", "'you/mo del' cannot be a repository's name"),
]


@pytest.mark.parametrize(("model_id", "token", "words"), REFUSED)
def test_what_is_refused(
    hub: LocalHub, run: ScoredRun, model_id: str, token: str | None, words: str
) -> None:
    for name in ("you/model", "them/model"):
        hub.add_repo(name, {"README.md": CARD}, repo_type="model")
    with pytest.raises(DataError, match=words):
        push_results(run, REPORTED, Repo(model_id, "model", token=token))
    with pytest.raises(DataError, match="'claimdb' must be OWNER/NAME"):
        push_results(run, Reported("claimdb", "t"), MODEL)
    for name in ("you/model", "them/model"):
        assert hub.files(name, repo_type="model") == {"README.md": CARD}


def test_a_result_that_is_no_text(hub: LocalHub, run: ScoredRun) -> None:
    hub.add_repo("you/model", {PATH: b"- notes: caf\xe9\n"}, repo_type="model")
    said = r"^\.eval_results/you--claimdb\.yaml of model repository you/model is not UTF-8: mend"
    with pytest.raises(DataError, match=said):
        push_results(run, REPORTED, MODEL)


def test_a_hub_that_fails_once(hub: LocalHub, run: ScoredRun) -> None:
    hub.add_repo("you/model", {"README.md": CARD}, repo_type="model")
    hub.fault("api/models/you/model/commit", status=503, headers={"Retry-After": "0"})
    assert push_results(run, REPORTED, MODEL)[1] is not None


def test_a_token_that_nobody_issued(hub: LocalHub, run: ScoredRun) -> None:
    with pytest.raises(UnavailableError, match="your token is not valid"):
        push_results(run, REPORTED, Repo("you/model", "model", token="hf_wrong"))
