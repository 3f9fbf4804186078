"""Relations whose text states their sense, without the words that do: further instances to train on.

Sporleder & Lascarides (2008) warn that they are no implicit relations: hence their weight.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from disco2.corpora.relations import argument_from_tokens
from disco2.data import Argument, Corpus, Document, Instance, Relation, RelationKind
from disco2.experiments.division import Parts

# What a connective at the beginning leaves behind ("However, ..."): no argument of an implicit relation
# begins so.
_LEFT_BEHIND = frozenset({",", ";", ":"})

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


def weak_instances(
    corpus: Corpus, parts: Parts, *, kinds: Iterable[RelationKind], weight: float
) -> list[Instance]:
    """Relations of these kinds in the training part as instances of a weight, their connectives removed.

    Labels are those of the task, neighbours the same as for any relation. Kinds that count under the task
    anyway are left out, and so are relations whose connective can't be removed or is a whole argument.
    """
    further = frozenset(kinds) - parts.task.kinds
    task = replace(parts.task, kinds=further, entrel="", norel="")
    found, _ = task.instances(corpus, parts.relations["train"], parts.labels)
    instances = []
    for instance in found:
        relation = without_connective(instance.document, instance.relation)
        if relation is not None:
            instances.append(replace(instance, relation=relation, weight=weight))
    return instances


def without_connective(document: Document, relation: Relation) -> Relation | None:
    """The relation with no connective, nor a comma behind it, in its arguments; None where that can't be.

    Its ``connective_tokens`` are all tokens that were removed, for they are no distance between arguments.
    Where a corpus does not say which tokens the connective has, it is looked for at the beginning of the
    arguments: the one that is named, or of an explicit relation any that is usual.
    """
    connective = frozenset(relation.connective_tokens or _opening_tokens(document, relation))
    if not connective:
        return None
    first, second = (_remaining(document, one, connective) for one in (relation.arg1, relation.arg2))
    if not first.tokens or not second.tokens:
        return None
    before = {*relation.arg1.tokens, *relation.arg2.tokens}
    removed = connective | (before - {*first.tokens, *second.tokens})
    return replace(relation, arg1=first, arg2=second, connective="", connective_tokens=tuple(sorted(removed)))


def _opening_tokens(document: Document, relation: Relation) -> list[int]:
    if relation.connective:
        known = frozenset({tuple(relation.connective.lower().split())})
    elif relation.kind is RelationKind.EXPLICIT:
        known = CONNECTIVES
    else:
        return []
    found: list[int] = []
    for argument in (relation.arg1, relation.arg2):
        found += argument.tokens[: opening_words(document.words(argument.tokens), known)]
    return found


def _remaining(document: Document, argument: Argument, connective: frozenset[int]) -> Argument:
    tokens = [token for token in argument.tokens if token not in connective]
    start = 0
    while start < len(tokens) and document.tokens[tokens[start]].text in _LEFT_BEHIND:
        start += 1
    return argument_from_tokens(document, tokens[start:])


def opening_words(words: Sequence[str], connectives: Iterable[tuple[str, ...]] = CONNECTIVES) -> int:
    """How many words at the beginning are a connective, the longest that fits; 0 where there is none."""
    known = frozenset(connectives)
    longest = max(map(len, known), default=0)
    lowered = [word.lower() for word in words[:longest]]
    return next(
        (length for length in range(len(lowered), 0, -1) if tuple(lowered[:length]) in known),
        0,
    )
