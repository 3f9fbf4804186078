"""Gold and predicted labels -> figures, and whether a difference between them means anything."""

from disco2.evaluation.bootstrap import bootstrap_interval, wilson_interval
from disco2.evaluation.report import Confusion, Evaluation, Subset, evaluate
from disco2.evaluation.scores import SenseScore
from disco2.evaluation.significance import McNemar, PairedBootstrap, mcnemar, paired_bootstrap, sign_test

__all__ = [
    "Confusion",
    "Evaluation",
    "McNemar",
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
