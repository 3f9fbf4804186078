"""A corpus under a task and a protocol -> labelled instances by part, with what other corpora add."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from itertools import dropwhile
from typing import Any

from disco2.corpora.catalogue import HeldOutSentences, document_parts, licence_of, split_relations
from disco2.corpora.reading import argument_from_tokens
from disco2.corpora.tasks import DataSettings, Task, TaskSettings
from disco2.data import Argument, Corpus, Document, Instance, Relation, RelationKind
from disco2.data.tree import shared_entities
from disco2.errors import CorpusError, SettingsError
from disco2.experiments.configuration import Configuration

ALL = "all"
HELD_OUT = ("dev", "test")

Key = tuple[str, str]  # of a relation: its document and its id


@dataclass(frozen=True)
class Source:
    """A further corpus and its settings."""

    entry: DataSettings
    corpus: Corpus
    seed: int  # of a split by documents

    @property
    def protocol(self) -> str:
        return TaskSettings(self.entry.protocol).protocol_for(self.corpus.name)

    @cached_property
    def parts(self) -> dict[str, str]:
        return document_parts(self.corpus, self.protocol, seed=self.seed)

    def relations(self) -> list[Relation]:
        """Those of the wanted part."""
        wanted, parts = self.entry.part, self.parts
        return [one for one in self.corpus.relations if wanted == ALL or parts.get(one.document) == wanted]


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
        others = f", and {self.left_out.total()} others: {_listed(self.left_out)}" if self.left_out else ""
        return (
            f"{self.corpus.name} ({self.entry.part}, protocol {self.protocol}) adds {len(self.chosen)} "
            f"relations of weight {self.entry.weight:g}; {self.overlapping} share a sentence with a dev or "
            f"test part and are left out{others}"
        )


def _listed(reasons: Counter[str]) -> str:
    named = ", ".join(f"{reason} ({count})" for reason, count in reasons.most_common(3))
    return f"{named}, ..." if len(reasons) > 3 else named


def choose_further(
    source: Source, task: Task, labels: Sequence[str], held_out: HeldOutSentences, *, seed: int
) -> Further:
    """The relations that a corpus adds; CorpusError where there are none.

    ``seed`` says which ones, where there are more than the entry's limit.
    """
    corpus, entry, relations = source.corpus, source.entry, source.relations()
    found, left_out = _task_of(entry, task).instances(corpus, relations, labels)
    clean = [one for one in found if not held_out.shares(one.relation, one.document)]
    overlapping = len(found) - len(clean)
    if not clean:
        reasons = left_out + Counter({"shares a sentence with a dev or test part": overlapping})
        kinds = f"no relation of a kind that counts is in part '{entry.part}', protocol '{source.protocol}'"
        raise CorpusError(
            f"None of its {len(relations)} relations can be trained on: {_listed(reasons) or kinds}.",
            where=f"{corpus.name} at {entry.path}",
            hint=f"Labels of the training: {', '.join(labels)}.",
        )
    chosen = sample(clean, entry.limit, seed=seed)
    if len(clean) > len(chosen):
        left_out["beyond the limit"] = len(clean) - len(chosen)
    keys = frozenset((one.relation.document, one.relation.id) for one in chosen)
    dev = {name for name, part in source.parts.items() if part == "dev" and entry.part == "train"}
    held_out_keys = frozenset((one.document, one.id) for one in corpus.relations if one.document in dev)
    names = {document for document, _ in keys | held_out_keys}
    used = corpus.only(names)
    return Further(entry, source.protocol, used, keys, held_out_keys, overlapping, left_out)


def sample(instances: Sequence[Instance], limit: int, *, seed: int) -> list[Instance]:
    """At most ``limit`` instances, in their order, chosen by a hash of seed and id; 0: all."""

    def draw(place: int) -> tuple[bytes, int]:
        relation = instances[place].relation
        name = f"{seed}:{relation.document}:{relation.id}"
        return sha256(name.encode(errors="replace")).digest(), place

    drawn = range(len(instances))
    return [instances[place] for place in sorted(sorted(drawn, key=draw)[:limit] if limit else drawn)]


def _task_of(entry: DataSettings, task: Task) -> Task:
    return replace(task, level=entry.level) if entry.level >= 0 else task


@dataclass(frozen=True)
class Parts:
    """A corpus under a task and a protocol: labelled instances by part, and what was left out of each."""

    task: Task
    protocol: str
    labels: tuple[str, ...]
    relations: dict[str, list[Relation]]
    instances: dict[str, list[Instance]]
    dropped: dict[str, Counter[str]]
    further: tuple[Further, ...] = ()  # training relations of other corpora

    def further_instances(self) -> list[Instance]:
        return [one for further in self.further for one in further.instances(self.task, self.labels)]

    def further_development(self) -> list[list[Instance]]:
        """The dev parts of the other corpora."""
        return [further.development(self.task, self.labels) for further in self.further]

    @property
    def score_name(self) -> str:
        """What training stops by: F1 for one class against the rest, else accuracy."""
        return "f1" if self.task.versus else "accuracy"


def divide(
    corpus: Corpus,
    configuration: Configuration,
    *,
    task: Task | None = None,
    labels: Sequence[str] = (),
    sources: Sequence[Source] = (),
) -> Parts:
    """Split a corpus and label its relations.

    Task and protocol are the configured ones; a trained model brings its own task and labels. Otherwise the
    training part says which labels are frequent enough. ``sources`` are other corpora to train on.
    """
    task = task or configuration.task.task(corpus.name, corpus.inventory)
    protocol = configuration.task.protocol_for(corpus.name)
    split = split_relations(corpus, protocol, seed=configuration.task.folds)
    chosen = tuple(labels) or task.label_set(split["train"])
    if configuration.task.labels and not labels and not task.versus:
        known = {label for relation in split["train"] for label in task.labels_of(relation)}
        for source in sources:
            own = _task_of(source.entry, task)
            known.update(label for relation in source.relations() for label in own.labels_of(relation))
        for label in configuration.task.labels:
            if label not in known:
                raise SettingsError(
                    f"No training relation has the label '{label}'.",
                    where="task.labels",
                    hint=f"Labels at level {task.level}: {', '.join(sorted(known)) or 'none'}.",
                )
    made = {part: task.instances(corpus, relations, chosen) for part, relations in split.items()}
    instances = {part: found for part, (found, _) in made.items()}
    dropped = {part: reasons for part, (_, reasons) in made.items()}
    further: tuple[Further, ...] = ()
    if sources:
        held_out, seed = HeldOutSentences(), configuration.training.seed  # of all corpora
        held_out.add_parts(corpus, document_parts(corpus, protocol, seed=configuration.task.folds), HELD_OUT)
        for source in sources:
            wanted = source.entry.part
            others = () if wanted == ALL else tuple(part for part in HELD_OUT if part != wanted)
            held_out.add_parts(source.corpus, source.parts, others)
        further = tuple(choose_further(source, task, chosen, held_out, seed=seed) for source in sources)
    return Parts(task, protocol, chosen, split, instances, dropped, further)


def with_entry(parts: Parts, entry: DataSettings, *, seed: int) -> Parts:
    """The main corpus's parts as its own ``[[data]]`` entry wants them: training relations of a weight."""
    train = sample(parts.instances["train"], entry.limit, seed=seed)
    weighted = [replace(one, weight=entry.weight) for one in train]
    return replace(parts, instances=parts.instances | {"train": weighted})


def across_sentences(instances: Iterable[Instance]) -> list[Instance]:
    """Those whose arguments share no sentence."""
    return [one for one in instances if _sentences(one)[0].isdisjoint(_sentences(one)[1])]


def as_running_text(instances: Sequence[Instance]) -> list[Instance]:
    """Those between two neighbouring sentences, with the whole sentences for arguments.

    Relations within a sentence, and of arguments in several sentences, are left out: in running text only
    whole sentences are arguments.
    """
    found = []
    for one in instances:
        first, second = (sorted(sentences) for sentences in _sentences(one))
        if len(first) == len(second) == 1 and second[0] - first[0] == 1:
            spans = (one.document.sentences[number] for number in (first[0], second[0]))
            arg1, arg2 = (argument_from_tokens(one.document, range(span.start, span.end)) for span in spans)
            found.append(replace(one, relation=replace(one.relation, arg1=arg1, arg2=arg2)))
    return found


def _sentences(one: Instance) -> tuple[set[int], set[int]]:
    relation, place = one.relation, one.document.sentence_index
    return set(map(place, relation.arg1.tokens)), set(map(place, relation.arg2.tokens))


FINDINGS_SHOWN = 20


def corpus_statistics(corpus: Corpus, parts: Parts, *, only: str = "") -> dict[str, Any]:
    """Counts by part, ``only`` one of them where it is named, and what was wrong in the files; for JSON."""
    if only and only not in parts.relations:
        raise CorpusError(
            f"The protocol '{parts.protocol}' has no part '{only}'.",
            where=corpus.name,
            hint=f"Its parts are: {', '.join(parts.relations)}.",
        )
    chosen = [only] if only else [part for part, relations in parts.relations.items() if relations]
    return {
        "corpus": corpus.name,
        "protocol": parts.protocol,
        "documents": len(corpus.documents),
        "relations": len(corpus.relations),
        "labels": list(parts.labels),
        "splits": {part: _part_statistics(corpus, parts, part) for part in chosen},
        "issues": dict(corpus.issues.counts().most_common()),
        "findings": [
            {"kind": finding.kind, "where": finding.where, "detail": finding.detail}
            for finding in corpus.issues.findings[:FINDINGS_SHOWN]
        ],
        "notes": list(corpus.notes),
    }


def _part_statistics(corpus: Corpus, parts: Parts, part: str) -> dict[str, Any]:
    relations = parts.relations[part]
    implicit = [relation for relation in relations if relation.kind is RelationKind.IMPLICIT]
    shared = shared_entities(corpus.documents, implicit)
    senses = Counter(label for relation in implicit for label in parts.task.labels_of(relation))
    return {
        "documents": len({relation.document for relation in relations}),
        "relations": dict(Counter(str(relation.kind) for relation in relations).most_common()),
        "implicit": len(implicit),
        "shared_entities": sum(shared) / len(implicit) if implicit else None,
        "senses": dict(senses.most_common()),  # of the implicit relations, at the task's level
        "kept": len(parts.instances[part]),  # of the kinds that count for the task
        "dropped": dict(parts.dropped[part].most_common()),  # of the same kinds, by reason
    }


# What a connective at the beginning leaves behind ("However, ..."): no argument of an implicit relation
# begins so.
_LEFT_BEHIND = frozenset({",", ";", ":"})


def weak_instances(
    corpus: Corpus, parts: Parts, *, kinds: Iterable[RelationKind], weight: float
) -> list[Instance]:
    """Relations of these kinds in the training part as instances of a weight, their connectives removed.

    Labels are those of the task, neighbours the same as for any relation. Kinds that count under the task
    anyway are left out, and relations whose connective has no tokens or is a whole argument.
    """
    further = frozenset(kinds) - parts.task.kinds
    task = replace(parts.task, kinds=further, entrel="", norel="")
    found, _ = task.instances(corpus, parts.relations["train"], parts.labels)
    relations = ((one, without_connective(one.document, one.relation)) for one in found)
    return [replace(one, relation=relation, weight=weight) for one, relation in relations if relation]


def without_connective(document: Document, relation: Relation) -> Relation | None:
    """The relation with no connective, nor a comma behind it, in its arguments; None where that can't be.

    Its ``connective_tokens`` are all tokens that were removed, for they are no distance between arguments.
    """
    connective = frozenset(relation.connective_tokens)
    first, second = (_remaining(document, one, connective) for one in (relation.arg1, relation.arg2))
    if not connective or not first.tokens or not second.tokens:
        return None
    before = {*relation.arg1.tokens, *relation.arg2.tokens}
    removed = connective | (before - {*first.tokens, *second.tokens})
    return replace(relation, arg1=first, arg2=second, connective="", connective_tokens=tuple(sorted(removed)))


def _remaining(document: Document, argument: Argument, connective: frozenset[int]) -> Argument:
    tokens = [token for token in argument.tokens if token not in connective]
    kept = dropwhile(lambda token: document.tokens[token].text in _LEFT_BEHIND, tokens)
    return argument_from_tokens(document, list(kept))
