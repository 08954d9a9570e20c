"""`claimdb run` with Inspect's own provider, against an OpenAI-compatible server on loopback."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.traces import Tokens, Trace
from claimdb_metric.labels import LABELS
from tests.cli import conftest
from tests.harness.agents.scripts import collected
from tests.harness.mcp.clients import ferries
from tests.openai_server import Fault, OpenAIServer

claimdb_command = conftest.claimdb_command
pytestmark = [
    # Of tenacity's, which Inspect calls so.
    pytest.mark.filterwarnings("ignore:The 'initial' parameter:DeprecationWarning"),
    # Inspect leaves a client's connections open; a command's end closes them.
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]

KEY = "sk-loopback-4711"
YES, NO, NEI = LABELS
COUNT = "SELECT count(*) FROM sqlite_master"
FERRIES, BILLS, LOANS = "Kõrgelaid–Ruunisadam", "Eight collisions", "The Velvet Harbour"
STEPS = {
    FERRIES: [{"sql": COUNT}, {"verdict": NO, "why": "Högnäs costs more."}],
    BILLS: [{"sql": "SELEC"}, {"sql": COUNT}, {"verdict": YES}],
    LOANS: [{"verdict": NEI}],
}
"""For the first three claims of the sample: six calls of the model."""

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenAIServer]:
    monkeypatch.setenv("LOCAL_API_KEY", KEY)
    with OpenAIServer(STEPS) as running:
        yield running


@pytest.fixture
def run(claimdb_command: conftest.Call, server: OpenAIServer) -> Run:
    """One `claimdb run` into the folder `run`."""

    def call(*options: object) -> tuple[int, str, str]:
        with collected():
            model = ("--model", "openai-api/local/some-model", "--base-url", server.base_url)
            claims = ("--split", "sample", "--limit", "3", "--out", "run")
            return claimdb_command("run", *model, *claims, *options)

    return call


def traces(tmp_path: Path) -> dict[str, Trace]:
    """What became of each claim, by a part of its text."""
    found = RunFolder(tmp_path / "run").traces()
    return {part: found[claim_id] for part, claim_id in ((FERRIES, 1), (BILLS, 2), (LOANS, 3))}


@pytest.mark.parametrize(
    ("protocol", "tools"),
    [("tools", ["execute_sql", "submit_verdict"]), ("json", ["execute_sql"]), ("constrained", [])],
)
def test_verdicts_calls_and_tokens(
    run: Run, server: OpenAIServer, tmp_path: Path, protocol: str, tools: list[str]
) -> None:
    code, out, _ = run("--protocol", protocol)
    assert code == 0, out
    assert "run: 3 of 3 claims, 3 verdicts, 2 right, 3 queries, 720 tokens\n" in out
    found = traces(tmp_path)
    assert {part: (one.verdict, one.turns) for part, one in found.items()} == {
        FERRIES: (NO, 2),
        BILLS: (YES, 3),
        LOANS: (NEI, 1),
    }
    assert [(call.sql, call.status) for call in found[BILLS].calls] == [
        ("SELEC", "sql_error"),
        (COUNT, "ok"),
    ]
    # The 100 tokens of a prompt hold the 60 from the cache: they are counted once.
    assert found[BILLS].tokens == Tokens(input=120, cached=180, output=60, reasoning=24)
    offered = {(*one.tools, one.schema is not None) for one in server.requests}
    assert offered == {(*tools, protocol == "constrained")}
    assert found[FERRIES].calls[0].output in server.about(FERRIES)[-1].text
    assert {one.headers["authorization"] for one in server.requests} == {f"Bearer {KEY}"}


@pytest.mark.parametrize(
    ("protocol", "tools"), [("tools", ["submit_verdict"]), ("json", []), ("constrained", [])]
)
def test_the_last_turn_offers_nothing_but_the_verdict(
    run: Run, server: OpenAIServer, tmp_path: Path, protocol: str, tools: list[str]
) -> None:
    server.script.steps = {"": [{"sql": COUNT}, {"verdict": NEI}]}
    code, *_ = run("--protocol", protocol, "--max-turns", 2, "--limit", 1)
    first, last = server.requests
    assert (code, last.tools) == (0, tools)
    only = {"type": "function", "function": {"name": "submit_verdict"}}
    assert last.body.get("tool_choice") == (only if protocol == "tools" else None)
    if protocol == "constrained":
        assert [one["properties"]["tool"]["enum"] for one in first.schema["anyOf"]] == [
            ["execute_sql"],
            ["submit_verdict"],
        ]
        assert last.schema == first.schema["anyOf"][1]
    assert RunFolder(tmp_path / "run").traces()[1].forced


def test_a_schema_keeps_its_lengths(run: Run, server: OpenAIServer) -> None:
    """Without them a small model never ends a string; Inspect leaves them out by itself."""
    run("--protocol", "constrained")
    query, verdict = server.requests[0].schema["anyOf"]
    lengths = [query["properties"]["sql"], verdict["properties"]["justification"]]
    assert [(one["minLength"], one["maxLength"]) for one in lengths] == [(1, 2000), (1, 600)]


@pytest.mark.slow  # Inspect waits 3 to 6 s before it asks again, whatever retry-after says
def test_two_429s_are_waited_for(run: Run, server: OpenAIServer, tmp_path: Path) -> None:
    server.script.faults = [Fault(2, BILLS, status=429, retry_after_s=0.1)]
    assert run()[0] == 0
    assert [one.status for one in server.about(BILLS)] == [429, 429, 200, 200, 200]
    assert len(server.requests) == 8
    assert traces(tmp_path)[BILLS].turns == 3


@pytest.mark.slow
def test_no_second_layer_retries(run: Run, server: OpenAIServer) -> None:
    server.script.faults = [Fault(None, BILLS, status=503, retry_after_s=0.1)]
    code, out, _ = run("--max-retries", 1)
    assert (code, len(server.about(BILLS))) == (1, 2)
    assert "not run (1): InternalServerError: Error code: 503 - the test says 503\n" in out


@pytest.mark.slow
def test_a_lost_connection_is_tried_again(run: Run, server: OpenAIServer, tmp_path: Path) -> None:
    server.script.faults = [Fault(1, BILLS, cut=True), Fault(1, FERRIES, body=b"[1]")]
    assert run()[0] == 0
    assert (len(server.about(BILLS)), len(server.about(FERRIES))) == (4, 3)
    assert traces(tmp_path)[BILLS].tokens.total == 360


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        (
            Fault(None, BILLS, status=500),
            "InternalServerError: Error code: 500 - the test says 500",
        ),
        (Fault(None, BILLS, status=401), "AuthenticationError: Error code: 401 - the test says"),
        (Fault(1, BILLS, body=b"<html>Sign in</html>"), "JSONDecodeError: Expecting value"),
    ],
)
def test_a_claim_that_the_provider_fails_is_asked_on_resume(
    run: Run,
    server: OpenAIServer,
    claimdb_command: conftest.Call,
    tmp_path: Path,
    fault: Fault,
    error: str,
) -> None:
    server.script.faults = [fault]
    code, out, _ = run("--max-retries", 0)
    assert code == 1
    assert "run: 2 of 3 claims, 2 verdicts" in out
    assert "incomplete: claimdb run --out run --resume asks the others again\n" in out
    failed = traces(tmp_path)[BILLS]
    assert (failed.outcome, failed.stop, failed.verdict) == ("not_run", "error", None)
    assert (failed.error or "").startswith(error)
    assert claimdb_command("score", "run")[0] == 2
    server.script.faults, n = [], len(server.requests)
    assert run("--resume")[0] == 0
    assert [BILLS in one.text for one in server.requests[n:]] == [True] * 3
    assert traces(tmp_path)[BILLS].verdict == YES
    assert claimdb_command("score", "run")[0] == 0


def test_slow_answers_spend_the_seconds(run: Run, server: OpenAIServer, tmp_path: Path) -> None:
    server.script.steps |= {BILLS: [{"sql": COUNT}]}
    server.script.faults = [Fault(None, BILLS, delay_s=0.6)]
    code, out, _ = run("--max-seconds", 1)
    spent = traces(tmp_path)[BILLS]
    assert (code, spent.outcome, spent.stop, spent.turns) == (0, "no_verdict", "seconds", 2)
    assert spent.seconds >= 1.2
    assert "without a verdict, because of: seconds (1)" in out


def test_an_answer_that_does_not_come_is_the_providers_failure(
    run: Run, server: OpenAIServer, tmp_path: Path
) -> None:
    server.script.faults = [Fault(None, BILLS, delay_s=3)]
    assert run("--max-seconds", 1, "--max-retries", 0)[0] == 1
    assert traces(tmp_path)[BILLS].error == "AttemptTimeoutError: attempt_timeout '1' exceeded."


def contents(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Each file below a folder, and each part of those that are archives."""
    import_module("zipfile_zstd")  # lets zipfile read what Inspect's logs are compressed with
    for path in filter(Path.is_file, folder.rglob("*")):
        yield path.name, path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                yield from ((name, archive.read(name)) for name in archive.namelist())


@pytest.mark.parametrize("faults", [[], [Fault(None, BILLS, status=401)]])
def test_keys_are_in_no_file(
    run: Run, server: OpenAIServer, tmp_path: Path, faults: list[Fault]
) -> None:
    server.script.faults = faults
    told = run("-M", 'default_headers={"X-Key": "second-4712"}')
    assert {one.headers["x-key"] for one in server.requests} == {"second-4712"}
    kept = dict(contents(tmp_path))
    assert {"run.json", "traces.jsonl", "header.json", "samples/1_epoch_1.json"} <= kept.keys()
    secrets = [KEY.encode(), b"second-4712"]
    assert [name for name, data in kept.items() if any(one in data for one in secrets)] == []
    assert not any(secret.decode() in text for secret in secrets for text in map(str, told))


def test_without_a_key_the_message_names_its_variable(
    run: Run, server: OpenAIServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LOCAL_API_KEY")
    code, out, err = run()
    assert (code, out, server.requests) == (2, "", [])
    assert err.startswith("claimdb: model openai-api/local/some-model cannot be used: ")
    assert "LOCAL_API_KEY" in err
    assert not (tmp_path / "run").exists()


def test_a_claim_of_ones_own(
    claimdb_command: conftest.Call, server: OpenAIServer, tmp_path: Path
) -> None:
    server.script.steps = {"Vita": [{"sql": "SELECT name FROM vessel"}, {"verdict": YES}]}
    database = ferries(tmp_path / "ferries.sqlite")
    model = ("--model", "openai-api/local/some-model", "--base-url", server.base_url)
    with collected():
        code, out, err = claimdb_command("check", "Vita sails.", "--db", database, *model)
    assert (code, err, len(server.requests)) == (0, "", 2)
    assert YES in out
    assert "SELECT name FROM vessel" in out
