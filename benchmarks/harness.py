"""A run of claims against Inspect's own loop with a trivial tool, on the same scripted model.

    make bench, or .venv/bin/python -m benchmarks.harness [--claims N] [--repeats N]
        [--memory N ...] [--json]

Both ask a scripted model for five SQL calls and a verdict on each claim of the sample, over
and over. The peer is `react()` with a tool that returns a constant and Inspect's own scorer; ours
runs the SQL in the sandbox, keeps a trace of each claim on the disk and scores with the metric.
Ratios are medians of the repeats, each taken between two neighbours in time. Seconds differ between
machines; the ratio is what the issue sets a goal for.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Final

from benchmarks.process_memory import PeakMemory

N_SQL: Final = 5
SQL: Final = "SELECT count(*) FROM sqlite_master"
QUERIES: Final = [{"sql": SQL}] * N_SQL
OURS: Final = {"default": [*QUERIES, {"verdict": "ENTAILED", "why": "It says so."}]}
PEER: Final = {"default": [*QUERIES, {"tool": "submit", "arguments": {"answer": "ENTAILED"}}]}


def many_claims(n: int) -> dict[str, list[Any]]:
    """Return n claims: those of the embedded sample over and over, each with an id of its own."""
    from claimdb_harness.labelled_claims import from_split

    sample = from_split("sample").columns
    size = len(sample["claim_id"])
    columns = {name: [values[at % size] for at in range(n)] for name, values in sample.items()}
    return columns | {"claim_id": [*range(n)]}


def run_ours(n: int, folder: Path) -> None:
    """Run n claims as `claimdb run` does."""
    from inspect_ai.model import GenerateConfig

    from claimdb_harness.agents.models import open_model
    from claimdb_harness.agents.run import run_claims
    from claimdb_harness.labelled_claims import LabelledClaims
    from claimdb_harness.runs.asked import Asked
    from claimdb_harness.runs.folder import RunFolder
    from claimdb_harness.runs.plans import plan_run

    model = open_model("claimdb-scripted/bench", GenerateConfig(), arguments={"script": OURS})
    plan = plan_run(LabelledClaims("bench", many_claims(n)))
    run = run_claims(RunFolder(folder / "run"), plan, Asked(model="bench"), model)
    assert len(run.done) == n, "every claim has a verdict"
    assert all(trace.n_sql == N_SQL for trace in run.done), "and five queries"


def run_peer(n: int, folder: Path) -> None:
    """Run n claims through Inspect's react() with a tool that reads nothing."""
    from inspect_ai import Task, eval
    from inspect_ai.agent import AgentPrompt, AgentSubmit, react
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.scorer import includes
    from inspect_ai.tool import Tool, tool

    from claimdb_harness.agents.models import open_model

    @tool
    def execute_sql() -> Tool:
        async def execute(sql: str) -> str:
            """Run one statement.

            Args:
                sql: One SQLite statement that reads.
            """
            return "n\n14\n(1 row)"

        return execute

    columns = many_claims(n)
    rows = zip(columns["claim_id"], columns["claim"], columns["label"], strict=True)
    samples = [Sample(id=one, input=claim, target=label) for one, claim, label in rows]
    prompt = AgentPrompt(instructions="Check the claim.", assistant_prompt=None)
    agent = react(prompt=prompt, tools=[execute_sql()], submit=AgentSubmit(answer_only=True))
    task = Task(dataset=MemoryDataset(samples), solver=agent, scorer=includes())
    model = open_model("claimdb-scripted/bench", GenerateConfig(), arguments={"script": PEER})
    logs = eval(task, model=model, log_dir=str(folder), display="none", log_header_only=True)
    assert logs[0].status == "success", logs[0].error


RUNS: Final = {"ours": run_ours, "peer": run_peer}


def measured(name: str, n: int) -> dict[str, float]:
    """Return seconds a claim and peak memory of one run in this process, without its imports."""
    with tempfile.TemporaryDirectory() as folder:
        RUNS[name](2, Path(folder, "warm"))
        started = time.perf_counter()
        with PeakMemory() as memory:
            RUNS[name](n, Path(folder, "run"))
        seconds = time.perf_counter() - started
    return {"ms_per_claim": 1000 * seconds / n, "peak_mb": memory.peak_bytes / 2**20}


def in_child(name: str, n: int) -> dict[str, float]:
    """Return what `measured` does, in a process of its own: memory is never given back."""
    command = [sys.executable, "-m", "benchmarks.harness", "--one", name, "--claims", str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def overhead(n: int, repeats: int) -> dict[str, Any]:
    """Return how much longer a claim takes than in Inspect's own loop."""
    pairs = [(in_child("peer", n), in_child("ours", n)) for _ in range(repeats)]
    ratios = [ours["ms_per_claim"] / peer["ms_per_claim"] for peer, ours in pairs]
    return {
        "claims": n,
        "peer_ms_per_claim": round(statistics.median(p["ms_per_claim"] for p, _ in pairs), 1),
        "ours_ms_per_claim": round(statistics.median(o["ms_per_claim"] for _, o in pairs), 1),
        "ratio": round(statistics.median(ratios), 3),
        "ratios": [round(ratio, 3) for ratio in ratios],
    }


def memory(sizes: list[int]) -> list[dict[str, Any]]:
    """Return the peak memory of runs of so many claims, and of Inspect's own loop."""
    return [
        {"claims": n}
        | {f"{name}_peak_mb": round(in_child(name, n)["peak_mb"]) for name in ("peer", "ours")}
        for n in sizes
    ]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--claims", type=int, default=300)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", type=int, nargs="*", default=[])
    parser.add_argument("--one", choices=RUNS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measured(options.one, options.claims)))
        return
    found = {"overhead": overhead(options.claims, options.repeats)}
    sizes = {"memory": memory(options.memory)} if options.memory else {}
    if options.json:
        print(json.dumps(found["overhead"] | sizes, indent=2))
        return
    one = found["overhead"]
    print(f"{one['claims']:,} claims with {N_SQL} SQL calls each, scripted model")
    print(f"  Inspect's react(), trivial tool  {one['peer_ms_per_claim']:7.1f} ms a claim")
    print(f"  claimdb run                      {one['ours_ms_per_claim']:7.1f} ms a claim")
    print(f"  ratio {one['ratio']:.2f} (goal <= 1.15), of {one['ratios']}")
    for row in sizes.get("memory", []):
        n, ours, peer = row["claims"], row["ours_peak_mb"], row["peer_peak_mb"]
        print(f"{n:>8,} claims: {ours:,} MB at the peak, Inspect's own loop {peer:,} MB")


if __name__ == "__main__":
    main()
