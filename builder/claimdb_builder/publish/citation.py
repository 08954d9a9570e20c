"""`CITATION.cff`: how a dataset is cited, ClaimDB's own or that of its maker."""

from __future__ import annotations

from importlib import resources

from claimdb_builder.publish.benchmark import Benchmark


def citation_text(benchmark: Benchmark, title: str, repo_id: str) -> str:
    """Return the text of CITATION.cff for a dataset that has none yet.

    ClaimDB's names the authors of its paper; any other names the owner of the repository, and the
    paper as the work that it builds on.
    """
    folder = resources.files("claimdb_card")
    if benchmark.is_claimdb:
        return (folder / "CITATION.cff").read_text("utf-8")
    text = (folder / "CITATION.own.cff").read_text("utf-8")
    return text.replace("{title}", title).replace("{owner}", repo_id.partition("/")[0])
