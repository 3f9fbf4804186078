"""Files and layers of Wall Street Journal documents, for the Penn Discourse Treebanks and CoNLL-16."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Generic, TypeVar

from disco2.annotation.coreference import (
    CoreferenceDocument,
    looks_like_ontonotes,
    parse_coreference,
    parse_ontonotes,
)
from disco2.annotation.layers import document_from_trees, with_constituents, with_dependencies, with_mentions
from disco2.annotation.text import tokenise
from disco2.annotation.treebanks import (
    TRACE,
    WRAPPERS,
    BracketedSentence,
    ConlluSentence,
    parse_brackets,
    parse_conllu,
)
from disco2.corpora.reading import existing_folder, files_below, read_text
from disco2.corpora.relations import join_intervals
from disco2.data import Document, ReadIssues, Sentence, Token
from disco2.errors import CorpusError, LayerError

TREES = (".mrg", ".ptb", ".parse")  # the treebank's own before a parser's
COREFERENCE = ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll")
DEPENDENCIES = (".conllu",)
BARE = ""  # the ending of a name without any

Layer = TypeVar("Layer")
GornAddress = tuple[int, ...]
Parse = Callable[[str, str], Mapping[str, Layer]]  # a file's text and name -> layers by document

_PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)
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
        def files(
            path: Path | None, name: str, endings: Sequence[str], parse: Parse[Layer]
        ) -> LayerFiles[Layer]:
            return LayerFiles(path, documents, name=name, endings=endings, parse=parse, issues=issues)

        self._issues = issues
        self._trees = files(trees, "trees", TREES, _parse_trees)
        self._coreference = files(coreference, "coreference", COREFERENCE, self._parse_coreference)
        self._dependencies = files(dependencies, "dependencies", DEPENDENCIES, _parse_dependencies)

    def trees(self, document: str) -> tuple[str, str, list[BracketedSentence]] | None:
        """The file of a document's trees, its brackets, and the trees."""
        found = self._trees.get(document)
        return None if found is None else (found[0], *found[1])

    def document(self, name: str, text: str) -> tuple[Document, bool]:
        """A document with all layers, and whether its tokens are from trees; else they are split by rule."""
        found = self.trees(name)
        if found is not None:
            where, _, trees = found
            try:
                document = document_from_trees(name, text, trees, where=where, issues=self._issues)
                return self.attach(document), True
            except LayerError as error:
                self._issues.add("document without trees", error.where or where, error.what)
        return self.attach(split_by_rule(name, text)), False

    def attach(self, document: Document, *, trees: bool = False) -> Document:
        """The document with its dependencies, its mentions and, if asked for, the phrases of its trees."""
        try:
            if trees and (found := self.trees(document.id)):
                document = with_constituents(document, found[2], where=found[0], issues=self._issues)
            if parses := self._dependencies.get(document.id):
                document = with_dependencies(document, parses[1], where=parses[0], issues=self._issues)
            if chains := self._coreference.get(document.id):
                document = with_mentions(document, chains[1], where=chains[0], issues=self._issues)
        except LayerError as error:
            self._issues.add("layer does not fit", error.where, f"{document.id}: {error.what}")
        return document

    def _parse_coreference(self, text: str, where: str) -> dict[str, CoreferenceDocument]:
        parse = parse_ontonotes if looks_like_ontonotes(text) else parse_coreference
        return {_last_step(one.name): one for one in parse(text, where=where, issues=self._issues)}


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
    """One layer of many documents, from a folder with a file for each or from files with several.

    A document is found by the name of its file or, in files with many documents, by the name inside.
    """

    def __init__(
        self,
        path: Path | None,
        documents: Collection[str],
        *,
        name: str,
        endings: Sequence[str],
        parse: Parse[Layer],
        issues: ReadIssues,
    ) -> None:
        self._path = path
        self._name = name
        self._parse = parse
        self._issues = issues
        self._files: Mapping[str, Path] = {}
        self._inside: dict[str, tuple[str, Layer]] = {}
        several = endings != TREES  # files of trees don't name their documents
        if path is None:
            return
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
        """The file of a document's layer, and the layer; None, with a finding, if there is none."""
        if self._path is None:
            return None
        if document in self._inside:
            return self._inside[document]
        file = self._files.get(document)
        if file is None:
            self._report(str(self._path), f"{document} is not there.")
            return None
        layers = self._read(file)
        if document in layers:
            return str(file), layers[document]
        if len(layers) == 1:  # the file's name says which document it is, whatever is inside
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
            return self._parse(read_text(file, issues=self._issues), str(file))
        except LayerError as error:
            self._report(error.where or str(file), error.what)
            return {}

    def _report(self, where: str, detail: str) -> None:
        self._issues.add(f"document without {self._name}", where, detail)


def files_by_document(folder: Path, *, endings: Sequence[str]) -> dict[str, Path]:
    """The file of each document below a folder, sorted by the document's id.

    The id is the file's name up to its first dot, or up to ``_conll``. Only names with one of the endings
    count. If a document has several files, the first ending in ``endings`` wins, then the first path.
    """
    ranked: dict[str, tuple[int, Path]] = {}
    for file in files_below(folder):
        rank = _rank(file.name, endings)
        if rank is None:
            continue
        document = file.name.partition(".")[0].removesuffix("_conll")
        if document not in ranked or rank < ranked[document][0]:
            ranked[document] = rank, file
    return {document: ranked[document][1] for document in sorted(ranked)}


def folders_named(root: Path, name: str) -> list[Path]:
    """The folders of that name at or below a root, none inside another, in order."""
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


@dataclass(slots=True)
class _Node:
    label: str
    start: int  # tokens of the document before the node, traces not counted
    end: int = 0
    children: list[_Node] = field(default_factory=list)


class GornTrees:
    """The trees of one ``.mrg`` file with their traces, so that Gorn addresses can be followed.

    An address names a node by sentence and child numbers: ``3,0,1`` is the second child of the first child of
    the fourth tree's top node. Traces count as children, so an address only makes sense in the treebank's own
    trees, not in a parser's output. The unlabelled brackets around each tree do not count.
    """

    def __init__(self, text: str, *, where: str) -> None:
        self._tops: list[_Node] = []
        self.tokens = 0  # words in all trees, traces not counted
        path: list[_Node] = []
        just_opened = False
        for match in _PIECE.finditer(text):
            piece = match.group()
            if piece == "(":
                node = _Node("", self.tokens)
                if path:
                    path[-1].children.append(node)
                path.append(node)
                just_opened = True
                continue
            if not path:
                raise LayerError(
                    f"'{piece}' stands outside all trees.",
                    where=f"{where}:{text.count(chr(10), 0, match.start()) + 1}",
                    hint="Check that the file holds Penn Treebank brackets.",
                )
            if piece == ")":
                node = path.pop()
                node.end = self.tokens
                if not path:
                    wrapped = node.label in WRAPPERS and len(node.children) == 1
                    self._tops.append(node.children[0] if wrapped else node)
            elif just_opened:
                path[-1].label = piece
            elif path[-1].label != TRACE:
                self.tokens += 1
            just_opened = False
        if path:
            raise LayerError(
                f"The file ends inside a tree: {len(path)} brackets are still open.", where=where
            )

    def tokens_under(self, address: GornAddress) -> range | None:
        """The document's tokens under a node, none under a trace; None if there is no such node."""
        sentence, *steps = address
        if sentence >= len(self._tops):
            return None
        node = self._tops[sentence]
        for step in steps:
            if step < len(node.children):
                node = node.children[step]
            elif step or node.children:  # an address may go one step below a tag, to the word itself
                return None
        return range(node.start, node.end)

    def runs_under_all(self, addresses: Iterable[GornAddress]) -> list[tuple[int, int]]:
        """Runs of tokens under several nodes, in order, without overlaps; none if a node is missing."""
        found: list[tuple[int, int]] = []
        for address in addresses:
            tokens = self.tokens_under(address)
            if tokens is None:
                return []
            found.append((tokens.start, tokens.stop))
        return join_intervals(found)
