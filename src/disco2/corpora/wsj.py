"""Files and layers of Wall Street Journal documents, and relations whose spans count their characters.

For the Penn Discourse Treebanks; CoNLL-16 has the same layers, and GUM's relations have such spans.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import document_from_trees, with_constituents, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.corpora import reading
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import SenseInventory, inventory
from disco2.errors import CorpusError, LayerError

ENDINGS = {
    "trees": (".mrg", ".ptb", ".parse"),  # the treebank's own before a parser's
    "dependencies": (".conllu",),
    "coreference": ("gold_conll", ".coref", "gold_coref", "auto_conll", "_conll", ".conll"),
}
BARE = ""  # the ending of a name without any

Spans = tuple[tuple[int, int], ...]
_SPAN = re.compile(r"(\d{1,9})\.\.(\d{1,9})")
_START = re.compile(r"\b\w|[^\w\s]")  # of a word or a mark


class WsjLayers:
    """Gives documents their layers, from folders with a file for each document, at any depth.

    A missing or broken layer is a finding, and the document is kept.
    """

    def __init__(
        self, *, trees: Path | None, coreference: Path | None, dependencies: Path | None, issues: ReadIssues
    ) -> None:
        self._issues = issues
        self._files: dict[str, Mapping[str, Path]] = {}
        folders = {"trees": trees, "dependencies": dependencies, "coreference": coreference}
        for layer, folder in folders.items():
            if folder is None:
                continue
            names = f"{layer} ({', '.join(ENDINGS[layer])} files)"
            self._files[layer] = find_files(reading.check_folder(folder, holds=names), endings=ENDINGS[layer])
            if not self._files[layer]:
                raise CorpusError(f"There are no {names} below this folder.", where=str(folder))

    def document(self, name: str, text: str) -> tuple[Document, bool]:
        """A document with all layers, and whether its tokens are from trees; else they are split by rule."""
        document = self._with_layer(Document(name, text, (), ()), "trees")
        if document.tokens:
            return self.attach(document), True
        return self.attach(document_from_trees(name, text, [], where=name, issues=ReadIssues())), False

    def attach(self, document: Document, *, trees: bool = False) -> Document:
        """The document with its dependencies, its mentions and, if asked for, the phrases of its trees."""
        for layer in self._files:  # heads of mentions come from the layers before
            if trees or layer != "trees":
                document = self._with_layer(document, layer)
        return document

    def _with_layer(self, document: Document, layer: str) -> Document:
        """The document with a layer; if it has no tokens, they come from the trees."""
        if layer not in self._files:
            return document
        file, issues = self._files[layer].get(document.id), self._issues
        where = str(file or "")
        try:
            if file is None:
                raise LayerError(f"There is no file with its {layer}.")
            text = reading.read_text(file, issues=issues)
            if layer == "dependencies":
                return with_dependencies(
                    document, parse_conllu(text, where=where), where=where, issues=issues
                )
            if layer == "coreference":
                chains = parse_coreference(text, where=where, issues=issues)
                if len(chains) != 1:
                    raise LayerError(f"It holds {len(chains)} documents instead of one.")
                return with_mentions(document, chains[0], where=where, issues=issues)
            trees = parse_brackets(text, where=where)
            if document.tokens:
                return with_constituents(document, trees, where=where, issues=issues)
            if not trees:
                raise LayerError("It holds no tree.")
            return document_from_trees(document.id, document.text, trees, where=where, issues=issues)
        except LayerError as error:
            detail = f"{document.id}: {error.what}"
            issues.add(f"document without {layer}", error.where or where or document.id, detail)
            return document


def find_files(folder: Path, *, endings: Sequence[str]) -> dict[str, Path]:
    """The file of each document below a folder, sorted by the document's id.

    The id is the file's name up to its first dot, or up to ``_conll``. Only names with one of the endings
    count. If a document has several files, the first ending in ``endings`` wins, then the first path.
    """
    ranked: dict[str, tuple[int, Path]] = {}
    for file in reading.list_files(folder):
        for rank, ending in enumerate(endings):
            if file.name.endswith(ending) if ending != BARE else "." not in file.name:
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
    spans = []
    for piece in field.split(";") if field else ():
        span = _SPAN.fullmatch(piece)
        if span is None or int(span[2]) < int(span[1]):
            raise CorpusError(f"'{piece:.80}' is not a span of the form 12..34.")
        spans.append((int(span[1]), int(span[2])))
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
    issues: ReadIssues,
) -> Iterator[Source]:
    """Read the relations and the raw text of each document; one without text is left out with a finding."""
    for name, file in files.items():
        relations = parse(reading.read_text(file, issues=issues), where=str(file), issues=issues)
        if name in texts:
            text = reading.read_text(texts[name], issues=issues)
            text = _choose_text(text, relations, where=str(texts[name]), issues=issues)
            yield Source(name, file, text, relations)
        else:
            detail = f"{name} has no raw text; it and its {len(relations)} relations were left out."
            issues.add("document without text", str(file), detail)


def _choose_text(text: str, relations: list[RawRelation], *, where: str, issues: ReadIssues) -> str:
    r"""The text, with ``\n`` for ``\r\n`` if more spans then begin with a word or a mark."""
    plain = text.replace("\r\n", "\n")
    starts = [start for one in relations for start, _ in one.spans]
    as_is, as_plain = (sum(bool(_START.match(one, start)) for start in starts) for one in (text, plain))
    if as_plain <= as_is:
        return text
    issues.add("line ends not in the offsets", where, "They were read as plain ones.")
    return plain


def make_corpus(name: str, sources: Iterable[Source], layers: WsjLayers, *, issues: ReadIssues) -> Corpus:
    """The documents with their layers, and their relations; the inventory has the name of the corpus."""
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    with_trees = 0
    for source in sources:
        document, has_trees = layers.document(source.id, source.text)
        with_trees += has_trees
        documents[document.id] = document
        found = find_relations(source, reading.TokenSpans(document), inventory(name), issues=issues)
        relations.extend(reading.drop_doubles(found, issues=issues))
    notes = (
        f"{with_trees} of {len(documents)} documents have tokens from trees; others were split by rule.",
    )
    return Corpus(name, name, documents, tuple(relations), issues=issues, notes=notes)


def find_relations(
    source: Source, tokens: reading.TokenSpans, known: SenseInventory, *, issues: ReadIssues
) -> Iterator[Relation]:
    """The relations of a document on its tokens; one with bad spans, or of an unknown kind, is left out."""
    for raw in source.relations:
        name, where = f"{source.id}:{raw.number}", f"{source.file}:{raw.line}"
        try:
            kind, senses = _read_label(raw, known, where=where, issues=issues)
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
            words = argument.text.split()
            reading.compare_text(words, stated, f"Arg{number} of {name}", where=where, issues=issues)
        yield Relation(
            id=name,
            document=source.id,
            kind=kind,
            arg1=replace(arg1, text=" ".join(arg1.text.split())),
            arg2=replace(arg2, text=" ".join(arg2.text.split())),
            senses=senses,
            connective=raw.connectives[0] if raw.connectives else "",
            connective_tokens=connective,
            where=where,
        )


def _read_label(
    raw: RawRelation, known: SenseInventory, *, where: str, issues: ReadIssues
) -> tuple[RelationKind, tuple[str, ...]]:
    """The kind and the canonical senses. NoRel in the place of a sense corrects the kind."""
    kind = reading.read_kind(raw.kind)
    if kind is None:
        raise CorpusError(f"'{raw.kind:.80}' is no kind of relation.")
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
        issues.add("relation without a sense", where, f"{kind} relations need one; it was kept.")
    return kind, senses
