"""The CoNLL-2015 and CoNLL-2016 shared tasks' JSON: relations, and a file of parses that holds the tokens.

A folder holds ``relations.json`` (``pdtb-data.json`` in 2015) and ``parses.json`` (``pdtb-parses.json``),
and often the texts in ``raw``; or it holds one such folder for each part, named like ``...-train``. The
senses are a selection of PDTB 2's. EntRel, which the shared task counts among them, is a kind here, and a
label only for a task that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from disco2.corpora.conll16.parses import read_parses
from disco2.corpora.reading import BrokenJsonError, lines_of, parse_json, read_text, shown
from disco2.corpora.senses import fitting_inventory, read_kind, read_senses, senses_of_kind
from disco2.corpora.tokens import Coverage, argument_from_tokens
from disco2.corpora.wsj import WsjLayers
from disco2.errors import CorpusError
from disco2.records import Corpus, Dirt, Document, Relation, RelationKind
from disco2.records.senses import SenseInventory, inventory

RELATION_FILES = ("relations.json", "pdtb-data.json", "relations-no-senses.json")
PARSE_FILES = ("parses.json", "pdtb-parses.json")
SKIPPED_LINE = ("broken line", "bad relation")

INVENTORIES = ("pdtb2", "pdtb3", "gdtb")

_PART = re.compile(r"(?:^|[-_.])(train|dev|test|trial|blind)(?:[-_.]test)?$", re.IGNORECASE)


def read_conll16(
    path: Path,
    *,
    trees: Path | None = None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    inventory_name: str = "auto",
    encoding: str = "auto",
) -> Corpus:
    """The relations of a shared task folder, or of its parts, with tokens, trees and dependencies.

    The shared tasks' senses are PDTB 2's; other corpora in this form may have those of PDTB 3 or GDTB. The
    parses are a parser's: ``trees`` and ``dependencies`` are folders with others, as of the treebank, to take
    their place, and ``coreference``, which the shared tasks don't have, is one with OntoNotes's.

    A relation that can't be used is a finding, as are a sentence's broken tree or dependencies. Raises
    CorpusError where a file is missing, the parses are not JSON, or no relation at all can be used.
    """
    dirt = Dirt()
    documents: dict[str, Document] = {}
    relations: list[Relation] = []
    parts: dict[str, str] = {}
    folders = _part_folders(path)
    for folder in folders:
        fresh = read_parses(_one_of(folder, PARSE_FILES), raw=folder / "raw", encoding=encoding, dirt=dirt)
        for name in [name for name in fresh if name in documents]:
            dirt.add("document in two parts", where=str(folder), detail=f"{name} was left out of this one.")
            del fresh[name]
        documents |= fresh
        part = _PART.search(folder.name)
        if part is not None:
            parts |= dict.fromkeys(fresh, part[1].lower())
        file = _one_of(folder, RELATION_FILES)
        relations.extend(_read_relations(file, fresh, encoding=encoding, dirt=dirt))
    if not relations:
        first = next((found for found in dirt.findings if found.kind in SKIPPED_LINE), None)
        fault = f" The first fault: {first.where}: {first.detail}" if first else ""
        raise CorpusError(f"No relation of this corpus can be used.{fault}", where=str(path))
    if trees or coreference or dependencies:
        layers = WsjLayers(
            documents, trees=trees, coreference=coreference, dependencies=dependencies, dirt=dirt
        )
        documents = {name: layers.laid_on(layers.with_trees(one)) for name, one in documents.items()}
    if inventory_name == "auto":
        known = fitting_inventory((label for one in relations for label in one.senses), names=INVENTORIES)
    else:
        known = inventory(inventory_name)
    resolved = tuple(_with_senses_of(known, one, dirt=dirt) for one in relations)
    return Corpus(
        "conll16", known.name, documents, resolved, parts, dirt, notes=(f"Sense inventory: {known.name}.",)
    )


def _part_folders(path: Path) -> list[Path]:
    try:
        folder = path.parent if path.is_file() else path
        inside = sorted(child for child in folder.iterdir() if child.is_dir()) if folder.is_dir() else []
        found = [folder] if _has_both(folder) else [child for child in inside if _has_both(child)]
    except OSError as error:
        reason = error.strerror or str(error)
        raise CorpusError(f"The folder can't be read ({reason}).", where=str(path)) from None
    if not found:
        raise CorpusError(
            "There is no folder with relations.json and parses.json here.",
            where=str(path),
            hint="Give the folder of one part, or the folder that holds the parts.",
        )
    return found


def _has_both(folder: Path) -> bool:
    return all(any((folder / name).is_file() for name in names) for names in (RELATION_FILES, PARSE_FILES))


def _one_of(folder: Path, names: Sequence[str]) -> Path:
    return next(folder / name for name in names if (folder / name).is_file())


def _read_relations(
    file: Path, documents: dict[str, Document], *, encoding: str, dirt: Dirt
) -> Iterator[Relation]:
    """Relations with their senses as the file spells them."""
    coverage = {name: Coverage.of(document) for name, document in documents.items()}
    for number, line in enumerate(lines_of(read_text(file, dirt=dirt, encoding=encoding)), start=1):
        if not line.strip():
            continue
        where = f"{file}:{number}"
        try:
            yield _relation(parse_json(line), documents, coverage, number=number, where=where)
        except BrokenJsonError as error:
            dirt.add(SKIPPED_LINE[0], where=where, detail=f"Not JSON: {error.reason}; skipped.")
        except CorpusError as error:
            dirt.add(SKIPPED_LINE[1], where=where, detail=f"{error.what} Skipped.")


def _relation(
    record: object,
    documents: dict[str, Document],
    coverage: dict[str, Coverage],
    *,
    number: int,
    where: str,
) -> Relation:
    """One relation. Raises CorpusError where it can't be used."""
    if not isinstance(record, dict):
        raise CorpusError("The line is not an object in braces.")
    name = record.get("DocID")
    if not isinstance(name, str) or name not in documents:
        raise CorpusError(f"There are no parses of the document {shown(name)}.")
    document = documents[name]
    arg1, arg2 = (_tokens(record.get(key), key, document) for key in ("Arg1", "Arg2"))
    for key, tokens in (("Arg1", arg1), ("Arg2", arg2)):
        if not tokens:
            raise CorpusError(f"{key} has no tokens.")
        coverage[name].take(sum(len(document.tokens[token].text) for token in tokens))
    connective = record.get("Connective")
    connective_tokens = _tokens(connective, "Connective", document) if connective else ()
    raw = connective.get("RawText") if isinstance(connective, dict) else ""
    senses = record.get("Sense")
    labels = [sense for sense in senses if isinstance(sense, str)] if isinstance(senses, list) else []
    given = record.get("ID")
    return Relation(
        id=str(given) if isinstance(given, int | str) and given != "" else f"{name}:{number}",
        document=name,
        kind=_kind(record.get("Type"), explicit=bool(connective_tokens)),
        arg1=argument_from_tokens(document, arg1),
        arg2=argument_from_tokens(document, arg2),
        senses=tuple(labels),
        connective=raw if isinstance(raw, str) else "",
        connective_tokens=connective_tokens,
        where=where,
    )


def _with_senses_of(known: SenseInventory, relation: Relation, *, dirt: Dirt) -> Relation:
    senses = read_senses(relation.senses, known, where=relation.where, dirt=dirt)
    if not known.is_free:
        senses = senses_of_kind(relation.kind, senses, where=relation.where, dirt=dirt)
    return replace(relation, senses=senses)


def _kind(label: object, *, explicit: bool) -> RelationKind:
    """The input of the sense classification task leaves the type empty: a connective tells it then."""
    if label in (None, ""):
        return RelationKind.EXPLICIT if explicit else RelationKind.IMPLICIT
    kind = read_kind(label) if isinstance(label, str) else None
    if kind is None:
        raise CorpusError(f"There is no type {shown(label)}.")
    return kind


def _tokens(span: object, key: str, document: Document) -> tuple[int, ...]:
    """Token numbers in the document: the third of five numbers in gold lists, the only one in others."""
    if not isinstance(span, dict):
        raise CorpusError(f"{key} is missing.")
    items = span.get("TokenList")
    if not isinstance(items, list):
        raise CorpusError(f"{key} has no TokenList.")
    tokens = [item[2] if isinstance(item, list) and len(item) == 5 else item for item in items]
    for token in tokens:
        if not isinstance(token, int) or isinstance(token, bool):
            raise CorpusError(f"The TokenList of {key} holds {shown(token)}.")
        if not 0 <= token < len(document.tokens):
            raise CorpusError(f"{key} names token {shown(token)}; the document has {len(document.tokens)}.")
    return tuple(sorted(set(tokens)))
