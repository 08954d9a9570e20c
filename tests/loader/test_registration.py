"""What `import claimdb` makes of the two names, from any folder and in any order of imports."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets.inspect
import datasets.load
import pytest
from datasets import load_dataset_builder

import claimdb
from claimdb_loader import registration
from tests.children import answer_of, child_env, run_python
from tests.loader.claim_files import claim, jsonl, small_copy

pytestmark = pytest.mark.matrix


def nothing(_: Path) -> None:
    """An empty folder."""


def a_file_of_that_name(folder: Path) -> None:
    (folder / "claimdb.py").write_text("raise SystemExit('the wrong claimdb.py was imported')\n")


def a_folder_of_that_name(folder: Path) -> None:
    (folder / "claimdb").mkdir()


def a_script_in_such_a_folder(folder: Path) -> None:
    (folder / "claimdb").mkdir()
    (folder / "claimdb" / "claimdb.py").write_text("raise SystemExit('a script was run')\n")


def data_in_such_a_folder(folder: Path) -> None:
    (folder / "claimdb").mkdir()
    (folder / "claimdb" / "test.jsonl").write_bytes(jsonl([claim(1)]))


def a_metric_of_that_name(folder: Path) -> None:
    (folder / "claimdb_metric").mkdir()
    (folder / "claimdb_metric" / "claimdb_metric.py").write_text("raise SystemExit('wrong')\n")


def many_other_folders(folder: Path) -> None:
    for name in ("builder", "metrics", "databases", "data"):
        (folder / name).mkdir()
    (folder / "train.jsonl").write_text("not ours\n")


FOLDERS = [
    a_file_of_that_name,
    nothing,
    a_folder_of_that_name,
    a_script_in_such_a_folder,
    data_in_such_a_folder,
    a_metric_of_that_name,
    many_other_folders,
]

# In one process, which takes 2 s to import; it starts in the first folder.
LOAD_BOTH = """
import json, os
import claimdb
from datasets import get_dataset_config_names, get_dataset_split_names, load_dataset
import evaluate
from datasets import load_dataset_builder
found = {}
for folder in FOLDERS:
    os.chdir(folder)
    rows = load_dataset("claimdb", split="train[:2]")
    streamed = load_dataset("claimdb", split="train", streaming=True)
    metric = evaluate.load("claimdb_metric")
    found[folder] = [
        len(rows),
        next(iter(streamed))["claim_id"],
        len(load_dataset("claimdb", "sample", split="test")),
        get_dataset_config_names("claimdb"),
        get_dataset_split_names("claimdb"),
        load_dataset_builder("claimdb").config.name,
        metric.compute(predictions=[0, 1], references=[0, 0])["accuracy"],
    ]
print(json.dumps(found))
"""


def test_both_names_load_from_any_folder(tmp_path: Path) -> None:
    folders = [tmp_path / "cwd" / prepare.__name__ for prepare in FOLDERS]
    for folder, prepare in zip(folders, FOLDERS, strict=True):
        folder.mkdir(parents=True)
        prepare(folder)
    env = child_env(tmp_path, CLAIMDB_DATA_DIR=str(small_copy(tmp_path / "copy")))
    code = f"FOLDERS = {[*map(str, folders)]}\n{LOAD_BOTH}"
    assert answer_of(code, folders[0], env) == {
        str(folder): [
            2,
            0,
            144,
            ["claims", "nei", "databases", "sample"],
            ["train", "test_public", "test_private"],
            "claims",
            0.5,
        ]
        for folder in folders
    }


METRIC = "evaluate.load('claimdb_metric').compute(predictions=[2], references=[2])['accuracy']"


@pytest.mark.parametrize(
    "code",
    [
        f"import evaluate; from evaluate import load; import claimdb; print({METRIC})",
        "import claimdb; claimdb.register(); from evaluate import combine; "
        "c = combine(['claimdb_metric']); "
        "print(c.compute(predictions=[2], references=[2])['accuracy'])",
    ],
)
def test_the_metric_loads_in_any_order_of_imports(code: str, tmp_path: Path) -> None:
    assert answer_of(code, tmp_path, child_env(tmp_path)) == 1.0


def test_import_claimdb_does_nothing_but_register(tmp_path: Path) -> None:
    code = """
import sys, os, json
before = dict(os.environ)
import claimdb
heavy = {"evaluate", "sklearn", "torch", "transformers", "scipy"}
print(json.dumps([sorted(heavy & set(sys.modules)), dict(os.environ) == before]))
"""
    env = child_env(tmp_path / "home")
    assert answer_of(code, tmp_path, env) == [[], True]
    assert not (tmp_path / "home" / "claimdb").exists()
    assert list(tmp_path.iterdir()) in ([], [tmp_path / "home"])


@pytest.fixture
def registered() -> Iterator[None]:
    yield
    claimdb.register()


@pytest.mark.usefixtures("registered")
def test_registering_is_idempotent_and_can_be_undone() -> None:
    import evaluate.loading

    places = [
        (datasets.load, "dataset_module_factory"),
        (datasets.inspect, "dataset_module_factory"),
        (evaluate.loading, "evaluation_module_factory"),
    ]
    claimdb.register()
    wrapped = [getattr(*place) for place in places]
    claimdb.register()
    assert [getattr(*place) for place in places] == wrapped

    claimdb.unregister()
    claimdb.unregister()
    for (module, name), ours in zip(places, wrapped, strict=True):
        assert getattr(module, name) is ours.__wrapped__
    assert not any(isinstance(f, registration._EvaluateFinder) for f in sys.meta_path)

    claimdb.register()
    assert all(
        getattr(*place).__wrapped__ is ours.__wrapped__
        for place, ours in zip(places, wrapped, strict=True)
    )


@pytest.mark.usefixtures("registered")
def test_another_librarys_wrapper_survives_unregister(monkeypatch: pytest.MonkeyPatch) -> None:
    claimdb.register()
    ours = datasets.load.dataset_module_factory
    asked = []

    @functools.wraps(ours)
    def theirs(path: str, *args: Any, **kwargs: Any) -> Any:
        asked.append(path)
        return ours(path, *args, **kwargs)

    with monkeypatch.context() as patch:
        patch.setattr(datasets.load, "dataset_module_factory", theirs)
        assert load_dataset_builder("claimdb", "sample").name == "claimdb"
        claimdb.unregister()
        assert datasets.load.dataset_module_factory is theirs
        with pytest.raises(Exception, match="claimdb"):
            load_dataset_builder("claimdb", "sample")
    datasets.load.dataset_module_factory = ours.__wrapped__
    assert asked == ["claimdb", "claimdb"]


def test_after_unregister_the_names_are_not_ours(tmp_path: Path) -> None:
    code = """
import claimdb
claimdb.unregister()
import evaluate
from datasets import load_dataset
for load in (lambda: load_dataset("claimdb", "sample"), lambda: evaluate.load("claimdb_metric")):
    try:
        load()
    except Exception as error:
        print(type(error).__name__)
"""
    done = run_python(code, tmp_path, child_env(tmp_path))
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.split()) == 2


def test_evaluate_may_be_absent(tmp_path: Path) -> None:
    code = """
import sys
sys.modules["evaluate"] = None
import claimdb, json
from datasets import load_dataset
print(json.dumps(len(load_dataset("claimdb", "sample", split="test"))))
"""
    assert answer_of(code, tmp_path, child_env(tmp_path)) == 144


def test_names_that_only_look_like_ours_are_left_to_datasets(tmp_path: Path) -> None:
    (tmp_path / "claimdb").mkdir()
    (tmp_path / "claimdb" / "test.jsonl").write_text('{"a": 1}\n')
    code = """
import claimdb, json
from datasets import load_dataset
print(json.dumps(list(load_dataset("./claimdb", split="test"))))
"""
    assert answer_of(code, tmp_path, child_env(tmp_path)) == [{"a": 1}]


def test_a_script_cannot_be_loaded_and_says_so(tmp_path: Path) -> None:
    """`load_dataset("./claimdb.py")` is no way in: datasets 4 and later run no scripts."""
    if int(datasets.__version__.split(".")[0]) < 4:
        pytest.skip("datasets 3 still runs scripts")
    code = "import claimdb; from datasets import load_dataset; load_dataset('./claimdb.py')"
    done = run_python(code, tmp_path, child_env(tmp_path))
    assert "Dataset scripts are no longer supported" in done.stderr
