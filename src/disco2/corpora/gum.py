"""The Georgetown University Multilayer corpus, in the folders of its repository."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from disco2.annotation.alignment import align_to_text
from disco2.annotation.layers import document_as_written, with_dependencies
from disco2.annotation.treebanks import parse_conllu, unescape
from disco2.corpora import reading
from disco2.corpora.pdtb import parse_pdtb3
from disco2.corpora.wsj import Source, WsjLayers, find_relations
from disco2.data import Corpus, Document, ReadIssues, Relation, Token
from disco2.data.senses import inventory
from disco2.errors import CorpusError, LayerError

INVENTORY = "gdtb"
COREFERENCE = "ontogum"  # the guidelines of OntoNotes; there is another folder for GUM's own
PARTS = ("train", "dev", "test", "test2")

_MASKED = re.compile(r"[_\s]*")


@reading.gc_disabled()
def read_gum(path: Path) -> Corpus:
    """The relations of GDTB with the text and the layers of their documents.

    A document without a tree or coreference is read without it; one without tokens or text, or with masked
    text, is left out. Both give a finding.
    """
    gold = path / "rst" / "gdtb" / "pdtb" / "gold"
    files = sorted(filter(Path.is_file, gold.glob("*/[!.]*")), key=lambda file: file.name)
    if not files:
        raise CorpusError(
            "There are no relations in rst/gdtb/pdtb/gold.",
            where=str(path),
            hint="Give the folder of a checkout of the GUM repository.",
        )
    issues = ReadIssues()
    coreference = path / "coref" / COREFERENCE / "conll"
    layers = WsjLayers(trees=path / "const", coreference=coreference, dependencies=None, issues=issues)
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    for file in files:
        read = _read_document(file, path / "dep" / f"{file.name}.conllu", issues=issues)
        if read is not None:
            document, tokens = layers.attach(read[0], trees=True), read[1]
            documents[file.name] = document
            raw = parse_pdtb3(reading.read_text(file, issues=issues), where=str(file), issues=issues)
            source = Source(document.id, file, "", raw)
            found = find_relations(source, tokens, inventory(INVENTORY), issues=issues)
            for one in reading.drop_doubles(found, issues=issues):
                arg1 = reading.argument_from_tokens(document, one.arg1.tokens)
                arg2 = reading.argument_from_tokens(document, one.arg2.tokens)
                relations.append(replace(one, arg1=arg1, arg2=arg2))
    if not documents:
        raise CorpusError(f"No document can be used.{reading.quote_first_fault(issues)}", where=str(path))
    parts = _read_parts(path / "splits.md", documents, issues=issues)
    notes = ("Character offsets are end-exclusive.", f"Coreference follows the guidelines of {COREFERENCE}.")
    return Corpus("gum", INVENTORY, documents, tuple(relations), parts, issues, notes=notes)


def _read_document(
    gold: Path, dep: Path, *, issues: ReadIssues
) -> tuple[Document, reading.TokenSpans] | None:
    """The document, and its tokens in GDTB's raw text; None, with a finding, if it has no text or no tokens.

    GDTB's offsets are those of a text with a space between all tokens. The document has the author's text.
    """
    name = gold.name
    raw = gold.parent.parent.parent / "raw" / gold.parent.name / name
    text = reading.read_text(raw, issues=issues) if raw.is_file() else ""
    if _MASKED.fullmatch(text):
        detail = f"The text is missing, masked or empty; {name} was left out."
        issues.add("document without text", str(raw), detail)
        return None
    try:
        if not dep.is_file():
            raise LayerError("There is no such file.")
        parses = parse_conllu(reading.read_text(dep, issues=issues), where=str(dep))
        spans = align_to_text([word for parse in parses for word in parse.words], text, where=str(dep))
    except LayerError as error:
        issues.add("document without tokens", error.where or str(dep), f"{error.what} {name} was left out.")
        return None
    words = [unescape(text[start:end]) for start, end in spans]
    document = document_as_written(name, parses, words=words)
    tokens = tuple(Token(word, *span) for word, span in zip(words, spans, strict=True))
    spaced = reading.TokenSpans(Document(name, text, tokens, ()))
    return with_dependencies(document, parses, where=str(dep), issues=issues), spaced


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
