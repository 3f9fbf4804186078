"""Do entities help, and what does that depend on? Cross-validation over GUM's training part alone.

    python -m benchmarks.entities GUM [VARIANT ...]

The training documents are dealt into six folds. For each, models are trained on the other five; half of the
fold's documents say when to stop and the other half is labelled, then the other way round. So every training
relation is labelled once, by a model that has seen neither it nor its document, and dev and test part are not
touched. Differences are to the same model without entities, with a paired bootstrap interval.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.corpora.gum import read_gum
from disco2.data import Instance
from disco2.data.tree import shared_entities
from disco2.evaluation import paired_bootstrap
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from tests.training.fitting import fit

FOLDS = 6

VARIANTS: dict[str, dict[str, Any]] = {
    "upward": {"model.kind": "upward"},
    "entities": {},
    "entities, pairs added up": {"model.pairs": "sum"},
    "entities, V regularised 10x": {"training.lambda_downward": 0.02},
    "entities, V regularised 100x": {"training.lambda_downward": 0.2},
    "entities, V and B as fast as A": {"training.rate_downward": 0.02, "training.rate_entities": 0.02},
    "entities, B grouped with A": {"training.rate_entities": 0.02, "training.lambda_entities": 0.001},
    "entities, zero initialisation": {"model.initialisation": "zero"},
    "upward, stopped by accuracy": {"model.kind": "upward", "training.stop_by": "score"},
    "entities, stopped by accuracy": {"training.stop_by": "score"},
    "upward, no features": {"model.kind": "upward", "model.features": False},
    "entities, no features": {"model.features": False},
    "upward, K = 50": {"model.kind": "upward", "model.K": 50},
    "entities, K = 50": {"model.K": 50},
}


def main(gum: Path, names: Sequence[str]) -> None:
    corpus = read_gum(gum)
    parts = divide(corpus, Configuration())
    instances = parts.instances["train"]
    shared = np.array(shared_entities(corpus.documents, [instance.relation for instance in instances]))
    print(f"{len(instances)} relations, {shared.mean():.1%} with shared entities")
    print(f"{'model':34}  all   shared  other   to the one without entities: all, shared")
    right: dict[str, NDArray[np.bool_]] = {}
    for name in names or VARIANTS:
        configuration = Configuration().changed(VARIANTS[name])
        right[name] = cross_validated(instances, parts.labels, configuration)
        everywhere = np.ones_like(shared)
        line = f"{name:34}"
        for chosen in (everywhere, shared, ~shared):
            line += f"  {100 * right[name][chosen].mean():5.1f}"
        baseline = right.get(name.replace("entities", "upward"), right.get("upward"))
        if baseline is not None and name.startswith("entities"):
            for chosen in (everywhere, shared):
                test = paired_bootstrap(right[name][chosen], baseline[chosen], seed=1)
                low, high = test.interval
                line += f"   {100 * test.difference:+.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
        print(line, flush=True)


def cross_validated(
    instances: Sequence[Instance], labels: Sequence[str], configuration: Configuration
) -> NDArray[np.bool_]:
    """For each instance, whether the model of its fold that did not stop by it labels it right."""
    place = {name: index for index, name in enumerate(shuffled({one.document.id for one in instances}))}
    right = np.zeros(len(instances), dtype=bool)
    for fold in range(FOLDS):
        training = [one for one in instances if place[one.document.id] % FOLDS != fold]
        halves: list[list[int]] = [[], []]
        for number, one in enumerate(instances):
            if place[one.document.id] % FOLDS == fold:
                halves[place[one.document.id] // FOLDS % 2].append(number)
        for stop, judge in (halves, halves[::-1]):
            fitted = fit(
                training,
                [instances[number] for number in stop],
                labels=labels,
                model=configuration.model,
                features=configuration.features,
                vectors=configuration.vectors,
                settings=configuration.changed({"training.seed": fold + 1}).training,
            )
            predicted = fitted.model.predict([instances[number] for number in judge])
            right[judge] = [
                label in instances[number].gold for label, number in zip(predicted, judge, strict=True)
            ]
    return right


def shuffled(names: set[str]) -> list[str]:
    return sorted(names, key=lambda name: sha256(name.encode()).digest())


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
