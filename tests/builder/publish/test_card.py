"""The dataset card: what stands between markers is computed, all else is the user's."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimdb_builder.publish.benchmark import read_benchmark
from claimdb_builder.publish.card import (
    NUMBERS,
    card_text,
    filled,
    is_ours,
    template,
)
from claimdb_builder.publish.card_limits import known_issues
from claimdb_builder.publish.front_matter import parted, read_fields
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import labelled, of_rows, texts_of, write_issues

NAMES = ("splits", "cues", "own_section")
PROSE = st.text(st.characters(exclude_categories=["Cs"]), max_size=40).filter(
    lambda text: "<!--" not in text and "-->" not in text
)
COMPUTED = st.dictionaries(st.sampled_from(NAMES), PROSE, max_size=3)


def section(name: str, text: str = "") -> str:
    return f"<!-- claimdb:{name} -->\n{text}<!-- /claimdb:{name} -->"


def line(text: str) -> str:
    """A computed text as it stands between markers; where there is none they stand side by side."""
    return f"{text}\n" if text else ""


PARTS = st.lists(
    PROSE | st.builds(section, st.sampled_from(NAMES), PROSE.map(lambda text: f"{text}\n")),
    max_size=6,
)


@settings(max_examples=150, deadline=None)
@given(PARTS, COMPUTED)
def test_filling_changes_only_what_stands_between_markers(
    parts: list[str], computed: dict[str, str]
) -> None:
    wanted = []
    for part in parts:
        name = next((name for name in NAMES if part.startswith(f"<!-- claimdb:{name} ")), None)
        is_replaced = name is not None and name in computed
        wanted.append(section(str(name), line(computed[str(name)])) if is_replaced else part)
    once = filled("".join(parts), computed)
    assert once == "".join(wanted)
    assert filled(once, computed) == once


@pytest.mark.parametrize("text", [r"\1 \g<name> \\ \d", "$1 {0} {title} %s", "a\n\n| b |"])
def test_computed_text_is_taken_as_it_is(text: str) -> None:
    body = f"before {section('splits', 'old')} after"
    assert filled(body, {"splits": text}) == f"before {section('splits', text + chr(10))} after"


@pytest.mark.parametrize("old", ["", "old\n", "\n"])
def test_a_section_without_a_text_leaves_no_blank_line(old: str) -> None:
    body = f"before {section('splits', old)} after"
    assert filled(body, {"splits": ""}) == f"before {section('splits')} after"


def test_a_section_that_was_taken_out_stays_out() -> None:
    body = f"# Mine\n{section('splits')}\nno other"
    once = filled(body, {"splits": "S", "cues": "C"})
    assert once == f"# Mine\n{section('splits', 'S' + chr(10))}\nno other"


def test_a_section_that_stands_twice_is_filled_twice() -> None:
    body = section("splits") + " and " + section("splits")
    assert filled(body, {"splits": "S"}).count("S\n") == 2


@pytest.mark.parametrize(
    "body",
    [
        "<!-- claimdb:splits -->\nno end",
        "no start <!-- /claimdb:splits -->",
        "<!-- claimdb:splits -->\n<!-- /claimdb:cues -->",
        "<!-- claimdb: splits -->\n<!-- /claimdb: splits -->",
    ],
)
def test_damaged_markers_are_left_as_they_are(body: str) -> None:
    assert filled(body, {"splits": "S", "cues": "C"}) == body
    assert not is_ours(body)


def test_a_lost_end_does_not_swallow_the_prose_up_to_the_next_section_of_that_name() -> None:
    body = f"<!-- claimdb:splits -->\nlost\n# My own prose\n{section('splits')}"
    once = filled(body, {"splits": "S"})
    assert once == body.replace(section("splits"), section("splits", "S\n"))
    assert filled(once, {"splits": "S"}) == once


def test_text_of_the_data_cannot_end_a_section(tmp_path: Path) -> None:
    """Else each push would leave the rest of it behind as prose."""
    reason = "see <!-- /claimdb:known_issues --> above"
    write_issues(tmp_path, {"claim_id": 1, "db_name": "ferry_lines", "reason": reason})
    computed = {"known_issues": known_issues(of_rows(tmp_path, train=labelled([1])))}
    once = filled(section("known_issues"), computed)
    assert filled(once, computed) == once


def test_a_card_of_the_user_keeps_prose_and_fields() -> None:
    old = f"---\nlicense: mit\n---\n# Mine\n{section('splits', 'old')}\nMy prose.\n"
    text = card_text(old, "New", {"license": "x", "configs": []}, {"splits": "S"})
    kept, body = parted(text)
    assert kept == "license: mit\nconfigs: []\n"
    assert body == f"# Mine\n{section('splits', 'S' + chr(10))}\nMy prose.\n"
    assert card_text(text, "New", {"license": "x", "configs": []}, {"splits": "S"}) == text


def test_a_card_with_lines_that_end_in_crlf_keeps_its_prose() -> None:
    """As a Windows editor saves it."""
    old = f"---\nlicense: mit\n---\n# Mine\n{section('splits')}\nMy prose.\n".replace("\n", "\r\n")
    text = card_text(old, "New", {"configs": []}, {"splits": "S"})
    assert "My prose." in text
    assert "license: mit" in text
    assert "S\n" in text


@pytest.mark.parametrize("old", [None, "", "# A README that the Hub made\n"])
def test_without_a_card_of_ours_the_template_is_taken(old: str | None) -> None:
    text = card_text(old, "Zoo claims", {"configs": []}, {"splits": "S"})
    assert "\n# Zoo claims\n" in text
    assert "<!-- claimdb:splits -->\nS\n" in text


def test_fields_of_a_card_that_is_not_ours_are_kept() -> None:
    """The Hub makes such a card when a licence is chosen, and a gate is set in it."""
    old = "---\nlicense: mit\nextra_gated_prompt: You agree.\n---\n"
    kept, _ = parted(card_text(old, "Zoo", {"license": "x", "configs": []}, {}))
    fields = {"license": "mit", "extra_gated_prompt": "You agree.", "configs": []}
    assert read_fields(kept) == fields


def test_prose_of_a_card_that_is_not_ours_comes_behind_the_template() -> None:
    old = "\ufeff---\nlicense: mit\n---\n\n# A README that the Hub made\n\nAnd my prose.\n\n"
    once = card_text(old, "Zoo", {"configs": []}, {"splits": "S"})
    assert parted(once) == (
        "license: mit\nconfigs: []\n",
        filled(template("Zoo"), {"splits": "S"})
        + "\n# A README that the Hub made\n\nAnd my prose.\n",
    )
    assert card_text(once, "Other", {"configs": []}, {"splits": "S"}) == once


def test_damaged_yaml_of_an_old_card_is_an_error_not_a_new_card() -> None:
    with pytest.raises(DataError, match="YAML of the card"):
        card_text(f"---\na: [\n---\n{section('splits')}", "T", {}, {})


def test_the_template_has_a_marker_for_each_section_and_no_other(copy: str) -> None:
    text = template("T")
    opened = re.findall(r"^<!-- claimdb:(\w+) -->$", text, re.M)
    computed = texts_of(read_benchmark(copy))
    assert sorted(opened) == sorted(computed)
    assert text.count("<!--") == 2 * len(opened)
    assert [line for line in opened if section(line) not in text] == []
    assert NUMBERS.keys() < computed.keys()


ALLOWED = (
    "int64",
    "-1 where hidden or not known",
    "-1 where hidden",
    "-1 where the label",
    "macro-F1",
)
"""Names and values, none of them measured."""


def test_no_measured_number_stands_outside_of_markers() -> None:
    text = template("T")
    for known in ALLOWED:
        assert known in text
        text = text.replace(known, "")
    assert re.findall(r".*\d.*", text) == []


def test_the_template_is_whole() -> None:
    raw = (resources.files("claimdb_card") / "card.md").read_text("utf-8")
    assert raw.count("{title}") == 1
    assert "{title}" not in template("T")
    for left_over in ("[More Information Needed]", "TODO", "FIXME", "\r"):
        assert left_over not in raw
    assert is_ours(raw)


def test_a_filled_card_says_all_and_leaves_nothing_to_fill(copy: str) -> None:
    computed = texts_of(read_benchmark(copy))
    text = card_text(None, "Mine", {}, computed)
    empty = {name for name, value in computed.items() if not value}
    assert empty == {"funnel", "label_noise"}  # there is none, and nothing is known of it
    assert set(re.findall(r"<!-- claimdb:(\w+) -->\n<!-- /claimdb", text)) == empty
    assert not any(value.strip() != value for value in computed.values())
    assert "nan" not in text.replace("finance", "").lower().split()
    assert card_text(text, "Other", {}, computed) == text
