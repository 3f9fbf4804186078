"""Files and layers of Wall Street Journal documents, for the Penn Discourse Treebanks and CoNLL-16."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from disco2.annotation.coreference import CoreferenceDocument, parse_coreference
from disco2.annotation.layers import document_from_trees, with_constituents, with_dependencies, with_mentions
from disco2.annotation.text import tokenise
from disco2.annotation.treebanks import BracketedSentence, ConlluSentence, parse_brackets, parse_conllu
from disco2.corpora.reading import check_folder, list_files, read_text
from disco2.data import Document, ReadIssues, Sentence, Token
from disco2.errors import CorpusError, LayerError

TREES = (".mrg", ".ptb", ".parse")  # the treebank's own before a parser's
COREFERENCE = ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll")
DEPENDENCIES = (".conllu",)
BARE = ""  # the ending of a name without any

Layer = TypeVar("Layer")
Parse = Callable[[str, str], Mapping[str, Layer]]  # a file's text and name -> layers by document

_NOT_TEXT = re.compile(r"\s*\.START\b")  # the first word of the raw files


class WsjLayers:
    """Gives documents their layers; a missing or broken layer is a finding, and the document is kept."""

    def __init__(
        self,
        documents: Collection[str],
        *,
        trees: Path | None,
        coreference: Path | None,
        dependencies: Path | None,
        issues: ReadIssues,
    ) -> None:
        self._issues = issues
        self._trees = LayerFiles(trees, documents, "trees", TREES, _parse_trees, issues)
        self._coreference = LayerFiles(
            coreference, documents, "coreference", COREFERENCE, self._parse_coreference, issues
        )
        self._dependencies = LayerFiles(
            dependencies, documents, "dependencies", DEPENDENCIES, _parse_dependencies, issues
        )

    def document(self, name: str, text: str) -> tuple[Document, bool]:
        """A document with all layers, and whether its tokens are from trees; else they are split by rule."""
        if found := self._trees.get(name):
            where, trees = found
            try:
                document = document_from_trees(name, text, trees, where=where, issues=self._issues)
                return self.attach(document), True
            except LayerError as error:
                self._issues.add("document without trees", error.where or where, error.what)
        return self.attach(split_by_rule(name, text)), False

    def attach(self, document: Document, *, trees: bool = False) -> Document:
        """The document with its dependencies, its mentions and, if asked for, the phrases of its trees."""
        try:
            if trees and (found := self._trees.get(document.id)):
                document = with_constituents(document, found[1], where=found[0], issues=self._issues)
            if parses := self._dependencies.get(document.id):
                document = with_dependencies(document, parses[1], where=parses[0], issues=self._issues)
            if chains := self._coreference.get(document.id):
                document = with_mentions(document, chains[1], where=chains[0], issues=self._issues)
        except LayerError as error:
            self._issues.add("layer does not fit", error.where, f"{document.id}: {error.what}")
        return document

    def _parse_coreference(self, text: str, where: str) -> dict[str, CoreferenceDocument]:
        found = parse_coreference(text, where=where, issues=self._issues)
        return {_last_step(one.name): one for one in found}


def _parse_trees(text: str, where: str) -> dict[str, list[BracketedSentence]]:
    trees = parse_brackets(text, where=where)
    return {"": trees} if trees else {}


def _parse_dependencies(text: str, where: str) -> dict[str, list[ConlluSentence]]:
    found: dict[str, list[ConlluSentence]] = {}
    for sentence in parse_conllu(text, where=where):
        found.setdefault(_last_step(sentence.document), []).append(sentence)
    return found


def _last_step(name: str) -> str:
    """OntoNotes calls a document ``nw/wsj/00/wsj_0003``, the treebanks ``wsj_0003``."""
    return name.rpartition("/")[2]


class LayerFiles(Generic[Layer]):
    """One layer of many documents, from a folder with a file for each or from files with several.

    A document is found by the name of its file or, in files with many documents, by the name inside.
    """

    def __init__(
        self,
        path: Path | None,
        documents: Collection[str],
        name: str,
        endings: Sequence[str],
        parse: Parse[Layer],
        issues: ReadIssues,
    ) -> None:
        self._path, self._name, self._parse, self._issues = path, name, parse, issues
        self._inside: dict[str, tuple[str, Layer]] = {}
        self._files: Mapping[str, Path] = {}
        if path is None:
            return
        several = endings != TREES  # files of trees don't name their documents
        if several and path.is_file():
            self._files = {"": path}
        else:
            check_folder(path, holds=f"{name} ({', '.join(endings)} files)")
            self._files = find_files(path, endings=endings)
        if not self._files:
            raise CorpusError(
                f"There is no file with {name} below this folder.",
                where=str(path),
                hint=f"The names of such files end in {', '.join(endings)}.",
            )
        if several and not any(document in self._files for document in documents):
            for file in self._files.values():
                for document, layer in self._read(file).items():
                    self._inside.setdefault(document, (str(file), layer))

    def get(self, document: str) -> tuple[str, Layer] | None:
        """The file of a document's layer, and the layer; None, with a finding, if there is none."""
        if self._path is None or document in self._inside:
            return self._inside.get(document)
        file = self._files.get(document)
        if file is None:
            self._report(str(self._path), f"{document} is not there.")
            return None
        layers = self._read(file)
        if document in layers or len(layers) == 1:  # if there is one, the name of the file counts
            return str(file), layers[document] if document in layers else next(iter(layers.values()))
        what = f"It holds {len(layers)} other documents." if layers else "The file is empty or broken."
        self._report(str(file), what)
        return None

    def _read(self, file: Path) -> Mapping[str, Layer]:
        try:
            return self._parse(read_text(file, issues=self._issues), str(file))
        except LayerError as error:
            self._report(error.where or str(file), error.what)
            return {}

    def _report(self, where: str, detail: str) -> None:
        self._issues.add(f"document without {self._name}", where, detail)


def find_files(folder: Path, *, endings: Sequence[str]) -> dict[str, Path]:
    """The file of each document below a folder, sorted by the document's id.

    The id is the file's name up to its first dot, or up to ``_conll``. Only names with one of the endings
    count. If a document has several files, the first ending in ``endings`` wins, then the first path.
    """
    ranked: dict[str, tuple[int, Path]] = {}
    for file in list_files(folder):
        for rank, ending in enumerate(endings):
            # An empty ending stands for names without a dot.
            matches = file.name.endswith(ending) if ending else "." not in file.name
            if matches:
                document = file.name.partition(".")[0].removesuffix("_conll")
                ranked[document] = min(ranked.get(document, (rank, file)), (rank, file))
                break
    return {document: ranked[document][1] for document in sorted(ranked)}


def split_by_rule(document_id: str, text: str) -> Document:
    """A document without trees: tokens and sentences split by rule, no phrases."""
    opening = _NOT_TEXT.match(text)
    skipped = opening.end() if opening else 0
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in tokenise(text[skipped:]):
        first = len(tokens)
        tokens.extend(
            replace(token, start=token.start + skipped, end=token.end + skipped) for token in sentence
        )
        sentences.append(Sentence(first, len(tokens)))
    return Document(document_id, text, tuple(tokens), tuple(sentences))
