"""Draws from a seeded source that come out the same on every Python.

Only `Random.random()` is promised to be stable between Python versions; every draw uses it alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from math import fsum
from random import Random
from typing import TypeVar

T = TypeVar("T")

Row = tuple[object, ...]
Tables = dict[str, list[Row]]


def between(rng: Random, low: int, high: int) -> int:
    """A whole number from low to high, both included."""
    return low + int(rng.random() * (high - low + 1))


def chance(rng: Random, probability: float) -> bool:
    """True with the given probability."""
    return rng.random() < probability


def hump(rng: Random, low: float, high: float) -> float:
    """A number between low and high, more often near the middle."""
    return low + (rng.random() + rng.random() + rng.random()) / 3 * (high - low)


def pick(rng: Random, items: Sequence[T]) -> T:
    """One of the items, each as likely as the others."""
    return items[int(rng.random() * len(items))]


def weighted(rng: Random, weights: Mapping[T, float]) -> T:
    """One of the keys, as likely as its weight."""
    # Not sum(): Python 3.12 changed how it rounds floats.
    left = rng.random() * fsum(weights.values())
    for item, weight in weights.items():
        left -= weight
        if left < 0:
            return item
    return item


def shuffled(rng: Random, items: Sequence[T]) -> list[T]:
    """The items in another order."""
    keyed = [(rng.random(), at) for at in range(len(items))]
    return [items[at] for _, at in sorted(keyed)]


def clock(minutes: int) -> str:
    """Minutes after midnight as "HH:MM"."""
    return f"{minutes // 60:02d}:{minutes % 60:02d}"


def days(first: date, last: date) -> Iterator[date]:
    """Every day from first to last, both included."""
    for offset in range((last - first).days + 1):
        yield first + timedelta(days=offset)


def day_in(rng: Random, first: date, last: date) -> date:
    """One day from first to last, both included."""
    return first + timedelta(days=between(rng, 0, (last - first).days))


def iso(day: date | None) -> str | None:
    """The day as "YYYY-MM-DD", or None for none."""
    return None if day is None else day.isoformat()
