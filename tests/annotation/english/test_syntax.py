"""The built-in syntax: tokens, sentences, tags and dependencies."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from disco2.annotation import annotator as annotator_module
from disco2.annotation.annotator import Layer, Layers, raw_document
from disco2.annotation.english.annotators import SHIPPED, SpacySyntax, split_sentences
from disco2.data import Dependencies, Document, Mention, Sentence, Token
from tests.documents import assert_valid

TOKENS = frozenset({Layer.TOKENS})
TAGS = frozenset({Layer.TAGS})
DEPENDENCIES = frozenset({Layer.DEPENDENCIES})
ALL = TOKENS | TAGS | DEPENDENCIES

PARAGRAPH_BREAK = re.compile(r"\n\s*\n")


def annotated(syntax: SpacySyntax, text: str, *, layers: Layers = ALL) -> Document:
    [document] = syntax.annotate([raw_document(text)], layers=layers)
    return document


def sentence_texts(document: Document) -> list[str]:
    return [
        document.text[document.tokens[sentence.start].start : document.tokens[sentence.end - 1].end]
        for sentence in document.sentences
    ]


def assert_sound(document: Document) -> None:
    """What holds for every text."""
    assert_valid(document)
    for token in document.tokens:
        assert token.text == document.text[token.start : token.end]
        assert token.tag
    for sentence, text in zip(document.sentences, sentence_texts(document), strict=True):
        assert PARAGRAPH_BREAK.search(text) is None
        assert sentence.dependencies is not None
        assert sentence.dependencies.heads.count(-1) == 1


def test_two_sentences(syntax: SpacySyntax) -> None:
    document = annotated(syntax, "Bob gave Tina the burger. She was hungry.")
    assert sentence_texts(document) == ["Bob gave Tina the burger.", "She was hungry."]
    assert " ".join(token.tag for token in document.tokens) == "NNP VBD NNP DT NN . PRP VBD JJ ."
    first, second = (sentence.dependencies for sentence in document.sentences)
    assert first == Dependencies((1, -1, 1, 4, 1, 1), ("nsubj", "root", "iobj", "det", "obj", "punct"))
    assert second == Dependencies((2, 2, -1, 2), ("nsubj", "cop", "root", "punct"))
    assert_sound(document)


@pytest.mark.parametrize(
    "sentences",
    [
        ["The mayor of St. Helens, Dr. Ann Lee, resigned.", "Nobody was surprised."],
        ["Sales rose 3.5% in the U.S. last year.", "Profits fell."],
        ['"Where are you going?" she asked.', "He did not answer."],
        ["What a day!", "It rained, and then it snowed.", "Who knew?"],
        ["He bought milk, eggs, etc. and went home.", "Then he slept."],
        ["The firm (founded in 1990) grew; its rivals shrank.", "That was luck."],
    ],
)
def test_ordinary_prose_is_cut_where_sentences_end(syntax: SpacySyntax, sentences: list[str]) -> None:
    assert sentence_texts(annotated(syntax, " ".join(sentences))) == sentences


@pytest.mark.parametrize("blank", ["\n\n", "\r\n\r\n", "\n \t \n"])
def test_a_blank_line_ends_a_sentence(syntax: SpacySyntax, blank: str) -> None:
    document = annotated(syntax, f"A short title{blank}the dog barks at the{blank}cat.")
    assert sentence_texts(document) == ["A short title", "the dog barks at the", "cat."]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\t", "\x00", "   "])
def test_a_line_end_is_a_space(syntax: SpacySyntax, line_end: str) -> None:
    plain = annotated(syntax, "The dog barks at the cat. The cat sleeps.")
    wrapped = annotated(syntax, f"The dog barks{line_end}at the cat.{line_end}The cat sleeps.")
    assert [(one.text, one.tag) for one in wrapped.tokens] == [(one.text, one.tag) for one in plain.tokens]
    assert wrapped.sentences == plain.sentences


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n\n \r\n\t",
        "\u200b\ufeff \u00ad",
        "?!?! -- ;;; ((([[[",
        "I 💚 it 👩‍👩‍👧‍👦👍🏽 🇫🇷!! e\u0301te\u0301 \u0301",
        "שלום עולם. مرحبا بالعالم.",
        "a\x00b \x00 c\x00\x00",
        "One.\r\nTwo.\r\n\r\nThree\r",
        "bad \udcff byte. \ud800",
        "\u200eso\u00adft \u202bmarks\u202c in\u2060side",
        "\u3042\u308a\u304c\u3068\u3046\u3002 \u4f60\u597d\u3002",
        "x" * 3000,
        "\u2028a\u2029b\x85c\x0bd\x0ce",
    ],
)
def test_odd_characters(syntax: SpacySyntax, text: str) -> None:
    document = annotated(syntax, text)
    assert_sound(document)
    assert bool(document.tokens) == any(character.isprintable() and character != " " for character in text)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text("aZ0.-'\u2019\"()[]/,:!?\t \n\r\x00\u200b\u00ad\u0301😀\u200d🇫א\ud800#&", max_size=12))
)
def test_any_text_is_sound(syntax: SpacySyntax, pieces: list[str]) -> None:
    assert_sound(annotated(syntax, " Ann sings ".join(pieces)))


def test_a_paragraph_of_many_pieces(syntax: SpacySyntax) -> None:
    document = annotated(syntax, "Ann sings. " * 6_000, layers=TOKENS)
    assert len(document.tokens) == 18_000
    assert len(document.sentences) == 6_000
    assert {len(sentence) for sentence in document.sentences} == {3}


def test_only_the_layers_asked_for_are_made(syntax: SpacySyntax) -> None:
    text = "Ann saw the dog. It slept."
    everything = annotated(syntax, text)
    tokens = annotated(syntax, text, layers=TOKENS)
    assert [token.text for token in tokens.tokens] == [token.text for token in everything.tokens]
    assert {token.tag for token in tokens.tokens} == {""}
    assert tokens.sentences == (Sentence(0, 5), Sentence(5, 8))
    tagged = annotated(syntax, text, layers=TOKENS | TAGS)
    assert tagged.tokens == everything.tokens
    assert tagged.sentences == tokens.sentences
    parsed = annotated(syntax, text, layers=TOKENS | DEPENDENCIES)
    assert parsed.tokens == tokens.tokens
    assert parsed.sentences == everything.sentences


def own_tokens() -> Document:
    """A document whose tokens and sentences nobody would make: brackets unescaped, odd cuts, a mention."""
    text = "Ann saw``that'' dog bark Bob did\n\nnot see. It slept"
    words = ["Ann", "saw", '"', "that", '"', "dog bark", "Bob", "did", "not", "see.", "It", "slept"]
    spans = [(0, 3), (4, 7), (7, 9), (9, 13), (13, 15), (16, 24), (25, 28), (29, 32), (34, 37), (38, 42)]
    spans += [(43, 45), (46, 51)]
    tokens = tuple(Token(word, start, end) for word, (start, end) in zip(words, spans, strict=True))
    sentences = (Sentence(0, 6), Sentence(6, 9), Sentence(9, 9), Sentence(9, 10), Sentence(10, 12))
    return Document("own", text, tokens, sentences, (Mention(0, 1, 0, "ann"),))


def test_tokens_and_sentences_of_a_document_stay(syntax: SpacySyntax) -> None:
    own = own_tokens()
    [tagged] = syntax.annotate([own], layers=TAGS)
    assert [replace(token, tag="") for token in tagged.tokens] == list(own.tokens)
    assert all(token.tag for token in tagged.tokens)
    assert replace(tagged, tokens=own.tokens) == own
    [parsed] = syntax.annotate([own], layers=DEPENDENCIES)
    assert parsed.tokens == own.tokens
    assert parsed.mentions == own.mentions
    assert [replace(sentence, dependencies=None) for sentence in parsed.sentences] == list(own.sentences)
    for sentence in parsed.sentences:
        if len(sentence):
            assert sentence.dependencies is not None
            assert sentence.dependencies.heads.count(-1) == 1


def test_documents_do_not_touch_each_other(syntax: SpacySyntax) -> None:
    texts = ["Ann saw the dog.", "", "It slept. The end", "Bob\n\nTina"]
    together = syntax.annotate([raw_document(text, document_id=text) for text in texts], layers=ALL)
    apart = [syntax.annotate([raw_document(text, document_id=text)], layers=ALL)[0] for text in texts]
    assert together == apart


def test_words_that_are_forgotten_make_no_difference(
    syntax: SpacySyntax, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"Ann saw the quizzlep{ending}. It slept by the vorbleng." for ending in "abcdefgh"]
    plain = [annotated(syntax, text) for text in texts]
    monkeypatch.setattr(annotator_module, "KEPT", 0)
    with ThreadPoolExecutor(4) as threads:  # one at a time has the vocabulary
        assert list(threads.map(lambda text: annotated(syntax, text), texts)) == plain
    annotated(syntax, "A grembolant sang.")
    assert "grembolant" not in syntax._pipeline.vocab.strings


def test_the_shipped_folder_holds_no_words() -> None:
    files = [file.relative_to(SHIPPED / "syntax") for file in (SHIPPED / "syntax").rglob("*")]
    names = {"senter", "tok2vec", "tagger", "parser", "cfg", "model", "moves", "config.cfg", ".disco2.json"}
    assert {file.name for file in files} == names


def document_of(text: str) -> Document:
    tokens: list[Token] = []
    place = 0
    for word in text.split():
        place = text.index(word, place)
        tokens.append(Token(word, place, place + len(word)))
        place += len(word)
    return Document("d", text, tuple(tokens), ())


def test_sentences_are_made_on_the_tokens_that_are_there() -> None:
    document = document_of("It rained. We went\r\nhome\n\nNobody came . Ann slept .")
    [found] = split_sentences([document])
    assert found.tokens == document.tokens
    assert [(one.start, one.end) for one in found.sentences] == [(0, 2), (2, 5), (5, 8), (8, 11)]
    [by_line] = split_sentences([document], line_ends=True)
    assert [(one.start, one.end) for one in by_line.sentences] == [(0, 2), (2, 4), (4, 5), (5, 8), (8, 11)]
    assert split_sentences([document_of("")])[0].sentences == ()
