"""Comparing two systems, and several at once."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from claimdb_metric import Comparison, DataError, HiddenLabelsError, compare, compare_systems, score
from claimdb_metric.significance import holm

GENERATOR = np.random.default_rng(7)
N = 300
REFERENCES = GENERATOR.integers(0, 3, N)
GROUPS = np.arange(N) // 5


def system(skill: float) -> np.ndarray:
    answers: np.ndarray = np.where(
        GENERATOR.random(N) < skill, REFERENCES, GENERATOR.integers(0, 4, N)
    )
    return answers


SYSTEMS = {"best": system(0.9), "good": system(0.7), "fair": system(0.6), "poor": system(0.2)}


@pytest.fixture(name="pair", scope="module")
def one_pair() -> Comparison:
    return compare(
        SYSTEMS["best"],
        SYSTEMS["fair"],
        REFERENCES,
        names=("best", "fair"),
        groups={"bird_id": GROUPS},
        split="test_public",
    )


def test_both_systems_have_their_own_scores(pair: Comparison) -> None:
    for name in ("accuracy", "macro_f1"):
        found = getattr(pair, name)
        scores = [score(SYSTEMS[system], REFERENCES) for system in ("best", "fair")]
        assert [found.a, found.b] == pytest.approx([getattr(one, name) for one in scores])
        assert found.effect == found.a - found.b
        assert found.interval[0] < found.effect < found.interval[1]
    assert (pair.a, pair.b, pair.n) == ("best", "fair", N)


def test_who_alone_was_right(pair: Comparison) -> None:
    best, fair = SYSTEMS["best"] == REFERENCES, SYSTEMS["fair"] == REFERENCES
    assert pair.only_a_right == sum(best & ~fair)
    assert pair.only_b_right == sum(fair & ~best)
    assert (pair.only_a_right - pair.only_b_right) / N == pytest.approx(pair.accuracy.effect)
    assert pair.mcnemar_p < 0.001


def test_the_other_way_round_all_signs_change() -> None:
    one = compare(SYSTEMS["good"], SYSTEMS["fair"], REFERENCES, n_resamples=2000)
    other = compare(SYSTEMS["fair"], SYSTEMS["good"], REFERENCES, n_resamples=2000)
    assert other.accuracy.effect == pytest.approx(-one.accuracy.effect)
    assert other.accuracy.interval == pytest.approx(
        [-bound for bound in one.accuracy.interval[::-1]], abs=0.01
    )
    assert other.mcnemar_p == one.mcnemar_p


def test_a_system_and_itself() -> None:
    found = compare(SYSTEMS["good"], SYSTEMS["good"], REFERENCES)
    for part in (found.accuracy, found.macro_f1):
        assert (part.effect, part.interval, part.p_value) == (0.0, (0.0, 0.0), 1.0)
    assert (found.only_a_right, found.only_b_right, found.mcnemar_p) == (0, 0, 1.0)
    assert "≤" not in found.format()


def test_claims_of_one_question_make_the_interval_wider() -> None:
    a, b, known = (np.repeat(x, 10) for x in (SYSTEMS["good"], SYSTEMS["fair"], REFERENCES))
    low, high = compare(a, b, known).accuracy.interval
    grouped = compare(a, b, known, groups=np.arange(10 * N) // 10).accuracy.interval
    assert grouped[1] - grouped[0] > 2.5 * (high - low)


def test_every_pair_is_compared_and_corrected_for_their_number() -> None:
    pairs = compare_systems(SYSTEMS, REFERENCES, n_resamples=1000)
    names = list(SYSTEMS)
    assert [(pair.a, pair.b) for pair in pairs] == [
        (a, b) for place, a in enumerate(names) for b in names[place + 1 :]
    ]
    for read in (
        lambda pair: (pair.mcnemar_p, pair.mcnemar_p_holm),
        lambda pair: (pair.accuracy.p_value, pair.accuracy.p_holm),
        lambda pair: (pair.macro_f1.p_value, pair.macro_f1.p_holm),
    ):
        given, corrected = zip(*map(read, pairs), strict=True)
        assert list(corrected) == holm(given)
        assert corrected != given
    alone = compare(SYSTEMS["best"], SYSTEMS["good"], REFERENCES, n_resamples=1000)
    assert alone.accuracy.p_holm == alone.accuracy.p_value


@pytest.mark.parametrize("groups", [None, GROUPS], ids=["claims", "groups"])
def test_a_pair_alone_and_among_others_differs_by_the_draw_only(groups: Any) -> None:
    options: dict[str, Any] = {"groups": groups, "n_resamples": 4000}
    alone = compare(SYSTEMS["good"], SYSTEMS["fair"], REFERENCES, **options)
    among = compare_systems(SYSTEMS, REFERENCES, **options)[3]
    assert (among.a, among.b) == ("good", "fair")
    for name in ("accuracy", "macro_f1"):
        one, other = getattr(alone, name), getattr(among, name)
        assert other.effect == one.effect
        assert other.interval == pytest.approx(one.interval, abs=0.01)
        assert other.p_value == pytest.approx(one.p_value, abs=0.02)


@pytest.mark.unmeasured
def test_many_pairs_get_resamples_enough_for_a_small_p() -> None:
    """With 10,000 the smallest p-value times 276 pairs would be 0.055."""
    many = {f"random {n}": GENERATOR.integers(0, 3, N) for n in range(23)} | {"right": REFERENCES}
    pairs = [pair for pair in compare_systems(many, REFERENCES) if pair.b == "right"]
    assert len(pairs) == 23
    assert all(pair.accuracy.is_smallest_p for pair in pairs)
    assert max(pair.accuracy.p_holm for pair in pairs) <= 0.01
    assert "|ci:boot55200|" in pairs[0].signature


def test_another_seed_gives_another_interval() -> None:
    found = [compare(SYSTEMS["good"], SYSTEMS["fair"], REFERENCES, seed=seed) for seed in (1, 1, 2)]
    first, again, other = (one.macro_f1.interval for one in found)
    assert first == again != other


@pytest.mark.parametrize(
    ("n", "n_wrong", "floor"), [(6, 6, 0.03125), (2, 2, 0.5), (20, 1, 1.0), (20, 4, 0.125)]
)
def test_few_differing_claims_cannot_show_a_small_p(n: int, n_wrong: int, floor: float) -> None:
    """No better than the exact test: the bootstrap alone would say 0.0002."""
    found = compare([0] * n, [1] * n_wrong + [0] * (n - n_wrong), [0] * n)
    assert found.accuracy.p_value >= floor
    if n == n_wrong:
        assert found.accuracy.p_value == found.mcnemar_p == floor
    # The floor is no bound from above: nothing says that the true p-value may be smaller.
    assert not found.accuracy.is_smallest_p


def test_few_differing_groups_cannot_show_a_small_p() -> None:
    b = np.where(np.arange(N) % 100 == 0, (REFERENCES + 1) % 3, REFERENCES)
    found = compare(REFERENCES, b, REFERENCES, groups={"db_name": np.arange(N) // 100})
    assert found.accuracy.p_value == found.macro_f1.p_value == found.mcnemar_p == 0.25


def test_answers_that_differ_and_are_both_wrong_count_for_macro_f1_only() -> None:
    a = np.where(np.arange(N) < 20, (REFERENCES + 1) % 3, REFERENCES)
    b = np.where(np.arange(N) < 20, (REFERENCES + 2) % 3, REFERENCES)
    found = compare(a, b, REFERENCES)
    assert (found.accuracy.effect, found.accuracy.p_value) == (0.0, 1.0)
    assert found.macro_f1.p_value < 1.0


def test_many_claims_are_drawn_pair_by_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """One draw of every claim for all systems would take ten times as long; the numbers agree."""
    options: dict[str, Any] = {"n_resamples": 4000}
    shared = compare_systems(SYSTEMS, REFERENCES, **options)
    monkeypatch.setattr("claimdb_metric.paired_draws._NS_A_PAIR", 0)
    drawn = compare_systems(SYSTEMS, REFERENCES, **options)
    assert shared != drawn
    for one, other in zip(shared, drawn, strict=True):
        assert one.macro_f1.effect == other.macro_f1.effect
        assert one.macro_f1.interval == pytest.approx(other.macro_f1.interval, abs=0.01)
        assert one.accuracy.p_value == pytest.approx(other.accuracy.p_value, abs=0.02)


def test_all_against_a_baseline() -> None:
    pairs = compare_systems(SYSTEMS, REFERENCES, baseline="good", n_resamples=100)
    assert [(pair.a, pair.b) for pair in pairs] == [
        ("best", "good"),
        ("fair", "good"),
        ("poor", "good"),
    ]


def test_to_dict_is_plain_json(pair: Comparison) -> None:
    result = pair.to_dict()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert result["accuracy_effect"] == pair.accuracy.effect
    assert result["macro_f1_interval"] == list(pair.macro_f1.interval)
    assert result["mcnemar_p_holm"] == pair.mcnemar_p_holm


def test_format(pair: Comparison) -> None:
    *lines, signature = pair.format().splitlines()
    assert lines[0] == "best and fair on 300 claims: paired bootstrap"
    assert f"{pair.accuracy.effect:+.3f}" in lines[2]
    assert max(map(len, lines)) <= 90
    assert signature == pair.signature
    assert str(pair) == pair.format()
    assert "|ci:boot10000|" in signature
    assert "|groups:bird_id/60-" in signature


ROWS: dict[str, Any] = {"a": [0, 1, 2], "b": [0, 1, 1], "references": [0, 1, 2]}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"a": [0, 1]}, "2 predictions of 'a' but 3 references"),
        ({"references": [0, 1, "maybe"]}, "unknown reference"),
        ({"names": ("x", "x")}, "must be two different names"),
        ({"names": ("x", "y", "z")}, "must be two different names"),
        ({"split": 5}, "split=5 must be one line"),
        ({"groups": {"a|b": [1, 2, 2]}}, "groups='a|b' must be one line"),
        ({"groups": [1, 1, 1]}, "at least two"),
        ({"groups": [1, 2]}, "2 values but 3 claims"),
        ({"n_resamples": 0}, "n_resamples must be a whole number of at least 1"),
        ({"seed": None}, "seed"),
        ({"a": [], "b": [], "references": []}, "at least two"),
    ],
)
def test_what_cannot_be_compared(change: dict[str, Any], message: str) -> None:
    with pytest.raises(DataError, match=message):
        compare(**ROWS | change)


def test_systems_need_names() -> None:
    with pytest.raises(DataError, match="predictions by name, not list"):
        compare_systems([[0, 1], [1, 1]], [0, 1])  # type: ignore[arg-type]


def test_hidden_references() -> None:
    with pytest.raises(HiddenLabelsError, match="submit"):
        compare(**ROWS | {"references": [0, -1, 2]})


@pytest.mark.parametrize(
    ("names", "baseline", "message"),
    [
        (["best"], None, "at least two systems, got 1"),
        (["best", "good"], "new", "no system is named 'new'; there are best, good"),
    ],
)
def test_which_systems(names: list[str], baseline: str | None, message: str) -> None:
    with pytest.raises(DataError, match=message):
        compare_systems({name: SYSTEMS[name] for name in names}, REFERENCES, baseline=baseline)
