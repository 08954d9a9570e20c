"""`claimdb demo`: what a newcomer sees first."""

from __future__ import annotations

from pathlib import Path

from tests.children import child_env, run_claimdb


def test_the_demo_shows_a_claim_its_answer_and_two_scores(tmp_path: Path) -> None:
    done = run_claimdb("demo", cwd=tmp_path, env=child_env(tmp_path))
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    lines = done.stdout.split("\n")
    shown = {line.split()[0] for line in lines if line.strip()}
    assert {"Claim", "Database", "Gold", "Answer", "Verdict", "Next:"} <= shown
    assert "majority label         0.333     0.167" in lines
    assert any(line.startswith("claim-only classifier  0.5") for line in lines)
