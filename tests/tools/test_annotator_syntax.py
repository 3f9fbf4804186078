"""A tiny training on invented sentences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.english.annotators import SpacySyntax
from disco2.data import Dependencies, Document, Sentence, Token
from disco2.errors import InputError, LayerError
from disco2.files import read_listed_files
from disco2.vectors.word_vectors import read_shipped
from tools.annotator.syntax import score_syntax, train_syntax

NAMES = ("Ann", "Bob", "Tina", "Omar")
VERBS = ("sees", "likes", "calls")
ANIMALS = ("dog", "cat", "horse")
TAGS = ("NNP", "VBZ", "DT", "NN", ".")
PASSES = 12
TREE = Dependencies((1, -1, 3, 1, 1), ("nsubj", "root", "det", "obj", "punct"))


def documents(names: tuple[str, ...]) -> list[Document]:
    """Each name does all things with all animals, a sentence each, two sentences a paragraph."""
    made = []
    for name in names:
        text = ""
        tokens: list[Token] = []
        sentences: list[Sentence] = []
        for index, (verb, animal) in enumerate((verb, animal) for verb in VERBS for animal in ANIMALS):
            text += "" if not index else " " if index % 2 else "\n\n"
            first = len(tokens)
            for word, tag in zip((name, verb, "the", animal, "."), TAGS, strict=True):
                text += " " if len(tokens) > first and word != "." else ""
                tokens.append(Token(word, len(text), len(text) + len(word), tag))
                text += word
            sentences.append(Sentence(first, len(tokens), dependencies=TREE))
        made.append(Document(name, text, tuple(tokens), tuple(sentences)))
    return made


def files(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    folder = tmp_path_factory.mktemp("trained") / "syntax"
    lines: list[str] = []
    training, development = documents(NAMES[:3] * 6), documents(NAMES[3:])
    train_syntax(training, development, folder, passes=PASSES, width=32, progress=lines.append)
    return folder, lines


def test_it_learns(trained: tuple[Path, list[str]]) -> None:
    folder, lines = trained
    assert [line.split(":")[0] for line in lines] == [
        f"pass {number} of {PASSES}" for number in range(1, PASSES + 1)
    ]
    syntax = SpacySyntax.load(read_listed_files(folder), read_shipped)
    scores = score_syntax(syntax, documents(NAMES[3:]))
    assert scores.tokens == 1
    assert min(scores.sentences, scores.tags, scores.labelled) > 0.9
    [document] = syntax.annotate(
        [raw_document("Omar calls the cat. Tina sees the dog.")],
        layers=frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES}),
    )
    assert [token.tag for token in document.tokens] == [*TAGS, *TAGS]
    assert [sentence.dependencies for sentence in document.sentences] == [TREE, TREE]


def test_no_training_text_is_written(trained: tuple[Path, list[str]]) -> None:
    for name, content in files(trained[0]).items():
        assert b"Tina" not in content, name
        assert b"horse" not in content, name


def test_training_is_reproducible(tmp_path: Path) -> None:
    training, development = documents(NAMES[:2]), documents(NAMES[2:])
    for folder in ("one", "again"):
        train_syntax(training, development, tmp_path / folder, passes=1, width=16)
    assert files(tmp_path / "one") == files(tmp_path / "again")


def test_nothing_to_learn_from_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="documents for training"):
        train_syntax([], documents(NAMES[:1]), tmp_path / "syntax")
    assert not (tmp_path / "syntax").exists()


def test_documents_without_gold_layers_are_reported(tmp_path: Path) -> None:
    [document] = documents(NAMES[:1])
    bare = replace(document, sentences=tuple(replace(one, dependencies=None) for one in document.sentences))
    with pytest.raises(LayerError, match="no dependencies"):
        train_syntax([bare], [document], tmp_path / "syntax")
