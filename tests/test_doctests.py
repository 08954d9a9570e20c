"""The example in each docstring runs as printed."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import claimdb
import claimdb_builder
import claimdb_cli
import claimdb_harness
import claimdb_loader
import claimdb_metric
import claimdb_sandbox

PACKAGES = (
    claimdb_builder,
    claimdb_cli,
    claimdb_harness,
    claimdb_loader,
    claimdb_metric,
    claimdb_sandbox,
)
MODULES = [claimdb.__name__] + [
    module.name
    for package in PACKAGES
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_in(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_every_public_function_of_the_front_door_has_an_example() -> None:
    without = [
        name
        for name in claimdb.__all__
        if callable(member := getattr(claimdb, name))
        and not (isinstance(member, type) and issubclass(member, Exception))
        and ">>>" not in (member.__doc__ or "")
    ]
    assert without == []
