"""What is to be told apart: which relations count, which labels they may have, what two senses mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from disco2.corpora.neighbours import Neighbours
from disco2.errors import SettingsError
from disco2.records import Corpus, Instance, Relation, RelationKind

CLASSES = ("Comparison", "Contingency", "Expansion", "Temporal")
OTHER = "Other"

LIN_TYPES = (
    "Comparison.Concession",
    "Comparison.Contrast",
    "Contingency.Cause",
    "Contingency.Pragmatic cause",
    "Expansion.Alternative",
    "Expansion.Conjunction",
    "Expansion.Instantiation",
    "Expansion.List",
    "Expansion.Restatement",
    "Temporal.Asynchronous",
    "Temporal.Synchrony",
)
LIN_EXCLUDED = (
    "Comparison.Pragmatic concession",
    "Comparison.Pragmatic contrast",
    "Contingency.Condition",
    "Contingency.Pragmatic condition",
    "Expansion.Exception",
)
PDTB3_TYPES = (
    "Comparison.Concession",
    "Comparison.Contrast",
    "Contingency.Cause",
    "Contingency.Cause+Belief",
    "Contingency.Condition",
    "Contingency.Purpose",
    "Expansion.Conjunction",
    "Expansion.Equivalence",
    "Expansion.Instantiation",
    "Expansion.Level-of-detail",
    "Expansion.Manner",
    "Expansion.Substitution",
    "Temporal.Asynchronous",
    "Temporal.Synchronous",
)
CONLL16_SENSES = (
    "Comparison.Concession",
    "Comparison.Contrast",
    "Contingency.Cause.Reason",
    "Contingency.Cause.Result",
    "Contingency.Condition",
    "EntRel",
    "Expansion.Alternative",
    "Expansion.Alternative.Chosen alternative",
    "Expansion.Conjunction",
    "Expansion.Exception",
    "Expansion.Instantiation",
    "Expansion.Restatement",
    "Temporal.Asynchronous.Precedence",
    "Temporal.Asynchronous.Succession",
    "Temporal.Synchrony",
)


@dataclass(frozen=True)
class Task:
    """A classification task over the relations of a corpus.

    A sense counts as its label at ``level``: class (1), type (2), subtype (3), or as it was annotated (0). A
    label outside the four PDTB classes, as in plain pairs, has no levels and always stays whole. The label
    set is ``labels`` where given; otherwise every label with at least ``minimum`` relations in the training
    part, and those that ``keep`` names, without those that ``excluded`` names. These two may name a label in
    full (``Comparison.Contrast``) or by its end (``contrast``).

    ``entrel`` and ``norel`` are the labels that EntRel and NoRel relations take; while one is empty, those
    relations don't count. ``versus`` turns the task into one class against ``Other``.
    """

    name: str
    level: int = 2
    kinds: frozenset[RelationKind] = frozenset({RelationKind.IMPLICIT})
    labels: tuple[str, ...] = ()
    minimum: int = 20
    keep: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    entrel: str = ""
    norel: str = ""
    versus: str = ""

    def __post_init__(self) -> None:
        if self.level not in (0, 1, 2, 3):
            raise SettingsError(
                f"There is no level {self.level} of senses.",
                hint="Use 1 (class), 2 (type), 3 (subtype) or 0 (as annotated).",
            )
        if self.minimum < 1:
            raise SettingsError(f"A label can't need {self.minimum} relations.", hint="Use 1 or more.")

    def to_json(self) -> dict[str, Any]:
        """The task as a trained model records it."""
        return asdict(self) | {"kinds": sorted(self.kinds)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Task:
        kinds = frozenset(RelationKind(kind) for kind in content["kinds"])
        lists = {name: tuple(content[name]) for name in ("labels", "keep", "excluded")}
        return cls(**{**content, **lists, "kinds": kinds})

    def label_set(self, train_relations: Iterable[Relation]) -> tuple[str, ...]:
        """The labels to tell apart, sorted. Which ones are frequent enough is read off the training part."""
        if self.versus:
            return tuple(sorted((self.versus, OTHER)))
        counts: Counter[str] = Counter()
        for relation in train_relations:
            counts.update(set(self.labels_of(relation)))
        frequent = self.labels or [label for label, count in counts.items() if count >= self.minimum]
        kept = [label for label in counts if _is_named(label, self.keep)]
        kept += [label for label in (self.entrel, self.norel) if counts[label]]
        chosen = sorted({label for label in (*frequent, *kept) if not _is_named(label, self.excluded)})
        return tuple(chosen)

    def instances(
        self, corpus: Corpus, relations: Iterable[Relation], labels: Collection[str]
    ) -> tuple[list[Instance], Counter[str]]:
        """The relations that count as instances, each with its labels among ``labels``.

        Neighbours are the relations before and after in file order, which is nearly that of the text, of any
        kind, within the document. The counts say why relations of the kinds that count were dropped.
        """
        wanted = frozenset(labels)
        neighbours = Neighbours(corpus)
        kept: list[Instance] = []
        dropped: Counter[str] = Counter()
        for relation in relations:
            if not self._counts(relation):
                continue
            gold = tuple(label for label in self.labels_of(relation) if label in wanted)
            if not gold or not relation.arg1.tokens or not relation.arg2.tokens:
                dropped[self._why_dropped(relation)] += 1
                continue
            previous, following = neighbours.of(relation)
            document = corpus.documents[relation.document]
            target = self._target(relation, wanted)
            kept.append(Instance(relation, document, gold, previous, following, target=target))
        return kept, dropped

    def _counts(self, relation: Relation) -> bool:
        return relation.kind in self.kinds or bool(self._label_of_kind(relation))

    def _label_of_kind(self, relation: Relation) -> str:
        """The label of a relation that has no sense, where it counts under this task."""
        return {RelationKind.ENTREL: self.entrel, RelationKind.NOREL: self.norel}.get(relation.kind, "")

    def labels_of(self, relation: Relation) -> tuple[str, ...]:
        """All labels of a relation that counts, without duplicates, in the order of its senses."""
        if not self._counts(relation):
            return ()
        if label := self._label_of_kind(relation):
            found = [label]
        else:
            cut = (_at_level(sense, self.level) for sense in relation.senses)
            found = [label for label in cut if label is not None]
        if self.versus and found:
            # A relation with two senses is positive if one of them is of the class.
            found = [self.versus if self.versus in found else OTHER]
        return tuple(dict.fromkeys(found))

    def _target(self, relation: Relation, wanted: Collection[str]) -> tuple[tuple[str, float], ...]:
        """The shares of the votes for each wanted label, which add up to 1; empty where no vote counts."""
        shares: dict[str, float] = {}
        for sense, share in relation.votes:
            label = _at_level(sense, self.level)
            if self.versus and label is not None:
                label = self.versus if label == self.versus else OTHER
            if label is not None and label in wanted:
                shares[label] = shares.get(label, 0.0) + share
        total = sum(shares.values())
        return tuple((label, share / total) for label, share in shares.items() if share > 0)

    def _why_dropped(self, relation: Relation) -> str:
        if not relation.arg1.tokens or not relation.arg2.tokens:
            return "an argument has no tokens"
        if not relation.senses and not self._label_of_kind(relation):
            return "no sense"
        labels = self.labels_of(relation)
        if not labels:
            return f"sense {relation.senses[0]} is not annotated at level {self.level}"
        if _is_named(labels[0], self.excluded):
            return f"sense {labels[0]} is excluded"
        return f"sense {labels[0]} is {'not among the labels' if self.labels else 'rare'}"


def task_for(corpus_name: str, inventory: str = "pdtb2") -> Task:
    """The usual task on a corpus: pdtb2, pdtb3, gum, discogem or conll16; on any other, every label that
    occurs, and those of plain pairs as they stand.

    GUM's twelve types are those with 20 training relations, and Disjunction, which has 13. DiscoGeM's are
    those with 20. CoNLL-16 is scored
    on fifteen senses of mixed depth, EntRel among them, over all non-explicit relations; in its form, senses
    of another ``inventory`` have the task that is usual with them.
    """
    kind = corpus_name if corpus_name != "conll16" or inventory == "pdtb2" else inventory
    if kind == "pdtb2":
        return Task("pdtb2", labels=LIN_TYPES, excluded=LIN_EXCLUDED)
    if kind == "pdtb3":
        return Task("pdtb3", labels=PDTB3_TYPES)
    if kind in ("gum", "gdtb"):
        return Task("gum", minimum=20, keep=("Expansion.Disjunction",))
    if kind == "conll16":
        kinds = frozenset({RelationKind.IMPLICIT, RelationKind.ALTLEX})
        return Task("conll16", level=0, kinds=kinds, labels=CONLL16_SENSES, entrel="EntRel")
    if kind == "discogem":
        return Task("discogem", minimum=20)
    # Pairs may have any labels: one that looks like a class of the PDTB has no levels to be cut at either.
    return Task(corpus_name, level=0 if kind == "pairs" else 2, minimum=1)


def binary_task(positive: str) -> Task:
    """One class of level 1 against all others, with EntRel counted as Expansion, as in the paper."""
    known = {name.lower(): name for name in CLASSES}
    if positive.lower() not in known:
        raise SettingsError(f"There is no class '{positive}'.", hint=f"Known: {', '.join(CLASSES)}.")
    name = known[positive.lower()]
    return Task(f"{name} or not", level=1, entrel="Expansion", versus=name)


def _at_level(sense: str, level: int) -> str | None:
    steps = sense.split(".")
    if level == 0 or steps[0] not in CLASSES:
        return sense
    return ".".join(steps[:level]) if len(steps) >= level else None


def _is_named(label: str, names: Collection[str]) -> bool:
    lowered = label.lower()
    return any(lowered == name.lower() or lowered.endswith("." + name.lower()) for name in names)
