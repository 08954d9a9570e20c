"""`claimdb prepare`: afterwards both names load in a process that never imports claimdb."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from claimdb_loader.hub import UPSTREAM_REPO
from tests.children import answer_of, child_env, run_claimdb, run_python
from tests.hub import LocalHub
from tests.loader.claim_files import claim, jsonl, small_copy, write_copy

pytestmark = pytest.mark.matrix

WITHOUT_IMPORT = """
import json, sys
from datasets import load_dataset
import evaluate
claims = load_dataset("claimdb")
streamed = load_dataset("claimdb", split="train", streaming=True)
metric = evaluate.load("claimdb_metric")
score = metric.compute(predictions=["ENTAILED", None], references=["ENTAILED", 1])
print(json.dumps([
    {split: len(rows) for split, rows in claims.items()},
    next(iter(streamed))["claim_id"],
    score["accuracy"],
    "claimdb" in sys.modules,
]))
"""

COUNTS_WITHOUT_IMPORT = """
import json
from datasets import load_dataset
print(json.dumps({split: len(rows) for split, rows in load_dataset("claimdb").items()}))
"""


def test_both_names_load_without_import_after_prepare(tmp_path: Path) -> None:
    env = child_env(tmp_path)
    copy = small_copy(tmp_path / "copy")
    done = run_claimdb("prepare", "--data-dir", str(copy), cwd=tmp_path, env=env)
    assert done.returncode == 0, done.stderr
    assert f"prepared from {copy}: train 10, test_public 6, test_private 3" in done.stdout
    assert str(tmp_path / "hf" / "datasets" / "claimdb" / "claims") in done.stdout
    assert "evaluate-metric--claimdb_metric" in done.stdout
    counts = {"train": 10, "test_public": 6, "test_private": 3}
    assert answer_of(WITHOUT_IMPORT, tmp_path, env) == [counts, 0, 0.5, False]


def test_other_loads_do_not_change_what_the_bare_name_serves(tmp_path: Path) -> None:
    env = child_env(tmp_path)
    copy = small_copy(tmp_path / "copy")
    other = write_copy(tmp_path / "other", train=[claim(1)])
    code = f"""
import claimdb
from claimdb_loader.prepare import prepare
from datasets import load_dataset
prepare(claimdb.ClaimDB(data_dir=""), {str(copy)!r})
load_dataset("claimdb", "sample")
load_dataset("claimdb", "nei", data_dir={str(copy)!r})
load_dataset("claimdb", data_dir={str(other)!r})
load_dataset("claimdb", data_dir={str(copy)!r}, train_excludes="test_questions")
print(len(load_dataset("claimdb")["train"]))
"""
    assert answer_of(code, tmp_path, env) == 10
    counts = {"train": 10, "test_public": 6, "test_private": 3}
    assert answer_of(COUNTS_WITHOUT_IMPORT, tmp_path, env) == counts


def test_preparing_again_takes_the_new_data(tmp_path: Path) -> None:
    env = child_env(tmp_path, CLAIMDB_DATA_DIR=str(small_copy(tmp_path / "copy")))
    assert run_claimdb("prepare", cwd=tmp_path, env=env).returncode == 0
    other = write_copy(tmp_path / "other", train=[claim(1)])
    done = run_claimdb("prepare", "--data-dir", str(other), "--json", cwd=tmp_path, env=env)
    assert '"n_rows": {\n    "train": 1\n  }' in done.stdout
    assert answer_of(COUNTS_WITHOUT_IMPORT, tmp_path, env) == {"train": 1}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--data-dir", "absent"], "CLAIMDB_DATA_DIR) absent is not a folder"),
        ([], 'load_dataset("claimdb", "sample") works everywhere'),
    ],
)
def test_wrong_input_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: list[str], words: str
) -> None:
    done = run_claimdb("prepare", *arguments, cwd=tmp_path, env=child_env(tmp_path))
    assert done.returncode == 2
    assert words in done.stderr
    assert "Traceback" not in done.stderr


KILLED_WHILE_PREPARING = """
import os, signal, sys, claimdb
from claimdb_loader import claim_tables, sources
read = claim_tables.ClaimFileReader.tables
def slow(self, file, path):
    for table in read(self, file, path):
        yield table
        print("writing", flush=True)
        signal.pause()
claim_tables.ClaimFileReader.tables = slow
builder = claimdb.ClaimDB(data_dir="")
builder.source = sources.local(sys.argv[1])
builder.download_and_prepare()
"""


def test_a_killed_load_leaves_nothing_that_is_served(tmp_path: Path) -> None:
    env = child_env(tmp_path)
    copy = small_copy(tmp_path / "copy")
    command = [sys.executable, "-P", "-c", KILLED_WHILE_PREPARING, str(copy)]
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"writing\n"
        os.kill(child.pid, signal.SIGKILL)
        child.stdout.read()
    root = tmp_path / "hf" / "datasets" / "claimdb"
    assert list(root.glob("*/*/*.incomplete"))
    assert run_claimdb("prepare", "--data-dir", str(copy), cwd=tmp_path, env=env).returncode == 0
    assert not list(root.glob("*/*/*.incomplete"))
    assert answer_of(COUNTS_WITHOUT_IMPORT, tmp_path, env)["train"] == 10


def test_ctrl_c_is_quiet_and_exit_code_130(tmp_path: Path, hub: LocalHub) -> None:
    hub.fault("api/datasets", delay_s=30)
    env = child_env(tmp_path) | hub.env(tmp_path / "hf")
    del env["HF_HUB_OFFLINE"]
    command = [sys.executable, "-P", "-m", "claimdb_cli", "prepare"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=env, stderr=subprocess.PIPE, text=True
    ) as child:
        while not hub.requests:
            time.sleep(0.05)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=60)
    assert child.returncode == 130
    assert "Traceback" not in said


def test_without_prepare_the_bare_name_is_unknown(tmp_path: Path) -> None:
    code = "from datasets import load_dataset; load_dataset('claimdb')"
    assert run_python(code, tmp_path, child_env(tmp_path)).returncode != 0


def test_prepare_goes_back_to_the_hub(tmp_path: Path, hub: LocalHub) -> None:
    hub.add_repo(UPSTREAM_REPO, {"train.jsonl": jsonl([claim(n) for n in range(5)])})
    env = child_env(tmp_path) | hub.env(tmp_path / "hf") | {"HF_HUB_OFFLINE": "0"}
    toy = write_copy(tmp_path / "toy", train=[claim(1)])
    prepare_toy = f"""
import claimdb
from claimdb_loader.prepare import prepare
prepare(claimdb.ClaimDB(data_dir=""), {str(toy)!r})
"""
    code = """
import claimdb, json
from datasets import load_dataset
print(json.dumps(len(load_dataset("claimdb")["train"])))
try:
    load_dataset("claimdb", split="test_public")
except claimdb.DataError as error:
    print(json.dumps(str(error)))
"""
    done = run_python(prepare_toy + code, tmp_path, env)
    assert f"serves the copy that `claimdb prepare` made from {toy}" in done.stderr
    assert f"no test-public.jsonl was found, {toy} gives train" in done.stdout
    done = run_claimdb("prepare", cwd=tmp_path, env=env)
    assert "prepared from the Hub repository michaeltheologitis/claimdb: train 5" in done.stdout
    done = run_claimdb("prepare", cwd=tmp_path, env=env)
    assert "already there: train 5" in done.stdout
    assert "serves the copy" not in run_python(code, tmp_path, env).stderr


def test_both_names_load_online_where_the_hub_knows_neither(tmp_path: Path, hub: LocalHub) -> None:
    env = child_env(tmp_path) | hub.env(tmp_path / "hf", token=None)
    env |= {"HF_HUB_OFFLINE": "0", "HF_EVALUATE_OFFLINE": "0"}
    copy = small_copy(tmp_path / "copy")
    assert run_claimdb("prepare", "--data-dir", str(copy), cwd=tmp_path, env=env).returncode == 0
    assert answer_of(WITHOUT_IMPORT, tmp_path, env)[0]["train"] == 10
