"""What a run was asked to do: all that can move its verdicts, and so must not change on resume."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from claimdb_harness.runs.budgets import Budget
from claimdb_harness.runs.kinds import check_kinds
from claimdb_metric.errors import DataError

SETTINGS_VERSION: Final = 1

IMPORTED: Final = "imported"
"""The task of other people's runs; their protocol is the format that they were in."""

PREDICTIONS: Final = "predictions"
"""The format that holds verdicts and no calls."""

MAY_CHANGE: Final = frozenset({"versions"})
"""On resume; a run that two versions made says so in its notes."""


@dataclass(frozen=True)
class Settings:
    """What a run was asked to do.

    Args:
        model: as Inspect names it, such as `openai/gpt-5-mini`; of an imported run, any name.
        split: the name of the claims.
        claims_sha256: of the claims file in the run's folder.
        task: verify, closed_book, schema_only; `imported` for other people's runs.
        limit: which claims of the split, `A-B` by their order, both included, from 1; None for all.
        prompt: the prompt's name.
        prompt_sha256: of all instructions that the model got, 64 hex digits.
        protocol: how the model calls tools and gives its verdict.
        final: whether the last turn offers nothing but the verdict: forced or none.
        command: the agent's command line where it is no model of Inspect's.
        budget: what the model may spend on a claim; None where that is not known.
        generation: temperature, seed and the like, as given.
        databases: sha256 and bytes of each database at the start, by name.
        versions: of ClaimDB, Inspect, SQLite.
    """

    model: str
    split: str
    claims_sha256: str
    task: str = "verify"
    limit: str | None = None
    prompt: str | None = None
    prompt_sha256: str | None = None
    protocol: str | None = None
    final: str | None = None
    command: str | None = None
    budget: Budget | None = None
    generation: Mapping[str, Any] = field(default_factory=dict)
    databases: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def knows_calls(self) -> bool:
        """Whether the run's traces say what was asked of the databases."""
        return (self.task, self.protocol) != (IMPORTED, PREDICTIONS)

    def signature(self) -> str:
        """Return one line with everything that can move a run's verdicts, as for a score.

        >>> Settings("openai/gpt-5-mini", "sample", "0" * 64, prompt="minimal").signature()
        'claimdb_run|v:1|model:openai/gpt-5-mini|task:verify|split:sample|prompt:minimal'
        """
        parts: dict[str, Any] = {
            "v": SETTINGS_VERSION,
            "model": self.model,
            "task": self.task,
            "split": self.split + (f"[{self.limit}]" if self.limit else ""),
            "prompt": self.prompt and self.prompt + _short(self.prompt_sha256),
            "protocol": self.protocol,
            "final": self.final,
        }
        if self.budget is not None:
            parts |= {name.removeprefix("max_"): n for name, n in self.budget.to_dict().items()}
        parts |= self.generation
        shown = (f"{name}:{_plain(value)}" for name, value in parts.items() if value is not None)
        return "|".join(["claimdb_run", *shown])

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as values for JSON."""
        return {"format": SETTINGS_VERSION, **asdict(self)}


def settings_from(values: Mapping[str, Any]) -> Settings:
    """Return the settings that `to_dict` gave.

    Raises:
        DataError: they are of another version, or damaged.

    >>> mine = Settings("m", "sample", "0" * 64, budget=Budget(max_turns=3))
    >>> settings_from(mine.to_dict()) == mine
    True
    """
    given = dict(values)
    version = given.pop("format", None)
    unknown = sorted(set(given) - {one.name for one in fields(Settings)})
    if version != SETTINGS_VERSION or unknown:
        raise DataError(f"a run of format {version!r}; this ClaimDB reads {SETTINGS_VERSION}")
    try:
        budget = given.pop("budget", None)
        settings = Settings(**given, budget=None if budget is None else Budget(**budget))
        check_kinds(settings)
        return settings
    except (TypeError, ValueError) as error:
        raise DataError(f"settings of a run are damaged: {error}") from None


def differences(old: Settings, new: Settings) -> list[str]:
    """Return a sentence for each setting in which two runs differ; [] where one may go on.

    >>> differences(Settings("m", "train", "0" * 64), Settings("m", "sample", "0" * 64))
    ["split was 'train' and is 'sample'"]
    """
    was, now = _flat(old), _flat(new)
    return [
        f"{name} was {_brief(was.get(name))} and is {_brief(now.get(name))}"
        for name in dict.fromkeys([*was, *now])
        if was.get(name) != now.get(name)
    ]


def _flat(settings: Settings) -> dict[str, Any]:
    """What must not change, the numbers of the budget and the databases by their own names."""
    values = {name: value for name, value in asdict(settings).items() if name not in MAY_CHANGE}
    values |= values.pop("budget") or {}
    databases = values.pop("databases")
    return values | {f"database {name}": one.get("sha256") for name, one in databases.items()}


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:79] + "…"


def _short(sha256: str | None) -> str:
    return f"-{sha256[:8]}" if sha256 else ""


def _plain(value: object) -> str:
    """A value without what would end a field or the line."""
    return "".join(c if c.isprintable() and c != "|" else "_" for c in str(value))
