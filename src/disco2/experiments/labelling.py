"""A label from a trained model for every relation of a part, with a gold label or without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from disco2.bundle import Manifest
from disco2.corpora.protocols import split_relations
from disco2.corpora.tasks import Neighbours
from disco2.data import WITHOUT_SENSE, Corpus, Instance, Relation, RelationKind
from disco2.errors import CorpusError
from disco2.experiments.judging import trained_for
from disco2.model import AnyModel


@dataclass(frozen=True)
class Labelled:
    """The relations of a part in file order, and a label for each."""

    part: str
    relations: tuple[Relation, ...]
    labels: tuple[str, ...]
    beyond_task: Counter[str]  # kinds of relations that the model's task does not count, such as Explicit

    @property
    def annotated(self) -> bool:
        """Whether the corpus has labels of its own here, to hold these against."""
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
    neighbours = Neighbours(corpus)
    instances = []
    for relation in relations:
        previous, following = neighbours.of(relation)
        document = corpus.documents[relation.document]
        instances.append(Instance(relation, document, (), previous, following))
    scores = model.scores(instances)
    wanted = np.array([label not in without for label in model.labels], dtype=bool)
    explicit = np.array([one.kind is RelationKind.EXPLICIT for one in relations], dtype=bool)
    allowed = wanted & (model.is_sense | ~explicit[:, None])
    best = np.where(allowed, scores, -np.inf).argmax(axis=1)
    in_task = {*task.kinds, *_kinds_by_label(task.entrel, task.norel)}
    return Labelled(
        part=part,
        relations=tuple(relations),
        labels=tuple(model.labels[label] for label in best),
        beyond_task=Counter(str(one.kind) for one in relations if one.kind not in in_task),
    )


def _kinds_by_label(entrel: str, norel: str) -> list[RelationKind]:
    """The kinds that are outcomes themselves, where a task has labels for them."""
    return [kind for kind, label in ((RelationKind.ENTREL, entrel), (RelationKind.NOREL, norel)) if label]
