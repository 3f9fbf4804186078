"""Two clauses that a connective joins, of one sentence or of two neighbours -> two sentences without it.

A clause is a head with its subtree, less the connective and less the clauses that are linked to it. Both must
be complete, be neighbours, and belong to the main level of the sentence. Doubtful pairs are left out. A pair
keeps the order of the text, so that a subordinate clause that comes first has the mirrored sense. Ambiguous
connectives ("since", "while", "when") have rules in ``_sense``: the two clauses decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from disco2.data import Document, Sentence
from disco2.mining.clause_tree import ClauseTree
from disco2.parser.connectives import JOINERS, OPENERS, SUBORDINATORS, opening_connective

REASON, RESULT = "Contingency.Cause.Reason", "Contingency.Cause.Result"
DENIES, CONTRAST = "Comparison.Concession.Arg2-as-denier", "Comparison.Contrast"
ARG1_IF, ARG2_IF = "Contingency.Condition.Arg1-as-cond", "Contingency.Condition.Arg2-as-cond"
UNLESS = "Contingency.Negative-condition.Arg1-as-negCond"
GOAL = "Contingency.Purpose.Arg2-as-goal"
CONJUNCTION, DISJUNCTION = "Expansion.Conjunction", "Expansion.Disjunction"
SUBSTITUTE = "Expansion.Substitution.Arg2-as-subst"
SUCCESSION, SYNCHRONOUS = "Temporal.Asynchronous.Succession", "Temporal.Synchronous"
INSIDE, BETWEEN = "inside", "between"

_JOINERS = (SUBORDINATORS - {"'cause", "cause"}) | {"as soon as", "for", "now that", "once", "till"}
# The two clauses decide the sense of these.
_AMBIGUOUS = frozenset({"as", "if", "now that", "since", "so that", "when", "while"})
_OPPOSITES = {"Reason": "Result", "Arg1": "Arg2", "Precedence": "Succession"}
_MIRRORED = _OPPOSITES | {other: one for one, other in _OPPOSITES.items()}
# As often part of a phrase ("later on", "however hard he tries"): connectives with a comma behind them alone.
_BEFORE_COMMA = frozenset({"besides", "further", "however", "later", "next", "rather", "still"})
_LONGEST_OPENER = max(len(name.split()) for name in OPENERS)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LINKED = frozenset({"advcl", "conj", "parataxis"})
_BETWEEN = _words(", ; - -- – —")  # noqa: RUF001
_COORDINATORS = _words("and but or so yet ;")
# Before a subordinator they change what it says ("only because", "two days after").
_FOCUS = _words(
    "not only just even simply merely mainly partly largely especially particularly except perhaps probably "
    "long shortly soon right immediately years months days weeks hours minutes year month day week up well "
    "part ever but and or than as such so"
)
_ASKING = _words(
    "ask asks asked asking wonder wonders wondered wondering know knows knew known see sees saw seen doubt "
    "doubts doubted care cares cared matter matters mattered tell tells told sure remember remembers "
    "remembered decide decided check checked inquiry"
)
_REPORTING = _words(
    "say said says saying seem seems seemed appear appears appeared do did does know knew think thought "
    "expected come were"
)
_IDIOMS = _words("please like remember remembered recall recalled will mistaken")
_TIMES = _words("time times year years month months week weeks day days hour hours minutes long")
_CORRELATES = _words("then still yet so")  # "If it rains, then we stay."
_NO_BEGINNING = {name.split()[0] for name in _JOINERS} | _COORDINATORS | _words("nor than that")
_NO_BEGINNING -= _words("for now even")
_NO_ENDING = frozenset({"CC", "IN", "TO", "WDT", "WP", "WRB"})  # tags
_PRONOUNS = frozenset({"PRP", "PRP$", "EX"})  # tags
_NO_SUBJECT_BEHIND_SO = frozenset({"JJ", "RB", "IN", "WRB", "VBD", "MD"})  # tags

_HALVES = re.compile(
    r"\b(?:as it were|as follows|not (?:only|just|merely)|n?either|whether|so \w+ that|the (?:more|less))\b",
    re.IGNORECASE,
)
_PLAIN = re.compile(r"[^\W_](?:[^\W_]|[\s,.'’$%&/°€£+-])*")  # noqa: RUF001
_SPACE_BEFORE_CLITIC = re.compile(r"\s(?=(?:['’](?:s|re|ll|ve|d|m)|n['’]t)\b)")  # noqa: RUF001
_UNPLAIN = re.compile(r"^\d+\.\s|(?<![A-Z])\.(?=\s+[a-z])|\.\.|--|[a-z]\.[A-Z]|\s-|-\s")


@dataclass(frozen=True, slots=True)
class MinedPair:
    """Two clauses as sentences in the order of the text, and the sense that their connective states."""

    arg1: str
    arg2: str
    label: str
    connective: str
    place: str  # inside a sentence or between two


def find_pairs(document: Document, sentence: Sentence) -> Iterator[MinedPair]:
    """Find the pairs inside a sentence, which has tags and dependencies."""
    tree = ClauseTree(document, sentence)
    if tree.is_statement:
        main_level = tree.main_level()
        for linked, label in enumerate(tree.labels):
            if label in _LINKED and tree.is_clause(linked):
                top, main = _place(tree, linked)
                if main in main_level:
                    pair = _pair(tree, main_level, linked, top, main)
                    if pair is not None:
                        yield pair


def write_sentence(text: str) -> str:
    """Write a clause as a sentence: a capital at the beginning, a full stop at the end.

    Empty if it can't stand alone: with quotation marks, brackets or colons in it, or half of "not only
    ... but".
    """
    text = _SPACE_BEFORE_CLITIC.sub("", text)
    if not _PLAIN.fullmatch(text) or _HALVES.search(text) or _UNPLAIN.search(text):
        return ""
    return text[0].upper() + text[1:] + ("" if text.endswith(".") else ".")


def skip_opener(tree: ClauseTree, start: int, end: int) -> int:
    """Find where a clause begins without a connective to an earlier sentence ("However, we left")."""
    name = find_opener(tree.words[start:end])
    length = len(name.split())
    return start + length + 1 if name and tree.words[start + length] == "," else start


def opens_phrase(tree: ClauseTree, name: str, behind: int, end: int) -> bool:
    """Whether it opens a phrase and is not a connective: "so far", "so did they", "but for the rain"."""
    if behind >= end:
        return True
    last = name.split()[-1]
    return (last == "so" and tree.tags[behind] in _NO_SUBJECT_BEHIND_SO) or (
        last == "but" and tree.words[behind] == "for"
    )


def write_clause(tree: ClauseTree, start: int, end: int) -> str:
    """Write tokens as a sentence; empty if they can't be one."""
    if tree.tags[end - 1] in _NO_ENDING or tree.words[start] in _NO_BEGINNING:
        return ""
    return write_sentence(tree.text(start, end))


def _place(tree: ClauseTree, linked: int) -> tuple[int, int]:
    """The head of the whole phrase ("soon" in "as soon as it stopped"), and what that hangs on."""
    head = tree.heads[linked]
    if tree.words[head] in ("soon", "long") and tree.heads[head] >= 0:
        return head, tree.heads[head]
    return linked, head


def _pair(tree: ClauseTree, main_level: set[int], linked: int, top: int, main: int) -> MinedPair | None:
    inner = tree.members(top)
    outer = tree.members(main) - inner
    for other in tree.children[main]:
        if other != top and other in main_level:
            outer -= tree.members(other)
        elif other < main and tree.labels[other] == "cc":
            outer.discard(other)
    if linked in main_level:
        for other in tree.children[linked]:
            if other in main_level:
                inner -= tree.members(other)
    before = min(inner) - 1
    if before >= 0 and tree.words[before] == "even":  # "even if" is taken apart as often as not
        inner.add(before)
        outer.discard(before)
    linked_span, main_span = tree.span(inner), tree.span(outer)
    if linked_span is None or main_span is None:
        return None
    (start, end), (main_start, main_end) = linked_span, main_span
    name, length = _connective(tree, linked, start, end)
    first = start < main_start
    gap = tree.words[end:main_start] if first else tree.words[main_end:start]
    if (
        not name
        or (start if not first else main_start) < (end if first else main_end)  # they overlap
        or not _BETWEEN.issuperset(gap)
        or (start and tree.words[start - 1] in _FOCUS)
        or not _stands_alone(tree, min(start, main_start), max(end, main_end))
    ):
        return None
    start = skip_opener(tree, start + length, end)
    if first and tree.words[main_start] in _CORRELATES:
        main_start += 1
    main_start = skip_opener(tree, main_start, main_end)
    if not (tree.is_complete(linked, start, end) and tree.is_complete(main, main_start, main_end)):
        return None
    sense = _sense(tree, name, linked, main, first=first, comma=bool(gap))
    texts = [write_clause(tree, main_start, main_end), write_clause(tree, start, end)]
    if not sense or "" in texts:
        return None
    arg1, arg2 = reversed(texts) if first else texts
    return MinedPair(arg1, arg2, sense, name, INSIDE)


def _connective(tree: ClauseTree, linked: int, start: int, end: int) -> tuple[str, int]:
    words = tree.words[start:end]
    label = tree.labels[linked]
    names = (" ".join(words[:length]) for length in (3, 2, 1))  # the longest subordinator counts
    name = next((one for one in names if one in _JOINERS), "")
    length = len(name.split())
    if name and (label == "advcl" or name == "for"):
        opens = name != "for" or _subject_opens(tree, linked, start + 1)
        return (name, length) if opens and words[length : length + 1] != ("of",) else ("", 0)
    name = find_opener(words)
    length = len(name.split())
    if not name or (label == "advcl" and name != "so") or opens_phrase(tree, name, start + length, end):
        return "", 0
    if words[0] not in _COORDINATORS | {"then"} and tree.words[start - 1] != ";":
        return "", 0
    return name, length + (words[length] == ",")


def _subject_opens(tree: ClauseTree, head: int, start: int) -> bool:
    subject = tree.subject(head)
    return subject is not None and min(tree.members(subject) - {start - 1}) == start


def _stands_alone(tree: ClauseTree, start: int, end: int) -> bool:
    """Whether on both sides the sentence ends, or another clause of the main level is joined."""
    begins = start == tree.begin or tree.words[start - 1] in _COORDINATORS
    behind = tree.words[end : end + 2]
    return begins and (end == tree.stop or behind[behind[0] == ","] in _COORDINATORS)


def _sense(tree: ClauseTree, name: str, linked: int, main: int, *, first: bool, comma: bool) -> str:
    """The sense of a linked clause and the main clause in the order of the text; empty if it is in doubt.

    ``first``: the linked clause comes first. ``comma``: there is one between the two.
    """
    tense, main_tense = tree.tense(linked), tree.tense(main)
    goes_on, main_goes_on = tree.is_progressive(linked), tree.is_progressive(main)
    inner = tree.members(linked)
    outer = tree.members(main) - inner
    main_words = {tree.words[token] for token in outer}
    is_timed = not _TIMES.isdisjoint(main_words)
    is_asking, is_reporting = tree.words[main] in _ASKING, tree.words[linked] in _REPORTING
    match name:
        case "and":  # States stand beside each other; events may also follow each other, or from each other.
            states = tree.is_stative(linked) and tree.is_stative(main)
            return CONJUNCTION if states and not _may_share_subject(tree, linked, main) else ""
        case "as":  # Not "as she said".
            one_goes_on = goes_on != main_goes_on and tense == "past"
            return SYNCHRONOUS if one_goes_on and not is_reporting else ""
        case "if":  # Not "she asked if it rained", nor "if you please".
            idiom = tree.words[linked] in _IDIOMS or "ever" in (tree.words[token] for token in inner)
            return "" if idiom or (is_asking and not first) else ARG1_IF if first else ARG2_IF
        case "now that":  # Not "now that I come to think of it".
            return "" if is_reporting else RESULT if first else REASON
        case "or":  # Behind "must" it says what happens otherwise: "You must go, or they will find you."
            if not main_words.isdisjoint({"must", "better", "need"}):
                return UNLESS
            return DISJUNCTION if tense == main_tense else ""
        case "since":  # Causal alone: "since" of time goes with a perfect or a length of time.
            of_time = tree.is_perfect(main) or is_timed or (tense == "past" and main_tense == "present")
            if of_time or (tense == "past" and not (first or comma)):
                return ""
            return RESULT if first else REASON
        case "so":  # Without a comma, it stands for "so that": "He left so he could sleep."
            return GOAL if tense == "modal" and not comma else RESULT
        case "so that":
            return "" if first else GOAL if tense == "modal" else RESULT
        case "when":  # A clause goes on when the other happens; not "the time was coming when".
            fits = (goes_on or main_goes_on) and (first or not (is_asking or is_timed))
            return SYNCHRONOUS if fits else ""
        case "while":  # Events may happen at the same time; states and figures are compared.
            if goes_on:
                return SYNCHRONOUS
            if first or main_goes_on or not comma or _may_share_subject(tree, linked, main):
                return ""
            counted = all(any(tree.tags[token] == "CD" for token in part) for part in (inner, outer))
            states = tense == main_tense == "present" or tree.is_stative(linked)
            return CONTRAST if states or counted else ""
    if name in _JOINERS:
        return sense_of_subordinator(name, first=first)
    return "" if first else sense_of_opener(name)


def _may_share_subject(tree: ClauseTree, linked: int, main: int) -> bool:
    subjects = [subject for head in (linked, main) if (subject := tree.subject(head)) is not None]
    has_pronoun = any(tree.tags[token] in _PRONOUNS for one in subjects for token in tree.members(one))
    return has_pronoun or len({tree.words[one] for one in subjects}) < 2


def sense_of_subordinator(name: str, *, first: bool) -> str:
    """The sense of an unambiguous subordinator whose clause comes second, or ``first``."""
    sense = SUCCESSION if name == "once" else JOINERS[name]
    if not first:
        return sense
    mirrored = re.sub("|".join(_MIRRORED), lambda step: _MIRRORED[step[0]], sense)
    return "" if name == "for" else mirrored


def find_opener(words: Sequence[str]) -> str:
    """The connective that these lower-case words of a main clause open with; empty if there is none.

    The longest counts. "and" goes together with any opener behind it ("and then"), "but" with those that say
    more about the contrast ("but still", "but instead").
    """
    name = _opener(words)
    if name == "but" or (not name and words[:1] == ("and",)):
        first = name or "and"
        behind = "still" if words[1:2] == ("still",) else _opener(words[1:])
        if behind and (first == "and" or OPENERS[behind] in (DENIES, SUBSTITUTE)):
            return f"{first} {behind}"
        return first
    return name


def _opener(words: Sequence[str]) -> str:
    for length in range(min(len(words), _LONGEST_OPENER), 0, -1):
        name = " ".join(words[:length])
        if name in OPENERS and not (name in _BEFORE_COMMA and words[length : length + 1] != (",",)):
            return name
    return ""


def sense_of_opener(name: str) -> str:
    """The sense of what ``find_opener`` found; empty for "and" alone."""
    return OPENERS.get(name) or OPENERS.get(name.removeprefix("and ").removeprefix("but "), "")


# What a sentence must have to be worth annotating.
_RARE = "|".join(name for name in [*_JOINERS, "but", "so", "yet"] if name not in ("for", "as", "when"))
_JOINING = re.compile(rf";|\b(?:{_RARE})\b|, (?:for|or) |\band (?:{'|'.join(OPENERS)})\b", re.IGNORECASE)
_STATES = re.compile(r"\b(?:is|are|was|were|has|have|had)\b")
_AT_THE_TIME = re.compile(r"\b(?:when|as)\b", re.IGNORECASE)


def may_hold_pair(text: str) -> bool:
    """Whether a sentence has words that could join clauses, and what the rules of ``_sense`` need."""
    return (
        _JOINING.search(text) is not None
        or (" and " in text and len(_STATES.findall(text)) > 1)
        or ("ing" in text and _AT_THE_TIME.search(text) is not None)
    )


# "Because it rained." behind "We stayed in."; not those whose sense depends on both clauses.
_CLEAR = _JOINERS - _AMBIGUOUS
_OPENING = re.compile(rf"(?:{'|'.join([*OPENERS, *_CLEAR, 'and'])})\b", re.IGNORECASE)


def may_link(text: str) -> bool:
    """Whether a sentence opens with a word that could link it to the one before."""
    return _OPENING.match(text) is not None


def find_neighbour_pair(document: Document, first: Sentence, second: Sentence) -> MinedPair | None:
    """Find the pair of two neighbouring sentences, with tags and dependencies, that a connective links."""
    tree, before = ClauseTree(document, second), ClauseTree(document, first)
    if any(not one.is_statement or one.has_quotes for one in (tree, before)):
        return None
    name, sense = _linking_connective(document, second, tree)
    if not sense:
        return None
    start = len(name.split())
    start += tree.words[start] == ","
    begin = skip_opener(before, 0, before.stop)
    if not (
        tree.is_complete(tree.root, start, tree.stop) and before.is_complete(before.root, begin, before.stop)
    ):
        return None
    arg1, arg2 = write_clause(before, begin, before.stop), write_clause(tree, start, tree.stop)
    return MinedPair(arg1, arg2, sense, name, BETWEEN) if arg1 and arg2 else None


def _linking_connective(document: Document, sentence: Sentence, tree: ClauseTree) -> tuple[str, str]:
    found = opening_connective(document, sentence).lower()
    if not found or " ".join(tree.words[: len(found.split())]) != found:
        return "", ""
    if found in _CLEAR:
        return found, sense_of_subordinator(found, first=False)
    name = find_opener(tree.words[: tree.stop])
    if not name.startswith(found) or opens_phrase(tree, name, len(name.split()), tree.stop):
        return "", ""
    return name, sense_of_opener(name)
