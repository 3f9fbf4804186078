"""Lists of token numbers -> runs of neighbours, and the argument they make up."""

from __future__ import annotations

from collections.abc import Iterable

from disco2.records import Argument, Document


def runs(tokens: Iterable[int]) -> list[tuple[int, int]]:
    """The stretches of adjacent numbers in an ascending list, each as (first, last exclusive)."""
    chosen = tuple(tokens)
    if chosen and chosen[-1] - chosen[0] + 1 == len(chosen):
        return [(chosen[0], chosen[-1] + 1)]
    found: list[tuple[int, int]] = []
    for token in chosen:
        if found and found[-1][1] == token:
            found[-1] = (found[-1][0], token + 1)
        else:
            found.append((token, token + 1))
    return found


def character_spans(document: Document, tokens: Iterable[int]) -> list[tuple[int, int]]:
    """Where the stretches of some tokens lie in the document's text, ends exclusive."""
    return [(document.tokens[first].start, document.tokens[last - 1].end) for first, last in runs(tokens)]


def argument_from_tokens(document: Document, tokens: Iterable[int]) -> Argument:
    """The argument made up of the given tokens of a document; its pieces are joined by a space."""
    chosen = tuple(sorted(set(tokens)))
    pieces = [document.text[start:end] for start, end in character_spans(document, chosen)]
    return Argument(chosen, " ".join(pieces))
