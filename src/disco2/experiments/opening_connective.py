"""The connective that opens an argument, for corpora that don't say where their connectives stand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

# PDTB's explicit connectives and those that its third version added, without the ones in two pieces.
_CONNECTIVES = """
accordingly, additionally, after, afterward, afterwards, also, alternatively, although, and, and then, as,
as a consequence, as a result, as an alternative, as if, as long as, as soon as, as though, as well, because,
because of, before, besides, but, but also, but then, by, by comparison, by contrast, by then, consequently,
conversely, despite, due to, earlier, either, else, even after, even as, even before, even if, even so,
even then, even though, even when, eventually, except, finally, for, for example, for instance, from, further,
furthermore, given, hence, however, if, if not, in addition, in case, in comparison, in contrast, in fact,
in order, in order for, in order to, in other words, in particular, in short, in sum, in that, in the end,
in the meantime, in turn, indeed, insofar as, instead, instead of, just as, later, lest, like, likewise,
meantime, meanwhile, more accurately, moreover, much as, neither, nevertheless, next, nonetheless, nor,
not only, now that, on the contrary, on the one hand, on the other hand, once, only if, or, otherwise,
overall, plus, previously, rather, rather than, regardless, separately, similarly, simultaneously, since, so,
so as to, so that, specifically, still, subsequently, such as, then, thereafter, thereby, therefore, though,
thus, till, to, ultimately, unless, until, upon, when, whenever, where, whereas, whether, while, with,
without, yet
"""
CONNECTIVES = frozenset(tuple(name.split()) for name in _CONNECTIVES.split(","))


def opening_words(words: Sequence[str], connectives: Iterable[tuple[str, ...]] = CONNECTIVES) -> int:
    """How many words at the beginning are a connective, the longest that fits; 0 where there is none."""
    known = frozenset(connectives)
    longest = max(map(len, known), default=0)
    lowered = [word.lower() for word in words[:longest]]
    return next(
        (length for length in range(len(lowered), 0, -1) if tuple(lowered[:length]) in known),
        0,
    )
