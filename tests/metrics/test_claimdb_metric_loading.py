"""The `evaluate` module: every way to load it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.hub import LocalHub
from tests.metrics.module_runs import (
    EXPECTED,
    FOLDER,
    NOT_INSTALLED,
    PREDICTIONS,
    REFERENCES,
    run_child,
)

pytestmark = pytest.mark.matrix


def test_loads_from_a_checkout_where_the_package_is_not_installed(tmp_path: Path) -> None:
    program = NOT_INSTALLED + (
        "for path in sys.argv[1:]:\n"
        "    metric = evaluate.load(path)\n"
        "    result = metric.compute(predictions=['ENTAILED'], references=[0])\n"
        "    print(metric.name, result['f1_entailed'])\n"
        "    try:\n"
        "        metric.compute(predictions=[0], references=[-1])\n"
        "    except ValueError as error:\n"
        "        print(type(error).__name__, str(error)[:17])\n"
    )
    paths = ["metrics/claimdb_metric", str(FOLDER), str(FOLDER / "claimdb_metric.py")]
    printed = run_child(program, tmp_path, *paths)
    once = ["claimdb_metric 1.0", "HiddenLabelsError labels are hidden"]
    assert printed.splitlines() == once * len(paths)


@pytest.mark.parametrize("package_init", [True, False], ids=["own __init__", "empty __init__"])
def test_loads_by_its_bare_name_from_a_seeded_module_cache(
    tmp_path: Path, package_init: bool
) -> None:
    modules = tmp_path / "modules"
    copy = modules / "evaluate_modules/metrics/evaluate-metric--claimdb_metric" / ("ab" * 32)
    copy.mkdir(parents=True)
    for folder in (modules, *copy.relative_to(modules).parents[:-1], copy.relative_to(modules)):
        (modules / folder / "__init__.py").touch()
    for source in FOLDER.glob("*.py"):
        if package_init or source.name != "__init__.py":
            (copy / source.name).write_bytes(source.read_bytes())
    program = NOT_INSTALLED + (
        "metric = evaluate.load('claimdb_metric')\n"
        "print(metric.compute(predictions=['ENTAILED', ''], references=[0, 0])['n_invalid'])\n"
        "print(sys.modules[type(metric).__module__].__file__)\n"
    )
    printed = run_child(program, tmp_path).split()
    assert printed == ["1", str(copy / "claimdb_metric.py")]


def test_loads_from_a_space(hub: LocalHub, tmp_path: Path) -> None:
    files = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.is_file()}
    hub.add_repo("you/claimdb_metric", files, repo_type="space")
    program = NOT_INSTALLED + (
        "metric = evaluate.load('you/claimdb_metric')\n"
        "result = metric.compute(predictions=['ENTAILED', ''], references=[0, 0])\n"
        "print(result['n_invalid'], result['accuracy_ci'])\n"
    )
    printed = run_child(program, tmp_path, hub_env=hub.env(tmp_path))
    assert printed.split("\n")[-2] == "1 [0.0, 1.0]"


def test_loads_as_a_registered_module(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import evaluate
    from evaluate import loading

    module = loading.ImportableModule("claimdb_metric.claimdb_metric", "0" * 64)
    monkeypatch.setattr(loading, "evaluation_module_factory", lambda path, **options: module)
    metric = evaluate.load("claimdb_metric", cache_dir=str(tmp_path))
    assert metric.name == "claimdb_metric"
    assert metric.compute(predictions=PREDICTIONS, references=REFERENCES) == EXPECTED


def siblings_of(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.module or "." for node in nodes if isinstance(node, ast.ImportFrom) and node.level}


def test_the_main_file_imports_every_sibling_that_the_siblings_need() -> None:
    from evaluate.loading import get_imports

    main = FOLDER / "claimdb_metric.py"
    scanned = get_imports(str(main))
    assert {kind for kind, *_ in scanned} == {"internal", "library"}
    copied = {name for kind, name, *_ in scanned if kind == "internal"}
    assert copied == siblings_of(main)
    for name in copied:
        assert siblings_of(FOLDER / f"{name}.py") <= copied, name
