"""The verdict is found in whatever a model said around it, and in little time."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from claimdb_harness.verdict_text import MAX_SAID_CHARS, Verdict, objects_in, verdict_in, verdict_of
from claimdb_metric.labels import LABELS

E, C, N = LABELS
ENTAILED = '{"verdict": "ENTAILED", "justification": "so"}'
LENGTH = 20_000


@pytest.mark.parametrize(
    ("text", "label", "justification"),
    [
        pytest.param(ENTAILED, E, "so", id="nothing else"),
        pytest.param(f"Sure!\n```json\n{ENTAILED}\n```\nDone.", E, "so", id="fenced"),
        pytest.param(f"think {{draft}} then {ENTAILED}", E, "so", id="draft in braces"),
        pytest.param(f'say {{"{ENTAILED}', E, "so", id="half an object before"),
        pytest.param(f"{ENTAILED} }}}}", E, "so", id="braces after"),
        pytest.param(
            '{"verdict":"ENTAILED","justification":"set {a} is fine"}',
            E,
            "set {a} is fine",
            id="braces in the justification",
        ),
        pytest.param('{"justification": "} {", "verdict": "ENTAILED"}', E, "} {", id="unpaired"),
        pytest.param(r'{"verdict": "ENTAILED", "justification": "\"{\\"}', E, '"{\\', id="escapes"),
        pytest.param('{"verdict": "ENTAILED", "justification": "a\nb"}', E, "a\nb", id="raw break"),
        pytest.param('{"verdict": "ENTAILED", "x": 1e5, "y": [null]}', E, "", id="other keys"),
        pytest.param('{"verdict": "ENTAILED", "justification": 7}', E, "", id="no text for it"),
        pytest.param('{"label": "CONTRADICTED"}', C, "", id="label"),
        pytest.param('{"label": "CONTRADICTED", "verdict": "ENTAILED"}', E, "", id="both keys"),
        pytest.param('{"verdict": " not enough info "}', N, "", id="lower case"),
        pytest.param(f'{ENTAILED} or {{"verdict": "CONTRADICTED"}}', C, "", id="the last of two"),
        pytest.param(f'{ENTAILED} {{"n_rows": 3}}', E, "so", id="the last with a verdict"),
        pytest.param(f'{{"answer": {ENTAILED}}}', E, "so", id="nested"),
        pytest.param(f'{{"a": [{{"b": [{ENTAILED}]}}]}}', E, "so", id="deeply nested"),
        pytest.param(f'{{"verdict": {ENTAILED}}}', E, "so", id="nested under the key"),
        pytest.param(
            '{"verdict": "CONTRADICTED", "drafts": [{"verdict": "ENTAILED"}]}', C, "", id="outer"
        ),
        pytest.param(f'{{"a": {ENTAILED}, "b": {{"label": 1}}}}', C, "", id="last of two inner"),
        pytest.param(f"[{ENTAILED}]", E, "so", id="in brackets"),
        pytest.param(
            f'{ENTAILED} as {{"properties": {{"verdict": {{"type": "string"}}}}}}',
            E,
            "so",
            id="a schema is no answer",
        ),
        pytest.param('{"verdict": "ENTAILED", "verdict": "CONTRADICTED"}', C, "", id="key twice"),
        pytest.param(f'{{"a": {ENTAILED}', E, "so", id="outer one cut short"),
        pytest.param(f'{ENTAILED} {{"verdict": "CONTRA', E, "so", id="last one cut short"),
    ],
)
def test_a_verdict(text: str, label: str, justification: str) -> None:
    assert verdict_in(text) == Verdict(label, justification)


@pytest.mark.parametrize(
    ("text", "invalid", "said"),
    [
        ("", "no_answer", None),
        (" \n\t", "no_answer", None),
        ("The claim is ENTAILED.", "no_json", "The claim is ENTAILED."),
        ("{verdict: ENTAILED}", "no_json", "{verdict: ENTAILED}"),
        ("{'verdict': 'ENTAILED'}", "no_json", "{'verdict': 'ENTAILED'}"),
        ('{"answer": "ENTAILED"}', "no_json", '{"answer": "ENTAILED"}'),
        ('{"verdict": "SUPPORTS"}', "wrong_label", '{"verdict": "SUPPORTS"}'),
        ('{"verdict": "NOT_ENOUGH_INFO"}', "wrong_label", '{"verdict": "NOT_ENOUGH_INFO"}'),
        ('{"verdict": null, "sql": [1]}', "wrong_label", '{"verdict": null}'),
        ('{"verdict": true}', "wrong_label", '{"verdict": true}'),
        (ENTAILED + '{"verdict": "no"}', "wrong_label", '{"verdict": "no"}'),
        ("x" * 501, "no_json", "x" * MAX_SAID_CHARS),
    ],
)
def test_no_verdict(text: str, invalid: str, said: str | None) -> None:
    found = verdict_in(text)
    assert (found.label, found.justification, found.invalid, found.said) == (
        None,
        "",
        invalid,
        said,
    )


def test_what_is_said_is_cut() -> None:
    said = verdict_of({"verdict": "x" * 1000}).said
    assert said is not None
    assert len(said) == MAX_SAID_CHARS


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ({"verdict": "ENTAILED"}, Verdict(E)),
        ({"label": 2, "justification": "no column"}, Verdict(N, "no column")),
        ({}, Verdict(None, invalid="wrong_label", said="{}")),
        ({"verdict": ["ENTAILED"]}, Verdict(None, invalid="wrong_label", said="{}")),
    ],
)
def test_the_verdict_of_an_object(answer: dict[str, Any], expected: Verdict) -> None:
    assert verdict_of(answer) == expected


@pytest.mark.parametrize(
    "piece",
    ["{", "[", '{"', '{"a":', '{"a":1,', '{"a":"\\"', '{"\\x', '{"a":[1,', "{ ", '{"a":{},"b":[],'],
)
def test_the_work_grows_with_the_text_only(piece: str) -> None:
    once, twice = (_n_calls(piece * n + ENTAILED + piece * n) for n in (500, 1000))
    assert twice < 2.2 * once


def _n_calls(text: str) -> int:
    """How many functions are called to find the verdict in a text."""
    n_calls = 0

    def count(*_: object) -> None:
        nonlocal n_calls
        n_calls += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        verdict = verdict_in(text)
    finally:
        sys.setprofile(before)
    assert verdict.label == E
    return n_calls


@pytest.mark.parametrize(
    "around",
    [
        '{"a":"' + "{ " * LENGTH,
        '{"a":[' + "1," * LENGTH,
        "9" * LENGTH,
        '{"a":' + "9" * LENGTH + "} ",
    ],
)
def test_long_texts(around: str) -> None:
    assert verdict_in(around + ENTAILED).label == E
    assert verdict_in(ENTAILED + around).label == E


def test_no_depth_is_too_deep() -> None:
    deep = '{"a":' * LENGTH + '{"verdict": "maybe"}' + "}" * LENGTH
    assert verdict_in(deep).said == '{"verdict": "maybe"}'
    holder = '{"verdict": "maybe", "a": ' + "[" * LENGTH + "]" * LENGTH + "}"
    assert verdict_in(holder).invalid == "wrong_label"


# Prose is full of what JSON is made of, but names no verdict.
PROSE = st.text(st.sampled_from('{}[]":,\\ \n`abtrue019-.é\ud83d'), max_size=30) | st.text()
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # json writes what is no number as a word of its own, which is no JSON
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.text().filter(lambda key: key not in ("verdict", "label", "justification"))
EXTRA = st.dictionaries(KEYS, VALUES, max_size=3)


@settings(deadline=None)
@given(
    label=st.sampled_from(LABELS),
    justification=st.text(),
    extra=EXTRA,
    before=PROSE,
    after=PROSE,
    ascii_only=st.booleans(),
    indent=st.none() | st.integers(0, 2),
)
def test_any_object_in_any_prose_is_found(
    label: str,
    justification: str,
    extra: dict[str, Any],
    before: str,
    after: str,
    ascii_only: bool,
    indent: int | None,
) -> None:
    answer = {**extra, "verdict": label, "justification": justification}
    text = json.dumps(answer, ensure_ascii=ascii_only, indent=indent)
    assert verdict_in(before + text + after) == Verdict(label, justification)


@settings(deadline=None)
@example([{"a": 10**25 + 1}], "")
@given(st.lists(EXTRA, max_size=4), st.text(st.sampled_from("abc ,:]\n")))
def test_objects_are_read_as_json_reads_them(values: list[dict[str, Any]], between: str) -> None:
    text = between.join(json.dumps(value) for value in values)
    assert objects_in(text) == [json.loads(json.dumps(value)) for value in values]


@settings(deadline=None)
@given(st.text(st.sampled_from('{}[]":,\\ \ntrue0-.ael')))
def test_no_text_is_too_odd(text: str) -> None:
    found = verdict_in(text)
    assert (found.label is None) == (found.invalid is not None)
