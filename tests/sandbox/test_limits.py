"""What a query may cost: the defaults, the two documented sets, and values that are refused."""

from __future__ import annotations

import math
import pickle
import re
from dataclasses import FrozenInstanceError, asdict, replace
from typing import Any

import pytest

from claimdb_sandbox import AGENT_LIMITS, GOLD_LIMITS, BadLimitsError, Limits, SandboxError

KIB, MIB, GIB = 2**10, 2**20, 2**30

SECONDS = {
    "time_limit_s": "a number of seconds from 0.001 to 86,400",
    "grace_s": "a number of seconds from 0 to 86,400",
}
INTEGERS = {
    "max_steps": "an integer from 1,000 to 1,000,000,000,000",
    "max_rows": "an integer from 1 to 1,000,000,000,000",
    "max_bytes": "an integer from 1 to 268,435,456",
    "max_heap_bytes": "an integer from 8,388,608 to 1,099,511,627,776",
    "max_sql_chars": "an integer from 1 to 250,000",
}
RANGES = SECONDS | INTEGERS
"""What a message says of each limit."""

NEVER: list[Any] = [
    *(True, False, math.nan, math.inf, -math.inf, -1),
    *("1000", "", b"1000", [1000], (1000,), {}, 1j, object),
]
"""What no limit may be, whatever its range."""


def test_defaults_are_the_documented_ones() -> None:
    assert asdict(Limits()) == {
        "time_limit_s": 10.0,
        "grace_s": 1.0,
        "max_steps": None,
        "max_rows": 1000,
        "max_bytes": MIB,
        "max_heap_bytes": 256 * MIB,
        "max_sql_chars": 100_000,
        "strict_names": False,
    }


def test_agents_get_10_s_200_million_steps_100_rows_32_kib_and_strict_names() -> None:
    assert asdict(AGENT_LIMITS) == asdict(Limits()) | {
        "time_limit_s": 10.0,
        "max_steps": 200_000_000,
        "max_rows": 100,
        "max_bytes": 32 * KIB,
        "strict_names": True,
    }


def test_gold_sql_gets_30_s_400_million_steps_11_rows_and_1_gib() -> None:
    assert asdict(GOLD_LIMITS) == asdict(Limits()) | {
        "time_limit_s": 30.0,
        "max_steps": 400_000_000,
        "max_rows": 11,
        "max_heap_bytes": GIB,
    }


@pytest.mark.parametrize("name", RANGES)
@pytest.mark.parametrize("value", NEVER, ids=lambda value: str(value)[:12])
def test_what_is_no_number_or_a_bool_is_refused_by_name_and_range(name: str, value: Any) -> None:
    with pytest.raises(BadLimitsError, match=re.escape(f"must be {RANGES[name]}")) as caught:
        Limits(**{name: value})
    assert str(caught.value).startswith(f"{name}=")


@pytest.mark.parametrize("name", RANGES)
def test_an_integer_that_no_float_can_hold_is_out_of_range(name: str) -> None:
    with pytest.raises(BadLimitsError, match=re.escape(f"must be {RANGES[name]}")):
        Limits(**{name: 10**400})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [name for name in RANGES if name != "max_steps"])
def test_none_is_refused_where_a_limit_cannot_be_absent(name: str) -> None:
    expected = re.escape(f"{name}=None must be {RANGES[name]}")
    with pytest.raises(BadLimitsError, match=expected):
        Limits(**{name: None})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [8_388_608.0, 1e7 + 0.5])
def test_a_float_is_refused_where_things_are_counted(name: str, value: float) -> None:
    with pytest.raises(BadLimitsError, match=re.escape(f"{name}={value!r} must be an integer")):
        Limits(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("name", "least", "below"),
    [
        ("time_limit_s", 0.001, 0.0009),
        ("time_limit_s", 1, 0),
        ("grace_s", 0, -0.001),
        ("grace_s", 0.0, -1),
        ("max_steps", 1000, 999),
        ("max_steps", None, 0),
        ("max_rows", 1, 0),
        ("max_bytes", 1, 0),
        ("max_heap_bytes", 8 * MIB, 8 * MIB - 1),
        ("max_sql_chars", 1, 0),
    ],
)
def test_the_least_is_taken_and_less_is_refused(name: str, least: Any, below: Any) -> None:
    assert getattr(Limits(**{name: least}), name) == least
    with pytest.raises(BadLimitsError, match=re.escape(f"{name}={below!r} must be {RANGES[name]}")):
        Limits(**{name: below})


@pytest.mark.parametrize(
    ("name", "most", "above"),
    [
        ("time_limit_s", 86_400, 86_400.1),
        ("grace_s", 86_400.0, 86_401),
        ("max_steps", 10**12, 10**12 + 1),
        ("max_rows", 10**12, 10**12 + 1),
        ("max_bytes", GIB // 4, GIB // 4 + 1),
        ("max_heap_bytes", 2**40, 2**40 + 1),
        ("max_sql_chars", 250_000, 250_001),
    ],
)
def test_the_most_is_taken_and_more_is_refused(name: str, most: Any, above: Any) -> None:
    assert getattr(Limits(**{name: most}), name) == most
    with pytest.raises(BadLimitsError, match=re.escape(f"{name}={above!r} must be {RANGES[name]}")):
        Limits(**{name: above})


@pytest.mark.parametrize("value", [1, 0, None, "True", "", 1.0])
def test_strict_names_is_a_bool_and_nothing_like_one(value: Any) -> None:
    expected = re.escape(f"strict_names={value!r} must be True or False")
    with pytest.raises(BadLimitsError, match=expected):
        Limits(strict_names=value)


def test_the_error_is_the_sandbox_s_and_a_value_error() -> None:
    assert issubclass(BadLimitsError, SandboxError)
    assert issubclass(BadLimitsError, ValueError)


def test_limits_cannot_be_changed_and_a_changed_copy_is_checked() -> None:
    limits = Limits()
    with pytest.raises(FrozenInstanceError):
        limits.max_rows = 5  # type: ignore[misc]
    assert replace(limits, max_rows=5) == Limits(max_rows=5)
    with pytest.raises(BadLimitsError, match="max_rows=0"):
        replace(limits, max_rows=0)


def test_equal_values_are_equal_limits_with_one_hash() -> None:
    same = Limits(time_limit_s=10, max_steps=200_000_000, max_rows=100, max_bytes=32_768)
    assert same != AGENT_LIMITS
    assert replace(same, strict_names=True) == AGENT_LIMITS
    assert len({AGENT_LIMITS, replace(same, strict_names=True), GOLD_LIMITS}) == 2


@pytest.mark.parametrize("limits", [Limits(), AGENT_LIMITS, GOLD_LIMITS, Limits(0.001, 0)])
def test_limits_survive_a_pickle_and_the_way_through_a_dict(limits: Limits) -> None:
    assert pickle.loads(pickle.dumps(limits)) == limits
    assert Limits(**asdict(limits)) == limits


def test_the_first_number_is_the_time_limit_and_the_second_the_grace() -> None:
    assert Limits(2).time_limit_s == 2
    assert Limits(2, 3).grace_s == 3
