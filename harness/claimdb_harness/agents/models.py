"""A model by its name, and errors that say what is missing: a provider, a package, a key."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from inspect_ai.model import GenerateConfig, Model, get_model

from claimdb_metric.errors import DataError

NO_MODEL: Final = "none/none"
"""Where a command line answers and no model of Inspect's is asked."""

_TRIES_AGAIN: Final = ("openai", "openai-api", "anthropic")
"""Providers whose SDK asks three times by itself: Inspect's own retries would be multiplied."""

_LOCAL: Final = "openai-api/<name>/<model> with --base-url asks any OpenAI-compatible server"


def open_model(
    name: str,
    config: GenerateConfig,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
) -> Model:
    """Return a model, ready to be asked.

    Args:
        name: `provider/model`, as https://inspect.aisi.org.uk/providers.html lists them.
        config: temperature, retries and the like.
        base_url: of the server; None for the provider's own.
        arguments: of the provider.

    Raises:
        DataError: there is no such provider, its package is not installed, there is no key, or the
            address holds a password.
    """
    if "/" not in name:
        raise DataError(
            f"model {name!r} names no provider: write {_guess(name)}/{name}, for example; {_LOCAL}"
        )
    if base_url is not None and urlsplit(base_url).password is not None:
        raise DataError("a password in the server's address goes into logs: use a key's variable")
    once = {"max_retries": 0} if name.split("/")[0] in _TRIES_AGAIN else {}
    given = once | dict(arguments or {})
    try:
        model = get_model(name, config=config, base_url=base_url, memoize=False, **given)
    except Exception as error:
        raise DataError(_explained(name, error)) from error
    model.model_args = {}  # Inspect's log would hold them, and they may be secrets
    return model


def providers() -> list[str]:
    """Return the names of the providers that Inspect knows here.

    >>> "openai" in providers()
    True
    """
    from inspect_ai._util.entrypoints import ensure_entry_points
    from inspect_ai._util.registry import registry_find, registry_info

    ensure_entry_points()
    found = registry_find(lambda info: info.type == "modelapi")
    return sorted({registry_info(one).name.split("/")[-1] for one in found})


def _guess(name: str) -> str:
    starts = {"gpt": "openai", "o1": "openai", "claude": "anthropic", "gemini": "google"}
    return next((to for start, to in starts.items() if name.startswith(start)), "openai-api")


def _explained(name: str, error: Exception) -> str:
    provider = name.split("/")[0]
    text = _plain(str(getattr(error, "message", None) or error))
    if isinstance(error, ValueError) and provider not in providers():
        return f"no provider {provider!r}: there are {', '.join(providers())}; {_LOCAL}"
    return f"model {name} cannot be used: {text}"


def _plain(text: str) -> str:
    """A message of Inspect's as one line without its markup."""
    return " ".join(re.sub(r"\[/?[a-z ]*\]", "", text).replace("ERROR:", "").split())
