"""A tiny training on made-up pairs: it learns, and what is saved answers as before when it is loaded."""

from __future__ import annotations

import tempfile
from pathlib import Path

from disco2.interfaces.doctor.findings import FAILED, OK, Finding, examined

PAIRS = 40
SETTINGS = {
    "model.K": 10,
    "model.features": False,
    "training.epochs": 3,
    "training.batch_size": 20,
    "vectors.frequent": 0,
}


def training() -> list[Finding]:
    """On a generated corpus that has its trees and chains: a fault of the annotators is not found twice."""
    return [examined("training", _training)]


def _training() -> Finding:
    import numpy as np

    from disco2.bundle import load_bundle
    from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
    from disco2.experiments.configuration import Configuration
    from disco2.experiments.division import divide
    from disco2.experiments.train_run import save_model, train_model

    with tempfile.TemporaryDirectory(prefix="disco2-doctor-") as scratch:
        corpus = read_role_pairs(write_role_pairs(Path(scratch) / "pairs", size=PAIRS))
        configuration = Configuration().changed(SETTINGS)
        parts = divide(corpus, configuration)
        fitted = train_model(corpus, parts, configuration)
        save_model(fitted, parts, configuration, corpus, Path(scratch) / "model")
        loaded, _ = load_bundle(Path(scratch) / "model")
        instances = parts.instances["test"]
        before, after = fitted.model.scores(instances), loaded.scores(instances)
    losses = [epoch.loss for epoch in fitted.history.epochs]
    facts = {"relations": fitted.training_relations, "losses": [round(float(loss), 4) for loss in losses]}
    if not all(np.isfinite(losses)) or losses[-1] >= losses[0]:
        return Finding("training", FAILED, f"The loss does not fall: {facts['losses']}.", WRONG, facts)
    if not np.array_equal(before, after):
        return Finding("training", FAILED, "A saved model answers otherwise when it is loaded.", WRONG, facts)
    found = f"{fitted.training_relations} made-up pairs learned, saved and loaded: the same scores"
    return Finding("training", OK, found, facts=facts)


WRONG = "Please report it with the output of: disco2 doctor --json"
