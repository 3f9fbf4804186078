"""A discourse relation between two arguments of a document."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from disco2.records.document import Document


class RelationKind(StrEnum):
    """How the text expresses the relation, as PDTB-style corpora spell it."""

    IMPLICIT = "Implicit"
    EXPLICIT = "Explicit"
    ALTLEX = "AltLex"
    ALTLEXC = "AltLexC"
    HYPOPHORA = "Hypophora"
    ENTREL = "EntRel"
    NOREL = "NoRel"


# Adjacent sentences of these kinds have no sense; for running text the kinds themselves are labels.
WITHOUT_SENSE = frozenset({RelationKind.ENTREL, RelationKind.NOREL})


@dataclass(frozen=True, slots=True)
class Argument:
    """Tokens of the document, in order, not always adjacent; ``text`` joins the pieces with a space."""

    tokens: tuple[int, ...]
    text: str


@dataclass(frozen=True, slots=True)
class Relation:
    """Two arguments and the senses annotated for them.

    ``senses`` are full, canonical names (``Contingency.Cause.Reason``), none for EntRel, NoRel and unlabelled
    pairs. ``where`` says which file and line it came from. ``votes`` is a distribution over senses, where
    several annotators labelled the relation: senses with shares that add up to 1.
    """

    id: str
    document: str
    kind: RelationKind
    arg1: Argument
    arg2: Argument
    senses: tuple[str, ...] = ()
    connective: str = ""
    connective_tokens: tuple[int, ...] = ()
    where: str = ""
    votes: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Instance:
    """A relation with everything a model may look at, and the labels that count as right under some task.

    ``previous`` and ``following`` are its neighbours among all relations of the document, for the context
    features. ``gold`` is empty where the label is unknown. ``weight`` is what it counts in training.
    ``target`` is the distribution of the votes over the labels of the task, empty where there are no votes.
    """

    relation: Relation
    document: Document
    gold: tuple[str, ...] = ()
    previous: Relation | None = None
    following: Relation | None = None
    weight: float = 1.0
    target: tuple[tuple[str, float], ...] = ()

    @property
    def has_sense(self) -> bool:
        """Whether it is no EntRel or NoRel: neither by its kind nor, as in plain pairs, by all its labels."""
        labelled_without = bool(self.gold) and WITHOUT_SENSE.issuperset(self.gold)
        return self.relation.kind not in WITHOUT_SENSE and not labelled_without
