"""Files and layers of Wall Street Journal documents, and relations whose spans count their characters.

For the Penn Discourse Treebanks; CoNLL-16 has the same layers, and GUM's relations have such spans.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar

from disco2.annotation.coreference import CoreferenceDocument, parse_coreference
from disco2.annotation.layers import document_from_trees, with_constituents, with_dependencies, with_mentions
from disco2.annotation.treebanks import BracketedSentence, ConlluSentence, parse_brackets, parse_conllu
from disco2.corpora import reading
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError, LayerError

TREES = (".mrg", ".ptb", ".parse")  # the treebank's own before a parser's
COREFERENCE = ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll")
DEPENDENCIES = (".conllu",)
BARE = ""  # the ending of a name without any

Spans = tuple[tuple[int, int], ...]
_SPAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})")

Layer = TypeVar("Layer")
Parse = Callable[[str, str], Mapping[str, Layer]]  # a file's text and name -> layers by document


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
        return self.attach(document_from_trees(name, text, [], where=name, issues=ReadIssues())), False

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
            reading.check_folder(path, holds=f"{name} ({', '.join(endings)} files)")
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
            return self._parse(reading.read_text(file, issues=self._issues), str(file))
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
    for file in reading.list_files(folder):
        for rank, ending in enumerate(endings):
            # An empty ending stands for names without a dot.
            matches = file.name.endswith(ending) if ending else "." not in file.name
            if matches:
                document = file.name.partition(".")[0].removesuffix("_conll")
                ranked[document] = min(ranked.get(document, (rank, file)), (rank, file))
                break
    return {document: ranked[document][1] for document in sorted(ranked)}


@dataclass(frozen=True, slots=True)
class RawRelation:
    """One relation as its file has it: spans are pairs of character offsets, senses are not yet checked.

    Whether the ends are inclusive (LDC's PDTB 3) or exclusive (PDTB 2, GDTB) depends on the corpus.
    ``number`` counts the relations of the file from 1, and ``line`` is where this one begins.
    """

    number: int
    line: int
    kind: str
    connectives: tuple[str, ...]  # one, or two of an implicit relation
    senses: tuple[str, ...]
    connective_spans: Spans  # of an explicit connective or an AltLex
    arg1_spans: Spans
    arg2_spans: Spans
    arg1_text: str = ""  # in PDTB 2, which repeats the text of the spans
    arg2_text: str = ""

    @property
    def spans(self) -> Spans:
        return (*self.connective_spans, *self.arg1_spans, *self.arg2_spans)


def parse_spans(field: str) -> Spans:
    """Parse ``"3..7;9..12"`` to ``((3, 7), (9, 12))``; an empty field has no spans."""
    if not field:
        return ()
    spans = []
    for piece in field.split(";"):
        span = _SPAN.fullmatch(piece)
        if span is None:
            raise CorpusError(f"'{piece:.80}' is not a span of the form 12..34.")
        start, end = int(span[1]), int(span[2])
        if end < start:
            raise CorpusError(f"The span '{piece}' ends before it starts.")
        spans.append((start, end))
    return tuple(spans)


@dataclass(frozen=True, slots=True)
class Source:
    """One document's text and relations as its files have them."""

    id: str
    file: Path
    text: str
    relations: Sequence[RawRelation]


def read_sources(
    files: Mapping[str, Path],
    texts: Mapping[str, Path],
    parse: Callable[..., list[RawRelation]],
    *,
    encoding: str,
    issues: ReadIssues,
) -> Iterator[Source]:
    """Read the relations and the raw text of each document; one without text is left out with a finding."""
    for name, file in files.items():
        content = reading.read_text(file, issues=issues, encoding=encoding)
        relations = parse(content, where=str(file), issues=issues)
        if not content.strip():
            issues.add("empty file", str(file), "There are no relations in it.")
        if name not in texts:
            detail = f"{name} has no raw text; it and its {len(relations)} relations were left out."
            issues.add("document without text", str(file), detail)
            continue
        text = reading.read_text(texts[name], issues=issues, encoding=encoding)
        starts = [start for one in relations for start, _ in one.spans]
        yield Source(name, file, choose_text(text, starts, where=str(texts[name]), issues=issues), relations)


def make_corpus(name: str, sources: Iterable[Source], layers: WsjLayers, *, issues: ReadIssues) -> Corpus:
    """The documents with their layers, and the relations that can be found in them.

    The inventory of senses has the name of the corpus.
    """
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    ways: Counter[str] = Counter()
    for source in sources:
        document, has_trees = layers.document(source.id, source.text)
        ways["have tokens from trees" if has_trees else "have no trees; tokens were split by rule"] += 1
        documents[document.id] = document
        found = find_relations(source, reading.TokenSpans.of(document), inventory(name), issues=issues)
        relations.extend(reading.drop_doubles(found, issues=issues))
    notes = tuple(f"{count} documents {way}." for way, count in sorted(ways.items()))
    return Corpus(name, name, documents, tuple(relations), issues=issues, notes=notes)


def find_relations(
    source: Source,
    tokens: reading.TokenSpans,
    known: SenseInventory,
    *,
    keep_unlabelled: bool = False,
    issues: ReadIssues,
) -> Iterator[Relation]:
    """The relations of a document on its tokens; one with bad spans, or without a sense, is left out."""
    for raw in source.relations:
        name, where = f"{source.id}:{raw.number}", f"{source.file}:{raw.line}"
        label = _read_label(raw, known, keep_unlabelled=keep_unlabelled, where=where, issues=issues)
        if label is None:
            continue
        try:
            (arg1, exact1), (arg2, exact2) = map(tokens.argument, (raw.arg1_spans, raw.arg2_spans))
            connective, exact = tokens.under(raw.connective_spans)
            if not arg1.tokens or not arg2.tokens:
                raise CorpusError(f"{'Arg2' if arg1.tokens else 'Arg1'} of {name} has no token.")
        except CorpusError as error:
            issues.add("bad relation", where, f"{error.what} The relation was skipped.")
            continue
        if not (exact and exact1 and exact2):
            issues.add("span cuts a token", where, f"A span of {name} cuts a token, which was taken whole.")
        for number, argument, stated in ((1, arg1, raw.arg1_text), (2, arg2, raw.arg2_text)):
            found = argument.text.split()
            reading.compare_text(found, stated, f"Arg{number} of {name}", where=where, issues=issues)
        yield Relation(
            id=name,
            document=source.id,
            kind=label[0],
            arg1=replace(arg1, text=" ".join(arg1.text.split())),
            arg2=replace(arg2, text=" ".join(arg2.text.split())),
            senses=label[1],
            connective=raw.connectives[0] if raw.connectives else "",
            connective_tokens=connective,
            where=where,
        )


def _read_label(
    raw: RawRelation, known: SenseInventory, *, keep_unlabelled: bool, where: str, issues: ReadIssues
) -> tuple[RelationKind, tuple[str, ...]] | None:
    """The kind and the canonical senses; None, with a finding, if the kind is unknown or lacks its sense.

    NoRel in the place of a sense corrects the kind.
    """
    kind = reading.read_kind(raw.kind)
    if kind is None:
        issues.add("unknown kind of relation", where, f"'{raw.kind:.80}'; the relation was skipped.")
        return None
    needs_sense = reading.read_kind_without_sense(kind) is None
    repeated = {reading.read_kind_without_sense(label) for label in raw.senses} - {None, kind}
    if RelationKind.NOREL in repeated and needs_sense:
        issues.add("NoRel as a sense", where, f"The type is {kind}, the sense NoRel; it was read as NoRel.")
        return RelationKind.NOREL, ()
    if repeated:
        named = ", ".join(map(str, repeated))
        issues.add("kind as a sense", where, f"The type is {kind}, the sense is {named}; the type was taken.")
    senses = reading.read_senses(raw.senses, known, kind=kind, where=where, issues=issues)
    if needs_sense and not senses:
        what = "it was kept" if keep_unlabelled else "the relation was skipped"
        issues.add("relation without a sense", where, f"{kind} relations need one; {what}.")
        return (kind, ()) if keep_unlabelled else None
    return kind, senses


def choose_text(text: str, starts: Sequence[int], *, where: str, issues: ReadIssues) -> str:
    r"""The text, or the text with ``\n`` for ``\r\n`` if the spans were counted that way.

    Offsets count both characters of a Windows line end if the annotators' file had them. If only this copy
    has them, spans begin in the middle of words.
    """
    plain = text.replace("\r\n", "\n")
    if _good_starts(plain, starts) <= _good_starts(text, starts):
        return text
    detail = "The file has Windows line ends and its spans don't count them; it was read with plain ones."
    issues.add("line ends not in the offsets", where, detail)
    return plain


def _good_starts(text: str, starts: Iterable[int]) -> int:
    return sum(
        start < len(text) and not text[start].isspace() and not inside_word(text, start) for start in starts
    )


def inside_word(text: str, offset: int) -> bool:
    return 0 < offset < len(text) and text[offset - 1].isalnum() and text[offset].isalnum()
