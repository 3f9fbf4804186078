"""The layers that lie beside a discourse treebank: trees, coreference and dependencies."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from disco2.annotation.formats.conllu import ConlluSentence, parse_conllu
from disco2.annotation.formats.coreference import (
    CoreferenceDocument,
    looks_like_ontonotes,
    parse_coreference,
    parse_ontonotes,
)
from disco2.annotation.formats.ptb import BracketedSentence, parse_brackets
from disco2.annotation.layers import with_constituents, with_dependencies, with_mentions
from disco2.corpora.wsj.layer_files import LayerFiles
from disco2.errors import LayerError
from disco2.records import Dirt, Document

TREES = (".mrg", ".ptb", ".parse")  # the treebank's own before a parser's
COREFERENCE = ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll")
DEPENDENCIES = (".conllu",)


class WsjLayers:
    """Gives each document its layers; a missing or broken one gives a finding, and the document goes on."""

    def __init__(
        self,
        documents: Collection[str],
        *,
        trees: Path | None,
        coreference: Path | None,
        dependencies: Path | None,
        dirt: Dirt,
    ) -> None:
        self._dirt = dirt
        self._trees: LayerFiles[tuple[str, list[BracketedSentence]]] | None = None
        self._coreference: LayerFiles[CoreferenceDocument] | None = None
        self._dependencies: LayerFiles[list[ConlluSentence]] | None = None
        if trees is not None:
            self._trees = LayerFiles(
                trees, documents, endings=TREES, name="trees", parse=_parse_trees, dirt=dirt, several=False
            )
        if coreference is not None:
            self._coreference = LayerFiles(
                coreference,
                documents,
                endings=COREFERENCE,
                name="coreference",
                parse=self._parse_coreference,
                dirt=dirt,
            )
        if dependencies is not None:
            self._dependencies = LayerFiles(
                dependencies,
                documents,
                endings=DEPENDENCIES,
                name="dependencies",
                parse=_parse_dependencies,
                dirt=dirt,
            )

    def trees(self, document: str) -> tuple[str, str, list[BracketedSentence]] | None:
        """Where a document's trees are from, their brackets as they stand there, and the trees."""
        found = self._trees.get(document) if self._trees else None
        if found is None:
            return None
        where, (text, trees) = found
        return where, text, trees

    def with_trees(self, document: Document) -> Document:
        """The document, whose tokens are not the trees', with their phrases; without trees as it is."""
        found = self.trees(document.id)
        if found is None:
            return document
        where, _, trees = found
        return with_constituents(document, trees, where=where, dirt=self._dirt)

    def laid_on(self, document: Document) -> Document:
        """The document with its dependencies and mentions."""
        try:
            if self._dependencies and (parses := self._dependencies.get(document.id)):
                document = with_dependencies(document, parses[1], where=parses[0], dirt=self._dirt)
            if self._coreference and (chains := self._coreference.get(document.id)):
                document = with_mentions(document, chains[1], where=chains[0], dirt=self._dirt)
        except LayerError as error:
            self._dirt.add("layer does not fit", where=error.where, detail=f"{document.id}: {error.what}")
        return document

    def _parse_coreference(self, text: str, where: str) -> dict[str, CoreferenceDocument]:
        parse = parse_ontonotes if looks_like_ontonotes(text) else parse_coreference
        found = parse(text, where=where, dirt=self._dirt)
        return {_last_step(document.name): document for document in found}


def _parse_trees(text: str, where: str) -> dict[str, tuple[str, list[BracketedSentence]]]:
    trees = parse_brackets(text, where=where)
    return {"": (text, trees)} if trees else {}


def _parse_dependencies(text: str, where: str) -> dict[str, list[ConlluSentence]]:
    found: dict[str, list[ConlluSentence]] = {}
    for sentence in parse_conllu(text, where=where):
        found.setdefault(_last_step(sentence.document), []).append(sentence)
    return found


def _last_step(name: str) -> str:
    """OntoNotes calls a document ``nw/wsj/00/wsj_0003``, the treebanks ``wsj_0003``."""
    return name.rpartition("/")[2]
