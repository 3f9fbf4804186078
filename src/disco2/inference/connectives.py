"""The one list of connectives that open a sentence, and which of them links it to what came before.

``OPENERS`` says the sense of each one, for ``mining``. A link needs no sense, so more connectives count here.
All were chosen on the training part of GUM, with the rarer ones of PDTB-style annotation that its sentences
do not contradict. Words that mostly link clauses of one sentence ("when", "if", "as") count only where their
clause is the whole sentence; those that join clauses, with their senses, are in ``mining.connectives``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from disco2.data import Document, Sentence
from disco2.inference.plain_text import has_word

# The sense of PDTB 3, then the connectives.
_OPENERS = {
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
OPENERS = {" ".join(name.split()): sense for sense, names in _OPENERS.items() for name in names.split(",")}
# Link to the previous sentence as well, but tell no sense for certain.
_WITHOUT_SENSE = """
and, as an alternative, by then, finally, for one thing, in any case, in conclusion, in essence, in the end,
in turn, nor, on the whole, thereby, thereupon, to that end, ultimately
"""
# Prepositions of their own with one of these words behind them ("instead of a job", "in contrast to it").
_PREPOSITIONS = frozenset({"of", "than", "to", "with"})
_AS_PREPOSITIONS = """
as a consequence, as a result, as an alternative, by comparison, by contrast, in addition, in comparison,
in contrast, instead, rather, similarly
"""
# As often part of a phrase ("next year", "still slower", "besides the others").
_BEFORE_COMMA = "besides, further, later, next, plus, still, above all, after all, on top of that"
# Open a clause: marked only where it is the main one ("Because it rained." behind "We stayed in.").
_SUBORDINATORS = """
'cause, after, although, as, as long as, because, before, cause, even if, even though, if, since, so that,
though, unless, until, when, whereas, while
"""
_FILLERS = frozenset({"um", "uh", "er", "erm", "oh", "mm"})
_SO_PHRASES = _FILLERS | {
    "far",
    "much",
    "many",
    "little",
    "few",
    "long",
    "called",
    "yeah",
    "anyway",
    "anyways",
}
_LOOK = 12  # tokens at the beginning of a sentence that are looked at


def _words(names: Iterable[str]) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(name.split()) for name in names)


_COMMA = _words(_BEFORE_COMMA.split(","))
_ALWAYS = _words([*OPENERS, *_WITHOUT_SENSE.split(",")]) - _COMMA - {("so",)}
_WITHOUT_COMPLEMENT = _words(_AS_PREPOSITIONS.split(","))
_CLAUSES = _words(_SUBORDINATORS.split(","))
_LONGEST = max(map(len, _ALWAYS | _COMMA | _CLAUSES))


def opening_connective(document: Document, sentence: Sentence) -> str:
    """The connective, as it is written there, that opens a sentence and links it to those before; else ''.

    The longest match counts. Quotation marks, dashes and fillers before it are passed over; a connective
    with nothing behind it is none.
    """
    end = min(sentence.end, sentence.start + _LOOK)
    words = [token.text.lower() for token in document.tokens[sentence.start : end]]
    first = _first_word(words)
    for length in range(min(_LONGEST, len(words) - first), 0, -1):
        found = tuple(words[first : first + length])
        behind = words[first + length :]
        if not any(map(has_word, behind)):
            continue
        token = sentence.start + first
        if (
            (found in _ALWAYS and not (found in _WITHOUT_COMPLEMENT and behind[0] in _PREPOSITIONS))
            or (found in _COMMA and behind[0] == ",")
            or (found == ("so",) and _so_links(document, token, behind))
            or (found in _CLAUSES and _clause_is_main(sentence, first))
        ):
            last = document.tokens[token + length - 1]
            return document.text[document.tokens[token].start : last.end]
    return ""


def _first_word(words: Sequence[str]) -> int:
    """The place of the first word that is no filler."""
    for place, word in enumerate(words):
        if has_word(word) and word not in _FILLERS:
            return place
    return len(words)


def _so_links(document: Document, token: int, behind: Sequence[str]) -> bool:
    """Not where it opens a talk ("So, hello") or a phrase ("So far"); the tags know the former."""
    return document.tokens[token].tag != "UH" and behind[0] not in _SO_PHRASES


def _clause_is_main(sentence: Sentence, first: int) -> bool:
    """Whether the word at ``first`` marks the clause of the sentence's root."""
    if sentence.dependencies is None:
        return False
    heads, labels = sentence.dependencies.heads, sentence.dependencies.labels
    head = heads[first]
    return head >= 0 and heads[head] < 0 and labels[first].split(":")[0] in ("mark", "advmod")
