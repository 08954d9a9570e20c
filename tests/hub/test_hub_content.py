"""The local hub refuses the cards, benchmarks and Spaces that the Hub refuses."""

from __future__ import annotations

import json

import pytest
from huggingface_hub import HfApi
from huggingface_hub.errors import BadRequestError

from tests.hub import LocalHub
from tests.hub.clients import ask

EVAL_YAML = """\
name: Claims
description: Claims about databases.
evaluation_framework: inspect-ai
tasks:
- id: claims
  field_spec: {input: claim, target: label}
  solvers: [{name: generate}]
  scorers: [{name: match}]
"""
SPLIT = "configs:\n- config_name: claims\n  data_files:\n  - {split: %s, path: t.jsonl}\n"


def upload(api: HfApi, path: str, content: str, repo_type: str = "dataset") -> None:
    api.upload_file(
        path_or_fileobj=content.encode(),
        path_in_repo=path,
        repo_id="you/r",
        repo_type=repo_type,
    )


@pytest.mark.parametrize(
    "text",
    [
        "# No metadata\n",
        "---\n---\n",
        "---\nlicense: mit\n---\n# Card\n",
        f"---\n{SPLIT % 'test_public.v1'}---\n",
        "---\nconfigs:\n- data_files: t.jsonl\n- data_files: [t.jsonl]\n- default\n---\n",
    ],
)
def test_good_cards_are_taken(hub: LocalHub, api: HfApi, text: str) -> None:
    hub.add_repo("you/r", {})
    upload(api, "README.md", text)
    assert hub.files("you/r") == {"README.md": text.encode()}


@pytest.mark.parametrize(
    ("metadata", "words"),
    [
        ("license: [mit\n", "while parsing a flow sequence"),
        ("just text\n", "must be an object"),
        (SPLIT % "test-public", '"configs[0].data_files[0].split" with value "test-public" fails'),
        (SPLIT % "'test '", 'with value "test "'),
        (SPLIT % "prüfung", 'with value "prüfung"'),
        (SPLIT % "1", 'with value "1"'),
    ],
)
def test_bad_cards_are_refused(hub: LocalHub, api: HfApi, metadata: str, words: str) -> None:
    hub.add_repo("you/r", {})
    with pytest.raises(ValueError, match=r"Invalid metadata in README.md") as caught:
        upload(api, "README.md", f"---\n{metadata}---\n# Card\n")
    assert words in str(caught.value)
    assert hub.files("you/r") == {}


def test_split_names_matter_to_datasets_only(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {}, repo_type="model")
    upload(api, "README.md", f"---\n{SPLIT % 'test-public'}---\n", repo_type="model")
    assert list(hub.files("you/r", repo_type="model")) == ["README.md"]


def test_a_benchmark_is_taken(hub: LocalHub, api: HfApi) -> None:
    hub.add_repo("you/r", {})
    upload(api, "eval.yaml", EVAL_YAML)
    upload(
        api, "eval.yaml", "name: N\ndescription: D\nevaluation_framework: mteb\ntasks: [{id: t}]"
    )
    upload(api, "data/eval.yaml", "[")
    assert sorted(hub.files("you/r")) == ["data/eval.yaml", "eval.yaml"]


@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("name: Claims", "name: [⚖️", "not valid YAML"),
        ("name: Claims", "name: 2026-13-01", "not valid YAML"),
        (EVAL_YAML, "- claims", "must be an object"),
        ("name: Claims", "title: Claims", '"name" is required'),
        ("inspect-ai", "claimdb", '"evaluation_framework" must be one of inspect-ai, '),
        ("- id: claims", "- name: claims", '"tasks[0].id" is required'),
        ("solvers:", "solver:", '"tasks[0].solvers" is required'),
        ("- id: claims", "- claims\n- id: claims", '"tasks" must be a list of objects'),
    ],
)
def test_a_bad_benchmark_is_refused(
    hub: LocalHub, api: HfApi, right: str, wrong: str, words: str
) -> None:
    hub.add_repo("you/r", {})
    with pytest.raises(BadRequestError) as caught:
        upload(api, "eval.yaml", EVAL_YAML.replace(right, wrong))
    assert "Invalid eval.yaml: " in str(caught.value)
    assert words in str(caught.value)
    assert hub.files("you/r") == {}


def test_a_space_has_an_sdk(hub: LocalHub, api: HfApi) -> None:
    api.create_repo("you/r", repo_type="space", space_sdk="static")
    assert api.space_info("you/r").sdk == "static"
    upload(api, "README.md", "---\nsdk: gradio\n---\n", repo_type="space")
    assert api.space_info("you/r").sdk == "gradio"


@pytest.mark.parametrize("sdk", [{}, {"sdk": "flask"}])
def test_a_space_without_a_known_sdk_is_refused(hub: LocalHub, sdk: dict[str, str]) -> None:
    asked = {"name": "new", "organization": "you", "type": "space", **sdk}
    headers = {"Authorization": "Bearer hf_test", "Content-Type": "application/json"}
    status, _, body = ask(hub, "POST", "/api/repos/create", headers, json.dumps(asked).encode())
    assert (status, '"sdk" must be one of' in json.loads(body)["error"]) == (400, True)
    assert not HfApi(endpoint=hub.url, token=False).repo_exists("you/new", repo_type="space")
