"""The list of connectives: their senses, where they are written in a sentence, and which open sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from disco2.data import Document, Sentence
from disco2.data.records import find_runs
from disco2.parser.arguments import SUBJECTS, ParsedSentence

GAP = " ... "  # between the parts of a discontinuous connective
LONGEST_GAP = 60  # tokens between two parts
MOST_CANDIDATES = 400  # of one sentence: bounds the time, whatever the text
# Chosen by cross-validation on GUM's training part: what each token beyond the first adds to the rank of a
# candidate, and the least probability of one with a gap, whose parts look like connectives of their own.
LONGER = 0.3
LEAST_WITH_GAP = 0.3

# Connectives of PDTB-style annotation with their usual senses. Level 3 gives the role of Arg2, the argument
# that the connective belongs to. These open sentences and main clauses:
_OPENING = {
    "Comparison.Concession.Arg2-as-denier": """but, even so, however, nevertheless, nonetheless, still,
        then again, yet""",
    "Comparison.Contrast": """by comparison, by contrast, conversely, in comparison, in contrast,
        on the other hand""",
    "Comparison.Similarity": "likewise, similarly",
    "Contingency.Cause.Result": """accordingly, as a consequence, as a result, consequently, for that reason,
        hence, so, therefore, thus""",
    "Contingency.Negative-condition.Arg1-as-negCond": "otherwise",
    "Contingency.Condition.Arg1-as-cond": "in that case",
    "Expansion.Conjunction": """additionally, also, besides, further, furthermore, in addition, moreover,
        on top of that, what is more""",
    "Expansion.Disjunction": "alternatively, or",
    "Expansion.Equivalence": "in other words",
    "Expansion.Instantiation.Arg2-as-instance": "as an example, for example, for instance",
    "Expansion.Level-of-detail.Arg2-as-detail": """in fact, in particular, indeed, more specifically,
        specifically""",
    "Expansion.Level-of-detail.Arg1-as-detail": "in brief, in short, in sum, in summary, to sum up",
    "Expansion.Substitution.Arg2-as-subst": "instead, on the contrary, rather",
    "Temporal.Asynchronous.Precedence": """afterward, afterwards, later, next, subsequently, then,
        thereafter""",
    "Temporal.Asynchronous.Succession": "previously",
    "Temporal.Synchronous": "at the same time, in the meantime, meanwhile, simultaneously",
}
# These join clauses of one sentence, or open sentences only in some contexts:
_JOINING = {
    "Comparison.Concession.Arg1-as-denier": """although, though, even though, despite, in spite of, albeit,
        even if, regardless, much as""",
    "Comparison.Contrast": """whereas, on the one hand ... on the other hand, on the contrary,
        on one hand ... on the other hand, on the one hand ... on the other""",
    "Comparison.Similarity": "as if, as though, just as",
    "Contingency.Cause.Reason": "because, since, as, due to, given that, inasmuch as, now that, seeing that",
    "Contingency.Condition.Arg2-as-cond": """if, if ... then, as long as, so long as, provided that, provided,
        in case, assuming that, on condition that, once, given""",
    "Contingency.Negative-condition.Arg2-as-negCond": "unless, lest, or else",
    "Contingency.Purpose.Arg2-as-goal": "so that, in order to, in order that, in order, so as to",
    "Expansion.Conjunction": """and, not only ... but also, not only ... but, not just ... but, as well as,
        likewise""",
    "Expansion.Disjunction": "either ... or, neither ... nor",
    "Expansion.Equivalence": "that is to say, that is, i.e.",
    "Expansion.Exception.Arg2-as-excpt": "except that, except, other than that",
    "Expansion.Instantiation.Arg2-as-instance": "e.g., such as",
    "Expansion.Level-of-detail.Arg2-as-detail": "namely",
    "Expansion.Level-of-detail.Arg1-as-detail": "overall",
    "Expansion.Manner.Arg2-as-manner": "by, without, thereby",
    "Expansion.Substitution.Arg1-as-subst": "instead of, rather than, in place of",
    "Temporal.Asynchronous.Precedence": "before, finally, till, until, by the time, in the end",
    "Temporal.Asynchronous.Succession": "after, ever since, as soon as, earlier",
    "Temporal.Synchronous": "when, whenever, while, whilst, as",
}
# Further senses, each the most frequent direction of its connective and type in GUM's training part.
_FURTHER = {
    "Comparison.Concession.Arg1-as-denier": "and, even as, even when, if, or, regardless of, whether, while",
    "Contingency.Cause.Reason": "because of, by, cause, cuz, for, from, given, with",
    "Contingency.Cause.Result": "and, so that, then, thereby",
    "Temporal.Asynchronous.Succession": "once, since, upon, when",
    "Temporal.Asynchronous.Precedence": "and, eventually",
}
# These also link a sentence to the one before, but have no fixed sense.
_LINKING = """
and, as an alternative, by then, finally, for one thing, in any case, in conclusion, in essence, in the end,
in turn, nor, on the whole, thereby, thereupon, to that end, ultimately
"""
DIRECTED = frozenset(
    """Comparison.Concession Contingency.Cause Expansion.Instantiation Expansion.Level-of-detail
    Temporal.Asynchronous""".split()  # noqa: SIM905
)
# What GUM's training part has for all connectives but a few.
_USUAL_DIRECTIONS = {
    "Expansion.Instantiation": "Arg2-as-instance",
    "Expansion.Level-of-detail": "Arg2-as-detail",
}
# What one could insert between two arguments, by sense and direction.
GLOSSES = {
    "Comparison.Concession": "but",
    "Comparison.Concession.Arg1-as-denier": "although",
    "Comparison.Concession.Arg2-as-denier": "but",
    "Comparison.Contrast": "whereas",
    "Comparison.Similarity": "similarly",
    "Contingency.Cause.Reason": "because",
    "Contingency.Cause.Result": "so",
    "Contingency.Condition": "if",
    "Contingency.Negative-condition": "unless",
    "Contingency.Purpose": "in order to",
    "Expansion.Conjunction": "and",
    "Expansion.Disjunction": "or",
    "Expansion.Equivalence": "in other words",
    "Expansion.Exception": "except that",
    "Expansion.Instantiation": "for example",
    "Expansion.Level-of-detail": "specifically",
    "Expansion.Level-of-detail.Arg1-as-detail": "in short",
    "Expansion.Manner": "by",
    "Expansion.Substitution": "instead",
    "Temporal.Asynchronous.Precedence": "then",
    "Temporal.Asynchronous.Succession": "after",
    "Temporal.Synchronous": "meanwhile",
}


def _names(text: str) -> list[str]:
    return [" ".join(name.split()) for name in text.split(",")]


def _listed(*tables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    return ((name, sense) for table in tables for sense, names in table.items() for name in _names(names))


def level2(sense: str) -> str:
    """The first two steps of a sense: ``Contingency.Cause`` of ``Contingency.Cause.Reason``."""
    return ".".join(sense.split(".")[:2])


OPENERS = dict(_listed(_OPENING))  # connective -> its sense, of those that open sentences
JOINERS = dict(_listed(_FURTHER, _JOINING))  # of those that join clauses
_DIRECTIONS = {
    (name, level2(sense)): sense.removeprefix(f"{level2(sense)}.")
    for name, sense in _listed(_FURTHER, _JOINING, _OPENING)
    if level2(sense) in DIRECTED
}


def usual_senses() -> dict[str, tuple[str, ...]]:
    """Connective -> its usual senses of level 2."""
    found: dict[str, tuple[str, ...]] = {}
    for name, sense in _listed(_OPENING, _JOINING):
        found[name] = (*found.get(name, ()), level2(sense))
    return found


def connective_direction(name: str, sense: str) -> str:
    """Level 3 of a sense of level 2 that a connective states, such as ``Reason``; empty where unknown."""
    return _DIRECTIONS.get((name.lower(), sense)) or _USUAL_DIRECTIONS.get(sense, "")


def gloss(sense: str, direction: str = "") -> str:
    """A connective that states the sense; empty where the sense has none, or needs a direction."""
    return GLOSSES.get(f"{sense}.{direction}") or GLOSSES.get(sense, "")


# Prepositions of their own with one of these words behind them ("instead of a job", "in contrast to it").
_PREPOSITIONS = frozenset({"of", "than", "to", "with"})
_AS_PREPOSITIONS = """
as a consequence, as a result, as an alternative, by comparison, by contrast, in addition, in comparison,
in contrast, instead, rather, similarly
"""
# As often part of a phrase ("next year", "still slower", "besides the others").
_BEFORE_COMMA = "besides, further, later, next, plus, still, above all, after all, on top of that"
# Open a clause: marked only where it is the main one ("Because it rained." behind "We stayed in.").
SUBORDINATORS = frozenset(
    _names("""'cause, after, although, as, as long as, because, before, cause, even if, even though, if,
    since, so that, though, unless, until, when, whereas, while""")
)
_FILLERS = frozenset({"um", "uh", "er", "erm", "oh", "mm"})
_SO_PHRASES = _FILLERS | set(_names("far, much, many, little, few, long, called, yeah, anyway, anyways"))
_LOOK = 12  # tokens at the beginning of a sentence that are looked at


def _words(names: Iterable[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for name in names)


_COMMA = _words(_names(_BEFORE_COMMA))
_ALWAYS = _words([*OPENERS, *_names(_LINKING)]) - _COMMA - {("so",)}
_WITHOUT_COMPLEMENT = _words(_names(_AS_PREPOSITIONS))
_CLAUSES = _words(SUBORDINATORS)
_LONGEST = max(map(len, _ALWAYS | _COMMA | _CLAUSES))


def _has_word(text: str) -> bool:
    return any(map(str.isalnum, text))


def opening_connective(document: Document, sentence: Sentence) -> str:
    """The connective, as it is written there, that opens a sentence and links it to those before; else ''.

    The longest match counts. Marks and fillers before it are passed over; something must follow it.
    """
    end = min(sentence.end, sentence.start + _LOOK)
    words = [token.text.lower() for token in document.tokens[sentence.start : end]]
    spoken = (place for place, word in enumerate(words) if _has_word(word) and word not in _FILLERS)
    first = next(spoken, len(words))
    for length in range(min(_LONGEST, len(words) - first), 0, -1):
        found = tuple(words[first : first + length])
        behind = words[first + length :]
        if not any(map(_has_word, behind)):
            continue
        token = sentence.start + first
        if (
            (found in _ALWAYS and not (found in _WITHOUT_COMPLEMENT and behind[0] in _PREPOSITIONS))
            or (found in _COMMA and behind[0] == ",")
            # Not where "so" opens a talk ("So, hello"; the tags know) or a phrase ("So far").
            or (found == ("so",) and document.tokens[token].tag != "UH" and behind[0] not in _SO_PHRASES)
            or (found in _CLAUSES and _clause_is_main(sentence, first))
        ):
            last = document.tokens[token + length - 1]
            return document.text[document.tokens[token].start : last.end]
    return ""


def _clause_is_main(sentence: Sentence, first: int) -> bool:
    if sentence.dependencies is None:
        return False
    heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
    head = heads[first]
    return head >= 0 and heads[head] < 0 and labels[first].split(":")[0] in ("mark", "advmod")


@dataclass(frozen=True, slots=True)
class ConnectiveCandidate:
    """Words of one sentence that may be a connective: ``name`` in small letters, tokens of the sentence."""

    name: str
    tokens: tuple[int, ...]

    @property
    def parts(self) -> tuple[tuple[int, int], ...]:
        """Begin and end of each run of tokens: one, or several where the connective has gaps."""
        return tuple(find_runs(self.tokens))


_COMPLEMENTS = frozenset({"ccomp", "csubj"})
_QUANTIFIERS = frozenset(
    f"{first}{second}" for first in ("any", "every", "no") for second in ("body", "one", "thing")
) | {"all", "none"}
_ASKING = frozenset(("ask", "asks", "asked", "know", "knows", "knew", "wonder", "wonders", "wondered"))


@dataclass(frozen=True)
class ConnectiveList:
    """Connectives that are looked for, with the senses each may have, and words for features."""

    senses: Mapping[str, tuple[str, ...]]
    frequent: frozenset[str]

    @cached_property
    def _by_first_word(self) -> dict[str, list[tuple[str, tuple[tuple[str, ...], ...]]]]:
        found: dict[str, list[tuple[str, tuple[tuple[str, ...], ...]]]] = {}
        for name in self.senses:
            parts = tuple(tuple(part.split()) for part in name.split(GAP))
            found.setdefault(parts[0][0], []).append((name, parts))
        return found

    def candidates(self, sentence: ParsedSentence) -> list[ConnectiveCandidate]:
        """All places where a connective of the list is written, overlapping ones too, in text order."""
        words = sentence.words
        by_first = self._by_first_word
        found: list[ConnectiveCandidate] = []
        for place, word in enumerate(words):
            for name, parts in by_first.get(word, ()):
                tokens = _match(words, place, parts)
                if tokens and not (name in _LOOK_ALIKES and _LOOK_ALIKES[name](sentence, place)):
                    found.append(ConnectiveCandidate(name, tokens))
            if len(found) >= MOST_CANDIDATES:
                break
        return found[:MOST_CANDIDATES]

    def word(self, word: str) -> str:
        return word if word in self.frequent else "?"


def connective_name(sentence: ParsedSentence, tokens: Sequence[int]) -> str:
    """The words at these tokens as the list has them: small letters, dots for a gap."""
    return GAP.join(" ".join(sentence.words[start:end]) for start, end in find_runs(tokens))


def _opens_question(sentence: ParsedSentence, place: int) -> bool:
    """Whether a question word opens the object of the verb before it: "I asked when it starts"."""
    verb = sentence.heads[place]
    return place > 0 and (
        sentence.words[place - 1] in _ASKING or (verb >= 0 and sentence.links[verb] in _COMPLEMENTS)
    )


def _is_exception(sentence: ParsedSentence, place: int) -> bool:
    """Whether "but" at a place means "except" ("everyone but Tom"), with no clause on both sides."""
    if not place or sentence.words[place - 1] not in _QUANTIFIERS:
        return False
    has_verb = any(tag.startswith(("VB", "MD")) for tag in sentence.tags[:place])
    has_subject = any(link in SUBJECTS for link in sentence.links[place:])
    return not (has_verb and has_subject)


_LOOK_ALIKES = {"when": _opens_question, "but": _is_exception}


def _match(words: Sequence[str], place: int, parts: Sequence[tuple[str, ...]]) -> tuple[int, ...]:
    """The tokens of all parts, the first at ``place``, each further one where it occurs next; () if none."""
    tokens: list[int] = []
    begin, end = place, place + 1
    for part in parts:
        starts = range(begin, min(end, len(words) - len(part) + 1))
        start = next((one for one in starts if words[one : one + len(part)] == part), None)
        if start is None:
            return ()
        tokens.extend(range(start, start + len(part)))
        begin, end = tokens[-1] + 2, tokens[-1] + 2 + LONGEST_GAP
    return tuple(tokens)


def without_overlaps(
    candidates: Sequence[ConnectiveCandidate], chances: Sequence[float], *, least: float
) -> list[int]:
    """Numbers of the candidates that are connectives, in text order, no token in two of them.

    Those with a probability of ``least`` or more (``LEAST_WITH_GAP`` with a gap) are taken from the best
    downwards; longer ones count more, so that "even if" wins over "if", and "if ... then" over its parts.
    """
    taken: set[int] = set()
    chosen = []
    ranks = [
        -(chance + LONGER * (len(one.tokens) - 1)) for one, chance in zip(candidates, chances, strict=True)
    ]
    for number in sorted(range(len(candidates)), key=ranks.__getitem__):
        candidate = candidates[number]
        enough = min(least, LEAST_WITH_GAP) if GAP in candidate.name else least
        if chances[number] >= enough and taken.isdisjoint(candidate.tokens):
            taken.update(candidate.tokens)
            chosen.append(number)
    return sorted(chosen, key=lambda number: candidates[number].tokens)
