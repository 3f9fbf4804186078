"""The Georgetown University Multilayer corpus, in the folders of its repository."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from disco2.annotation.alignment import align_to_text
from disco2.annotation.coreference import parse_coreference
from disco2.annotation.layers import document_as_written, with_constituents, with_dependencies, with_mentions
from disco2.annotation.treebanks import parse_brackets, parse_conllu, unescape
from disco2.corpora import reading
from disco2.corpora.pdtb import parse_pdtb3
from disco2.corpora.wsj import Source, find_relations
from disco2.data import Corpus, Document, ReadIssues, Relation
from disco2.data.senses import inventory
from disco2.errors import CorpusError, LayerError, SettingsError

INVENTORY = "gdtb"
COREFERENCE = ("ontogum", "gum")
PARTS = ("train", "dev", "test", "test2")

_MASKED = re.compile(r"[_\s]*")


@reading.gc_disabled()
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
    files = [file for file in reading.list_files(gold) if file.parent.parent == gold]
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
        read = _read_document(path, file, coreference=coreference, issues=issues)
        if read is not None:
            document, tokens = read
            documents[file.name] = document
            raw = parse_pdtb3(reading.read_text(file, issues=issues), where=str(file), issues=issues)
            source = Source(document.id, file, "", raw)
            found = find_relations(source, tokens, inventory(INVENTORY), keep_unlabelled=True, issues=issues)
            for one in reading.drop_doubles(found, issues=issues, keep=True):
                arg1 = reading.argument_from_tokens(document, one.arg1.tokens)
                arg2 = reading.argument_from_tokens(document, one.arg2.tokens)
                relations.append(replace(one, arg1=arg1, arg2=arg2))
    if not documents:
        raise CorpusError(f"No document can be used.{reading.quote_first_fault(issues)}", where=str(path))
    parts = _read_parts(path / "splits.md", documents, issues=issues)
    notes = (
        "Character offsets are end-exclusive.",
        f"Coreference follows the guidelines of {coreference}.",
    )
    return Corpus("gum", INVENTORY, documents, tuple(relations), parts, issues, notes=notes)


def _read_document(
    path: Path, gold: Path, *, coreference: str, issues: ReadIssues
) -> tuple[Document, reading.TokenSpans] | None:
    """The document, and its tokens in GDTB's raw text; None, with a finding, if it has no text.

    GDTB's offsets are those of a text with a space between all tokens. The document has the author's text.
    """
    name = gold.name
    raw = gold.parent.parent.parent / "raw" / gold.parent.name / name
    text = reading.read_text(raw, issues=issues) if raw.is_file() else ""
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
    return document, reading.TokenSpans(text, spans, document=name)


def _layer_text(file: Path, *, issues: ReadIssues) -> str:
    if not file.is_file():
        raise LayerError("There is no such file.", where=str(file))
    return reading.read_text(file, issues=issues)


def _read_parts(file: Path, documents: dict[str, Document], *, issues: ReadIssues) -> dict[str, str]:
    """The official part of each document: a heading for each part, and a list of documents below it."""
    if not file.is_file():
        issues.add("no splits", str(file), "There is no such file; the documents belong to no part.")
        return {}
    parts: dict[str, str] = {}
    part = ""
    for line in reading.read_text(file, issues=issues).splitlines():
        line = line.strip()
        if line.startswith("#"):
            part = line.lstrip("#").strip()
        elif part in PARTS and line[:1] in ("*", "-") and line[1:].strip() in documents:
            parts[line[1:].strip()] = part
    for name in documents:
        if name not in parts:
            issues.add("document without a part", str(file), f"{name} is in no part of the splits.")
    return parts
