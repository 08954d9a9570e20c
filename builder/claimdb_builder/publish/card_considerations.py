"""What the card says of licence, label noise, biases and citation: ClaimDB's, or anybody's."""

from __future__ import annotations

from claimdb_builder.publish.benchmark import Benchmark
from claimdb_builder.publish.front_matter import LICENCE
from claimdb_builder.publish.markdown import cell
from claimdb_metric.citation import BIBTEX


def label_noise(benchmark: Benchmark) -> str:
    """Return what is known of where labels may be wrong."""
    if not benchmark.is_claimdb:
        return ""
    return (
        "Labels follow from gold SQL, and gold SQL has faults: some answers another question, some "
        "depends on the day it is run, some takes one of several rows that tie."
    )


def biases(benchmark: Benchmark) -> str:
    """Return what claims and databases may stand for too much or too little."""
    if benchmark.is_claimdb:
        return (
            "Claims are in English and in the style of the model that wrote them. Databases are "
            "those that text-to-SQL research collected: some domains and countries stand for many, "
            "others are missing. SUBJECTIVE claims reflect what one model takes for an opinion."
        )
    return (
        "Claims have the language and the style of whoever, or whatever model, wrote them, and "
        "databases are those that were at hand: a score here need not hold for others."
    )


def licence(name: str) -> str:
    """Return what the licence that a card names, in the Hub's spelling, allows."""
    rest = "Databases keep the licences of their own sources."
    if name != LICENCE:
        return f"The head of this card names the licence: {cell(name)}. {rest}"
    return (
        "[CC BY-SA 4.0](https://creativecommons.org/licenses/by-sa/4.0/): share and adapt with "
        f"attribution, under the same licence. {rest}"
    )


def citation(benchmark: Benchmark) -> str:
    """Return what to cite."""
    paper = "[the paper](https://arxiv.org/abs/2601.14698)"
    if benchmark.is_claimdb:
        what = f"Cite {paper} and, for the databases, [BIRD](https://arxiv.org/abs/2305.03111):"
    else:
        what = f"Cite this dataset as `CITATION.cff` says. Its form follows ClaimDB; {paper} is:"
    return f"{what}\n\n```bibtex\n{BIBTEX}```"
