"""How the benchmark's paper is cited."""

from __future__ import annotations

from typing import Final

BIBTEX: Final = """\
@misc{theologitis2026claimdb,
    title={ClaimDB: A Fact Verification Benchmark over Large Structured Data},
    author={Michael Theologitis and Preetam Prabhu Srikar Dammu and Chirag Shah and Dan Suciu},
    year={2026},
    eprint={2601.14698},
    archivePrefix={arXiv},
    url={https://arxiv.org/abs/2601.14698}
}
"""
