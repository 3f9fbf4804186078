"""Several corpora in one training: the main one is divided as ever, the others add training relations.

The main corpus has the labels, the dev and the test part. A relation of another corpus is added if its label
is one of them and none of its sentences is in the dev or test part of any corpus of the training.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

from disco2.corpora.catalogue import licence_of
from disco2.corpora.protocols import HeldOutSentences, document_parts
from disco2.corpora.tasks import DataSettings, Task, usual_protocol
from disco2.data import Corpus, Instance, Relation
from disco2.errors import CorpusError

ALL = "all"
HELD_OUT = ("dev", "test")

Key = tuple[str, str]  # of a relation: its document and its id


@dataclass(frozen=True)
class Source:
    """A corpus beside the main one, and its settings."""

    entry: DataSettings
    corpus: Corpus
    seed: int  # of a split by documents

    @property
    def protocol(self) -> str:
        return self.entry.protocol or usual_protocol(self.corpus.name)

    @property
    def parts(self) -> dict[str, str]:
        return document_parts(self.corpus, self.protocol, seed=self.seed)

    def relations(self) -> list[Relation]:
        """Those of the wanted part; CorpusError where it is empty."""
        wanted, parts = self.entry.part, self.parts
        found = [one for one in self.corpus.relations if wanted == ALL or parts.get(one.document) == wanted]
        if not found:
            filled = {parts[one.document] for one in self.corpus.relations if one.document in parts}
            raise CorpusError(
                f"No relation is in part '{wanted}' under the protocol '{self.protocol}'.",
                where=self.where,
                hint=f"Parts with relations: {', '.join(sorted(filled)) or 'none'}; '{ALL}' takes all.",
            )
        return found

    def labels(self, task: Task) -> set[str]:
        """The labels of the wanted part, under its own level."""
        own = _task_of(self.entry, task)
        return {label for relation in self.relations() for label in own.labels_of(relation)}

    @property
    def held_out(self) -> tuple[str, ...]:
        """The parts that nobody may train on."""
        return () if self.entry.part == ALL else tuple(part for part in HELD_OUT if part != self.entry.part)

    @property
    def where(self) -> str:
        return f"{self.corpus.name} at {self.entry.path}"


@dataclass(frozen=True)
class Further:
    """The relations that a corpus adds to a training, and why others were left out."""

    entry: DataSettings
    protocol: str
    corpus: Corpus  # the documents of these relations and of the dev part
    chosen: frozenset[Key]
    held_out: frozenset[Key]  # relations of its dev part, to fit temperatures on
    overlapping: int  # left out because a sentence of theirs is in a dev or test part
    left_out: Counter[str]  # for other reasons

    def instances(self, task: Task, labels: Sequence[str]) -> list[Instance]:
        found = self._instances(self.chosen, task, labels)
        return [replace(one, weight=self.entry.weight) for one in found]

    def development(self, task: Task, labels: Sequence[str]) -> list[Instance]:
        """The labelled relations of its dev part; none where the whole corpus is trained on."""
        return self._instances(self.held_out, task, labels)

    def _instances(self, keys: frozenset[Key], task: Task, labels: Sequence[str]) -> list[Instance]:
        relations = [one for one in self.corpus.relations if (one.document, one.id) in keys]
        return _task_of(self.entry, task).instances(self.corpus, relations, labels)[0]

    def to_json(self) -> dict[str, Any]:
        """What a model records of it."""
        return {
            "corpus": self.corpus.name,
            "name": self.entry.name,
            "protocol": self.protocol,
            "part": self.entry.part,
            "weight": self.entry.weight,
            "training_relations": len(self.chosen),
            "overlapping": self.overlapping,
            "left_out": dict(self.left_out.most_common()),
            "licence": licence_of(self.corpus.name),
            "automatic_layers": list(self.corpus.automatic),
        }

    def __str__(self) -> str:
        whence = f"{self.corpus.name} ({self.entry.part}, protocol {self.protocol})"
        said = (
            f"{whence} adds {len(self.chosen)} relations of weight {self.entry.weight:g}; "
            f"{self.overlapping} share a sentence with a dev or test part and are left out"
        )
        reasons = ", ".join(f"{reason} ({count})" for reason, count in self.left_out.most_common(3))
        more = ", ..." if len(self.left_out) > 3 else ""
        return f"{said}, and {self.left_out.total()} others: {reasons}{more}" if reasons else said


def held_out_sentences(
    main: Corpus, main_parts: dict[str, str], sources: Sequence[Source]
) -> HeldOutSentences:
    """The dev and test parts of all corpora of a training."""
    sentences = HeldOutSentences()
    sentences.add_parts(main, main_parts, HELD_OUT)
    for source in sources:
        sentences.add_parts(source.corpus, source.parts, source.held_out)
    return sentences


def choose_further(
    source: Source, task: Task, labels: Sequence[str], held_out: HeldOutSentences, *, seed: int
) -> Further:
    """The relations that a corpus adds; CorpusError where there are none.

    ``seed`` says which ones, where there are more than the entry's limit.
    """
    corpus, entry, relations = source.corpus, source.entry, source.relations()
    found, left_out = _task_of(entry, task).instances(corpus, relations, labels)
    clean = [one for one in found if not held_out.shares(one.relation, one.document)]
    if not clean:
        reasons = ", ".join(f"{reason} ({count})" for reason, count in left_out.most_common(3))
        if found:
            reasons = f"{len(found)} share a sentence with a dev or test part"
        why = f"can be trained on: {reasons or 'their kinds do not count'}"
        raise CorpusError(
            f"None of its {len(relations)} relations "
            f"{why if any(one.senses for one in relations) else 'has a label'}.",
            where=source.where,
            hint=f"Labels of the training: {', '.join(labels)}.",
        )
    chosen = sample(clean, entry.limit, seed=seed)
    left_out += Counter({"beyond the limit": len(clean) - len(chosen)})
    keys = frozenset((one.relation.document, one.relation.id) for one in chosen)
    parts = source.parts
    dev = [one for one in corpus.relations if entry.part == "train" and parts.get(one.document) == "dev"]
    held_out_keys = frozenset((one.document, one.id) for one in dev)
    names = {document for document, _ in keys | held_out_keys}
    return Further(
        entry,
        source.protocol,
        replace(
            corpus,
            documents={name: one for name, one in corpus.documents.items() if name in names},
            relations=tuple(one for one in corpus.relations if one.document in names),
        ),
        keys,
        held_out_keys,
        len(found) - len(clean),
        left_out,
    )


def sample(instances: Sequence[Instance], limit: int, *, seed: int) -> list[Instance]:
    """At most so many of the instances, in their order, chosen by a hash of seed and id; 0: all."""
    if not limit or len(instances) <= limit:
        return list(instances)

    def draw(one: Instance) -> bytes:
        return sha256(f"{seed}:{one.relation.document}:{one.relation.id}".encode(errors="replace")).digest()

    drawn = sorted(range(len(instances)), key=lambda place: (draw(instances[place]), place))[:limit]
    return [instances[place] for place in sorted(drawn)]


def _task_of(entry: DataSettings, task: Task) -> Task:
    return replace(task, level=entry.level) if entry.level >= 0 else task
