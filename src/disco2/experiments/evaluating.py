"""A trained model on a part of a corpus: predictions, scores and labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.bundle import Manifest
from disco2.corpora.catalogue import split_relations
from disco2.corpora.tasks import Task, find_neighbours
from disco2.data import WITHOUT_SENSE, Corpus, Instance, Relation, RelationKind
from disco2.data.batch import Floats
from disco2.data.tree import shared_entities
from disco2.errors import BundleError, CorpusError, SettingsError
from disco2.evaluation.scores import Evaluation, evaluate, hits
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import Parts, divide
from disco2.model import AnyModel

Right = NDArray[np.bool_]


@dataclass(frozen=True)
class Answers:
    """A model's answers to n relations of one part, in the order of the corpus."""

    relations: tuple[str, ...]  # their ids
    documents: tuple[str, ...]
    gold: tuple[tuple[str, ...], ...]
    shared: Right  # [n] whether the arguments share an entity
    labels: tuple[str, ...]
    scores: Floats  # [n, labels]

    @cached_property
    def predicted(self) -> tuple[str, ...]:
        return tuple(self.labels[best] for best in self.scores.argmax(axis=1)) if self.relations else ()

    @cached_property
    def right(self) -> Right:
        """[n]"""
        return hits(self.gold, self.predicted)

    def records(self) -> Iterator[dict[str, Any]]:
        """One record a relation, for a file of predictions."""
        for number, scores in enumerate(self.scores.tolist()):
            yield {
                "id": self.relations[number],
                "document": self.documents[number],
                "gold": list(self.gold[number]),
                "predicted": self.predicted[number],
                "shared_entities": bool(self.shared[number]),
                "scores": dict(zip(self.labels, scores, strict=True)),
            }


def answer_instances(model: AnyModel, corpus: Corpus, instances: Sequence[Instance]) -> Answers:
    """Let a model answer relations of a corpus."""
    shared = shared_entities(corpus.documents, [one.relation for one in instances])
    return Answers(
        tuple(one.relation.id for one in instances),
        tuple(one.relation.document for one in instances),
        tuple(one.gold for one in instances),
        np.array(shared, dtype=bool),
        model.labels,
        model.scores(instances),
    )


@dataclass(frozen=True)
class ModelEvaluation:
    """A model's answers on one part of a corpus, and the figures they give."""

    part: str
    answers: Answers
    evaluation: Evaluation
    dropped: Counter[str]
    senses_only: Evaluation | None = None  # where EntRel and NoRel are labels: on the rest, among senses
    warnings: tuple[str, ...] = ()  # why the figures may be better or worse than they should be

    def to_json(self) -> dict[str, Any]:
        content = self.evaluation.to_json()
        if self.senses_only is not None:
            content["senses_only"] = self.senses_only.to_json()
        return content | {"split": self.part, "left_out": dict(self.dropped.most_common())}


def evaluate_model(
    model: AnyModel, manifest: Manifest, corpus: Corpus, *, part: str, protocol: str = ""
) -> ModelEvaluation:
    """Label one part of a corpus with a trained model, under the task it was trained for."""
    configuration, parts = parts_to_evaluate(model, manifest, corpus, part=part, protocol=protocol)
    instances, task = parts.instances[part], parts.task
    answers = answer_instances(model, corpus, instances)

    def evaluation(chosen: Sequence[int], allowed: Floats) -> Evaluation:
        return evaluate(
            [answers.gold[number] for number in chosen],
            [model.labels[best] for best in allowed[list(chosen)].argmax(axis=1)],
            [bool(answers.shared[number]) for number in chosen],
            labels=[model.labels[label] for label in np.isfinite(allowed[0]).nonzero()[0]],
            seed=configuration.training.seed,
            positive=task.versus or None,
        )

    with_sense = [number for number, one in enumerate(instances) if one.has_sense]
    among_senses = np.where(model.is_sense, answers.scores, -np.inf)
    both = with_sense and not model.is_sense.all()
    return ModelEvaluation(
        part=part,
        answers=answers,
        evaluation=evaluation(range(len(instances)), answers.scores),
        dropped=parts.dropped[part],
        senses_only=evaluation(with_sense, among_senses) if both else None,
        warnings=_warnings(manifest, corpus, parts.protocol, part),
    )


def parts_to_evaluate(
    model: AnyModel, manifest: Manifest, corpus: Corpus, *, part: str, protocol: str = ""
) -> tuple[Configuration, Parts]:
    """A model's settings, and the corpus divided under them; CorpusError if the part is empty."""
    configuration, task = trained_for(manifest, corpus, protocol)
    parts = divide(corpus, configuration, task=task, labels=model.labels)
    if not parts.instances.get(part):
        filled = [name for name, some in parts.instances.items() if some]
        hint = f"Name one with --split that has such relations: {', '.join(filled)}; or use --protocol cv5-0."
        raise CorpusError(
            f"No relation in part '{part}' under the protocol '{parts.protocol}' has a label of the model.",
            where=corpus.name,
            hint=hint if filled else f"The model knows: {', '.join(model.labels)}.",
        )
    return configuration, parts


def trained_for(manifest: Manifest, corpus: Corpus, protocol: str = "") -> tuple[Configuration, Task]:
    """The settings and the task of a trained model, with another protocol if given or on another corpus."""
    try:
        configuration = Configuration.from_json(manifest.configuration)
        task = Task.from_json(manifest.task)
    except (KeyError, TypeError, ValueError, AttributeError, SettingsError) as error:
        raise BundleError(
            "The model does not say which relations and senses it was trained for.",
            hint="Train it again with: disco2 train",
        ) from error
    if protocol or corpus.name != manifest.data.get("corpus"):
        used = protocol or str((_record(manifest, corpus) or {}).get("protocol", ""))
        configuration = configuration.changed({"task.protocol": used})
    return configuration, task


def _record(manifest: Manifest, corpus: Corpus) -> Mapping[str, Any] | None:
    """What a model records of a corpus that it was trained on: the main one, or one of several."""
    records = [manifest.data, *manifest.data.get("further", ())]
    return next((one for one in records if one.get("corpus") == corpus.name), None)


def _warnings(manifest: Manifest, corpus: Corpus, protocol: str, part: str) -> tuple[str, ...]:
    found = []
    record = _record(manifest, corpus)
    trained_under = protocol if record is None else record.get("protocol")
    if protocol != trained_under:
        found.append(
            f"The model was trained under the protocol '{trained_under}': under '{protocol}', "
            f"part '{part}' may hold relations it has seen in training."
        )
    trained_on = tuple((record or manifest.data).get("automatic_layers", ()))
    if trained_on != corpus.automatic:
        then, now = (", ".join(layers) or "none" for layers in (trained_on, corpus.automatic))
        found.append(f"Automatic layers in training: {then}; here: {now}. Choose the same with --automatic.")
    return tuple(found)


@dataclass(frozen=True)
class Labelled:
    """The relations of a part in file order, and a label for each."""

    relations: tuple[Relation, ...]
    labels: tuple[str, ...]
    beyond_task: Counter[str]  # kinds of relations that the model's task does not count, such as Explicit

    @property
    def annotated(self) -> bool:
        """Whether the corpus has gold labels here to compare with."""
        return any(relation.senses or relation.kind in WITHOUT_SENSE for relation in self.relations)


def label_relations(
    model: AnyModel,
    manifest: Manifest,
    corpus: Corpus,
    *,
    part: str,
    protocol: str = "",
    without: Collection[str] = (),
) -> Labelled:
    """The best label of every relation, of any kind, but none of ``without``.

    A relation with a connective has a sense, so that it is never labelled EntRel or NoRel. All kinds are
    labelled by the one model: its input are the two arguments, and a connective between them does not count.
    """
    configuration, task = trained_for(manifest, corpus, protocol)
    used = configuration.task.protocol_for(corpus.name)
    relations = split_relations(corpus, used, seed=configuration.task.folds).get(part, [])
    if not relations:
        raise CorpusError(f"No relation is in part '{part}' under the protocol '{used}'.", where=corpus.name)
    neighbours = find_neighbours(corpus)
    instances = [
        Instance(one, corpus.documents[one.document], (), *neighbours.get(one, (None, None)))
        for one in relations
    ]
    scores = model.scores(instances)
    wanted = np.array([label not in without for label in model.labels], dtype=bool)
    explicit = np.array([one.kind is RelationKind.EXPLICIT for one in relations], dtype=bool)
    allowed = wanted & (model.is_sense | ~explicit[:, None])
    best = np.where(allowed, scores, -np.inf).argmax(axis=1)
    outcomes = {RelationKind.ENTREL: task.entrel, RelationKind.NOREL: task.norel}
    in_task = {*task.kinds, *(kind for kind, label in outcomes.items() if label)}
    beyond = Counter(str(one.kind) for one in relations if one.kind not in in_task)
    return Labelled(tuple(relations), tuple(model.labels[label] for label in best), beyond)
