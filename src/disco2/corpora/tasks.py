"""Tasks and their settings: which relations count, which labels they may have, what two senses mean."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from operator import itemgetter
from pathlib import PurePath
from typing import Any

from disco2.corpora.catalogue import CORPUS_NAMES, known_corpus
from disco2.data import Corpus, Instance, Relation, RelationKind
from disco2.data.senses import PDTB2, TABLES
from disco2.errors import SettingsError
from disco2.settings import Settings, setting

CLASSES = ("Comparison", "Contingency", "Expansion", "Temporal")
OTHER = "Other"

LIN_EXCLUDED = tuple(TABLES["labels"]["lin_excluded"])
LIN_TYPES = tuple(sorted({".".join(sense.split(".")[:2]) for sense in PDTB2} - set(LIN_EXCLUDED)))
PDTB3_TYPES = tuple(TABLES["labels"]["pdtb3"])
CONLL16_SENSES = tuple(TABLES["labels"]["conll16"])

USUAL_PROTOCOLS = {"gum": "gum", "pdtb2": "lin", "pdtb3": "ji", "discogem": "documents"}
# Relations of these kinds have words that state their sense; without the words they resemble implicit ones.
WEAK_KINDS = (RelationKind.EXPLICIT.value, RelationKind.ALTLEX.value, RelationKind.ALTLEXC.value)


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

    def to_json(self) -> dict[str, Any]:
        """The task as a trained model records it."""
        return asdict(self) | {"kinds": sorted(self.kinds)}

    @classmethod
    def from_json(cls, content: Mapping[str, Any]) -> Task:
        kinds = frozenset(RelationKind(kind) for kind in content["kinds"])
        lists = {name: tuple(content[name]) for name in ("labels", "keep", "excluded")}
        return cls(**{**content, **lists, "kinds": kinds})

    def label_set(self, train_relations: Iterable[Relation]) -> tuple[str, ...]:
        """The labels of the task, sorted. The training part decides which are frequent enough."""
        if self.versus:
            return tuple(sorted((self.versus, OTHER)))
        counts: Counter[str] = Counter()
        for relation in train_relations:
            counts.update(set(self.labels_of(relation) or self._voted(relation)))
        frequent = self.labels or [label for label, count in counts.items() if count >= self.minimum]
        kept = [one for one in counts if _is_named(one, self.keep) or one in (self.entrel, self.norel)]
        return tuple(sorted({one for one in (*frequent, *kept) if not _is_named(one, self.excluded)}))

    def instances(
        self, corpus: Corpus, relations: Iterable[Relation], labels: Collection[str]
    ) -> tuple[list[Instance], Counter[str]]:
        """The relations that count as instances, each with its labels among ``labels``.

        A relation that has votes and no sense has the label with most votes.
        The counts say why relations of the kinds that count were dropped.
        """
        wanted = frozenset(labels)
        neighbours = find_neighbours(corpus)
        kept: list[Instance] = []
        dropped: Counter[str] = Counter()
        for relation in relations:
            if not self._counts(relation):
                continue
            gold = tuple(label for label in self.labels_of(relation) if label in wanted)
            target = self._target(relation, wanted)
            if target and not self.labels_of(relation):
                gold = (max(target, key=itemgetter(1))[0],)
            if not gold or not relation.arg1.tokens or not relation.arg2.tokens:
                dropped[self._why_dropped(relation)] += 1
                continue
            sides = neighbours.get(relation, (None, None))
            kept.append(Instance(relation, corpus.documents[relation.document], gold, *sides, target=target))
        return kept, dropped

    def _counts(self, relation: Relation) -> bool:
        return relation.kind in self.kinds or bool(self._label_of_kind(relation))

    def _label_of_kind(self, relation: Relation) -> str:
        """The label of a relation without a sense, if it counts in this task."""
        return {RelationKind.ENTREL: self.entrel, RelationKind.NOREL: self.norel}.get(relation.kind, "")

    def labels_of(self, relation: Relation) -> tuple[str, ...]:
        """All labels of a relation that counts, without duplicates, in the order of its senses."""
        if not self._counts(relation):
            return ()
        cut = [_at_level(sense, self.level) for sense in relation.senses]
        found = [self._label_of_kind(relation)] if self._label_of_kind(relation) else [*filter(None, cut)]
        if self.versus and found:
            # A relation with two senses is positive if one of them is of the class.
            found = [self.versus if self.versus in found else OTHER]
        return tuple(dict.fromkeys(found))

    def _voted(self, relation: Relation) -> list[str]:
        """The labels that a relation's votes name."""
        return [label for label, _ in self._target(relation, None)] if self._counts(relation) else []

    def _target(self, relation: Relation, wanted: Collection[str] | None) -> tuple[tuple[str, float], ...]:
        """The shares of the votes for each wanted label, or all; they add up to 1. Empty if none counts."""
        shares: dict[str, float] = {}
        for sense, share in relation.votes:
            label = _at_level(sense, self.level)
            if self.versus and label is not None:
                label = self.versus if label == self.versus else OTHER
            if label is not None and (wanted is None or label in wanted):
                shares[label] = shares.get(label, 0.0) + share
        total = sum(shares.values())
        return tuple((label, share / total) for label, share in shares.items() if share > 0)

    def _why_dropped(self, relation: Relation) -> str:
        if not relation.arg1.tokens or not relation.arg2.tokens:
            return "an argument has no tokens"
        if not relation.senses and not self._label_of_kind(relation):
            return "no vote for a label" if relation.votes else "no sense"
        labels = self.labels_of(relation)
        if not labels:
            return f"sense {relation.senses[0]} is not annotated at level {self.level}"
        if _is_named(labels[0], self.excluded):
            return f"sense {labels[0]} is excluded"
        return f"sense {labels[0]} is {'not among the labels' if self.labels else 'rare'}"


def task_for(corpus_name: str, inventory: str = "pdtb2") -> Task:
    """Choose the usual task on a corpus: pdtb2, pdtb3, gum, discogem or conll16.

    On any other corpus, it has every label that occurs; those of pairs are not cut to a level.

    GUM's twelve types are those with 20 training relations, and Disjunction, which has 13. DiscoGeM's are
    those with 20. CoNLL-16 is scored on fifteen senses of mixed depth, EntRel among them, over all
    non-explicit relations; in its form, senses of another ``inventory`` have the task usual with them.
    """
    kind = corpus_name if corpus_name != "conll16" or inventory == "pdtb2" else inventory
    kinds = frozenset({RelationKind.IMPLICIT, RelationKind.ALTLEX})
    gum = Task("gum", keep=("Expansion.Disjunction",))
    usual = {
        "pdtb2": Task("pdtb2", labels=LIN_TYPES, excluded=LIN_EXCLUDED),
        "pdtb3": Task("pdtb3", labels=PDTB3_TYPES),
        "gum": gum,
        "gdtb": gum,
        "conll16": Task("conll16", level=0, kinds=kinds, labels=CONLL16_SENSES, entrel="EntRel"),
        "discogem": Task("discogem"),
        # Pairs may have any labels: one that looks like a class of the PDTB has no levels to be cut at.
        "pairs": Task(corpus_name, level=0, minimum=1),
    }
    return usual.get(kind) or Task(corpus_name, minimum=1)


def binary_task(positive: str) -> Task:
    """One class of level 1 against all others, with EntRel counted as Expansion, as in the paper."""
    name = positive.capitalize()
    if name not in CLASSES:
        raise SettingsError(f"Unknown class '{positive}'.", hint=f"Known: {', '.join(CLASSES)}.")
    return Task(f"{name} or not", level=1, entrel="Expansion", versus=name)


def _at_level(sense: str, level: int) -> str | None:
    steps = sense.split(".")
    if level == 0 or steps[0] not in CLASSES:
        return sense
    return ".".join(steps[:level]) if len(steps) >= level else None


def _is_named(label: str, names: Collection[str]) -> bool:
    lowered = label.lower()
    return any(lowered == name.lower() or lowered.endswith("." + name.lower()) for name in names)


@dataclass(frozen=True)
class TaskSettings(Settings):
    """Which relations count and which labels they have; what is left empty follows the corpus's custom."""

    protocol: str = setting(
        "", "split: own, gum, lin, ji, documents, cv12-0 to cv12-11, cvK-i; empty: the usual one"
    )
    level: int = setting(
        -1, "1: classes; 2: types; 3: subtypes; 0: as annotated; -1: the usual one", minimum=-1, below=4
    )
    minimum: int = setting(0, "training relations that a label needs; 0: the usual number", minimum=0)
    labels: tuple[str, ...] = setting((), "just these labels; empty: all that are frequent enough")
    keep: tuple[str, ...] = setting((), "labels to keep although they are rare, where labels is empty")
    excluded: tuple[str, ...] = setting((), "labels to leave out")
    outcomes: str = setting(
        "senses",
        "senses: relations that have one; running-text: EntRel and NoRel are outcomes too",
        choices=("senses", "running-text"),
    )
    whole_sentences: bool = setting(
        False, "train on relations between neighbouring sentences twice: also with the whole sentences"
    )
    weak_weight: float = setting(
        0.0,
        "what explicit and AltLex relations of the training part count as further instances, "
        "connective removed; those without connective tokens are left out; 0: leave all out",
        minimum=0,
    )
    weak_kinds: tuple[str, ...] = setting(
        WEAK_KINDS[:2], f"which kinds of relations weak_weight speaks of, among {', '.join(WEAK_KINDS)}"
    )
    versus: str = setting("", "a class, such as Expansion, against all others; EntRel is Expansion then")
    balance: bool = setting(True, "one class against others: repeat the smaller side until both are equal")

    folds: int = setting(
        1, "seed of the splits by documents (documents, cvK-i); the same in all runs", minimum=0
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        others = (self.level >= 0, self.minimum > 0, self.labels, self.keep, self.excluded)
        if self.versus and (any(others) or self.outcomes != "senses"):
            raise SettingsError(
                "One class against all others has its own labels and level.",
                hint="Leave out task.versus, or task.level, minimum, labels, keep, excluded and outcomes.",
            )
        if not self.weak_kinds or not set(self.weak_kinds) <= set(WEAK_KINDS):
            raise SettingsError(
                f"weak_kinds can't be {', '.join(self.weak_kinds) or 'empty'}.",
                hint=f"Choose from {', '.join(WEAK_KINDS)}; weak_weight=0 leaves them all out.",
            )

    def task(self, corpus_name: str, inventory: str = "pdtb2") -> Task:
        """The task on a corpus. The usual labels hold as long as level and minimum are the usual ones."""
        if self.versus:
            return binary_task(self.versus)
        task = task_for(corpus_name, inventory)
        if self.outcomes == "running-text":
            task = replace(task, entrel=RelationKind.ENTREL.value, norel=RelationKind.NOREL.value)
        usual = self.level in (-1, task.level) and not self.minimum
        return replace(
            task,
            level=self.level if self.level >= 0 else task.level,
            minimum=self.minimum or task.minimum,
            labels=self.labels or (task.labels if usual else ()),
            # "Just these labels" excludes all others.
            keep=() if self.labels else self.keep or task.keep,
            excluded=self.excluded or task.excluded,
        )

    def protocol_for(self, corpus_name: str) -> str:
        """The name of the split protocol on a corpus."""
        return self.protocol or USUAL_PROTOCOLS.get(corpus_name, "own")


@dataclass(frozen=True)
class DataSettings(Settings):
    """One corpus of a training with several: a ``[[data]]`` table of a configuration, or ``--data``."""

    corpus: str = setting("", f"kind of corpus: {', '.join(CORPUS_NAMES)}")
    path: str = setting("", "its folder or file; a relative path starts at the folder of the configuration")
    protocol: str = setting("", "split of its documents, as task.protocol; empty: the usual one")
    part: str = setting("train", "the part to train on; all: the whole corpus")
    weight: float = setting(1.0, "what one of its relations counts in training", above=0)
    limit: int = setting(0, "most relations to train on, chosen at random by the seed; 0: all", minimum=0)
    level: int = setting(-1, "level of its senses, as task.level; -1: that of the task", minimum=-1, below=4)
    features: bool = setting(
        True, "let an encoder's surface features learn from it, which needs layers; false: its text alone"
    )
    name: str = setting("", "what stages call it; empty: the name of its folder or file, without an ending")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.corpus or not self.path or not self.part or "\0" in self.path:
            raise SettingsError(
                "The corpus, its path or its part is missing or unusable.",
                hint='Write, for example: corpus = "discogem", path = "discogem"',
            )
        object.__setattr__(self, "corpus", known_corpus(self.corpus))
        object.__setattr__(self, "name", self.name or PurePath(self.path).stem)


def find_neighbours(corpus: Corpus) -> dict[Relation, tuple[Relation | None, Relation | None]]:
    """The relations before and after each relation of its document, of any kind, in file order.

    That is nearly the order of the text.
    """
    by_document: dict[str, list[Relation]] = {}
    for relation in corpus.relations:
        by_document.setdefault(relation.document, []).append(relation)
    around: dict[Relation, tuple[Relation | None, Relation | None]] = {}
    for some in by_document.values():
        for before, one, after in zip([None, *some], some, [*some[1:], None], strict=False):
            around.setdefault(one, (before, after))
    return around
