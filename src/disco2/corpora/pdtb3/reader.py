"""The Penn Discourse Treebank 3.0: ``gold/SS/wsj_SSNN`` with 34 fields a relation, ``raw/SS/wsj_SSNN``."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from disco2.annotation.layers import document_from_trees
from disco2.corpora.decoding import read_text
from disco2.corpora.folders import existing_folder
from disco2.corpora.pdtb3.offset_convention import Convention, OffsetEvidence, as_exclusive, text_that_fits
from disco2.corpora.pdtb3.pipe import RawRelation, Spans, read_pdtb3_lines
from disco2.corpora.token_spans import TokenSpans
from disco2.corpora.wsj.document_files import BARE, files_by_document
from disco2.corpora.wsj.layers import WsjLayers
from disco2.corpora.wsj.rule_split import split_by_rule
from disco2.corpora.wsj.senses import kind_and_senses
from disco2.errors import CorpusError, LayerError, SettingsError
from disco2.records import Argument, Corpus, Dirt, Document, Relation
from disco2.records.senses import inventory

INVENTORY = "pdtb3"
OFFSETS = ("auto", "inclusive", "exclusive")
FILES = (BARE, ".txt", ".pdtb", ".pipe")


@dataclass(frozen=True, slots=True)
class _Source:
    """One document's text and relations as they stand in the files."""

    id: str
    file: Path
    text: str
    lines: list[tuple[int, RawRelation]]


def read_pdtb3(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    offsets: Literal["auto", "inclusive", "exclusive"] = "auto",
    encoding: str = "auto",
) -> Corpus:
    """The relations in ``gold`` with the documents in ``raw``, two folders in ``path`` or in its ``data``.

    ``offsets`` says whether the ends of spans are inclusive; ``auto`` decides for the whole corpus by looking
    at the text. ``trees``, ``coreference`` and ``dependencies`` are folders in which a document's file may
    lie anywhere; without trees, tokens and sentences are split by rule. ``encoding`` is that of gold and raw.
    """
    if offsets not in OFFSETS:
        raise SettingsError(
            f"Offsets can't be read as '{offsets}'.", hint=f"Use one of: {', '.join(OFFSETS)}."
        )
    root = existing_folder(path, holds="the folders 'gold' and 'raw' of PDTB 3")
    if not (root / "gold").is_dir() and (root / "data" / "gold").is_dir():
        root = root / "data"
    gold = existing_folder(root / "gold", holds="PDTB 3's relations (gold/SS/wsj_SSNN)")
    raw = existing_folder(root / "raw", holds="PDTB 3's texts (raw/SS/wsj_SSNN)")
    files = files_by_document(gold, endings=FILES)
    dirt = Dirt()
    sources = list(_sources(files, files_by_document(raw, endings=FILES), encoding=encoding, dirt=dirt))
    if not sources:
        raise CorpusError(
            f"None of {len(files)} files in {gold} has its text in {raw}.",
            where=str(path),
            hint="Give a folder with gold/SS/wsj_SSNN and raw/SS/wsj_SSNN.",
        )
    evidence = OffsetEvidence()
    for source in sources:
        for _, line in source.lines:
            evidence.add(source.text, _all_spans(line))
    convention: Convention = evidence.convention if offsets == "auto" else offsets
    chosen = "by the text" if offsets == "auto" else "as asked"
    notes = [f"Span ends were read as {convention}, {chosen}: {evidence.describe()}."]
    if offsets != "auto" and evidence.inclusive + evidence.exclusive and convention != evidence.convention:
        notes.append(f"The text itself speaks for {evidence.convention} ends.")

    layers = WsjLayers(files, trees=trees, coreference=coreference, dependencies=dependencies, dirt=dirt)
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    ways: Counter[str] = Counter()
    for source in sources:
        document, way = _document(source, layers, dirt=dirt)
        ways[way] += 1
        documents[document.id] = document
        relations.extend(_relations(source, document, convention, dirt=dirt))
    notes += [f"{ways[way]} documents {way}." for way in sorted(ways)]
    return Corpus(
        name="pdtb3",
        inventory=INVENTORY,
        documents=documents,
        relations=tuple(relations),
        dirt=dirt,
        notes=tuple(notes),
    )


def _sources(gold: dict[str, Path], raw: dict[str, Path], *, encoding: str, dirt: Dirt) -> Iterator[_Source]:
    for name, file in gold.items():
        table = read_text(file, dirt=dirt, encoding=encoding)
        if not table.strip():
            dirt.add("empty file", where=str(file), detail="There are no relations in it.")
        if name not in raw:
            dirt.add(
                "document without text", where=str(file), detail=f"{name} has no raw text; it was left out."
            )
            continue
        lines = list(read_pdtb3_lines(table, where=str(file), dirt=dirt))
        text = read_text(raw[name], dirt=dirt, encoding=encoding)
        spans = [span for _, line in lines for span in _all_spans(line)]
        yield _Source(name, file, text_that_fits(text, spans, where=str(raw[name]), dirt=dirt), lines)


def _all_spans(line: RawRelation) -> Spans:
    return (*line.connective_spans, *line.arg1_spans, *line.arg2_spans, *line.sup1_spans, *line.sup2_spans)


def _document(source: _Source, layers: WsjLayers, *, dirt: Dirt) -> tuple[Document, str]:
    """The document with its layers, and where its tokens are from."""
    found = layers.trees(source.id)
    if found is not None:
        where, _, trees = found
        try:
            document = document_from_trees(source.id, source.text, trees, where=where, dirt=dirt)
            return layers.laid_on(document), "have their tokens from trees"
        except LayerError as error:
            dirt.add("document without trees", where=error.where or where, detail=error.what)
    document = split_by_rule(source.id, source.text)
    return layers.laid_on(document), "without trees were split by rule and have no phrases"


def _relations(
    source: _Source, document: Document, convention: Convention, *, dirt: Dirt
) -> Iterator[Relation]:
    tokens = TokenSpans.of(document)
    for number, line in source.lines:
        where = f"{source.file}:{number}"
        label = kind_and_senses(line.kind, line.senses, inventory(INVENTORY), where=where, dirt=dirt)
        if label is None:
            continue
        arg1, exact1 = tokens.argument(as_exclusive(line.arg1_spans, convention))
        arg2, exact2 = tokens.argument(as_exclusive(line.arg2_spans, convention))
        if not arg1.tokens or not arg2.tokens:
            empty = "Arg2" if arg1.tokens else "Arg1"
            dirt.add(
                "empty argument",
                where=where,
                detail=f"{empty} of {source.id}:{number} has no token; the relation was skipped.",
            )
            continue
        if not (exact1 and exact2):
            dirt.add(
                "span cuts a token",
                where=where,
                detail=f"A span of {source.id}:{number} cuts a token, which was taken whole.",
            )
        yield Relation(
            id=f"{source.id}:{number}",
            document=source.id,
            kind=label[0],
            arg1=_on_one_line(arg1),
            arg2=_on_one_line(arg2),
            senses=label[1],
            connective=line.connectives[0] if line.connectives else "",
            connective_tokens=tokens.under(as_exclusive(line.connective_spans, convention)).tokens,
            where=where,
        )


def _on_one_line(argument: Argument) -> Argument:
    return replace(argument, text=" ".join(argument.text.split()))
