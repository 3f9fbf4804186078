"""Mentions and chains from coreferee, a component that spaCy pipelines can carry.

coreferee finds heads, not phrases: a mention is a list of tokens, one as a rule, and several where a
coordination as a whole is meant (``Ann and Bob ... they``).
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stdout
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from disco2.records import Mention

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Token

COMPONENT = "coreferee"

# Dependents that are no part of the noun phrase: what it is coordinated with, and what hangs on it because
# it is a predicate. Labels of the Universal Dependencies and of the ClearNLP scheme.
_DEPENDENTS_OUTSIDE = (
    "advcl appos aux auxpass cc ccomp conj cop csubj csubjpass dep discourse expl intj mark meta nsubj "
    "nsubjpass orphan parataxis preconj punct vocative"
)
_OUTSIDE_PHRASE = frozenset(_DEPENDENTS_OUTSIDE.split())


def add_coreferee(nlp: Language) -> bool:
    """Whether the pipeline has coreferee; it is added where it and its model for the pipeline are there."""
    if has_coreferee(nlp):
        return True
    language = nlp.meta["lang"]
    if find_spec(COMPONENT) is None or find_spec(f"coreferee_model_{language}") is None:
        return False
    try:
        with redirect_stdout(io.StringIO()):  # it prints what it is about to raise
            nlp.add_pipe(COMPONENT)
    except import_module("coreferee.errors").CorefereeError:  # none for this pipeline, or of another version
        return False
    return True


def has_coreferee(nlp: Language) -> bool:
    return any(nlp.get_pipe_meta(name).factory == COMPONENT for name in nlp.pipe_names)


def mentions_of(doc: Doc) -> tuple[Mention, ...]:
    """The mentions of a document that coreferee has seen, each head expanded to its noun phrase.

    Where the document has no dependencies, a mention is the words from its first head to its last.
    """
    found: dict[tuple[int, int, str], Mention] = {}
    parsed = doc.has_annotation("DEP")
    for chain in doc._.coref_chains or ():
        for mention in chain.mentions:
            heads = sorted(mention.token_indexes)
            start, end = _phrase(doc, heads) if parsed else (heads[0], heads[-1] + 1)
            name = str(chain.index)
            found.setdefault((start, end, name), Mention(start, end, mention.root_index, name))
    return tuple(sorted(found.values(), key=lambda mention: (mention.start, -mention.end)))


def _phrase(doc: Doc, heads: Sequence[int]) -> tuple[int, int]:
    """From the left end of the first head's phrase to the right end of the last one's."""
    first, last = doc[heads[0]], doc[heads[-1]]
    start = min([first.i, *(word.left_edge.i for word in first.lefts if _inside(word, first))])
    end = max([last.i, *(word.right_edge.i for word in last.rights if _inside(word, last))])
    return start, end + 1


def _inside(word: Token, head: Token) -> bool:
    return head.tag_ not in ("PRP", "PRP$") and word.dep_.partition(":")[0] not in _OUTSIDE_PHRASE
