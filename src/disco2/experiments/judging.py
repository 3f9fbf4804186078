"""A trained model and a corpus -> predictions and figures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from disco2.bundle import Manifest
from disco2.corpora.task import Task
from disco2.errors import BundleError, CorpusError, SettingsError
from disco2.evaluation import Evaluation, evaluate
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import divide
from disco2.model import RelationModel
from disco2.model.arrays import Floats
from disco2.records import Corpus, Instance
from disco2.trees import shared_entities


@dataclass(frozen=True)
class Judged:
    """A model's answers on one part of a corpus, and the figures they give."""

    part: str
    labels: tuple[str, ...]
    instances: list[Instance]
    scores: Floats  # [n, labels]
    shared: list[bool]
    evaluation: Evaluation
    dropped: Counter[str]
    warning: str = ""  # why the figures may be better than they should be

    def to_json(self) -> dict[str, Any]:
        return self.evaluation.to_json() | {"split": self.part, "left_out": dict(self.dropped.most_common())}

    def predictions(self) -> Iterator[dict[str, Any]]:
        """One record a relation."""
        for instance, scores, shared in zip(self.instances, self.scores.tolist(), self.shared, strict=True):
            by_label = dict(zip(self.labels, scores, strict=True))
            yield {
                "id": instance.relation.id,
                "document": instance.relation.document,
                "gold": list(instance.gold),
                "predicted": max(by_label, key=by_label.__getitem__),
                "shared_entities": shared,
                "scores": by_label,
            }


def judge(
    model: RelationModel, manifest: Manifest, corpus: Corpus, *, part: str, protocol: str = ""
) -> Judged:
    """Let a trained model label one part of a corpus, under the task it was trained for."""
    try:
        configuration = Configuration.from_json(manifest.configuration)
        task = Task.from_json(manifest.task)
    except (KeyError, TypeError, ValueError, AttributeError, SettingsError) as error:
        raise BundleError(
            "The model does not say which relations and senses it was trained for.",
            hint="Train it anew with: disco2 train",
        ) from error
    if protocol or corpus.name != manifest.data.get("corpus"):
        configuration = configuration.changed({"task.protocol": protocol})
    parts = divide(corpus, configuration, task=task, labels=model.labels)
    instances = parts.instances.get(part, [])
    if not instances:
        filled = [name for name, some in parts.instances.items() if some]
        hint = f"Parts with such relations: {', '.join(filled)}." if filled else ""
        raise CorpusError(
            f"No relation in part '{part}' under the protocol '{parts.protocol}' has a label of the model.",
            where=corpus.name,
            hint=hint or f"The model knows: {', '.join(model.labels)}.",
        )
    scores = model.scores(instances)
    shared = shared_entities(corpus.documents, [instance.relation for instance in instances])
    evaluation = evaluate(
        [instance.gold for instance in instances],
        [model.labels[best] for best in scores.argmax(axis=1)],
        shared,
        labels=model.labels,
        seed=configuration.training.seed,
        positive=task.versus or None,
    )
    trained_under = manifest.data.get("protocol")
    warning = ""
    if corpus.name == manifest.data.get("corpus") and parts.protocol != trained_under:
        warning = (
            f"The model was trained under the protocol '{trained_under}': under '{parts.protocol}', "
            f"part '{part}' may hold relations it has seen in training."
        )
    return Judged(part, model.labels, instances, scores, shared, evaluation, parts.dropped[part], warning)
