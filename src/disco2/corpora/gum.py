"""The Georgetown University Multilayer corpus, in the folders of its repository."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from disco2.annotation.alignment import align_to_text
from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import document_as_written, with_constituents, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu, unescape
from disco2.corpora.pdtb3 import RawRelation, parse_pdtb3
from disco2.corpora.reading import gc_disabled, list_files, quote_first_fault, read_text
from disco2.corpora.relations import (
    TokenSpans,
    argument_from_tokens,
    drop_doubles,
    read_kind,
    read_kind_without_sense,
    read_senses,
)
from disco2.data import Corpus, Document, ReadIssues, Relation, RelationKind
from disco2.data.senses import inventory
from disco2.errors import CorpusError, LayerError, SettingsError

INVENTORY = "gdtb"
COREFERENCE = ("ontogum", "gum")
PARTS = ("train", "dev", "test", "test2")

_MASKED = re.compile(r"[_\s]*")


@gc_disabled()
def read_gum(path: Path, *, coreference: str = "ontogum") -> Corpus:
    """The relations of GDTB with the text and the layers of their documents.

    ``coreference`` chooses the guidelines: ``ontogum`` (OntoNotes) or ``gum``. A document without one of its
    layers is read without it; one without text, or with masked text, is left out. Both give a finding.
    """
    if coreference not in COREFERENCE:
        raise SettingsError(
            f"Unknown coreference '{coreference}' for GUM.", hint=f"Use one of: {', '.join(COREFERENCE)}."
        )
    gold = path / "rst" / "gdtb" / "pdtb" / "gold"
    files = [file for file in list_files(gold) if file.parent.parent == gold]
    files.sort(key=lambda file: file.name)
    if not files:
        raise CorpusError(
            "There are no relations in rst/gdtb/pdtb/gold.",
            where=str(path),
            hint="Give the folder of a checkout of the GUM repository.",
        )
    issues = ReadIssues()
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for file in files:
        if file.name in documents:
            issues.add("document twice", str(file), f"{file.name} was read already; left out.")
            continue
        found = _read_document(path, file, coreference=coreference, issues=issues)
        if found is not None:
            documents[file.name] = found[0]
            relations.extend(drop_doubles(_relations(file, *found, issues=issues), issues=issues, keep=True))
    if not documents:
        raise CorpusError(f"No document can be used.{quote_first_fault(issues)}", where=str(path))
    parts = _read_parts(path / "splits.md", documents, issues=issues)
    notes = (
        "Character offsets are end-exclusive.",
        f"Coreference follows the guidelines of {coreference}.",
    )
    return Corpus("gum", INVENTORY, documents, tuple(relations), parts, issues, notes=notes)


def _read_document(
    path: Path, gold: Path, *, coreference: str, issues: ReadIssues
) -> tuple[Document, TokenSpans] | None:
    """The document, and its tokens in GDTB's raw text; None, with a finding, if it has no text.

    GDTB's offsets are those of a text with a space between all tokens. The document has the author's text.
    """
    name = gold.name
    raw = gold.parent.parent.parent / "raw" / gold.parent.name / name
    text = read_text(raw, issues=issues) if raw.is_file() else ""
    if _MASKED.fullmatch(text):
        detail = f"The text is missing, masked or empty; {name} was left out."
        issues.add("document without text", str(raw), detail)
        return None

    dep = path / "dep" / f"{name}.conllu"
    try:
        parses = parse_conllu(_layer_text(dep, issues=issues), where=str(dep))
        spans = align_to_text([word for parse in parses for word in parse.words], text, where=str(dep))
    except LayerError as error:
        issues.add("document without tokens", error.where or str(dep), f"{error.what} {name} was left out.")
        return None
    words = [unescape(text[start:end]) for start, end in spans]
    document = document_as_written(name, parses, words=words)
    document = with_dependencies(document, parses, where=str(dep), issues=issues)

    const = path / "const" / f"{name}.ptb"
    try:
        trees = parse_brackets(_layer_text(const, issues=issues), where=str(const))
        document = with_constituents(document, trees, where=str(const), issues=issues)
    except LayerError as error:
        issues.add("document without trees", error.where or str(const), error.what)

    coref = path / "coref" / coreference / "conll" / f"{name}.conll"
    try:
        chains = parse_coreference(_layer_text(coref, issues=issues), where=str(coref), issues=issues)
        if len(chains) != 1:
            raise LayerError(f"There are {len(chains)} documents where one was expected.")
        document = with_mentions(document, chains[0], where=str(coref), issues=issues)
    except LayerError as error:
        issues.add("document without coreference", error.where or str(coref), error.what)
    return document, TokenSpans(text, spans, document=name)


def _layer_text(file: Path, *, issues: ReadIssues) -> str:
    if not file.is_file():
        raise LayerError("There is no such file.", where=str(file))
    return read_text(file, issues=issues)


def _relations(
    file: Path, document: Document, tokens: TokenSpans, *, issues: ReadIssues
) -> Iterator[Relation]:
    for raw in parse_pdtb3(read_text(file, issues=issues), where=str(file), issues=issues):
        where = f"{file}:{raw.line}"
        try:
            yield _relation(raw, f"{document.id}:{raw.number}", document, tokens, where=where, issues=issues)
        except CorpusError as error:
            issues.add("bad relation", where, f"{error.what} The line was skipped.")


def _relation(
    raw: RawRelation, name: str, document: Document, tokens: TokenSpans, *, where: str, issues: ReadIssues
) -> Relation:
    """One relation. Raises CorpusError if it can't be used."""
    kind = read_kind(raw.kind)
    if kind is None:
        raise CorpusError(f"Unknown kind of relation '{raw.kind}'.")
    arg1, exact1 = tokens.under(raw.arg1_spans)
    arg2, exact2 = tokens.under(raw.arg2_spans)
    connective, exact = tokens.under(raw.connective_spans)
    if not arg1 or not arg2:
        raise CorpusError(f"{'Arg2' if arg1 else 'Arg1'} has no token.")
    if not (exact1 and exact2 and exact):
        issues.add(
            "span cuts a token", where, "A span begins or ends inside a token; the token was taken whole."
        )
    kind, senses = _kind_and_senses(kind, raw.senses, where=where, issues=issues)
    return Relation(
        id=name,
        document=document.id,
        kind=kind,
        arg1=argument_from_tokens(document, arg1),
        arg2=argument_from_tokens(document, arg2),
        senses=senses,
        connective=raw.connectives[0] if raw.connectives else "",
        connective_tokens=connective,
        where=where,
    )


def _kind_and_senses(
    kind: RelationKind, labels: Sequence[str], *, where: str, issues: ReadIssues
) -> tuple[RelationKind, tuple[str, ...]]:
    """The canonical senses, and the kind: NoRel in the place of a sense corrects it."""
    repeated = {read_kind_without_sense(label) for label in labels} - {None, kind}
    if RelationKind.NOREL in repeated and read_kind_without_sense(kind) is None:
        issues.add("NoRel as a sense", where, f"The type is {kind}, the sense NoRel; it was read as NoRel.")
        return RelationKind.NOREL, ()
    if repeated:
        named = ", ".join(map(str, repeated))
        issues.add("kind as a sense", where, f"The type is {kind}, the sense is {named}; the type was taken.")
    senses = read_senses(labels, inventory(INVENTORY), kind=kind, where=where, issues=issues)
    if not senses and read_kind_without_sense(kind) is None:
        issues.add("relation without a sense", where, f"{kind} relations need one; it was kept.")
    return kind, senses


def _read_parts(file: Path, documents: dict[str, Document], *, issues: ReadIssues) -> dict[str, str]:
    """The official part of each document: a heading for each part, and a list of documents below it."""
    if not file.is_file():
        issues.add("no splits", str(file), "There is no such file; the documents belong to no part.")
        return {}
    parts: dict[str, str] = {}
    part = ""
    for line in read_text(file, issues=issues).splitlines():
        line = line.strip()
        if line.startswith("#"):
            part = line.lstrip("#").strip()
        elif part in PARTS and line[:1] in ("*", "-") and line[1:].strip() in documents:
            parts[line[1:].strip()] = part
    for name in documents:
        if name not in parts:
            issues.add("document without a part", str(file), f"{name} is in no part of the splits.")
    return parts
