"""Writes a miniature Penn Discourse Treebank, versions 2 and 3, in LDC's layout, of made-up sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from disco2.data import Corpus
from tests.corpora.miniature_documents import IN_PDTB3, MiniDocument, Spans
from tests.corpora.miniature_documents import documents as documents

RULE = "_" * 56
NORMAL = {"not UTF-8"}  # the miniature has an é and is latin-1, as LDC's files are


def faults(corpus: Corpus) -> set[str]:
    """The kinds of faults that a reader found, but for those that are as they should be."""
    return set(corpus.issues.counts()) - NORMAL


def _coreference_cell(document: MiniDocument, start: int, end: int) -> str:
    brackets = []
    for chain, spans in enumerate(document.chains):
        for low, high in spans:
            if (low, high) == (start, end):
                brackets.append(f"({chain})")
            elif low == start:
                brackets.append(f"({chain}")
            elif high == end:
                brackets.append(f"{chain})")
    return "|".join(brackets) or "-"


class Writer:
    """Turns documents into files, with inclusive or exclusive ends of spans."""

    def __init__(self, *, encoding: str = "latin-1", inclusive: bool = False) -> None:
        self.encoding = encoding
        self.inclusive = inclusive

    def write(self, path: Path, text: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode(self.encoding))

    def spans(self, spans: Spans) -> str:
        return ";".join(f"{low}..{high - self.inclusive}" for low, high in spans)

    def selection(self, document: MiniDocument, spans: Spans) -> tuple[str, str, str]:
        pieces = [document.text[low:high] for low, high in spans]
        return self.spans(spans), "0,1" if spans else "", " ".join(pieces)

    def native(self, document: MiniDocument) -> str:
        blocks = []
        for relation in document.relations:
            said = relation.said
            rows = [RULE, f"____{said.kind}____"]
            rows += self._native_selection(document, relation.anchor) if relation.anchor else ["57", "1"]
            bare = said.kind in ("EntRel", "NoRel")
            if not bare:
                rows += ["#### Features ####", "Wr, Comm, Null, Null"]
                if relation.attribution:
                    rows += self._native_selection(document, relation.attribution)
                for connective, senses in said.labels:
                    rows.append(", ".join(senses if said.kind == "AltLex" else (connective, *senses)))
            for part, spans in (
                ("Sup1", relation.sup1),
                ("Arg1", relation.arg1),
                ("Arg2", relation.arg2),
                ("Sup2", relation.sup2),
            ):
                if not spans:
                    continue
                rows += [f"____{part}____", *self._native_selection(document, spans)]
                if part.startswith("Arg") and not bare:
                    rows += ["#### Features ####", "Inh, Null, Null, Null"]
            blocks.append("\n".join([*rows, RULE, ""]))
        return "".join(blocks)

    def _native_selection(self, document: MiniDocument, spans: Spans) -> list[str]:
        where, addresses, text = self.selection(document, spans)
        return [where, addresses, "#### Text ####", text, "##############"]

    def pipe(self, document: MiniDocument) -> str:
        """As the converter does: a break inside a text is dropped, and nothing takes its place."""
        lines = []
        for relation in document.relations:
            said = relation.said
            fields = [""] * 48
            fields[0:3] = said.kind, document.id[4:6], document.id[6:8]
            if relation.anchor:
                fields[3:6] = self.selection(document, relation.anchor)
            else:
                fields[6:8] = "57", "1"
            for place, (connective, senses) in enumerate(said.labels):
                if said.kind != "AltLex":
                    fields[8 if said.kind == "Explicit" else 9 + place] = connective
                fields[11 + 2 * place : 11 + 2 * place + len(senses)] = senses
            if said.labels:
                fields[15:19] = "Wr", "Comm", "Null", "Null"
            places = {19: relation.attribution, 22: relation.arg1, 32: relation.arg2}
            places |= {42: relation.sup1, 45: relation.sup2}
            for place, spans in places.items():
                fields[place : place + 3] = self.selection(document, spans)
            lines.append("|".join(field.replace("\n", "") for field in fields) + "\n")
        return "".join(lines)

    def pdtb3(self, document: MiniDocument) -> str:
        lines = []
        for number, relation in enumerate(document.relations):
            said = relation.said
            fields = [""] * 34
            fields[0] = said.kind
            fields[1] = self.spans(relation.anchor)
            if said.labels:
                fields[2:6] = "Wr", "Comm", "Null", "Null"
            for place, (connective, senses) in enumerate(said.labels):
                fields[7 + 3 * place] = connective
                for turn, sense in enumerate(senses):
                    fields[8 + 3 * place + turn] = IN_PDTB3.get(sense, sense)
            fields[13] = self.spans(relation.sup1)
            fields[14] = self.spans(relation.arg1)
            fields[20] = self.spans(relation.arg2)
            fields[26] = self.spans(relation.sup2)
            fields[31] = str(relation.arg2[0][0])
            fields[32] = f"PDTB2::{document.id}::{fields[31]}::SAME"
            fields[33] = "LINK1" if number == 0 else ""
            lines.append("|".join(fields) + "\n")
        return "".join(lines)

    def coreference(self, document: MiniDocument) -> str:
        """OntoNotes columns: words split at hyphens, brackets escaped, chains in the last column."""
        name = f"nw/wsj/{document.id[4:6]}/{document.id}"
        lines = [f"#begin document ({name}); part 000"]
        ends = set(document.sentence_ends)
        number = 0
        for index, (form, start, _) in enumerate(document.tokens, start=1):
            offset = start
            for piece in re.split(r"(?<=\w)(-)(?=\w)", form):
                place = offset, offset + len(piece)
                offset += len(piece)
                word = {"(": "-LRB-", ")": "-RRB-", '"': "''"}.get(piece, piece)
                lines.append(f"{name} 0 {number} {word} XX * - - - - * {_coreference_cell(document, *place)}")
                number += 1
            if index in ends:
                lines.append("")
                number = 0
        return "\n".join([*lines, "#end document", ""])

    def ontonotes(self, document: MiniDocument) -> str:
        """OntoNotes's own files: a line a sentence, traces among the words, tags around the mentions."""
        name = f"nw/wsj/{document.id[4:6]}/{document.id}"
        lines = [f'<DOC DOCNO="{name}@{document.id[4:]}@wsj@nw@en@on">', '<TEXT PARTNO="000">']
        places = iter(document.tokens)
        for tree in document.trees:
            words = []
            for tag, leaf in re.findall(r"\(([^\s()]+) ([^\s()]+)\)", tree):
                if tag == "-NONE-":
                    words.append(leaf)
                    continue
                _, start, end = next(places)
                spans = [(chain, span) for chain, spans in enumerate(document.chains) for span in spans]
                opened = sorted((-high, chain) for chain, (low, high) in spans if low == start)
                before = "".join(f'<COREF ID="{chain}" TYPE="IDENT">' for _, chain in opened)
                words.append(before + leaf + "</COREF>" * sum(high == end for _, (_, high) in spans))
            lines.append(" ".join(words))
        return "\n".join([*lines, "</TEXT>", "</DOC>", ""])

    def conllu(self, document: MiniDocument) -> str:
        """Each sentence's first word is the root, and all others hang on it."""
        lines = [f"# newdoc id = {document.id}"]
        first = 0
        for end in document.sentence_ends:
            for number, (form, _, _) in enumerate(document.tokens[first:end], start=1):
                head, label = ("0", "root") if number == 1 else ("1", "dep")
                lines.append("\t".join([str(number), form, "_", "X", "XX", "_", head, label, "_", "_"]))
            lines.append("")
            first = end
        return "\n".join([*lines, ""])


def write_pdtb2(
    root: Path, docs: Sequence[MiniDocument], *, encoding: str = "native", writer: Writer | None = None
) -> Path:
    """``data/SS/wsj_SSNN.pdtb`` (or ``.pipe``) and ``raw/SS/wsj_SSNN``."""
    writer = writer or Writer()
    ending, write = ("pdtb", writer.native) if encoding == "native" else ("pipe", writer.pipe)
    for document in docs:
        section = document.id[4:6]
        writer.write(root / "data" / section / f"{document.id}.{ending}", write(document))
        writer.write(root / "raw" / section / document.id, document.text)
    return root


def write_pdtb3(root: Path, docs: Sequence[MiniDocument], *, writer: Writer | None = None) -> Path:
    """``gold/SS/wsj_SSNN`` and ``raw/SS/wsj_SSNN``."""
    writer = writer or Writer()
    for document in docs:
        section = document.id[4:6]
        writer.write(root / "gold" / section / document.id, writer.pdtb3(document))
        writer.write(root / "raw" / section / document.id, document.text)
    return root


def write_trees(root: Path, docs: Sequence[MiniDocument]) -> Path:
    """``combined/wsj/SS/wsj_SSNN.mrg`` with traces and tags, and a ``.prd`` that nobody should read."""
    for document in docs:
        folder = root / "combined" / "wsj" / document.id[4:6]
        trees = "".join(f"\n( {tree} )\n" for tree in document.trees)
        Writer().write(folder / f"{document.id}.mrg", trees)
        Writer().write(folder / f"{document.id}.prd", "( not a tree")
    return root


def write_coreference(root: Path, docs: Sequence[MiniDocument]) -> Path:
    return _write_layer(root, docs, "nw/wsj/{section}/{id}.v4_gold_conll", Writer.coreference)


def write_ontonotes(root: Path, docs: Sequence[MiniDocument]) -> Path:
    return _write_layer(root, docs, "nw/wsj/{section}/{id}.coref", Writer.ontonotes)


def write_dependencies(root: Path, docs: Sequence[MiniDocument]) -> Path:
    return _write_layer(root, docs, "{id}.conllu", Writer.conllu)


def _write_layer(
    root: Path, docs: Sequence[MiniDocument], name: str, text: Callable[[Writer, MiniDocument], str]
) -> Path:
    writer = Writer(encoding="utf-8")
    for document in docs:
        path = root / name.format(section=document.id[4:6], id=document.id)
        writer.write(path, text(writer, document))
    return root
