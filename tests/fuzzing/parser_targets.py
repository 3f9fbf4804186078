"""What other parsers answer: the Stanford parser's lines, and the parse strings of benepar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import spacy
from spacy.tokens import Doc, Span

from disco2.annotation.annotator import Layer
from disco2.annotation.layers import document_from_words, with_constituents
from disco2.annotation.spacy_pipeline import EXTENSION, trees_of
from disco2.annotation.stanford import StanfordParser
from disco2.data import Dirt
from tests.fuzzing.layer_files import MARKS
from tests.fuzzing.sound import check_constituents, check_document
from tests.fuzzing.target import Target

_BLANK = spacy.blank("en")


class _Answering:
    """In place of the parser's process: it answers with the lines it was given, then with nothing."""

    lines: Sequence[str] = ()

    def __init__(self, command: Sequence[str]) -> None:
        self._left = list(self.lines)

    def ask(self, line: str, *, timeout: float) -> str:
        return self._left.pop(0) if self._left else ""

    def close(self) -> None: ...

    def kill(self) -> None: ...


def read_stanford(content: bytes) -> None:
    """The lines that the Stanford parser answers with, one a sentence."""
    lines = content.decode("utf-8", errors="replace").split("\n")
    document = document_from_words("d", [["Ann", "slept", "."], ["Bob", "woke"]])
    with (
        patch("disco2.annotation.stanford.LineProcess", _Answering),
        patch.object(_Answering, "lines", [line.rstrip("\r") for line in lines]),
        _stanford() as parser,
    ):
        (parsed,) = parser.annotate([document], layers=frozenset({Layer.CONSTITUENTS}))
    check_document(parsed)
    assert all(sentence.constituents is not None for sentence in parsed.sentences)


def _stanford() -> StanfordParser:
    """A parser whose program and model are empty files."""
    with TemporaryDirectory(prefix="disco2-stanford-") as name:
        for file in ("stanford-parser.jar", "englishPCFG.ser.gz"):
            (Path(name) / file).touch()
        return StanfordParser(Path(name), java="true")


def read_benepar(content: bytes) -> None:
    """A parse string that a component of a spaCy pipeline left on a sentence."""
    words = ["Ann", "slept", "."]
    doc = Doc(_BLANK.vocab, words=words, sent_starts=[True, False, False])
    Span.set_extension(EXTENSION, getter=lambda _: content.decode("utf-8", errors="replace"), force=True)
    try:
        trees = trees_of(doc, [(0, 3)])
    finally:
        Span.remove_extension(EXTENSION)
    for tree in trees:
        check_constituents(tree.constituents, len(tree.words))
    document = document_from_words("d", [words])
    check_document(with_constituents(document, trees, where="benepar", dirt=Dirt()))


TARGETS = (
    Target(
        "stanford-answers",
        read_stanford,
        (
            b"(ROOT (S (NP (NNP Ann)) (VP (VBD slept)) (. .)))\n(ROOT (S (NP (NNP Bob)) (VP (VBD woke))))\n",
            b"(())\nSENTENCE_SKIPPED_OR_UNPARSABLE\n",
            b"(X (SENT\n(X (SENT\n",
        ),
        (*MARKS, b"(())", b"\r\n"),
    ),
    Target(
        "benepar-strings",
        read_benepar,
        (b"(S (NP (NNP Ann)) (VP (VBD slept)) (. .))",),
        (*MARKS, b"(S ", b"None"),
    ),
)
