"""Where the arguments of PDTB 2 stand: by characters of the raw text, or by nodes of the trees without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from disco2.annotation.formats.ptb import BracketedSentence
from disco2.annotation.layers import document_from_trees
from disco2.corpora.coverage import Coverage
from disco2.corpora.pdtb2.gorn import GornTrees
from disco2.corpora.pdtb2.relation import Selection
from disco2.corpora.token_spans import TokenSpans
from disco2.corpora.wsj.rule_split import split_by_rule
from disco2.errors import LayerError
from disco2.records import Argument, Dirt, Document

Trees = tuple[str, str, list[BracketedSentence]]  # where from, the brackets, the trees

QUOTES = {"``": '"', "''": '"', "`": "'"}  # the treebank's, and how raw text has them


@dataclass(frozen=True, slots=True)
class Located:
    """A document, how selections are found in it, and the name of that way."""

    document: Document
    find: Callable[[Selection], Argument]  # without tokens where there are none
    way: str


def located_by_offsets(name: str, text: str, trees: Trees | None, *, dirt: Dirt) -> Located:
    """By character offsets in the raw text; the tokens are the trees' or, without trees, split by rule."""
    document = None
    if trees is not None:
        where, _, sentences = trees
        try:
            document = document_from_trees(name, text, sentences, where=where, dirt=dirt)
        except LayerError as error:
            dirt.add("document without trees", where=error.where or where, detail=error.what)
    way = "offsets" if document is not None else "bare"
    if document is None:
        document = split_by_rule(name, text)
    spans = TokenSpans.of(document)

    def find(selection: Selection) -> Argument:
        argument, _ = spans.argument(selection.spans)
        return Argument(argument.tokens, " ".join(argument.text.split()))

    return Located(document, find, way)


def located_by_gorn(name: str, trees: Trees, *, dirt: Dirt) -> Located:
    """By Gorn addresses in the treebank's trees, whose words with spaces between them stand in for the text.

    Raises LayerError where the two ways of reading the brackets disagree about the words.
    """
    where, brackets, sentences = trees
    nodes = GornTrees(brackets, where=where)
    text = "\n".join(" ".join(QUOTES.get(word, word) for word in tree.words) for tree in sentences)
    document = document_from_trees(name, text, sentences, where=where, dirt=dirt)
    if nodes.tokens != len(document.tokens):
        raise LayerError(
            f"{nodes.tokens} words under the trees' nodes and {len(document.tokens)} in their sentences.",
            where=where,
        )
    coverage = Coverage.of(document)

    def find(selection: Selection) -> Argument:
        tokens = coverage.tokens(nodes.runs_under_all(selection.gorn))
        return Argument(tokens, " ".join(document.words(tokens)))

    return Located(document, find, "gorn")
