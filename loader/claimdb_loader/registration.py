"""Makes the two bare names known: "claimdb" to `datasets`, "claimdb_metric" to `evaluate`.

Neither library has a plug-in hook (datasets 3.6-5.2, evaluate 0.4.6), so the one function that
resolves a name is wrapped in each. `evaluate` is slow to import, the more so beside transformers:
it is wrapped when it is imported, by whomever.
"""

from __future__ import annotations

import functools
import importlib.util
import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, Final

import datasets.inspect
import datasets.load

from claimdb_loader import cache_slots

DATASET_NAME: Final = "claimdb"
METRIC_NAME: Final = "claimdb_metric"
METRIC_MODULE: Final = "claimdb_metric.claimdb_metric"
BUILDER_MODULE: Final = "claimdb"

_EVALUATE_LOADING: Final = "evaluate.loading"
_FACTORIES: Final = {
    "datasets.load": "dataset_module_factory",
    "datasets.inspect": "dataset_module_factory",
    _EVALUATE_LOADING: "evaluation_module_factory",
}
"""Each module that resolves names, and the function in it that is wrapped."""

Factory = Callable[..., Any]
_METRIC_HASH: Final = "0" * 64
"""`evaluate` wants one; it names a copied module, and ours is imported where it is installed."""


_wrapped: dict[str, tuple[Factory, Factory]] = {}
"""For each module that is wrapped: our function and the one that stood there."""


def register() -> None:
    """Make both names resolve to this package; a second call changes nothing.

    >>> register()
    >>> datasets.load.dataset_module_factory("claimdb").module_path
    'claimdb'
    """
    _wrap(datasets.load, _resolve_dataset)
    _wrap(datasets.inspect, _resolve_dataset)
    if _EVALUATE_LOADING in sys.modules:
        _wrap(sys.modules[_EVALUATE_LOADING], _resolve_metric)
    elif not any(isinstance(finder, _EvaluateFinder) for finder in sys.meta_path):
        sys.meta_path.insert(0, _EvaluateFinder())


def unregister() -> None:
    """Undo `register()`: both names resolve as the two libraries alone would have it.

    >>> unregister()
    >>> "claimdb" in str(datasets.load.dataset_module_factory.__code__.co_filename)
    False
    >>> register()
    """
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if not isinstance(finder, _EvaluateFinder)
    ]
    for module_name, (ours, original) in list(_wrapped.items()):
        module, attribute = sys.modules[module_name], _FACTORIES[module_name]
        if getattr(module, attribute) is ours:
            setattr(module, attribute, original)
        # Where another library has wrapped ours since, ours stays inside and lets all names pass.
        del _wrapped[module_name]


def _wrap(module: ModuleType, resolve: Callable[..., Any]) -> None:
    if module.__name__ in _wrapped:
        return
    attribute = _FACTORIES[module.__name__]
    original: Factory = getattr(module, attribute)

    @functools.wraps(original)
    def factory(path: str, *args: Any, **kwargs: Any) -> Any:
        is_active = _wrapped.get(module.__name__, (None, None))[0] is factory
        ours = resolve(path, kwargs) if is_active else None
        return original(path, *args, **kwargs) if ours is None else ours

    setattr(module, attribute, factory)
    _wrapped[module.__name__] = (factory, original)


def _resolve_dataset(path: object, kwargs: dict[str, Any]) -> Any:
    if path != DATASET_NAME:
        return None
    arguments = {"dataset_name": DATASET_NAME}
    if kwargs.get("revision") is not None:
        arguments["revision"] = str(kwargs["revision"])
    return datasets.load.DatasetModule(BUILDER_MODULE, cache_slots.default_key(), arguments)


def _resolve_metric(path: object, _: dict[str, Any]) -> Any:
    if path != METRIC_NAME:
        return None
    loading = sys.modules[_EVALUATE_LOADING]
    return loading.ImportableModule(METRIC_MODULE, _METRIC_HASH)


class _EvaluateFinder(MetaPathFinder):
    """Waits for `evaluate.loading` to be imported, wraps its factory, and takes itself away."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != _EVALUATE_LOADING:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _WrappingLoader(spec.loader)
        return spec


class _WrappingLoader(Loader):
    """Loads a module as its own loader would, then wraps the factory in it."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        self._loader.exec_module(module)
        _wrap(module, _resolve_metric)
