"""Gold and predicted labels -> figures, and whether a difference between them means anything."""

from disco2.evaluation.scores import Confusion, Evaluation, SenseScore, Subset, evaluate
from disco2.evaluation.significance import (
    PairedBootstrap,
    bootstrap_interval,
    mcnemar,
    paired_bootstrap,
    sign_test,
    wilson_interval,
)

__all__ = [
    "Confusion",
    "Evaluation",
    "PairedBootstrap",
    "SenseScore",
    "Subset",
    "bootstrap_interval",
    "evaluate",
    "mcnemar",
    "paired_bootstrap",
    "sign_test",
    "wilson_interval",
]
