"""The baselines as predictions for a split."""

from __future__ import annotations

from claimdb_harness.labelled_claims import LabelledClaims
from claimdb_metric.baselines import DEFAULT_FOLDS, claim_only, majority, random_labels
from claimdb_metric.intervals import DEFAULT_SEED
from claimdb_metric.labels import LABELS


def predictions_of(
    name: str, claims: LabelledClaims, group_by: str = "bird_id", seed: int = DEFAULT_SEED
) -> list[str]:
    """Return a baseline's label for each claim.

    Args:
        name: majority, random or claim-only.
        claims: what it predicts, and but for random also learns from.
        group_by: for claim-only, the column whose groups no fold divides. By bird_id there are 10
            folds, by any other column one for each of its values.
        seed: of the random labels.

    Raises:
        HiddenLabelsError: the labels are hidden, and the baseline is not random.
        DataError: there is no such column, or too few claims.

    >>> claims = LabelledClaims("mine", {"claim_id": [7, 8], "label": ["ENTAILED"] * 2})
    >>> predictions_of("majority", claims)
    ['ENTAILED', 'ENTAILED']
    """
    if name == "random":
        return [LABELS[code] for code in random_labels(len(claims.claim_ids), seed)]
    labels = [LABELS.index(str(label)) for label in claims.labels]
    if name == "majority":
        return [LABELS[code] for code in majority(labels)]
    groups = claims.groups(group_by)
    n_folds = DEFAULT_FOLDS if group_by == "bird_id" else len(set(groups))
    sentences = [str(claim) for claim in claims.column("claim")]
    return [LABELS[code] for code in claim_only(sentences, labels, groups, n_folds)]
