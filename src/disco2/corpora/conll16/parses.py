"""CoNLL-16's ``parses.json`` -> documents with tags, trees and dependencies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from disco2.annotation.escapes import unescape
from disco2.annotation.ptb import parse_brackets
from disco2.corpora.reading import BYTE_ORDER_MARK, BrokenJsonError, parse_json, read_text, shown
from disco2.errors import CorpusError, LayerError
from disco2.files import is_file_name
from disco2.records import Constituents, Dependencies, Dirt, Document, Sentence, Token

QUOTES = ("``", "''")
WIDEST_GAP = 10_000  # spaces; offsets that want more of them are not those of a text


@dataclass(frozen=True, slots=True)
class _Word:
    form: str
    start: int
    end: int
    tag: str


def read_parses(file: Path, *, raw: Path, encoding: str = "auto", dirt: Dirt) -> dict[str, Document]:
    """The documents of a file of parses, their texts from ``raw`` or else rebuilt from the tokens."""
    text = read_text(file, dirt=dirt, encoding=encoding).removeprefix(BYTE_ORDER_MARK)
    try:
        parses = parse_json(text)
    except BrokenJsonError as error:
        raise CorpusError(f"The parses are not JSON: {error.reason}.", where=f"{file}:{error.line}") from None
    if not isinstance(parses, dict):
        raise CorpusError("The parses are not an object with one entry for each document.", where=f"{file}:1")
    documents: dict[str, Document] = {}
    for name, entry in parses.items():
        where = f"{file}: {name:.80}"
        try:
            documents[name] = _document(name, entry, raw=raw, encoding=encoding, where=where, dirt=dirt)
        except CorpusError as error:
            dirt.add("bad document", where=error.where or where, detail=f"{error.what} Left out.")
    return documents


def _document(name: str, entry: object, *, raw: Path, encoding: str, where: str, dirt: Dirt) -> Document:
    sentences = entry.get("sentences") if isinstance(entry, dict) else None
    if not isinstance(sentences, list):
        raise CorpusError("The document has no list of sentences.", where=where)
    words: list[_Word] = []
    made: list[Sentence] = []
    for number, sentence in enumerate(sentences):
        place = f"{where}, sentence {number}"
        if not isinstance(sentence, dict):
            raise CorpusError("The sentence is not an object in braces.", where=place)
        fresh = _words(sentence.get("words"), where=place)
        if not fresh:
            continue
        made.append(
            Sentence(
                len(words),
                len(words) + len(fresh),
                _constituents(sentence.get("parsetree"), len(fresh), where=place, dirt=dirt),
                _dependencies(sentence.get("dependencies"), len(fresh), where=place, dirt=dirt),
            )
        )
        words.extend(fresh)
    text = _raw_text(name, words, raw=raw, encoding=encoding, dirt=dirt)
    if text is None:
        text, words = _rebuilt(words)
    tokens = tuple(
        Token(unescape(text[word.start : word.end]), word.start, word.end, word.tag) for word in words
    )
    return Document(name, text, tokens, tuple(made))


def _words(items: object, *, where: str) -> list[_Word]:
    if not isinstance(items, list):
        raise CorpusError("The sentence has no list of words.", where=where)
    words = []
    for item in items:
        if not (
            isinstance(item, list)
            and len(item) == 2
            and isinstance(item[0], str)
            and isinstance(item[1], dict)
        ):
            raise CorpusError("A word is not a pair of a form and its properties.", where=where)
        form, properties = item
        start, end = properties.get("CharacterOffsetBegin"), properties.get("CharacterOffsetEnd")
        if not form.strip() or type(start) is not int or type(end) is not int:  # true is an int
            raise CorpusError(f"The word {shown(form)} has no form or no character offsets.", where=where)
        tag = properties.get("PartOfSpeech")
        words.append(_Word(form, start, end, tag if isinstance(tag, str) else ""))
    return words


def _raw_text(name: str, words: Sequence[_Word], *, raw: Path, encoding: str, dirt: Dirt) -> str | None:
    """The document's text file, if there is one and the tokens are where the parses say."""
    file = raw / name
    if not is_file_name(name) or not file.is_file():
        return None
    text = read_text(file, dirt=dirt, encoding=encoding)
    reached = 0
    for word in words:
        # Only a full stop that a treebank adds behind an abbreviation may stand on another's last character.
        follows = word.start >= reached or (word.start, word.end) == (reached - 1, reached)
        found = text[word.start : word.end] if follows and word.start < word.end <= len(text) else ""
        reached = word.end
        same_width = len(unescape(word.form)) == word.end - word.start
        if not found.strip() or (same_width and found not in (word.form, unescape(word.form))):
            detail = (
                f"{shown(word.form)} is not at {shown(word.start)}..{shown(word.end)}; the text was rebuilt."
            )
            dirt.add("text does not fit its tokens", where=str(file), detail=detail)
            return None
    return text


def _rebuilt(words: Sequence[_Word]) -> tuple[str, list[_Word]]:
    """The tokens at their offsets with spaces between; where the offsets don't fit them, at new ones."""
    surfaces = [_surface(word) for word in words]
    fits = all(len(form) == word.end - word.start for form, word in zip(surfaces, words, strict=True))
    ends = [0, *(word.end for word in words)]
    gaps = [word.start - end for word, end in zip(words, ends, strict=False)]
    if not fits or min(gaps, default=0) < 0 or sum(gaps) > WIDEST_GAP + 100 * len(gaps):
        gaps = [0, *(1 if gap else 0 for gap in gaps[1:])]
    pieces: list[str] = []
    moved: list[_Word] = []
    offset = 0
    for word, form, gap in zip(words, surfaces, gaps, strict=True):
        pieces.append(" " * gap + form)
        moved.append(_Word(form, offset + gap, offset + gap + len(form), word.tag))
        offset += gap + len(form)
    return "".join(pieces), moved


def _surface(word: _Word) -> str:
    """What the text will have had for a form: an escape or a quotation mark as wide as its place."""
    width = word.end - word.start
    if word.form in QUOTES and width == 1:
        return '"'
    return unescape(word.form) if len(word.form) != width else word.form


def _constituents(tree: object, length: int, *, where: str, dirt: Dirt) -> Constituents | None:
    """The phrases of one sentence; the parser's failures, written ``(())``, are findings."""
    if not isinstance(tree, str) or not tree.strip():
        return None
    if not tree.strip("() \t\r\n"):
        dirt.add(
            "no parse", where=where, detail=f"The tree is '{tree.strip()[:20]}'; the sentence has no phrases."
        )
        return None
    try:
        trees = parse_brackets(tree, where=where)
    except LayerError as error:
        dirt.add("bad tree", where=where, detail=f"{error.what} The sentence has no phrases.")
        return None
    if len(trees) != 1 or len(trees[0].words) != length:
        leaves = sum(len(found.words) for found in trees)
        dirt.add("bad tree", where=where, detail=f"{leaves} leaves in {len(trees)} trees for {length} words.")
        return None
    return trees[0].constituents


def _dependencies(arcs: object, length: int, *, where: str, dirt: Dirt) -> Dependencies | None:
    """Heads from arcs ``[label, "governor-3", "dependent-1"]``, counted from 1; governor 0 is the root.

    The parses leave punctuation out: such words are hung below the root as ``punct``.
    """
    if not isinstance(arcs, list) or not arcs:
        return None
    heads: dict[int, int] = {}
    labels: dict[int, str] = {}
    for arc in arcs:
        if not (isinstance(arc, list) and len(arc) == 3 and all(isinstance(item, str) for item in arc)):
            dirt.add(
                "bad dependency", where=where, detail=f"{shown(arc)} is not a label and two words; left out."
            )
            continue
        governor, dependent = _number(arc[1]), _number(arc[2])
        if (
            governor is None
            or dependent is None
            or not (0 <= governor <= length and 1 <= dependent <= length)
        ):
            dirt.add(
                "bad dependency", where=where, detail=f"{shown(arc)} names no word of the sentence; left out."
            )
        elif governor != dependent and dependent - 1 not in heads:
            heads[dependent - 1] = governor - 1
            labels[dependent - 1] = arc[0]
    roots = [token for token in sorted(heads) if heads[token] == -1]
    roots = roots or [token for token in sorted(set(heads.values())) if token not in heads]
    if not roots:
        dirt.add("bad dependencies", where=where, detail="They have no root; the sentence has none now.")
        return None
    root = roots[0]
    heads |= {token: root for token in range(length) if token != root and heads.get(token, -1) == -1}
    heads[root] = -1
    labels.setdefault(root, "root")
    found = tuple(heads[token] for token in range(length))
    if not _reach_root(found):
        dirt.add("bad dependencies", where=where, detail="They run in a circle; the sentence has none now.")
        return None
    return Dependencies(found, tuple(labels.get(token, "punct") for token in range(length)))


def _number(word: str) -> int | None:
    """The number after the last hyphen: words may have hyphens of their own."""
    digits = word.rpartition("-")[2]
    return int(digits) if digits.isdecimal() and len(digits) < 7 else None


def _reach_root(heads: Sequence[int]) -> bool:
    good: set[int] = {-1}
    for start in range(len(heads)):
        path: list[int] = []
        token = start
        while token not in good:
            if len(path) > len(heads):
                return False
            path.append(token)
            token = heads[token]
        good.update(path)
    return True
