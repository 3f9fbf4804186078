"""The paper's table of multiclass results: a ladder of models, each trained with several seeds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.errors import CorpusError
from disco2.evaluation import bootstrap_interval, paired_bootstrap
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts
from disco2.experiments.train_run import train_model
from disco2.records import Corpus, Instance
from disco2.trees import shared_entities

Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Rung:
    """One row of the table: a name and the settings that make it."""

    name: str
    changes: dict[str, Any]


LADDER = (
    Rung("most common class", {"model.kind": "majority", "model.features": False}),
    Rung("additive word vectors", {"model.kind": "additive", "model.features": False}),
    Rung("surface features", {"model.kind": "surface", "model.features": True}),
    Rung("upward", {"model.kind": "upward", "model.features": False}),
    Rung("upward + entities", {"model.kind": "entities", "model.features": False}),
    Rung("upward + features", {"model.kind": "upward", "model.features": True}),
    Rung("upward + entities + features", {"model.kind": "entities", "model.features": True}),
)


# What the paper concludes from: each pair is tested on the same relations.
COMPARISONS = (
    ("upward + entities", "upward"),
    ("upward + entities + features", "upward + features"),
    ("upward + features", "surface features"),
    ("upward + features", "upward"),
)


@dataclass(frozen=True)
class RungResult:
    """Which relations each seed got right on dev and test."""

    name: str
    dev: Right  # [seeds, relations]
    test: Right  # [seeds, relations]
    shared: NDArray[np.bool_]  # [test relations]: whether the arguments share an entity

    def to_json(self) -> dict[str, Any]:
        return {
            "model": self.name,
            "dev": summary(self.dev),
            "test": summary(self.test),
            "test_shared_entities": summary(self.test[:, self.shared]),
        }


def summary(right: Right) -> dict[str, Any]:
    """Mean accuracy over seeds, its standard deviation, and a 95% interval over relations.

    None of them where there are no relations, as in a dev part that a protocol does not have.
    """
    if right.shape[1] == 0:
        return {"mean": None, "deviation": None, "interval": None, "by_seed": [], "n": 0}
    by_seed = right.mean(axis=1)
    return {
        "mean": float(by_seed.mean()),
        "deviation": float(by_seed.std(ddof=1)) if len(by_seed) > 1 else 0.0,
        "interval": list(bootstrap_interval(right.mean(axis=0), seed=1)),
        "by_seed": by_seed.tolist(),
        "n": right.shape[1],
    }


def comparisons(results: Sequence[RungResult]) -> list[dict[str, Any]]:
    """Differences in test accuracy (mean over seeds) between rungs, with paired bootstrap intervals."""
    by_name = {result.name: result for result in results}
    found = []
    for better, worse in COMPARISONS:
        for subset, chosen in (("all", None), ("shared entities", by_name[better].shared)):
            pair = [by_name[name].test.mean(axis=0) for name in (better, worse)]
            if chosen is not None:
                pair = [right[chosen] for right in pair]
            if not len(pair[0]):
                continue
            test = paired_bootstrap(*pair, seed=1)
            found.append(
                {
                    "first": better,
                    "second": worse,
                    "relations": subset,
                    "difference": test.difference,
                    "interval": list(test.interval),
                    "p": test.p,
                }
            )
    return found


def multiclass(
    corpus: Corpus,
    parts: Parts,
    configuration: Configuration,
    *,
    seeds: Sequence[int],
    rungs: Sequence[Rung] = LADDER,
    progress: Callable[[str, int], None] = lambda name, seed: None,
) -> list[RungResult]:
    """Train every rung with every seed, and note which relations it gets right.

    The most common class does not depend on a seed, and is trained once.
    """
    test = parts.instances["test"]
    if not test:
        raise CorpusError(
            f"There is no labelled relation to test on under the protocol '{parts.protocol}'.",
            where=corpus.name,
            hint="Name another split, such as: --set task.protocol=cv5-0",
        )
    shared = np.array(shared_entities(corpus.documents, [instance.relation for instance in test]))
    results = []
    for rung in rungs:
        settings = configuration.changed(rung.changes)
        right: dict[str, list[Right]] = {"dev": [], "test": []}
        for seed in seeds if settings.model.kind != "majority" else seeds[:1]:
            progress(rung.name, seed)
            fitted = train_model(corpus, parts, settings.changed({"training.seed": seed}))
            for part, rows in right.items():
                rows.append(_right(fitted.model.predict(parts.instances[part]), parts.instances[part]))
        results.append(RungResult(rung.name, np.array(right["dev"]), np.array(right["test"]), shared))
    return results


def _right(predicted: Sequence[str], instances: Sequence[Instance]) -> Right:
    return np.array(
        [label in instance.gold for label, instance in zip(predicted, instances, strict=True)], dtype=bool
    )
