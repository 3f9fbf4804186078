"""What automatic layers cost: the same model trained and tested on a corpus's own layers and on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from disco2.errors import CorpusError
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.experiments.multiclass import Right, summary
from disco2.experiments.train_run import train_model
from disco2.model import RelationModel
from disco2.records import WITHOUT_SENSE, Corpus, Instance

PARTS = ("dev", "test")


@dataclass(frozen=True)
class LayersResult:
    """Which relations each seed got right, by part: [seeds, relations].

    ``outcomes`` are all relations that count, EntRel and NoRel among them where the task has them;
    ``senses`` are those that have a sense, with the label chosen among the senses only.
    """

    layers: str
    outcomes: dict[str, Right]
    senses: dict[str, Right]

    def to_json(self) -> dict[str, Any]:
        return {
            "layers": self.layers,
            **{f"{part}_senses": summary(self.senses[part]) for part in PARTS},
            **{f"{part}_outcomes": summary(self.outcomes[part]) for part in PARTS},
        }


def compare_layers(
    corpora: Mapping[str, Corpus],
    configuration: Configuration,
    *,
    seeds: Sequence[int],
    progress: Callable[[str, int], None] = lambda layers, seed: None,
) -> list[LayersResult]:
    """Train the configured model on each version of a corpus, with every seed."""
    results = []
    for name, corpus in corpora.items():
        parts = divide(corpus, configuration)
        if not parts.instances["test"]:
            raise CorpusError("There is no labelled relation to test on.", where=corpus.name)
        outcomes: dict[str, list[Right]] = {part: [] for part in PARTS}
        senses: dict[str, list[Right]] = {part: [] for part in PARTS}
        for seed in seeds:
            progress(name, seed)
            model = train_model(corpus, parts, configuration.changed({"training.seed": seed})).model
            for part in PARTS:
                every, some = right_answers(model, parts.instances[part])
                outcomes[part].append(every)
                senses[part].append(some)
        results.append(
            LayersResult(
                name,
                {part: np.array(rows) for part, rows in outcomes.items()},
                {part: np.array(rows) for part, rows in senses.items()},
            )
        )
    return results


def right_answers(model: RelationModel, instances: Sequence[Instance]) -> tuple[Right, Right]:
    """Whether the best label is right, on all relations; and the best sense, on those that have one."""
    scores = model.scores(instances)
    gold = np.array([[label in one.gold for label in model.labels] for one in instances], dtype=bool)
    gold = gold.reshape(len(instances), len(model.labels))
    rows = np.arange(len(instances))
    has_sense = np.array([one.relation.kind not in WITHOUT_SENSE for one in instances], dtype=bool)
    among_senses = np.where(model.is_sense, scores, -np.inf).argmax(axis=1)
    return gold[rows, scores.argmax(axis=1)], gold[rows, among_senses][has_sense]
