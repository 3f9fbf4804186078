"""Two neighbouring sentences, the second of which opens with a connective -> the pair without it."""

from __future__ import annotations

import re

from disco2.inference.connectives import OPENERS, opening_connective
from disco2.mining.clause_tree import ClauseTree
from disco2.mining.clauses import ClausePair, behind_opener, clause_text, opens_phrase
from disco2.mining.connectives import RULES, SUBORDINATORS, opener, opener_sense
from disco2.records import Document, Sentence

# "Because it rained." behind "We stayed in."; not those whose sense depends on both clauses.
_SUBORDINATORS = {name: senses[0] for name, senses in SUBORDINATORS.items() if name not in RULES}
_OPENING = re.compile(rf"(?:{'|'.join([*OPENERS, *_SUBORDINATORS, 'and'])})\b", re.IGNORECASE)


def may_link(text: str) -> bool:
    """Whether a sentence opens with a word that could link it to the one before."""
    return _OPENING.match(text) is not None


def neighbour_pair(document: Document, first: Sentence, second: Sentence) -> ClausePair | None:
    """The pair of two neighbouring sentences, with tags and dependencies, where a connective links them."""
    tree, before = ClauseTree(document, second), ClauseTree(document, first)
    if any(not one.is_statement or one.has_quotes for one in (tree, before)):
        return None
    name, sense = _connective(document, second, tree)
    if not sense:
        return None
    start = len(name.split())
    start += tree.words[start] == ","
    begin = behind_opener(before, 0, before.stop)
    if not (
        tree.is_complete(tree.root, start, tree.stop) and before.is_complete(before.root, begin, before.stop)
    ):
        return None
    arg1, arg2 = clause_text(before, begin, before.stop), clause_text(tree, start, tree.stop)
    return ClausePair(arg1, arg2, name, sense) if arg1 and arg2 else None


def _connective(document: Document, sentence: Sentence, tree: ClauseTree) -> tuple[str, str]:
    """The connective that opens a sentence, with its sense; empty where it tells none."""
    found = opening_connective(document, sentence).lower()
    if not found or " ".join(tree.words[: len(found.split())]) != found:
        return "", ""
    if found in _SUBORDINATORS:
        return found, _SUBORDINATORS[found]
    name = opener(tree.words[: tree.stop])
    if not name.startswith(found) or opens_phrase(tree, name, len(name.split()), tree.stop):
        return "", ""
    return name, opener_sense(name)
