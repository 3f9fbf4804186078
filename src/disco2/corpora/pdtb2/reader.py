"""The Penn Discourse Treebank 2.0: relations in either encoding, with raw text or trees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from disco2.corpora.decoding import read_text
from disco2.corpora.folders import existing_folder
from disco2.corpora.pdtb2.locate import Located, located_by_gorn, located_by_offsets
from disco2.corpora.pdtb2.native import looks_native, parse_native
from disco2.corpora.pdtb2.pipe import looks_piped, parse_pipe
from disco2.corpora.pdtb2.relation import Pdtb2Relation, Selection
from disco2.corpora.pdtb3.offset_convention import text_that_fits
from disco2.corpora.wsj.document_files import BARE, files_by_document, folders_named
from disco2.corpora.wsj.layers import WsjLayers
from disco2.corpora.wsj.senses import kind_and_senses
from disco2.errors import CorpusError, LayerError
from disco2.records import Argument, Corpus, Dirt, Document, Relation
from disco2.records.senses import inventory

INVENTORY = "pdtb2"
RELATIONS = (".pdtb", ".pipe")  # where a document has both, the native file is read
RAW = (BARE, ".txt", ".raw")


def read_pdtb2(
    path: Path,
    *,
    trees: Path | None,
    coreference: Path | None = None,
    dependencies: Path | None = None,
    raw: Path | None = None,
    encoding: str = "auto",
) -> Corpus:
    """The relations below ``path`` with their documents.

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
