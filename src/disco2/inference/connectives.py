"""Which connective a sentence opens with, where that links it to what came before.

The list was chosen on the training part of GUM, with the rarer connectives of PDTB-style annotation that its
sentences do not contradict. Words that mostly link clauses of one sentence ("when", "if", "as") count only
where their clause is the whole sentence.
"""

from __future__ import annotations

from collections.abc import Sequence

from disco2.inference.plain_text import has_word
from disco2.records import Document, Sentence

# Link to the previous sentence whenever they open one.
_PLAIN = """
accordingly, additionally, afterward, afterwards, also, alternatively, and, as a consequence, as a result,
as an alternative, as an example, at the same time, but, by comparison, by contrast, by then, consequently,
conversely, even so, finally, for example, for instance, for one thing, for that reason, furthermore, hence,
however, in addition, in any case, in brief, in comparison, in conclusion, in contrast, in essence, in fact,
in other words, in particular, in short, in sum, in summary, in that case, in the end, in the meantime,
in turn, indeed, instead, likewise, meanwhile, moreover, more specifically, nevertheless, nonetheless, nor,
on the contrary, on the other hand, on the whole, or, otherwise, previously, rather, similarly,
simultaneously, specifically, subsequently, then, then again, thereafter, thereby, therefore, thereupon,
thus, to sum up, to that end, ultimately, what is more, yet
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


def _entries(*lists: str) -> dict[tuple[str, ...], str]:
    names = [" ".join(name.split()) for text in lists for name in text.split(",")]
    return {tuple(name.split()): name for name in names}


_ALWAYS = _entries(_PLAIN)
_COMMA = _entries(_BEFORE_COMMA)
_WITHOUT_COMPLEMENT = _entries(_AS_PREPOSITIONS)
_CLAUSES = _entries(_SUBORDINATORS)
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
