"""Writes the miniature as the CoNLL-16 shared task has the Wall Street Journal: a folder for each part."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.corpora.miniature import Writer
from tests.corpora.miniature_documents import MiniDocument, Spans

PARTS = {"train": range(2, 22), "dev": (22,), "test": (23,)}  # other sections are not in the shared task
SENSES = {
    "Comparison.Contrast.Juxtaposition": "Comparison.Contrast",
    "Comparison.Concession.Contra-expectation": "Comparison.Concession",
    "Expansion.Restatement.Specification": "Expansion.Restatement",
}


def write_conll16_parts(root: Path, docs: Sequence[MiniDocument], *, senses: bool = True) -> Path:
    """``conll16-en-PART`` with ``relations.json``, ``parses.json`` and ``raw``.

    Without senses it is the input of the supplementary task: ``relations-no-senses.json``.
    """
    for part, sections in PARTS.items():
        folder = root / f"conll16-en-{part}"
        some = [document for document in docs if int(document.id[4:6]) in sections]
        if not some:
            continue
        lines = []
        for document in some:
            Writer(encoding="utf-8").write(folder / "raw" / document.id, document.text)
            lines += _relations(document, first=len(lines) + 1, senses=senses)
        parses = {document.id: {"sentences": _sentences(document)} for document in some}
        name = "relations.json" if senses else "relations-no-senses.json"
        (folder / "parses.json").write_text(json.dumps(parses), encoding="utf-8")
        (folder / name).write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return root


def _relations(document: MiniDocument, *, first: int, senses: bool) -> list[dict[str, Any]]:
    lines = []
    for relation in document.relations:
        said = relation.said
        if said.kind == "NoRel":
            continue
        labels = [SENSES.get(sense, sense) for _, some in said.labels for sense in some] or [said.kind]
        given = {
            "ID": first + len(lines),
            "DocID": document.id,
            "Arg1": _span(document, relation.arg1),
            "Arg2": _span(document, relation.arg2),
            "Connective": _span(document, relation.anchor if said.kind == "Explicit" else ()),
        }
        lines.append(given | ({"Type": said.kind, "Sense": labels} if senses else {"Type": "", "Sense": []}))
    return lines


def _span(document: MiniDocument, spans: Spans) -> dict[str, Any]:
    numbers = document.token_numbers(spans)
    addresses = []
    for number in numbers:
        sentence = sum(end <= number for end in document.sentence_ends)
        start = document.sentence_ends[sentence - 1] if sentence else 0
        _, low, high = document.tokens[number]
        addresses.append([low, high, number, sentence, number - start])
    return {
        "CharacterSpanList": [list(span) for span in spans],
        "RawText": " ".join(document.text[low:high] for low, high in spans),
        "TokenList": addresses,
    }


def _sentences(document: MiniDocument) -> list[dict[str, Any]]:
    """Trees as of a parser: without traces, and none where brackets in the text were too much for it."""
    sentences = []
    first = 0
    for tree, end in zip(document.trees, document.sentence_ends, strict=True):
        leaves = [leaf for leaf in re.findall(r"\(([^\s()]+) ([^\s()]+)\)", tree) if leaf[0] != "-NONE-"]
        words = [
            [
                form,
                {"CharacterOffsetBegin": low, "CharacterOffsetEnd": high, "Linkers": [], "PartOfSpeech": tag},
            ]
            for (tag, form), (_, low, high) in zip(leaves, document.tokens[first:end], strict=True)
        ]
        arcs = [
            ["dep", f"{leaves[0][1]}-1", f"{form}-{number}"]
            for number, (_, form) in enumerate(leaves[1:], start=2)
        ]
        root = ["root", "ROOT-0", f"{leaves[0][1]}-1"]
        parse = "(())" if "-LRB-" in tree else f"( {_without_traces(tree)} )"
        sentences.append({"words": words, "parsetree": parse, "dependencies": [root, *arcs]})
        first = end
    return sentences


def _without_traces(tree: str) -> str:
    tree = re.sub(r"\(-NONE- [^\s()]+\)", "", tree)
    while (pruned := re.sub(r"\([^\s()]+\s*\)", "", tree)) != tree:
        tree = pruned
    return tree
