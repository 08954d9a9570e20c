"""`claimdb run --command`: a program of the command line answers, with the official MCP client."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.runs import read_run
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import LABELS
from tests.children import child_env, run_claimdb

pytestmark = pytest.mark.slow

YES, NO, NEI = LABELS
OUT = ("--out", "run")
COUNT = "SELECT count(*) AS n FROM sqlite_master"

STAND_IN = """
import asyncio, json, os, pathlib, sys, time

HERE = pathlib.Path(__file__).parent

async def queries(texts):
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters, stdio_client

    config = pathlib.Path(sys.argv[sys.argv.index("--mcp-config") + 1])
    server = StdioServerParameters(**json.loads(config.read_text())["mcpServers"]["claimdb"])
    async with Client(stdio_client(server)) as client:
        await client.call_tool("list_tables", {})
        answers = [await client.call_tool("execute_sql", {"sql": text}) for text in texts]
    return [answer.content[0].text for answer in answers]

def says(verdict, justification):
    print(json.dumps({"verdict": verdict, "justification": justification}), flush=True)

prompt = sys.stdin.read()
if "Ruunisadam" in prompt:
    says("CONTRADICTED", asyncio.run(queries(["SELEC", COUNT]))[-1])
elif "Eight collisions" in prompt:
    says("ENTAILED", asyncio.run(queries([COUNT] * 4))[-1])
elif "Velvet Harbour" in prompt:
    if not (HERE / "key").exists():
        sys.exit("no key")
    says("NOT ENOUGH INFO", "There is a key now.")
elif "1.28 million" in prompt:
    print("I would rather not say.")
elif "Bookbus" in prompt:
    says("SUPPORTED", "")
elif "Pumpwerk" in prompt:
    time.sleep(120)
else:
    says("ENTAILED", "And on it goes.")
    time.sleep(120)
""".replace("COUNT", repr(COUNT))


@dataclass(frozen=True)
class Home:
    """A folder with the stand-in, in which commands are run."""

    path: Path

    def run(self, *options: str) -> subprocess.CompletedProcess[str]:
        return run_claimdb("run", *options, cwd=self.path, env=child_env(self.path))

    @property
    def command(self) -> str:
        return f"env '{sys.executable}' '{self.path / 'stand_in.py'}' --mcp-config {{mcp_config}}"

    def traces(self, name: str) -> dict[int, Trace]:
        return RunFolder(self.path / name).traces()


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    path = tmp_path_factory.mktemp("home")
    (path / "stand_in.py").write_text(STAND_IN)
    return Home(path)


@pytest.fixture(scope="module")
def done(home: Home) -> subprocess.CompletedProcess[str]:
    """A run of five claims, with three queries for each at most."""
    who = ("--command", home.command, "--model", "my-agent")
    return home.run(*who, "--split", "sample", "--limit", "5", "--max-sql-calls", "3", *OUT)


@pytest.fixture(scope="module")
def traces(home: Home, done: subprocess.CompletedProcess[str]) -> dict[int, Trace]:
    return home.traces("run")


def test_what_a_run_says(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 1
    assert "run: 4 of 5 claims, 2 verdicts, 2 right, 6 queries, 0 tokens\n" in done.stdout
    assert "without a verdict, because of: gave_up (2)\n" in done.stdout
    assert "not run (1): CommandFailedError: exit code 1: no key\n" in done.stdout
    assert "|model:my-agent|" in done.stdout


@pytest.mark.parametrize(
    ("claim_id", "outcome", "verdict", "stop", "invalid"),
    [
        (1, "answered", NO, "verdict", None),
        (2, "answered", YES, "verdict", None),
        (3, "not_run", None, "error", None),
        (4, "no_verdict", None, "gave_up", "no_json"),
        (5, "no_verdict", None, "gave_up", "wrong_label"),
    ],
)
def test_what_comes_of_a_claim(
    traces: dict[int, Trace],
    claim_id: int,
    outcome: str,
    verdict: str | None,
    stop: str,
    invalid: str | None,
) -> None:
    trace = traces[claim_id]
    assert (trace.outcome, trace.verdict, trace.stop) == (outcome, verdict, stop)
    assert trace.invalid == invalid
    assert trace.seconds > 0


def test_calls_are_traced_by_the_server(traces: dict[int, Trace]) -> None:
    calls = traces[1].calls
    assert [(call.tool, call.status) for call in calls] == [
        ("list_tables", "ok"),
        ("execute_sql", "sql_error"),
        ("execute_sql", "ok"),
    ]
    assert [call.sql for call in calls[1:]] == ["SELEC", COUNT]
    assert calls[2].n_rows == 1
    assert calls[2].output == traces[1].justification  # as the agent read it


def test_the_budget_of_queries_holds(traces: dict[int, Trace]) -> None:
    statuses = [call.status for call in traces[2].calls if call.tool == "execute_sql"]
    assert statuses == ["ok", "ok", "ok", "refused"]
    assert "budget" in traces[2].justification


def test_a_command_that_failed_is_run_on_resume(home: Home, traces: dict[int, Trace]) -> None:
    (home.path / "key").touch()
    again = home.run("--resume", *OUT)
    assert again.returncode == 0, again.stdout + again.stderr
    now = home.traces("run")
    assert (now[3].verdict, now[3].calls) == (NEI, ())
    assert [now[claim_id] for claim_id in (1, 2, 4, 5)] == [traces[n] for n in (1, 2, 4, 5)]


def test_one_that_hangs_is_killed(home: Home) -> None:
    who = ("--command", home.command, "--split", "sample", "--limit", "6-7")
    done = home.run(*who, "--max-seconds", "3", "--out", "hung")
    assert done.returncode == 0, done.stdout + done.stderr
    silent, speaking = home.traces("hung").values()
    if silent.claim_id != 6:
        silent, speaking = speaking, silent
    assert (silent.outcome, silent.stop, silent.invalid) == ("no_verdict", "seconds", "no_answer")
    assert 3 <= silent.seconds < 20
    # It had said its verdict before.
    assert (speaking.outcome, speaking.verdict, speaking.stop) == ("answered", YES, "verdict")
    assert "model:command|" in done.stdout


@pytest.fixture(scope="module")
def log(home: Home) -> EvalLog:
    """The log of `inspect eval`, which splits what -T says at commas."""
    options = ("split=sample", "limit=1-4", f"command={home.command} --allow a,b, c")
    command = [sys.executable, "-P", "-m", "inspect_ai", "eval", "claimdb/verify"]
    command += ["--model", "none/my-agent", "--log-dir", "logs", "--display", "none"]
    for option in options:
        command += ["-T", option]
    env = child_env(home.path)
    (home.path / "key").unlink(missing_ok=True)
    subprocess.run(command, cwd=home.path, env=env, check=True, capture_output=True, timeout=120)
    (path,) = (home.path / "logs").glob("*.eval")
    return read_eval_log(str(path))


def test_the_same_with_inspect(home: Home, log: EvalLog) -> None:
    assert log.eval.model == "none/my-agent"
    assert log.samples
    answers = {
        sample.id: sample.scores["verdict_scorer"].answer for sample in log.samples if sample.scores
    }
    assert answers == {1: NO, 2: YES, 4: "no verdict"}
    errors = [sample.error.message for sample in log.samples if sample.error]
    assert len(errors) == 1
    assert "exit code 1: no key" in errors[0]


def test_its_log_is_a_run(home: Home, log: EvalLog) -> None:
    run = read_run(Path(log.location))
    assert run.settings.command == f"{home.command} --allow a,b, c"
    assert run.settings.model == "none/my-agent"
    assert {claim_id: trace.outcome for claim_id, trace in run.traces.items()} == {
        1: "answered",
        2: "answered",
        3: "not_run",
        4: "no_verdict",
    }
    assert [call.sql for call in run.traces[2].calls[1:]] == [COUNT] * 4
    told = run_claimdb("score", log.location, cwd=home.path, env=child_env(home.path))
    assert told.returncode == 2
    assert "--allow-partial" in told.stderr
