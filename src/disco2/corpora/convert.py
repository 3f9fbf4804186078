"""Convert a corpus: to pairs in JSON lines, to the CoNLL-16 shared task's folders, to other senses.

Both forms lose coreference. Pairs also lose everything outside the arguments, and CoNLL-16 keeps all tokens,
tags, trees, dependencies and texts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from disco2.corpora.conll16 import written_identity
from disco2.corpora.relations import character_spans
from disco2.data import Constituents, Corpus, Document, Relation, Sentence
from disco2.data.senses import senses_2_to_3, senses_3_to_2
from disco2.errors import CorpusError
from disco2.files import check_folder_place, folder_in_place, is_file_name, write_text

NO_PARSE = "(())"
REST = "rest"  # of the documents, those that belong to no part

_ESCAPES = {"(": "-LRB-", ")": "-RRB-", "[": "-LSB-", "]": "-RSB-", "{": "-LCB-", "}": "-RCB-"}

_MAPPINGS: dict[tuple[str, str], Callable[[str], str | None]] = {
    ("pdtb2", "pdtb3"): senses_2_to_3,
    ("pdtb3", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb2"): senses_3_to_2,
    ("gdtb", "pdtb3"): lambda sense: sense,  # GDTB's senses are PDTB 3's
}


def write_pairs(corpus: Corpus, path: Path) -> None:
    """Write one line of JSON a relation: ``arg1, arg2, label, id, split, source, kind``.

    Two senses are a list. ``source`` is the document, or the source that it is an excerpt of. Votes, where
    there are any, stand in ``votes``.
    """
    write_text(path, (_line(_pair(corpus, relation)) for relation in corpus.relations))


def write_conll16(corpus: Corpus, folder: Path) -> list[Path]:
    """Write ``relations.json``, ``parses.json`` and ``raw``, in a folder for each part if there are parts.

    Returns the folders, which are called after the corpus and the part. The whole of them is written or
    nothing, into a folder that is new or empty: files of another corpus beside them would be read with them.
    """
    check_folder_place(folder)
    parts = {name: _part_name(corpus.parts.get(name, REST)) for name in corpus.documents}
    with folder_in_place(folder) as fresh:
        names = {part: f"{corpus.name}-{part}" if corpus.parts else "" for part in parts.values()}
        _write_parts(corpus, parts, {part: fresh / name for part, name in names.items()})
    return [folder / name for name in names.values()]


def _part_name(part: str) -> str:
    return part if is_file_name(part) else REST


def _write_parts(corpus: Corpus, parts: Mapping[str, str], folders: Mapping[str, Path]) -> None:
    for part, target in folders.items():
        documents = {name: document for name, document in corpus.documents.items() if parts[name] == part}
        relations = [relation for relation in corpus.relations if relation.document in documents]
        linkers = _linkers(relations)
        for name, document in documents.items():
            if is_file_name(name):
                _put(target / "raw" / name, [document.text])
        parses = {name: _parses(document, linkers) for name, document in documents.items()}
        _put(target / "parses.json", [_line(parses)])
        lines = (_line(_relation(relation, documents[relation.document])) for relation in relations)
        _put(target / "relations.json", lines)


def _put(path: Path, pieces: Iterable[str]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        stream.writelines(pieces)


def _line(value: Mapping[str, object]) -> str:
    return json.dumps(value, ensure_ascii=False) + "\n"


def _pair(corpus: Corpus, relation: Relation) -> dict[str, object]:
    senses = relation.senses
    pair: dict[str, object] = {
        "arg1": relation.arg1.text,
        "arg2": relation.arg2.text,
        "label": list(senses) if len(senses) > 1 else senses[0] if senses else None,
        "id": relation.id,
        "split": corpus.parts.get(relation.document),
        "source": corpus.groups.get(relation.document, relation.document),
        "kind": str(relation.kind),
    }
    return pair | {"votes": dict(relation.votes)} if relation.votes else pair


def _relation(relation: Relation, document: Document) -> dict[str, object]:
    return {
        "DocID": relation.document,
        "ID": written_identity(relation.id),
        "Type": str(relation.kind),
        "Sense": list(relation.senses)
        or ([str(relation.kind)] if relation.kind in ("EntRel", "NoRel") else []),
        "Connective": _span(document, relation.connective_tokens, relation.connective),
        "Arg1": _span(document, relation.arg1.tokens, relation.arg1.text),
        "Arg2": _span(document, relation.arg2.tokens, relation.arg2.text),
    }


def _span(document: Document, tokens: tuple[int, ...], text: str) -> dict[str, object]:
    return {
        "CharacterSpanList": [list(span) for span in character_spans(document, tokens)],
        "RawText": text,
        "TokenList": [_address(document, token) for token in tokens],
    }


def _address(document: Document, token: int) -> list[int]:
    sentence = document.sentence_index(token)
    place = token - document.sentences[sentence].start
    return [document.tokens[token].start, document.tokens[token].end, token, sentence, place]


def _linkers(relations: Iterable[Relation]) -> dict[tuple[str, int], list[str]]:
    """For each token that is part of an argument, which: ``arg1_`` or ``arg2_`` and the relation's id."""
    linkers: dict[tuple[str, int], list[str]] = {}
    for relation in relations:
        for name, argument in (("arg1", relation.arg1), ("arg2", relation.arg2)):
            for token in argument.tokens:
                linkers.setdefault((relation.document, token), []).append(f"{name}_{relation.id}")
    return linkers


def _parses(document: Document, linkers: Mapping[tuple[str, int], list[str]]) -> dict[str, object]:
    sentences = []
    for sentence in document.sentences:
        words = [
            [
                document.tokens[token].text,
                {
                    "CharacterOffsetBegin": document.tokens[token].start,
                    "CharacterOffsetEnd": document.tokens[token].end,
                    "Linkers": linkers.get((document.id, token), []),
                    "PartOfSpeech": document.tokens[token].tag,
                },
            ]
            for token in range(sentence.start, sentence.end)
        ]
        forms = document.words(range(sentence.start, sentence.end))
        tree = NO_PARSE if sentence.constituents is None else write_brackets(sentence.constituents, forms)
        arcs = list(_arcs(sentence, forms))
        sentences.append({"words": words, "parsetree": tree, "dependencies": arcs})
    return {"sentences": sentences}


def _arcs(sentence: Sentence, forms: list[str]) -> Iterator[list[str]]:
    if sentence.dependencies is None:
        return
    for token, (head, label) in enumerate(
        zip(sentence.dependencies.heads, sentence.dependencies.labels, strict=True)
    ):
        governor = "ROOT-0" if head < 0 else f"{forms[head]}-{head + 1}"
        yield [label, governor, f"{forms[token]}-{token + 1}"]


def write_brackets(constituents: Constituents, words: Sequence[str]) -> str:
    """Write a sentence's tree as ``( (S (NP (NN Rain)) (VP (VBZ falls))) )``, words and tags escaped."""
    pieces: list[str] = ["("]
    open_ends: list[int] = []
    node = 0
    for place, word in enumerate(words):
        while node < len(constituents.labels) and constituents.starts[node] == place:
            pieces.append(f" ({constituents.labels[node] or 'X'}")
            open_ends.append(constituents.ends[node])
            node += 1
        pieces.append(f" ({_escape(constituents.tags[place]) or 'X'} {_escape(word)})")
        while open_ends and open_ends[-1] == place + 1:
            open_ends.pop()
            pieces.append(")")
    return "".join(pieces) + " )"


def _escape(word: str) -> str:
    """Brackets as the treebank spells them; a space inside a word becomes one that does not part words."""
    if word in _ESCAPES:
        return _ESCAPES[word]
    joined = "".join("\u00a0" if character.isspace() else character for character in word)
    return "".join(
        _ESCAPES.get(character, character) if character in "()" else character for character in joined
    )


def with_senses_of(corpus: Corpus, inventory: str) -> Corpus:
    """Map the senses to another inventory; those without a counterpart are left out, with a finding."""
    if corpus.inventory == inventory:
        return corpus
    mapping = _MAPPINGS.get((corpus.inventory, inventory))
    if mapping is None:
        raise CorpusError(
            f"Senses of '{corpus.inventory}' can't be turned into those of '{inventory}'.",
            where=corpus.name,
            hint="Known: pdtb2 to pdtb3, pdtb3 or gdtb to pdtb2.",
        )

    def mapped(relation: Relation) -> Relation:
        senses = []
        for sense in relation.senses:
            found = mapping(sense)
            if found is None:
                detail = f"'{sense}' has none in {inventory}; left out."
                corpus.issues.add("sense without a counterpart", relation.where, detail)
            else:
                senses.append(found)
        votes: dict[str, float] = {}
        for sense, share in relation.votes:
            found = mapping(sense)
            if found is not None:
                votes[found] = votes.get(found, 0.0) + share
        total = sum(votes.values())
        shares = tuple((sense, share / total) for sense, share in votes.items())
        return replace(relation, senses=tuple(dict.fromkeys(senses)), votes=shares)

    return replace(corpus, inventory=inventory, relations=tuple(map(mapped, corpus.relations)))
