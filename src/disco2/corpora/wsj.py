"""What the Penn Discourse Treebanks and CoNLL-16 share: files and layers of Wall Street Journal documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Generic, TypeVar

from disco2.annotation.coreference import (
    CoreferenceDocument,
    looks_like_ontonotes,
    parse_coreference,
    parse_ontonotes,
)
from disco2.annotation.layers import with_constituents, with_dependencies, with_mentions
from disco2.annotation.text import tokenise
from disco2.annotation.treebanks import BracketedSentence, ConlluSentence, parse_brackets, parse_conllu
from disco2.corpora.reading import existing_folder, files_below, read_text
from disco2.data import Dirt, Document, Sentence, Token
from disco2.errors import CorpusError, LayerError

TREES = (".mrg", ".ptb", ".parse")  # the treebank's own before a parser's
COREFERENCE = ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll")
DEPENDENCIES = (".conllu",)
BARE = ""  # the ending of a name without any

Layer = TypeVar("Layer")
Parse = Callable[[str, str], Mapping[str, Layer]]  # a file's text and name -> layers by document

_NOT_TEXT = re.compile(r"\s*\.START\b")  # with which the raw files open


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


class LayerFiles(Generic[Layer]):
    """One kind of layer for many documents, from a folder with a file for each or from files with several.

    Finds a document's layer by its file's name or, in files with many documents, by the name inside.
    """

    def __init__(
        self,
        path: Path,
        documents: Collection[str],
        *,
        endings: Sequence[str],
        name: str,
        parse: Parse[Layer],
        dirt: Dirt,
        several: bool = True,
    ) -> None:
        """``several`` says whether a file of this kind may hold several documents and names them."""
        self._path = path
        self._name = name
        self._parse = parse
        self._dirt = dirt
        self._files: Mapping[str, Path] = {}
        self._inside: dict[str, tuple[str, Layer]] = {}
        if several and path.is_file():
            self._look_inside(path)
            return
        existing_folder(path, holds=f"{name} ({', '.join(endings)} files)")
        self._files = files_by_document(path, endings=endings)
        if not self._files:
            raise CorpusError(
                f"There is no file with {name} below this folder.",
                where=str(path),
                hint=f"The names of such files end in {', '.join(endings)}.",
            )
        if several and not any(document in self._files for document in documents):
            for file in self._files.values():
                self._look_inside(file)
            self._files = {}

    def get(self, document: str) -> tuple[str, Layer] | None:
        """Where a document's layer is from, and the layer; None, with a finding, where there is none."""
        if document in self._inside:
            return self._inside[document]
        file = self._files.get(document)
        if file is None:
            self._report(str(self._path), f"{document} is not there.")
            return None
        layers = self._read(file)
        if document in layers:
            return str(file), layers[document]
        if len(layers) == 1:  # the file's name says whose it is, whatever stands inside
            return str(file), next(iter(layers.values()))
        if layers:
            self._report(str(file), f"It holds {len(layers)} documents, and {document} is none of them.")
        else:
            self._report(str(file), "The file is empty or broken.")
        return None

    def _look_inside(self, file: Path) -> None:
        for document, layer in self._read(file).items():
            self._inside.setdefault(document, (str(file), layer))

    def _read(self, file: Path) -> Mapping[str, Layer]:
        try:
            return self._parse(read_text(file, dirt=self._dirt), str(file))
        except LayerError as error:
            self._report(error.where or str(file), error.what)
            return {}

    def _report(self, where: str, detail: str) -> None:
        self._dirt.add(f"document without {self._name}", where=where, detail=detail)


def files_by_document(folder: Path, *, endings: Sequence[str]) -> dict[str, Path]:
    """Find the file of each document below a folder, by the document's id, in the order of the ids.

    The id is the file's name up to its first dot, or up to ``_conll``. Only names with one of the endings
    count. Where a document has several such files, the ending that is named first decides, then the path.
    """
    ranked: dict[str, tuple[int, Path]] = {}
    for file in files_below(folder):
        rank = _rank(file.name, endings)
        if rank is None:
            continue
        document = document_id(file)
        if document not in ranked or rank < ranked[document][0]:
            ranked[document] = rank, file
    return {document: ranked[document][1] for document in sorted(ranked)}


def document_id(file: Path) -> str:
    """``nw/wsj/00/wsj_0003.v4_gold_conll`` -> ``wsj_0003``."""
    return file.name.partition(".")[0].removesuffix("_conll")


def folders_named(root: Path, name: str) -> list[Path]:
    """Find the folders of that name at or below a root, none inside another, in order."""
    if root.name == name:
        return [root]
    found: list[Path] = []
    for path in sorted(root.rglob(name)):
        if path.is_dir() and not any(path.is_relative_to(above) for above in found):
            found.append(path)
    return found


def _rank(name: str, endings: Sequence[str]) -> int | None:
    for rank, ending in enumerate(endings):
        if name.endswith(ending) if ending else "." not in name:
            return rank
    return None


def split_by_rule(document_id: str, text: str) -> Document:
    """Make a document without trees: tokens and sentences split by rule, no phrases."""
    opening = _NOT_TEXT.match(text)
    skipped = opening.end() if opening else 0
    tokens: list[Token] = []
    sentences: list[Sentence] = []
    for sentence in tokenise(text[skipped:]):
        if sentence:
            first = len(tokens)
            tokens.extend(
                replace(token, start=token.start + skipped, end=token.end + skipped) for token in sentence
            )
            sentences.append(Sentence(first, len(tokens)))
    return Document(document_id, text, tuple(tokens), tuple(sentences))
