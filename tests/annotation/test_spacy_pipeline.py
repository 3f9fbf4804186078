"""spaCy documents, and spaCy pipelines as annotators."""

from __future__ import annotations

from pathlib import Path

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab

from disco2.annotation.annotator import (
    Analysis,
    Layer,
    SpacyPipeline,
    analysis_of,
    join_pieces,
    raw_document,
    sentence_spans,
    to_spacy,
    word_mask,
)
from disco2.annotation.text import split_text
from disco2.data import Dependencies, Document, Sentence, Token
from disco2.errors import LayerError, SettingsError
from tests.documents import document_from_words


def spacy_doc(
    words: list[str], *, heads: list[int], labels: list[str], starts: list[bool] | None = None
) -> Doc:
    return Doc(Vocab(), words=words, heads=heads, deps=labels, tags=["X"] * len(words), sent_starts=starts)


def analysed(doc: Doc, *, tagged: bool = False, parsed: bool = False) -> Analysis:
    return analysis_of(doc, sentence_spans(doc), tagged=tagged, parsed=parsed, words=word_mask(doc))


def test_tokens_and_sentences_survive_the_way_there() -> None:
    text = 'He said (twice):\n\n "Don\'t!"  Then he left.'
    words = [["He", "said", "(", "twice", "):"], ['"', "Do", "n't", '!"'], ["Then", "he", "left", "."]]
    document = document_from_words("d", words, text)
    doc = to_spacy(document, vocab=Vocab())
    assert [word.text for word in doc] == [word for sentence in words for word in sentence]
    assert [[word.text for word in sentence] for sentence in doc.sents] == words
    assert doc.text == 'He said (twice): "Don\'t!" Then he left.'
    assert list(to_spacy(raw_document(""), vocab=Vocab())) == []
    part = to_spacy(document, 5, 11, vocab=Vocab())
    assert [[word.text for word in sentence] for sentence in part.sents] == [words[1], ["Then", "he"]]
    assert part.text == '"Don\'t!" Then he'


def test_cleaned_pieces_lead_back_to_the_text() -> None:
    text = "A\u00ad  b\u200bc.\n\nIt\x00 sl\u00adept \ud800."
    tokenizer = spacy.blank("en")
    pieces = split_text(text)
    analyses = [analysed(tokenizer.make_doc(piece.text)) for piece in pieces]
    document = join_pieces(raw_document(text), pieces, analyses)
    words = ["A", "b", "c.", "It", "sl\u00adept", "\ud800", "."]
    assert [token.text for token in document.tokens] == words
    assert [text[token.start : token.end] for token in document.tokens] == words


def test_words_that_spacy_does_not_take_are_replaced() -> None:
    document = Document("d", "a \ud800 b", (Token("", 0, 1), Token("\ud800", 2, 3)), (Sentence(0, 2),))
    assert [word.text for word in to_spacy(document, vocab=Vocab())] == ["\ufffd", "\ufffd"]


def test_heads_count_from_the_first_word_of_the_sentence() -> None:
    doc = spacy_doc(
        ["Go", "!", " ", "It", "rains"],
        heads=[0, 0, 0, 4, 4],
        labels=["ROOT", "punct", "dep", "nsubj", "ROOT"],
        starts=[True, False, False, True, False],
    )
    found = analysed(doc, parsed=True)
    assert found.sentences == [(0, 2), (2, 4)]
    assert found.dependencies[1] == Dependencies((1, -1), ("nsubj", "root"))
    assert analysis_of(doc, [(0, 3), (3, 5)], tagged=False, parsed=True).dependencies == [
        Dependencies((-1, 0, 0), ("root", "punct", "dep")),
        Dependencies((1, -1), ("nsubj", "root")),
    ]


@pytest.mark.parametrize(
    ("words", "heads", "labels", "expected"),
    [
        ("It|\n|\t|rains", [1, 2, 3, 3], "nsubj dep dep2 ROOT", ((1, -1), ("dep2", "root"))),
        ("\n|Go|on", [0, 0, 1], "ROOT dep prt", ((-1, 0), ("root", "prt"))),
        ("Go|,|stay", [0, 0, 2], "ROOT punct ROOT", ((-1, 0, 0), ("root", "punct", "parataxis"))),
    ],
)
def test_words_hang_on_words_and_there_is_one_root(
    words: str, heads: list[int], labels: str, expected: tuple[tuple[int, ...], tuple[str, ...]]
) -> None:
    doc = spacy_doc(words.split("|"), heads=heads, labels=labels.split())
    found = analysis_of(doc, [(0, len(doc))], tagged=False, parsed=True, words=word_mask(doc))
    assert found.dependencies == [Dependencies(*expected)]


SYNTAX = frozenset({Layer.TOKENS, Layer.TAGS, Layer.DEPENDENCIES})

# Words, tags, heads counted in the whole text, labels.
TAUGHT = [
    (
        "A cat slept . It purred .",
        ["DT", "NN", "VBD", ".", "PRP", "VBD", "."],
        [1, 2, 2, 2, 5, 5, 5],
        ["det", "nsubj", "ROOT", "punct", "nsubj", "ROOT", "punct"],
    ),
    (
        "The dog saw a cat .",
        ["DT", "NN", "VBD", "DT", "NN", "."],
        [1, 2, 2, 4, 2, 2],
        ["det", "nsubj", "ROOT", "det", "dobj", "punct"],
    ),
]


@pytest.fixture(scope="session")
def pipeline_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A pipeline with a tagger and a parser that know the sentences above by heart."""
    nlp = spacy.blank("en")
    nlp.meta["name"] = "made_up"
    nlp.add_pipe("tagger")
    nlp.add_pipe("parser", config={"min_action_freq": 1})
    examples = [
        Example.from_dict(nlp.make_doc(text), {"tags": tags, "heads": heads, "deps": labels})
        for text, tags, heads, labels in TAUGHT
    ]
    spacy.util.fix_random_seed(0)
    optimizer = nlp.initialize(lambda: examples)
    for _ in range(25):
        nlp.update(examples, sgd=optimizer, drop=0.0)
    folder = tmp_path_factory.mktemp("spacy") / "en_made_up"
    nlp.to_disk(folder)
    return folder


@pytest.fixture(scope="session")
def pipeline(pipeline_folder: Path) -> SpacyPipeline:
    return SpacyPipeline.load(str(pipeline_folder))


def test_a_pipeline_provides_what_its_components_make(pipeline: SpacyPipeline) -> None:
    assert pipeline.requires == {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: frozenset({Layer.TOKENS}),
        Layer.DEPENDENCIES: frozenset({Layer.TOKENS}),
    }
    assert pipeline.name.startswith("spaCy en_made_up ")
    nlp = spacy.blank("en")
    with pytest.raises(SettingsError, match="no component that makes a layer"):
        SpacyPipeline(nlp)
    nlp.add_pipe("sentencizer")
    assert SpacyPipeline(nlp).requires == {Layer.TOKENS: frozenset()}


def test_tokens_tags_and_dependencies_of_a_text(pipeline: SpacyPipeline) -> None:
    text = " A cat slept.  It purred.\r\n\r\n The dog saw a cat ."
    document = pipeline.annotate([raw_document(text)], layers=SYNTAX)[0]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
    assert [document.words(range(s.start, s.end)) for s in document.sentences] == [
        ["A", "cat", "slept", "."],
        ["It", "purred", "."],
        ["The", "dog", "saw", "a", "cat", "."],
    ]
    assert [token.tag for token in document.tokens[:7]] == TAUGHT[0][1]
    assert [sentence.dependencies for sentence in document.sentences] == [
        Dependencies((1, 2, -1, 2), ("det", "nsubj", "root", "punct")),
        Dependencies((1, -1, 1), ("nsubj", "root", "punct")),
        Dependencies((1, 2, -1, 4, 2, 2), ("det", "nsubj", "root", "det", "dobj", "punct")),
    ]


def test_a_documents_own_tokens_and_sentences_stay(pipeline: SpacyPipeline) -> None:
    words = [["A", "cat"], ["slept", ".", "It", "purred"], ["."]]
    document = document_from_words("d", words, "A cat slept. It  purred.", [["a", "b"], list("cdef"), ["g"]])
    parsed = pipeline.annotate([document], layers=frozenset({Layer.DEPENDENCIES}))[0]
    assert parsed.tokens == document.tokens
    assert [(s.start, s.end) for s in parsed.sentences] == [(0, 2), (2, 6), (6, 7)]
    for sentence in parsed.sentences:
        assert sentence.dependencies is not None
        assert sentence.dependencies.heads.count(-1) == 1
        assert all(-1 <= head < len(sentence) for head in sentence.dependencies.heads)
    tagged = pipeline.annotate([document], layers=frozenset({Layer.TAGS}))[0]
    assert [token.tag for token in tagged.tokens] == TAUGHT[0][1]
    assert tagged.sentences == document.sentences


@pytest.mark.parametrize(
    "text", ["", " \n\n\t", "\x00", "...", "\U0001f600\ufe0f e\u0301", "שלום \ud800", "a" * 70_000]
)
def test_odd_texts_survive(pipeline: SpacyPipeline, text: str) -> None:
    document = pipeline.annotate([raw_document(text)], layers=SYNTAX)[0]
    again = pipeline.annotate([document], layers=frozenset({Layer.TAGS, Layer.DEPENDENCIES}))[0]
    assert [token.text for token in again.tokens] == [token.text for token in document.tokens]
    assert document.text == text
    assert bool(document.sentences) == bool(document.tokens)


def test_what_is_no_pipeline_is_an_error(tmp_path: Path, pipeline_folder: Path) -> None:
    with pytest.raises(SettingsError, match="python -m spacy download en_not_there_xl"):
        SpacyPipeline.load("en_not_there_xl")
    with pytest.raises(SettingsError, match="can't be loaded"):
        SpacyPipeline.load(str(tmp_path))
    config = (pipeline_folder / "config.cfg").read_text().replace('factory = "tagger"', 'factory = "tugger"')
    meta = (pipeline_folder / "meta.json").read_text()
    for content, more, message in (("rubbish", "{", "can't be loaded"), (config, meta, "tugger")):
        (tmp_path / "config.cfg").write_text(content)
        (tmp_path / "meta.json").write_text(more)
        with pytest.raises(SettingsError, match=message):
            SpacyPipeline.load(str(tmp_path))


@Language.component("made_up_failure", assigns=["token.tag"])
def failing_component(doc: spacy.tokens.Doc) -> spacy.tokens.Doc:
    raise RuntimeError("all is lost\nsee below")


def test_a_pipeline_that_fails_names_the_document() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("made_up_failure")
    with pytest.raises(LayerError, match=r"letter: The pipeline spaCy en_pipeline .* failed: all is lost"):
        SpacyPipeline(nlp).annotate([document_from_words("letter", [["Go"]])], layers=frozenset({Layer.TAGS}))
