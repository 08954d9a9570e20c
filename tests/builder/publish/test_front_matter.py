"""The YAML at the head of a card: ours is set, the user's is kept."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from huggingface_hub import DatasetCard
from hypothesis import example, given, settings
from hypothesis import strategies as st

from claimdb_builder.publish.front_matter import (
    COMPUTED,
    fields_of,
    joined,
    parted,
    read_fields,
    size_category,
)
from claimdb_metric.errors import DataError
from tests.builder.publish.made_benchmarks import as_claimdb, labelled, of_rows

# PyYAML writes U+0085 unescaped between quotes, and reads it as a space.
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x85"), max_size=10)
SCALARS = (
    st.none() | st.booleans() | st.integers() | TEXTS | st.dates() | st.floats(allow_nan=False)
)
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3)
)
FIELDS = st.dictionaries(TEXTS | st.sampled_from(COMPUTED), VALUES, max_size=4)
OURS: dict[str, Any] = {
    "license": "cc-by-sa-4.0",
    "tags": ["claimdb"],
    "size_categories": ["n<1K"],
    "configs": [{"config_name": "claims"}],
    "dataset_info": [{"config_name": "claims"}],
}
USERS = """---
license: mit
tags: [mine, "two: words"]
extra_gated_prompt: |
  You agree
  ---
  not to share – it.
pretty_name: Zoë's
size_categories: [n>1T]
configs: old
extra_gated_fields: {Name: text, I agree: checkbox}
---
"""


@settings(max_examples=60, deadline=None)
@given(FIELDS, TEXTS | st.just("\n---\nx\n---\n"))
@example({"a": "x\n---\ny"}, "")
@example({}, "")
@example({"---": "---"}, "\n\n# Title")
def test_what_was_joined_is_parted_again(fields: dict[str, Any], body: str) -> None:
    kept, rest = parted(joined("", fields, body))
    assert (read_fields(kept), rest) == (fields, body)


@settings(max_examples=30, deadline=None)
@given(FIELDS, FIELDS, TEXTS)
def test_joining_again_changes_nothing(
    users: dict[str, Any], ours: dict[str, Any], body: str
) -> None:
    text = yaml.safe_dump(users, allow_unicode=True) if users else ""
    once = joined(text, ours, body)
    kept, rest = parted(once)
    computed = {name: value for name, value in ours.items() if name in COMPUTED}
    assert read_fields(kept) == ours | users | computed
    assert joined(kept, ours, rest) == once


def test_fields_of_the_user_win_but_for_the_computed_ones() -> None:
    kept, body = parted(USERS + "# Prose\n")
    fields = yaml.safe_load(joined(kept, OURS, body).split("\n---\n# Prose")[0])
    assert fields == {
        "license": "mit",
        "tags": ["mine", "two: words"],
        "extra_gated_prompt": "You agree\n---\nnot to share – it.\n",
        "pretty_name": "Zoë's",
        "extra_gated_fields": {"Name": "text", "I agree": "checkbox"},
        **{name: OURS[name] for name in COMPUTED},
    }
    assert list(fields)[:3] == ["license", "tags", "extra_gated_prompt"]


@pytest.mark.parametrize(
    "card",
    [
        "---\nlicense: mit\n---\n# Title\n",
        "---\r\nlicense: mit\r\n---\r\n# Title\n",
        "\n---\nlicense: mit\n---\n# Title\n",
        "---\nlicense: mit\n--- \n# Title\n",
        "---\nlicense: mit\n---",
        "---\n\n---\n# Title\n",
        "# Title\n",
        "# Title\n\n---\nlicense: mit\n---\n",
        "",
    ],
    ids=[
        *("plain", "crlf", "blank-before", "space-after", "no-body", "blank"),
        *("none", "later", "nothing"),
    ],
)
def test_fields_are_those_that_the_hub_reads(card: str) -> None:
    """`huggingface_hub` reads a card as the Hub does; a later block is no front matter there."""
    there: Any = DatasetCard(card, ignore_metadata_errors=True)
    text, body = parted(card)
    assert read_fields(text) == there.data.to_dict()
    assert body.strip() == there.text.strip()


@pytest.mark.parametrize("body", ["# Title\n", "# Title\n\n---\n\nBelow a rule.\n"])
def test_yaml_without_a_line_takes_no_prose(body: str) -> None:
    assert parted(f"---\n---\n{body}") == ("", body)


@pytest.mark.parametrize(
    ("yaml_text", "said"),
    [
        ("license: [mit", "damaged: while parsing"),
        ("a: b: c", "damaged: mapping values"),
        ("\tlicense: mit", "damaged"),
        ("x: !!python/name:os.system", "damaged: could not determine a constructor"),
        ("- license", "no mapping of fields"),
        ("7", "no mapping of fields"),
    ],
)
def test_damaged_yaml_is_named(yaml_text: str, said: str) -> None:
    text, body = parted(f"---\n{yaml_text}\n---\n# Title")
    assert (text, body) == (f"{yaml_text}\n", "# Title")
    with pytest.raises(DataError, match=said) as caught:
        read_fields(text)
    assert "README.md" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("n_rows", "name"),
    [
        *((0, "n<1K"), (999, "n<1K"), (1000, "1K<n<10K"), (9_999, "1K<n<10K")),
        *((10_000, "10K<n<100K"), (10**7 - 1, "1M<n<10M"), (10**7, "10M<n<100M")),
    ],
)
def test_size_category(n_rows: int, name: str) -> None:
    assert size_category(n_rows) == name


@pytest.mark.parametrize(
    ("is_claimdb", "source", "creators"),
    [(True, "extended|other-BIRD", "machine-generated"), (False, "original", "other")],
)
def test_fields_say_what_the_benchmark_was_made_of(
    is_claimdb: bool, source: str, creators: str
) -> None:
    """The names of its databases say nothing of that."""
    benchmark = of_rows(train=labelled([1], db_name="formula_1"))
    fields = fields_of(as_claimdb(benchmark) if is_claimdb else benchmark, "My claims", [], [])
    assert fields["source_datasets"] == [source]
    assert fields["annotations_creators"] == fields["language_creators"] == [creators]
    assert (fields["pretty_name"], fields["size_categories"]) == ("My claims", ["n<1K"])
    assert set(COMPUTED) <= fields.keys()
    assert (fields["license"], fields["task_ids"]) == ("cc-by-sa-4.0", ["fact-checking"])
