"""The senses of the Penn Discourse Treebanks and of GUM's GDTB, and the mapping between PDTB 2 and PDTB 3.

A sense is a dotted path: class, type, subtype (``Contingency.Cause.Reason``). Annotators may stop early, so
every prefix of a known path is a sense too. EntRel, NoRel and Hypophora are kinds of relation, not senses,
and belong to no inventory, even where a corpus writes them into its sense column.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache

from disco2.errors import InputError

MOST_EDITS = 2  # a label further than this from every known sense is not repaired


def sense_paths(text: str) -> tuple[str, ...]:
    """The full dotted paths of lines such as ``Contingency.Cause: Reason, Result``."""
    rows = (line.partition(": ") for line in text.strip().splitlines())
    return tuple(
        f"{kind}.{one}" if one else kind for kind, _, subtypes in rows for one in subtypes.split(", ")
    )


PDTB2 = sense_paths("""
Temporal.Asynchronous: Precedence, Succession
Temporal.Synchrony
Contingency.Cause: Reason, Result
Contingency.Pragmatic cause: Justification
Contingency.Condition: Hypothetical, General, Unreal present, Unreal past, Factual present, Factual past
Contingency.Pragmatic condition: Relevance, Implicit assertion
Comparison.Contrast: Juxtaposition, Opposition
Comparison.Pragmatic contrast
Comparison.Concession: Expectation, Contra-expectation
Comparison.Pragmatic concession
Expansion.Conjunction
Expansion.Instantiation
Expansion.Restatement: Specification, Equivalence, Generalization
Expansion.Alternative: Conjunctive, Disjunctive, Chosen alternative
Expansion.Exception
Expansion.List
""")

PDTB3 = sense_paths("""
Temporal.Synchronous
Temporal.Asynchronous: Precedence, Succession
Contingency.Cause: Reason, Result, NegResult
Contingency.Cause+Belief: Reason+Belief, Result+Belief
Contingency.Cause+SpeechAct: Reason+SpeechAct, Result+SpeechAct
Contingency.Condition: Arg1-as-cond, Arg2-as-cond
Contingency.Condition+SpeechAct
Contingency.Negative-condition: Arg1-as-negCond, Arg2-as-negCond
Contingency.Negative-condition+SpeechAct
Contingency.Purpose: Arg1-as-goal, Arg2-as-goal
Comparison.Concession: Arg1-as-denier, Arg2-as-denier
Comparison.Concession+SpeechAct: Arg2-as-denier+SpeechAct
Comparison.Contrast
Comparison.Similarity
Expansion.Conjunction
Expansion.Disjunction
Expansion.Equivalence
Expansion.Exception: Arg1-as-excpt, Arg2-as-excpt
Expansion.Instantiation: Arg1-as-instance, Arg2-as-instance
Expansion.Level-of-detail: Arg1-as-detail, Arg2-as-detail
Expansion.Manner: Arg1-as-manner, Arg2-as-manner
Expansion.Substitution: Arg1-as-subst, Arg2-as-subst
""")

# Other spellings of known senses; they are not reported as faults.
PDTB3_SPELLINGS = {
    "Contingency.Negative-cause.NegResult": "Contingency.Cause.NegResult",
    "Contingency.Negative-cause": "Contingency.Cause.NegResult",
    "Comparison.Concession+SpeechAct.Arg2-as-denier": (
        "Comparison.Concession+SpeechAct.Arg2-as-denier+SpeechAct"
    ),
}
GDTB_SPELLINGS = {
    **PDTB3_SPELLINGS,
    "Expansion.Exception.Arg1-as-except": "Expansion.Exception.Arg1-as-excpt",
    "Expansion.Exception.Arg2-as-except": "Expansion.Exception.Arg2-as-excpt",
}


@dataclass(frozen=True, slots=True)
class Resolved:
    """The canonical name of a raw label; ``repaired`` if the label was misspelt."""

    sense: str
    repaired: bool = False


@dataclass(frozen=True)
class SenseInventory:
    """The senses of one annotation scheme as full dotted paths; ``spellings`` maps other spellings to them.

    An inventory without senses is free: it accepts every label unchanged and has no levels.
    """

    name: str
    senses: tuple[str, ...] = ()
    spellings: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_free(self) -> bool:
        return not self.senses

    @cached_property
    def all_senses(self) -> tuple[str, ...]:
        """The full paths and every prefix of them, classes before types and types before subtypes."""
        return tuple(dict.fromkeys(prefix for sense in self.senses for prefix in _prefixes(sense)))

    @cached_property
    def _by_key(self) -> dict[str, str]:
        other = {_key(spelling): sense for spelling, sense in self.spellings.items()}
        return {**other, **{_key(sense): sense for sense in self.all_senses}}

    def resolve(self, raw: str) -> Resolved | None:
        """The sense a raw label means, or None.

        Case, spaces, hyphens and underscores do not matter. Otherwise a label is repaired if it is within
        two edits of exactly one known sense and no other is only one edit further away. Digits are never
        repaired: ``Arg1`` and ``Arg2`` are one edit apart and mean opposite things.
        """
        if self.is_free:
            label = raw.strip()
            return Resolved(label) if label else None
        key = _key(raw)
        if not key:
            return None
        exact = self._by_key.get(key)
        if exact is not None:
            return Resolved(exact)
        nearest = self._nearest(key)
        return None if nearest is None else Resolved(nearest, repaired=True)

    def by_last_step(self, name: str) -> str | None:
        """The sense whose last step is this name (``arg2-as-detail``), if one full path ends with it."""
        return self._by_last_step.get(_key(name))

    @cached_property
    def _by_last_step(self) -> dict[str, str]:
        steps = [_key(sense.rpartition(".")[2]) for sense in self.senses]
        return {step: sense for step, sense in zip(steps, self.senses, strict=True) if steps.count(step) == 1}

    def _nearest(self, key: str) -> str | None:
        digits = _digits(key)
        distances: dict[str, int] = {}
        for known, sense in self._by_key.items():
            if _digits(known) == digits:
                edits = _edits(key, known, most=MOST_EDITS + 1)
                distances[sense] = min(edits, distances.get(sense, edits))
        if not distances:
            return None
        best = min(distances.values())
        close = [sense for sense, edits in distances.items() if edits <= max(MOST_EDITS, best + 1)]
        return close[0] if best <= MOST_EDITS and len(close) == 1 else None


def inventory(name: str) -> SenseInventory:
    """The inventory of that name; an empty name or ``free`` accepts any label."""
    try:
        return _inventories()[name.lower()]
    except KeyError:
        known = ", ".join(key for key in _inventories() if key)
        raise InputError(f"There is no sense inventory '{name}'.", hint=f"Known: {known}.") from None


@lru_cache(maxsize=1)
def _inventories() -> dict[str, SenseInventory]:
    return {
        "pdtb2": SenseInventory("pdtb2", PDTB2),
        "pdtb3": SenseInventory("pdtb3", PDTB3, PDTB3_SPELLINGS),
        "gdtb": SenseInventory("gdtb", PDTB3, GDTB_SPELLINGS),
        "free": SenseInventory("free"),
        "": SenseInventory("free"),
    }


def _prefixes(sense: str) -> Iterable[str]:
    steps = sense.split(".")
    return (".".join(steps[: depth + 1]) for depth in range(len(steps)))


@lru_cache(maxsize=1 << 10)  # a corpus has few labels, and each of them thousands of times
def _key(label: str) -> str:
    return "".join(
        character for character in label.casefold() if character not in "-_" and not character.isspace()
    )


def _digits(label: str) -> str:
    return "".join(character for character in label if character.isdigit())


def _edits(one: str, other: str, *, most: int) -> int:
    """The Levenshtein distance, or ``most + 1`` if it is larger than ``most``."""
    if abs(len(one) - len(other)) > most:
        return most + 1
    previous = list(range(len(other) + 1))
    for row, left in enumerate(one, start=1):
        current = [row]
        for column, right in enumerate(other, start=1):
            current.append(
                min(previous[column] + 1, current[-1] + 1, previous[column - 1] + (left != right)),
            )
        if min(current) > most:
            return most + 1
        previous = current
    return min(previous[-1], most + 1)


# PDTB 2 senses in PDTB 3's terms, and back.
#
# Senses that PDTB 3 only renamed, split or merged follow that change (Webber et al., 2019, The Penn
# Discourse Treebank 3.0 Annotation Manual) as we know it; the table has not been checked line by line
# against it. Much of the corpus was annotated anew, so a mapping of labels only gives the usual case. Where
# there was more than one choice, or none, these are ours:
#
# From 2 to 3
# - ``Pragmatic cause`` may be ``Cause+Belief`` or ``Cause+SpeechAct``: the former, since its one subtype
#   gives the evidence for a claim.
# - ``Condition`` with any subtype: PDTB 2 did not say which argument holds the condition; it is taken to be
#   the one after the connective, ``Arg2``, as in 94% of GUM's conditions.
# - ``Pragmatic contrast`` and ``Pragmatic concession`` have no heirs: the nearest senses are ``Contrast``
#   and ``Concession+SpeechAct``.
# - ``Restatement`` without a subtype may be ``Level-of-detail`` or ``Equivalence``: the former, which is
#   seven times as frequent in GUM.
# - ``Alternative`` without a subtype may be ``Disjunction`` or ``Substitution``: two of its three subtypes
#   are the former.
#
# From 3 to 2
# - ``Cause+Belief`` and ``Cause+SpeechAct`` are both ``Pragmatic cause``; its one subtype, Justification,
#   only fits where Arg2 is the reason.
# - ``Condition`` loses its subtype: PDTB 2's subtypes (hypothetical, factual past...) say something else.
# - ``Negative-condition`` ("unless") was ``Alternative.Disjunctive``.
# - ``Purpose`` was ``Cause`` where it was annotated at all ("so that" as ``Result``).
# - ``Similarity`` was ``Conjunction``.
# - ``Disjunction`` loses its subtype; both kinds of ``Substitution`` were ``Chosen alternative``.
# - ``Manner`` is new: it has no sense in PDTB 2.
#
# A subtype that is not in a table is mapped as its type is.
_CONDITIONS = [sense for sense in PDTB2 if sense.startswith("Contingency.Condition.")]
_2_TO_3 = {
    "Temporal.Synchrony": "Temporal.Synchronous",
    "Contingency.Pragmatic cause": "Contingency.Cause+Belief",
    "Contingency.Pragmatic cause.Justification": "Contingency.Cause+Belief.Reason+Belief",
    **dict.fromkeys(_CONDITIONS, "Contingency.Condition.Arg2-as-cond"),
    "Contingency.Pragmatic condition": "Contingency.Condition+SpeechAct",
    "Comparison.Contrast.Juxtaposition": "Comparison.Contrast",
    "Comparison.Contrast.Opposition": "Comparison.Contrast",
    "Comparison.Pragmatic contrast": "Comparison.Contrast",
    "Comparison.Concession.Expectation": "Comparison.Concession.Arg1-as-denier",
    "Comparison.Concession.Contra-expectation": "Comparison.Concession.Arg2-as-denier",
    "Comparison.Pragmatic concession": "Comparison.Concession+SpeechAct.Arg2-as-denier+SpeechAct",
    "Expansion.Instantiation": "Expansion.Instantiation.Arg2-as-instance",
    "Expansion.Restatement": "Expansion.Level-of-detail",
    "Expansion.Restatement.Specification": "Expansion.Level-of-detail.Arg2-as-detail",
    "Expansion.Restatement.Generalization": "Expansion.Level-of-detail.Arg1-as-detail",
    "Expansion.Restatement.Equivalence": "Expansion.Equivalence",
    "Expansion.Alternative": "Expansion.Disjunction",
    "Expansion.Alternative.Chosen alternative": "Expansion.Substitution.Arg2-as-subst",
    "Expansion.Exception": "Expansion.Exception.Arg2-as-excpt",
    "Expansion.List": "Expansion.Conjunction",
}

_3_TO_2 = {
    "Temporal.Synchronous": "Temporal.Synchrony",
    "Contingency.Cause.NegResult": "Contingency.Cause",
    "Contingency.Cause+Belief": "Contingency.Pragmatic cause",
    "Contingency.Cause+Belief.Reason+Belief": "Contingency.Pragmatic cause.Justification",
    "Contingency.Cause+SpeechAct": "Contingency.Pragmatic cause",
    "Contingency.Cause+SpeechAct.Reason+SpeechAct": "Contingency.Pragmatic cause.Justification",
    "Contingency.Condition.Arg1-as-cond": "Contingency.Condition",
    "Contingency.Condition.Arg2-as-cond": "Contingency.Condition",
    "Contingency.Condition+SpeechAct": "Contingency.Pragmatic condition",
    "Contingency.Negative-condition": "Expansion.Alternative.Disjunctive",
    "Contingency.Negative-condition+SpeechAct": "Expansion.Alternative.Disjunctive",
    "Contingency.Purpose": "Contingency.Cause",
    "Contingency.Purpose.Arg2-as-goal": "Contingency.Cause.Result",
    "Comparison.Concession.Arg1-as-denier": "Comparison.Concession.Expectation",
    "Comparison.Concession.Arg2-as-denier": "Comparison.Concession.Contra-expectation",
    "Comparison.Concession+SpeechAct": "Comparison.Pragmatic concession",
    "Comparison.Similarity": "Expansion.Conjunction",
    "Expansion.Disjunction": "Expansion.Alternative",
    "Expansion.Equivalence": "Expansion.Restatement.Equivalence",
    "Expansion.Exception.Arg1-as-excpt": "Expansion.Exception",
    "Expansion.Exception.Arg2-as-excpt": "Expansion.Exception",
    "Expansion.Instantiation.Arg1-as-instance": "Expansion.Instantiation",
    "Expansion.Instantiation.Arg2-as-instance": "Expansion.Instantiation",
    "Expansion.Level-of-detail": "Expansion.Restatement",
    "Expansion.Level-of-detail.Arg1-as-detail": "Expansion.Restatement.Generalization",
    "Expansion.Level-of-detail.Arg2-as-detail": "Expansion.Restatement.Specification",
    "Expansion.Substitution": "Expansion.Alternative.Chosen alternative",
}


def senses_2_to_3(sense: str) -> str | None:
    """The PDTB 3 sense of a canonical PDTB 2 sense of any level; None for a name PDTB 2 does not have."""
    if sense not in inventory("pdtb2").all_senses:
        return None
    return _2_TO_3.get(sense) or _2_TO_3.get(sense.rpartition(".")[0], sense)


def senses_3_to_2(sense: str) -> str | None:
    """The PDTB 2 sense of a canonical PDTB 3 sense of any level; None if PDTB 2 has no such sense."""
    if sense not in inventory("pdtb3").all_senses or sense.startswith("Expansion.Manner"):
        return None
    return _3_TO_2.get(sense) or _3_TO_2.get(sense.rpartition(".")[0], sense)


def in_pdtb3(sense: str) -> str:
    """The PDTB 3 name of a sense that only PDTB 2 has; any other sense is returned unchanged."""
    if sense in inventory("pdtb3").all_senses:
        return sense
    return senses_2_to_3(sense) or sense
