"""The senses of PDTB 3 that connectives signal in mining; ``parser.connectives`` has those of openers.

A subordinator has two senses, since its clause may stand behind the main clause or before it, and a mined
pair keeps the order of the text. Ambiguous connectives ("since", "while", "when") have a rule in ``RULES``:
the two clauses decide, and if they don't, there is no pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from disco2.parser.connectives import OPENERS

REASON, RESULT = "Contingency.Cause.Reason", "Contingency.Cause.Result"
ARG1_DENIES, ARG2_DENIES = "Comparison.Concession.Arg1-as-denier", "Comparison.Concession.Arg2-as-denier"
CONTRAST = "Comparison.Contrast"
PRECEDENCE, SUCCESSION = "Temporal.Asynchronous.Precedence", "Temporal.Asynchronous.Succession"
SYNCHRONOUS = "Temporal.Synchronous"
ARG1_IF, ARG2_IF = "Contingency.Condition.Arg1-as-cond", "Contingency.Condition.Arg2-as-cond"
ARG1_UNLESS = "Contingency.Negative-condition.Arg1-as-negCond"
ARG2_UNLESS = "Contingency.Negative-condition.Arg2-as-negCond"
GOAL = "Contingency.Purpose.Arg2-as-goal"
CONJUNCTION, DISJUNCTION = "Expansion.Conjunction", "Expansion.Disjunction"
SUBSTITUTE = "Expansion.Substitution.Arg2-as-subst"

# As often part of a phrase ("later on", "however hard he tries"): connectives with a comma behind them alone.
_BEFORE_COMMA = frozenset({"besides", "further", "however", "later", "next", "rather", "still"})
_LONGEST = max(len(name.split()) for name in OPENERS)

# They open a subordinate clause: the sense if it comes second, and if it comes first.
SUBORDINATORS = {
    "because": (REASON, RESULT),
    "for": (REASON, ""),
    "now that": (REASON, RESULT),
    "so that": (GOAL, ""),
    "although": (ARG1_DENIES, ARG2_DENIES),
    "though": (ARG1_DENIES, ARG2_DENIES),
    "even though": (ARG1_DENIES, ARG2_DENIES),
    "even if": (ARG1_DENIES, ARG2_DENIES),
    "whereas": (CONTRAST, CONTRAST),
    "if": (ARG2_IF, ARG1_IF),
    "as long as": (ARG2_IF, ARG1_IF),
    "unless": (ARG2_UNLESS, ARG1_UNLESS),
    "after": (SUCCESSION, PRECEDENCE),
    "as soon as": (SUCCESSION, PRECEDENCE),
    "once": (SUCCESSION, PRECEDENCE),
    "before": (PRECEDENCE, SUCCESSION),
    "until": (PRECEDENCE, SUCCESSION),
    "till": (PRECEDENCE, SUCCESSION),
    "since": (REASON, RESULT),
    "while": (SYNCHRONOUS, SYNCHRONOUS),
    "when": (SYNCHRONOUS, SYNCHRONOUS),
    "as": (SYNCHRONOUS, SYNCHRONOUS),
}


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a linked clause and of the main clause that it is linked to."""

    first: bool  # the linked clause stands first
    comma: bool  # between the two
    tense: str  # of the linked clause: "present", "past" or "modal"
    main_tense: str
    progressive: bool
    main_progressive: bool
    main_perfect: bool
    stative: bool  # a form of "be" or "have"
    main_stative: bool
    same_subject: bool  # the same word, or there is a pronoun in one of them
    timed: bool  # the main clause names a length of time
    counted: bool  # there are numbers in both
    must: bool  # the main clause says what has to be
    asking: bool  # the main clause asks or knows something
    idiom: bool  # the linked clause is such as "if you please", "if I remember", "if ever"
    reporting: bool  # the linked clause is such as "as she said", "as it seemed"


def _since(facts: Facts) -> str:
    """Causal alone: "since" of time goes with a perfect or a length of time in the main clause."""
    if facts.main_perfect or facts.timed or (facts.tense == "past" and facts.main_tense == "present"):
        return ""
    if facts.tense == "past" and not (facts.first or facts.comma):
        return ""
    return RESULT if facts.first else REASON


def _while(facts: Facts) -> str:
    """Events of the past may happen at the same time; states and figures are compared."""
    if facts.progressive:
        return SYNCHRONOUS
    if facts.first or facts.main_progressive or facts.same_subject or not facts.comma:
        return ""
    present = facts.tense == facts.main_tense == "present"
    return CONTRAST if present or facts.stative or facts.counted else ""


def _when(facts: Facts) -> str:
    """A clause in the progressive is going on when the other happens; not "the time was coming when"."""
    if not (facts.progressive or facts.main_progressive):
        return ""
    return SYNCHRONOUS if facts.first or not (facts.asking or facts.timed) else ""


def _as(facts: Facts) -> str:
    going_on = facts.progressive != facts.main_progressive and facts.tense == "past"
    return SYNCHRONOUS if going_on and not facts.reporting else ""


def _if(facts: Facts) -> str:
    """Not "she asked if it rained"."""
    if facts.idiom:
        return ""
    return ARG1_IF if facts.first else "" if facts.asking else ARG2_IF


def _so(facts: Facts) -> str:
    """Without a comma, "so" stands for "so that": "He left so he could sleep"."""
    return GOAL if facts.tense == "modal" and not facts.comma else RESULT


def _so_that(facts: Facts) -> str:
    return "" if facts.first else GOAL if facts.tense == "modal" else RESULT


def _and(facts: Facts) -> str:
    """States stand beside each other; events may as well follow each other, or from each other."""
    return CONJUNCTION if facts.stative and facts.main_stative and not facts.same_subject else ""


def _or(facts: Facts) -> str:
    """Behind "must", it says what happens otherwise: "You must go, or they will find you"."""
    if facts.must:
        return ARG1_UNLESS
    return DISJUNCTION if facts.tense == facts.main_tense else ""


def _now_that(facts: Facts) -> str:
    """Not "now that I come to think of it"."""
    return "" if facts.reporting else RESULT if facts.first else REASON


RULES: dict[str, Callable[[Facts], str]] = {
    "and": _and,
    "as": _as,
    "if": _if,
    "now that": _now_that,
    "or": _or,
    "since": _since,
    "so": _so,
    "so that": _so_that,
    "when": _when,
    "while": _while,
}


def find_opener(words: Sequence[str]) -> str:
    """The connective that these lower-case words of a main clause open with; empty if there is none.

    The longest counts. "and" goes together with any opener behind it ("and then"), "but" with those that say
    more about the contrast ("but still", "but instead").
    """
    name = _opener(words)
    if name == "but" or (not name and words[:1] == ("and",)):
        first = name or "and"
        behind = "still" if words[1:2] == ("still",) else _opener(words[1:])
        if behind and (first == "and" or OPENERS[behind] in (ARG2_DENIES, SUBSTITUTE)):
            return f"{first} {behind}"
        return first
    return name


def _opener(words: Sequence[str]) -> str:
    for length in range(min(len(words), _LONGEST), 0, -1):
        name = " ".join(words[:length])
        if name in OPENERS and not (name in _BEFORE_COMMA and words[length : length + 1] != (",",)):
            return name
    return ""


def sense_of_opener(name: str) -> str:
    """The sense of what ``find_opener`` found; empty for "and" alone."""
    first, _, behind = name.partition(" ")
    if first not in ("and", "but") or name in OPENERS:
        return OPENERS.get(name, "")
    return OPENERS.get(behind, "")


def find_subordinator(words: Sequence[str]) -> str:
    """The subordinator that these lower-case words open with, the longest; empty if there is none."""
    names = (" ".join(words[:length]) for length in (3, 2, 1))
    return next((name for name in names if name in SUBORDINATORS), "")
