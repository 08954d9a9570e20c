"""Who may import whom (design: top may import what stands lower; never up, never sideways)."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import REPO_ROOT

MAY_IMPORT = {
    "claimdb_metric": set[str](),
    "claimdb_sandbox": set[str](),
    "claimdb_loader": {"claimdb_metric", "claimdb_sandbox"},
    "claimdb": {"claimdb_metric", "claimdb_sandbox", "claimdb_loader"},
    "claimdb_builder": {"claimdb_metric", "claimdb_sandbox", "claimdb_loader", "claimdb"},
    "claimdb_harness": {"claimdb_metric", "claimdb_sandbox", "claimdb_loader", "claimdb"},
    "claimdb_cli": {
        "claimdb_metric",
        "claimdb_sandbox",
        "claimdb_loader",
        "claimdb",
        "claimdb_builder",
        "claimdb_harness",
    },
}
HEAVY = {"datasets", "evaluate", "sklearn", "scipy", "matplotlib", "inspect_ai", "pandas"}
"""Imported inside the function that needs them, but where a library's class is the point."""

AGENTS = REPO_ROOT / "harness" / "claimdb_harness" / "agents"
"""The room of Inspect: whoever enters it needs the extra, and so it is entered lazily."""

HEAVY_AT_TOP = {
    "claimdb.py",
    "features.py",
    "registration.py",
    "claimdb_metric.py",
    # Columns of what is published are `datasets`' own features.
    "croissant.py",
    "inspect_rows.py",
    "parquet_files.py",
    "tree.py",
}


def modules() -> list[tuple[str, Path]]:
    folders = {path.name: path for path in REPO_ROOT.glob("*/claimdb_*") if path.is_dir()}
    found = [(name, file) for name in folders for file in sorted(folders[name].rglob("*.py"))]
    return [*found, ("claimdb", REPO_ROOT / "claimdb.py")]


def imported(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def at_import(node: ast.AST) -> Iterator[ast.stmt]:
    """The import statements that run when the module is imported, and no later."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif not isinstance(child, ast.FunctionDef) and not is_for_types(child):
            yield from at_import(child)


def is_for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_every_package_has_a_place_in_the_house() -> None:
    assert {package for package, _ in modules()} == set(MAY_IMPORT)


@pytest.mark.parametrize(
    ("package", "file"), [pytest.param(*m, id=str(m[1].relative_to(REPO_ROOT))) for m in modules()]
)
def test_nothing_is_imported_from_above_or_beside(package: str, file: Path) -> None:
    tree = ast.parse(file.read_text("utf-8"))
    ours = {name for name in imported(tree) if name.startswith("claimdb")}
    assert ours <= MAY_IMPORT[package] | {package}
    if file.name not in HEAVY_AT_TOP and AGENTS not in file.parents:
        assert not HEAVY & {name for node in at_import(tree) for name in imported(node)}


@pytest.mark.parametrize("file", [file for _, file in modules() if AGENTS not in file.parents])
def test_inspect_is_imported_in_one_room_only(file: Path) -> None:
    assert "inspect_ai" not in imported(ast.parse(file.read_text("utf-8")))


def test_each_top_folder_holds_one_import_package() -> None:
    for folder in ("builder", "cli", "harness", "loader", "metrics", "sandbox"):
        inside = [p.name for p in (REPO_ROOT / folder).iterdir() if not p.name.startswith("__")]
        assert len(inside) == 1, inside
