"""The YAML of a user's card line by line: what they wrote stays, byte for byte."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimdb_builder.publish.front_matter import (
    COMPUTED,
    joined,
    license_of,
    parted,
    read_fields,
)

OURS: dict[str, Any] = {
    "license": "cc-by-sa-4.0",
    "tags": ["claimdb"],
    "configs": [{"config_name": "claims"}],
}
USERS_LINES = {
    "license": "license: mit  # as the paper\n",
    "language": "language:\n- no\n- en\n",
    "version": "version: 1.10\n",
    "extra_gated_prompt": "extra_gated_prompt: |\n  You agree\n  ---\n  not to share.\n\n",
    "since": "since: 2026-01-20\n",
    "tags": "'tags':  [mine, \"two: words\"]\n\n",
    "flag": "flag: yes\r\n",
    "size_categories": "size_categories: [n>1T]\n",
    "configs": "configs:\n- config_name: old\n  # gone\n  data_files: x\n",
    "dataset_info": "dataset_info:\n  old: |\n    a\n\n    b\n",
}


@given(st.lists(st.sampled_from(sorted(USERS_LINES)), unique=True))
def test_only_the_lines_of_computed_fields_are_replaced(names: list[str]) -> None:
    fields = {name: [{"config_name": "claims"}] for name in COMPUTED}
    lines = {name: f"{name}:\n- config_name: claims\n" for name in COMPUTED}
    wanted = "".join(lines.get(name, USERS_LINES[name]) for name in names)
    added = "".join(text for name, text in lines.items() if name not in names)
    kept = "".join(USERS_LINES[name] for name in names)
    assert joined(kept, fields, "# T\n") == f"---\n{wanted}{added}---\n# T\n"


@pytest.mark.parametrize("before", ["\ufeff", "\n \n\t\n", "\ufeff\n", "\r\n"])
def test_what_stands_before_the_yaml_does_not_hide_it(before: str) -> None:
    assert parted(f"{before}---\nlicense: mit\n---\n# T\n") == ("license: mit\n", "# T\n")


@pytest.mark.parametrize(
    "text",
    [
        "language:\n- no\n",
        "version: 1.10\n",
        "# keep in step with the paper\nlicense: mit\n",
        "license: mit\n# keep in step: with the paper\nversion: 2\n",
        "license: mit\n\n# the end\n",
    ],
    ids=["norwegian", "number", "comment", "comment-between", "comment-at-the-end"],
)
def test_fields_of_the_user_stay_as_they_were_written(text: str) -> None:
    assert joined(text, {}, "") == f"---\n{text}---\n"
    added = "configs:\n- config_name: claims\n"
    assert joined(text, {"configs": OURS["configs"]}, "") == f"---\n{text}{added}---\n"


@pytest.mark.parametrize("name", COMPUTED)
@pytest.mark.parametrize("space", ["", "\n"])
def test_a_comment_behind_a_computed_field_stays(name: str, space: str) -> None:
    """It says something of the user's field that follows."""
    text = f"{name}:\n- old\n{space}# as the paper says\nlicense: mit\n"
    again = joined(text, {name: ["new"]}, "")
    assert read_fields(parted(again)[0]) == {name: ["new"], "license": "mit"}
    assert "# as the paper says\nlicense: mit\n" in again


@pytest.mark.parametrize(
    "text",
    [
        "{license: mit, configs: old}\n",
        "license: mit\nconfigs: old\n...\n",
        "configs: [a,\nb]\nlicense: mit\n",
        'configs: "a\nb"\nlicense: mit\n',
        "configs: &it mit\nlicense: *it\n",
    ],
    ids=["flow", "end-mark", "list-over-lines", "text-over-lines", "anchor"],
)
def test_yaml_in_a_form_that_lines_do_not_show_keeps_its_values(text: str) -> None:
    again, _ = parted(joined(text, OURS, ""))
    assert read_fields(again) == {**OURS, "license": "mit"}


@pytest.mark.parametrize(
    ("card", "licence"),
    [
        (None, "cc-by-sa-4.0"),
        ("", "cc-by-sa-4.0"),
        ("# T\n", "cc-by-sa-4.0"),
        ("---\ntags: []\n---\n", "cc-by-sa-4.0"),
        ("---\nlicense: mit\n---\n", "mit"),
        ("\ufeff\n---\r\nlicense: 'mit'\r\n---\r\n", "mit"),
        ("---\nlicense:\n---\n", "cc-by-sa-4.0"),
        ("---\nlicense: [mit, odbl]\n---\n", "mit, odbl"),
        ("---\nlicense: [mit]\n---\n", "mit"),
        ("---\nlicense: []\n---\n", "cc-by-sa-4.0"),
        ("---\nlicense:\n- mit\n- 1.0\n---\n", "mit, 1.0"),
    ],
)
def test_the_licence_is_the_cards(card: str | None, licence: str) -> None:
    assert license_of(card) == licence
