"""Training of the constituency parser, and its PyTorch network against the one in NumPy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from disco2.annotation.english.constituents import VOCABULARY_FILE, WEIGHTS_FILE, SpanParser
from disco2.annotation.english.span_network import Network, Spans, all_spans
from disco2.annotation.layers import with_constituents
from disco2.annotation.treebanks import parse_brackets
from disco2.data import Document, ReadIssues
from disco2.errors import CorpusError
from disco2.files import read_listed_files
from disco2.vectors import WordVectors
from tests.documents import document_from_words
from tools.annotator.constituents import (
    ParserSettings,
    build_lexicon,
    label_chains,
    nearest_chain,
    train_constituents,
)

torch = pytest.importorskip("torch")

TREES = """
(S (NP (DT the) (NN dog)) (VP (VBD saw) (NP (DT a) (NN cat))) (. .))
(S (NP (PRP she)) (VP (VBD wanted) (S (VP (TO to) (VP (VB sleep))))) (. .))
(NP (DT a) (NN cat))
(S (NP (DT the) (NN cat)) (VP (VBD slept) (PP (IN on) (NP (DT the) (NN dog)))) (. .))
(INTJ (UH yes))
"""
WORDS = ("the", "dog", "cat", "a", ".", "she", "saw")
VECTORS = WordVectors(WORDS, np.random.default_rng(0).normal(size=(len(WORDS), 6)).astype(np.float32))
TINY = ParserSettings(
    word_size=4,
    piece_size=4,
    tag_size=4,
    hidden=8,
    span_hidden=8,
    word_count=1,
    piece_count=1,
    label_count=1,
    epochs=3,
    batch_tokens=20,
)


@pytest.fixture(scope="module")
def document() -> Document:
    trees = parse_brackets(TREES, where="made-up")
    plain = document_from_words(
        "made-up", [tree.words for tree in trees], tags=[tree.constituents.tags for tree in trees]
    )
    return with_constituents(plain, trees, where="made-up", issues=ReadIssues())


def test_numpy_computes_what_pytorch_computes(document: Document) -> None:
    from tools.annotator.span_module import ParserModule

    torch.manual_seed(5)
    lexicon = build_lexicon(
        (token.text for token in document.tokens),
        (token.tag for token in document.tokens),
        vectors=VECTORS,
        word_count=2,
        piece_count=2,
    )
    module = ParserModule(lexicon, labels=7, settings=TINY).eval()
    network = Network.of(module.export(), VECTORS.matrix)
    sentences = sorted(document.sentences, key=len, reverse=True)
    numbers = [
        lexicon.numbers(
            document.words(range(sentence.start, sentence.end)),
            [token.tag for token in document.tokens[sentence.start : sentence.end]],
        )
        for sentence in sentences
    ]
    spans = all_spans(np.array([len(sentence) for sentence in sentences], dtype=np.int32))
    encoded, places = network.encode(numbers)
    starts, ends = places[spans.sentences] + spans.starts, places[spans.sentences] + spans.ends
    found = np.concatenate(list(network.scorer.scores(*network.scorer.places(encoded), starts, ends)), axis=1)
    with torch.no_grad():
        torch_encoded, torch_places, _ = module.encode(numbers)
        sides = module.sides(torch_encoded)
        expected = module.scores(*sides, torch.from_numpy(starts), torch.from_numpy(ends)).numpy()
    assert torch_places.tolist() == places.tolist()
    used = np.unique(np.concatenate([starts, ends]))  # one row between two sentences is no place
    assert encoded[used] == pytest.approx(torch_encoded.numpy()[used], abs=1e-5)
    assert pytest.approx(expected, abs=1e-4) == found.T


def test_the_worst_tree_is_the_worst_of_all() -> None:
    """Two tokens and one label: with its eight labellings counted by hand."""
    from tools.annotator.span_module import worst_trees

    lengths = np.array([2], dtype=np.int32)
    gold = Spans(*(np.array(column, dtype=np.int32) for column in ([0, 0], [0, 0], [2, 1])))
    labels = np.array([0, 0], dtype=np.int32)
    scores = np.array([[0.6], [2.0], [-0.5]], dtype=np.float32)  # the spans (0, 1), (0, 2), (1, 2)
    found, guesses, wrong = worst_trees(scores, lengths, gold, labels)
    # (0, 1) is better without its label (0 + 1 > 0.6), (1, 2) with one (-0.5 + 1 > 0), (0, 2) must have one
    assert {(start, end) for _, start, end in zip(*(column.tolist() for column in found), strict=True)} == {
        (0, 2),
        (1, 2),
    }
    assert guesses.tolist() == [0, 0]
    assert wrong == 2


def test_training_is_reproducible(document: Document, tmp_path: Path) -> None:
    for name in ("first", "second"):
        train_constituents([document], [document], tmp_path / name, settings=TINY, vectors=VECTORS)
    for file in (WEIGHTS_FILE, VOCABULARY_FILE):
        assert (tmp_path / "first" / file).read_bytes() == (tmp_path / "second" / file).read_bytes()


def test_training_learns_its_own_trees(document: Document, tmp_path: Path) -> None:
    settings = ParserSettings(
        **{**vars(TINY), "epochs": 60, "rate": 0.02, "warm_up": 1, "averaging": 0.5, "dropout": 0.0}
    )
    messages: list[str] = []
    train_constituents(
        [document],
        [document],
        tmp_path / "parser",
        settings=settings,
        vectors=VECTORS,
        progress=messages.append,
    )
    assert len(messages) == 60
    parser = SpanParser.load(read_listed_files(tmp_path / "parser"), lambda: VECTORS)
    sentence = document.sentences[1]
    tokens = document.tokens[sentence.start : sentence.end]
    (tree,) = parser.parse([([token.text for token in tokens], [token.tag for token in tokens])])
    assert tree == sentence.constituents


def test_rare_chains_lose_their_innermost_labels(document: Document) -> None:
    labels = label_chains([document], least=2)
    assert "S+VP" not in labels
    assert set(labels) >= {"S", "VP", "NP", "PP", "INTJ"}
    known = {label: index for index, label in enumerate(labels)}
    assert nearest_chain("S+VP", known) == known["S"]


def test_documents_without_trees_are_refused(tmp_path: Path) -> None:
    plain = document_from_words("made-up", [["yes"]], tags=[["UH"]])
    with pytest.raises(CorpusError, match="no trees"):
        train_constituents([plain], [plain], tmp_path / "parser", settings=TINY, vectors=VECTORS)
