"""The Penn Discourse Treebank 2.0: relations in either encoding, with raw text or trees."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from disco2.annotation.layers import document_from_trees
from disco2.annotation.treebanks import TRACE, WRAPPERS, BracketedSentence
from disco2.corpora.pdtb2_files import (
    GornAddress,
    Pdtb2Relation,
    Selection,
    looks_native,
    looks_piped,
    parse_native,
    parse_pipe,
)
from disco2.corpora.pdtb3 import text_that_fits
from disco2.corpora.reading import existing_folder, read_text
from disco2.corpora.relations import Coverage, TokenSpans, joined, kind_and_senses
from disco2.corpora.wsj import BARE, WsjLayers, files_by_document, folders_named, split_by_rule
from disco2.data import Argument, Corpus, Dirt, Document, Relation
from disco2.data.senses import inventory
from disco2.errors import CorpusError, LayerError

INVENTORY = "pdtb2"
RELATIONS = (".pdtb", ".pipe")  # where a document has both, the native file is read
RAW = (BARE, ".txt", ".raw")
Trees = tuple[str, str, list[BracketedSentence]]  # where from, the brackets, the trees
QUOTES = {"``": '"', "''": '"', "`": "'"}  # the treebank's, and how raw text has them

_PIECE = re.compile(r"[()]|[^\s()]+", re.ASCII)


def read_pdtb2(
    path: Path,
    *,
    trees: Path | None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
    encoding: str = "auto",
) -> Corpus:
    """Read the relations below ``path`` with their documents.

    Relation files end in ``.pdtb`` or ``.pipe``, and their content says which encoding they have. Raw text is
    looked for in ``raw``, or in a folder of that name below or beside ``path``. A document with raw text is
    read by character offsets, one without by the Gorn addresses of its relations, which needs the treebank's
    own trees with traces. ``trees``, ``coreference`` and ``dependencies`` are folders in which a document's
    file may lie anywhere. ``encoding`` is that of relations and raw text.
    """
    existing_folder(path, holds="PDTB 2 relations (.pdtb or .pipe files)")
    files = files_by_document(path, endings=RELATIONS)
    if not files:
        raise CorpusError(
            "There is no .pdtb or .pipe file below this folder.",
            where=str(path),
            hint="Give the folder of the PDTB 2 relations, such as LDC2008T05's data.",
        )
    dirt = Dirt()
    layers = WsjLayers(files, trees=trees, coreference=coreference, dependencies=dependencies, dirt=dirt)
    reader = _Reader(_raw_files(path, raw), layers, encoding=encoding, dirt=dirt)
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for name, file in files.items():
        entries = list(reader.entries(file))
        located = reader.located(name, entries, file)
        if located is not None:
            documents[name] = located.document
            relations.extend(reader.relations(located, entries, file))
    if not documents:
        looked = raw or f"a folder 'raw' below or beside {path}"
        raise CorpusError(
            f"None of {len(files)} relation files has raw text or trees with it.",
            where=str(path),
            hint=f"Raw text was looked for in {looked}, trees in {trees or 'no folder: none was given'}.",
        )
    return Corpus(
        name="pdtb2",
        inventory=INVENTORY,
        documents=documents,
        relations=tuple(relations),
        dirt=dirt,
        notes=reader.notes(),
    )


def _raw_files(path: Path, raw: Path | None) -> dict[str, Path]:
    if raw is not None:
        return files_by_document(existing_folder(raw, holds="raw text"), endings=RAW)
    files: dict[str, Path] = {}
    for folder in folders_named(path, "raw") or [path.absolute().parent / "raw"]:
        files = files_by_document(folder, endings=RAW) | files
    return files


class _Reader:
    """Reads one document after the other and remembers how."""

    def __init__(self, raw: dict[str, Path], layers: WsjLayers, *, encoding: str, dirt: Dirt) -> None:
        self._raw = raw
        self._layers = layers
        self._encoding = encoding
        self._dirt = dirt
        self._ways: Counter[str] = Counter()
        self._inventory = inventory(INVENTORY)

    def entries(self, file: Path) -> Iterator[Pdtb2Relation]:
        text = read_text(file, dirt=self._dirt, encoding=self._encoding)
        if not text.strip():
            self._dirt.add("empty file", where=str(file), detail="There are no relations in it.")
        elif looks_native(text):
            self._ways["native"] += 1
            yield from parse_native(text, where=str(file), dirt=self._dirt)
        elif looks_piped(text):
            self._ways["piped"] += 1
            yield from parse_pipe(text, where=str(file), dirt=self._dirt)
        else:
            raise CorpusError(
                "This is neither PDTB 2's native encoding nor its pipe encoding.",
                where=f"{file}:1",
                hint="Take files with other content out of the folder.",
            )

    def located(self, name: str, entries: list[Pdtb2Relation], file: Path) -> Located | None:
        """The document with all its layers; None, with a finding, where there is nothing to make it from."""
        text = None
        if name in self._raw:
            raw = self._raw[name]
            text = read_text(raw, dirt=self._dirt, encoding=self._encoding)
            spans = [span for entry in entries for part in (entry.arg1, entry.arg2) for span in part.spans]
            text = text_that_fits(text, spans, where=str(raw), dirt=self._dirt)
        trees = self._layers.trees(name)
        try:
            if text is not None:
                located = located_by_offsets(name, text, trees, dirt=self._dirt)
            elif trees is not None:
                located = located_by_gorn(name, trees, dirt=self._dirt)
            else:
                self._dirt.add(
                    "document without text",
                    where=str(file),
                    detail=f"{name} has no raw text and no trees; {len(entries)} relations were left out.",
                )
                return None
        except LayerError as error:
            self._dirt.add(
                "document without text",
                where=error.where or str(file),
                detail=f"{error.what} {name} and its {len(entries)} relations were left out.",
            )
            return None
        self._ways[located.way] += 1
        return replace(located, document=self._layers.laid_on(located.document))

    def relations(self, located: Located, entries: list[Pdtb2Relation], file: Path) -> Iterator[Relation]:
        document = located.document.id
        for entry in entries:
            name, where = f"{document}:{entry.number}", f"{file}:{entry.line}"
            label = kind_and_senses(entry.kind, entry.senses, self._inventory, where=where, dirt=self._dirt)
            if label is None:
                continue
            arg1 = self._argument(located, entry.arg1, f"Arg1 of {name}", where)
            arg2 = self._argument(located, entry.arg2, f"Arg2 of {name}", where)
            if arg1 is None or arg2 is None:
                continue
            yield Relation(
                id=name,
                document=document,
                kind=label[0],
                arg1=arg1,
                arg2=arg2,
                senses=label[1],
                connective=entry.connectives[0] if entry.connectives else "",
                connective_tokens=located.find(entry.anchor).tokens,
                where=where,
            )

    def _argument(self, located: Located, selection: Selection, name: str, where: str) -> Argument | None:
        argument = located.find(selection)
        if not argument.tokens:
            self._dirt.add(
                "empty argument", where=where, detail=f"{name} has no token; the relation was skipped."
            )
            return None
        found, annotated = _letters(argument.text), _letters(selection.text)
        if selection.text and found != annotated:
            # In trees without traces an address leads anywhere, so that what it finds must be vouched for.
            skipped = located.way == "gorn" and found not in annotated and annotated not in found
            self._dirt.add(
                "argument differs from its text",
                where=where,
                detail=f"{name} is '{argument.text[:60]}' by place and '{selection.text[:60]}' in letters; "
                + ("the relation was skipped." if skipped else "its place was trusted."),
            )
            if skipped:
                return None
        return (
            Argument(argument.tokens, selection.text)
            if located.way == "gorn" and selection.text
            else argument
        )

    def notes(self) -> tuple[str, ...]:
        said = {
            "native": "relation files in the native encoding",
            "piped": "relation files in the pipe encoding",
            "offsets": "documents with raw text and trees, read by character offsets (ends exclusive)",
            "gorn": "documents without raw text, read by Gorn addresses in the trees",
            "bare": "documents without trees, with tokens split by rule and without phrases",
        }
        return tuple(f"{self._ways[way]} {what}." for way, what in said.items() if self._ways[way])


def _letters(text: str) -> str:
    """What raw text, trees and annotation must agree on, whatever they do to spaces, quotes and brackets."""
    return "".join(filter(str.isalnum, text))


@dataclass(frozen=True, slots=True)
class Located:
    """A document, how selections are found in it, and the name of that way."""

    document: Document
    find: Callable[[Selection], Argument]  # without tokens where there are none
    way: str


def located_by_offsets(name: str, text: str, trees: Trees | None, *, dirt: Dirt) -> Located:
    """Locate by offsets in the raw text; the tokens are the trees' or, without trees, split by rule."""
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
    """Locate by Gorn addresses in the treebank's trees; their words with spaces between stand for the text.

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


@dataclass(slots=True)
class _Node:
    label: str
    start: int  # tokens of the document before the node, traces not counted
    end: int = 0
    children: list[_Node] = field(default_factory=list)


class GornTrees:
    """The trees of one ``.mrg`` file, kept whole so that Gorn addresses can be followed.

    An address names a node by sentence and child numbers: ``3,0,1`` is the second child of the first child of
    the fourth tree's top node. Traces count as children, so an address only makes sense in the treebank's own
    trees, not in a parser's output. The unlabelled brackets around each tree do not count.
    """

    def __init__(self, text: str, *, where: str) -> None:
        self._tops: list[_Node] = []
        self.tokens = 0  # words in all trees, traces not counted
        self._read(text, where)

    def _read(self, text: str, where: str) -> None:
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
                    self._tops.append(_top(node))
            elif just_opened:
                path[-1].label = piece
            elif path[-1].label != TRACE:
                self.tokens += 1
            just_opened = False
        if path:
            raise LayerError(
                f"The file ends inside a tree: {len(path)} brackets are still open.",
                where=where,
                hint="The file is probably cut off; fetch it again.",
            )

    def tokens_under(self, address: GornAddress) -> range | None:
        """The document's tokens under a node, none under a trace; None where there is no such node."""
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
        """Runs of tokens under several nodes, in order and none over another; none if a node is missing."""
        found: list[tuple[int, int]] = []
        for address in addresses:
            tokens = self.tokens_under(address)
            if tokens is None:
                return []
            found.append((tokens.start, tokens.stop))
        return joined(found)


def _top(node: _Node) -> _Node:
    return node.children[0] if node.label in WRAPPERS and len(node.children) == 1 else node
