"""`claimdb demo`: the sample, one claim with its database and gold SQL, two baselines."""

from __future__ import annotations

from typing import Any

import typer

HELP = "See ClaimDB at work on the embedded sample; needs no network."

NEXT_STEPS = """
Next:
  claimdb baseline claim-only --split sample --out words.jsonl
  claimdb score words.jsonl --split sample     scores with intervals; also compare and validate
  claimdb databases list                       the databases, and which of them are here
  claimdb sql ferry_lines "SELECT …"           look into one of them, read-only
  claimdb prepare --data-dir DIR               make load_dataset("claimdb") work in any process
  load_dataset("claimdb", data_dir="DIR")      the published claims from a local copy"""


def demo() -> None:
    """Load the sample, run a claim's gold SQL, and score two baselines that read no database."""
    from datasets import disable_progress_bars, load_dataset

    import claimdb
    from claimdb_loader.sample_files import questions

    disable_progress_bars()
    claims = load_dataset("claimdb", "sample", split="test")
    gold_sql = {question["bird_id"]: question["gold_sql"] for question in questions()}
    typer.echo(f'load_dataset("claimdb", "sample", split="test"): {len(claims)} claims\n')
    contradicted = [row for row in claims if claimdb.LABELS[row["label"]] == "CONTRADICTED"]
    claim = min(contradicted, key=lambda row: len(gold_sql[row["bird_id"]]))
    _show_claim(claim, gold_sql[claim["bird_id"]])
    _show_baselines(claims)
    typer.echo(NEXT_STEPS)


def _show_claim(claim: dict[str, Any], gold_sql: str) -> None:
    import claimdb

    typer.echo(f"Claim     {claim['claim']}")
    if claim["extra_info"]:
        typer.echo(f"Note      {claim['extra_info']}")
    with claimdb.open_database(claim["db_name"]) as db:
        counts = [
            (table, db.query(f'SELECT count(*) FROM "{table}"').rows[0][0]) for table in db.tables()
        ]
        typer.echo(f"Database  {db.db_name}: " + ", ".join(f"{t} ({n:,})" for t, n in counts))
        answer = db.query(gold_sql)
    typer.echo(f"Gold SQL  {' '.join(gold_sql.split())}")
    for row in answer:
        typer.echo(
            "Answer    " + ", ".join(f"{k}: {v}" for k, v in zip(answer.columns, row, strict=True))
        )
    typer.echo(f"Verdict   {claimdb.label_name(claim['label'])}\n")


def _show_baselines(claims: Any) -> None:
    import evaluate

    from claimdb_cli.output import print_table
    from claimdb_metric.baselines import claim_only, majority

    labels = list(claims["label"])
    guesses = {
        "majority label": majority(labels),
        "claim-only classifier": claim_only(claims["claim"], labels, list(claims["bird_id"])),
    }
    metric = evaluate.load("claimdb_metric")
    rows = []
    for name, predictions in guesses.items():
        score = metric.compute(predictions=predictions, references=labels)
        rows.append((name, f"{score['accuracy']:.3f}", f"{score['macro_f1']:.3f}"))
    print_table("Baselines that read no database", ("baseline", "accuracy", "macro-F1"), rows)
