"""Stanza documents, and Stanza as an annotator."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("stanza")
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path

import stanza
from stanza.models.common.doc import Document as StanzaDocument
from stanza.models.constituency.parse_tree import Tree
from stanza.models.constituency.tree_reader import read_trees
from stanza.models.coref.coref_chain import CorefChain, CorefMention

from disco2.annotation import stanza_pipeline
from disco2.annotation.annotator import ALL_LAYERS, Layer, raw_document
from disco2.annotation.stanza_pipeline import (
    StanzaPipeline,
    document_from_stanza,
    to_stanza,
    with_stanza_layers,
)
from disco2.data import Dependencies, Document, Mention, Sentence, Token
from disco2.errors import LayerError, MissingExtraError, SettingsError
from tests.documents import document_from_words

# word, tag, head, label
PARSE = """
Ann NNP 8 nsubj; ( -LRB- 4 punct; a DT 4 det; vet NN 1 appos; ) -RRB- 4 punct; did VBD 8 aux; n't RB 8 advmod;
see VB 0 root; Bob NNP 8 obj; . . 8 punct;
She PRP 4 nsubj; will MD 4 aux; not RB 4 advmod; tell VB 0 root; him PRP 4 obj; . . 4 punct
"""
ROWS = [row.split() for row in PARSE.split(";")]
TEXT = "Ann (a vet) didn't\n see Bob.\n\nShe won't  tell him."


def entry(number: int, text: str, start: int, end: int) -> dict[str, Any]:
    return {"id": number, "text": text, "start_char": start, "end_char": end}


def tokenised() -> StanzaDocument:
    """As the processors tokenize and mwt leave it."""
    document = StanzaDocument(
        [
            [
                entry(1, "Ann", 0, 3),
                entry(2, "(", 4, 5),
                entry(3, "a", 5, 6),
                entry(4, "vet", 7, 10),
                entry(5, ")", 10, 11),
                entry(6, "didn't", 12, 18) | {"misc": "MWT=Yes"},
                entry(7, "see", 20, 23),
                entry(8, "Bob", 24, 27),
                entry(9, ".", 27, 28),
            ],
            [
                entry(1, "She", 30, 33),
                entry(2, "won't", 34, 39) | {"misc": "MWT=Yes"},
                entry(3, "tell", 41, 45),
                entry(4, "him", 46, 49),
                entry(5, ".", 49, 50),
            ],
        ],
        text=TEXT,
    )
    document.set_mwt_expansions(["did n't", "will not"], process_manual_expanded=False)
    return document


def annotated() -> StanzaDocument:
    """As the processors pos, depparse, constituency and coref go on."""
    document = tokenised()
    _, tags, heads, labels = zip(*ROWS, strict=True)
    document.set("xpos", list(tags))
    document.set(("head", "deprel"), [(int(head), label) for head, label in zip(heads, labels, strict=True)])
    for sentence in document.sentences:
        sentence.build_dependencies()
    trees = read_trees(
        "(ROOT (S (NP (NP (NNP Ann)) (PRN (-LRB- -LRB-) (NP (DT a) (NN vet)) (-RRB- -RRB-))) (VP (VBD did) "
        "(RB n't) (VP (VB see) (NP (NNP Bob)))) (. .)))"
        "(ROOT (S (NP (PRP She)) (VP (MD will) (RB not) (VP (VB tell) (NP (PRP him)))) (. .)))"
    )
    document.set("constituency", trees, to_sentence=True)
    document.coref = [
        CorefChain(0, [CorefMention(0, 0, 5), CorefMention(1, 0, 1)], "Ann (a vet)", 0),
        CorefChain(1, [CorefMention(0, 8, 9), CorefMention(1, 4, 5)], "Bob", 0),
    ]
    return document


def test_words_are_tokens_with_places_in_the_text() -> None:
    document = document_from_stanza(tokenised(), raw_document(TEXT), layers=frozenset({Layer.TOKENS}))
    assert [token.text for token in document.tokens] == [row[0] for row in ROWS]
    own = [token for token in document.tokens if token.text not in ("will", "not")]
    assert all(TEXT[token.start : token.end] == token.text for token in own)
    assert [(sentence.start, sentence.end) for sentence in document.sentences] == [(0, 10), (10, 16)]
    assert document.mentions is None
    assert {token.tag for token in document.tokens} == {""}
    assert {sentence.constituents for sentence in document.sentences} == {None}


def test_more_words_than_characters_still_have_a_place_each() -> None:
    stanza_document = StanzaDocument([[entry(1, "x", 0, 1) | {"misc": "MWT=Yes"}]], text="x")
    stanza_document.set_mwt_expansions(["a b c"], process_manual_expanded=False)
    document = document_from_stanza(stanza_document, raw_document("x"), layers=frozenset({Layer.TOKENS}))
    assert document.tokens == (Token("a", 0, 1), Token("b", 0, 1), Token("c", 0, 1))


def test_all_layers() -> None:
    document = document_from_stanza(annotated(), raw_document(TEXT))
    assert [token.tag for token in document.tokens[:6]] == ["NNP", "-LRB-", "DT", "NN", "-RRB-", "VBD"]
    first, second = document.sentences
    assert second.dependencies == Dependencies(
        (3, 3, 3, -1, 3, 3), ("nsubj", "aux", "advmod", "root", "obj", "punct")
    )
    assert first.dependencies is not None
    assert first.dependencies.heads == (7, 3, 3, 0, 3, 7, 7, -1, 7, 7)
    assert first.constituents is not None
    tree = first.constituents
    assert tree.labels == ("S", "NP", "NP", "PRN", "NP", "VP", "VP", "NP")
    assert (tree.starts, tree.ends) == ((0, 0, 0, 1, 2, 5, 7, 8), (10, 5, 1, 5, 4, 9, 9, 9))
    assert first.constituents.parents == (-1, 0, 1, 1, 3, 0, 5, 6)
    assert document.mentions == (
        Mention(0, 5, 0, "0"),
        Mention(8, 9, 8, "1"),
        Mention(10, 11, 10, "0"),
        Mention(14, 15, 14, "1"),
    )


def test_a_word_with_a_space_inside_keeps_its_tree() -> None:
    text = "10 000 saw"
    stanza_document = StanzaDocument([[entry(1, "10 000", 0, 6), entry(2, "saw", 7, 10)]], text=text)
    leaves = [Tree("CD", Tree("10 000")), Tree("VBD", Tree("saw"))]
    stanza_document.sentences[0].constituency = Tree("ROOT", Tree("S", leaves))
    document = document_from_stanza(stanza_document, raw_document(text))
    tree = document.sentences[0].constituents
    assert tree is not None
    assert (tree.labels, tree.tags) == (("S",), ("CD", "VBD"))
    assert document.words([0, 1]) == ["10 000", "saw"]


def test_a_tree_over_other_words_is_an_error() -> None:
    stanza_document = tokenised()
    stanza_document.sentences[0].constituency = read_trees("(ROOT (S (VB Go)))")[0]
    with pytest.raises(LayerError, match="not one over the words"):
        document_from_stanza(stanza_document, raw_document(TEXT))


def test_dropped_pronouns_have_no_mention() -> None:
    stanza_document = tokenised()
    sentence = stanza_document.sentences[1]
    sentence.empty_words = [type(sentence.words[0])(sentence, {"text": "_", "id": (1, 1)})]
    mentions = [CorefMention(0, 0, 1), CorefMention(1, (1, 1), (1, 1))]
    stanza_document.coref = [CorefChain(0, mentions, "Ann", 0)]
    document = document_from_stanza(stanza_document, raw_document(TEXT))
    assert document.mentions == (Mention(0, 1, 0, "0"),)


def test_there_is_one_root() -> None:
    stanza_document = StanzaDocument([[entry(1, "Go", 0, 2), entry(2, "on", 3, 5)]], text="Go on")
    stanza_document.set(("head", "deprel"), [(0, "root"), (0, "root")])
    document = document_from_stanza(stanza_document, raw_document("Go on"))
    assert document.sentences[0].dependencies == Dependencies((-1, 0), ("root", "parataxis"))


def test_a_token_without_a_place_is_an_error() -> None:
    stanza_document = StanzaDocument([[{"id": 1, "text": "Go"}]])
    with pytest.raises(LayerError, match="'Go' has no place"):
        document_from_stanza(stanza_document, raw_document("Go"))
    with pytest.raises(LayerError, match="'him' has no place"):
        document_from_stanza(tokenised(), raw_document(TEXT[:47]))


def test_a_documents_own_tokens_stay() -> None:
    words = [["It", "did", "n't"], ["rain", "."]]
    own = document_from_words("d", words, "It didn't  rain.", [["a", "b", "c"], ["d", "e"]])
    own = Document(own.id, own.text, own.tokens, (own.sentences[0], Sentence(3, 3), own.sentences[1]))
    stanza_document = to_stanza(own)
    assert [[word.text for word in sentence.words] for sentence in stanza_document.sentences] == words
    assert [sentence.text for sentence in stanza_document.sentences] == ["It didn't", "rain."]
    stanza_document.set("xpos", ["PRP", "VBD", "RB", "VB", "."])
    stanza_document.set(("head", "deprel"), [(2, "x"), (0, "root"), (2, "y"), (0, "root"), (1, "z")])
    stanza_document.coref = [CorefChain(0, [CorefMention(0, 0, 1), CorefMention(1, 0, 2)], "It", 0)]

    parsed = with_stanza_layers(
        stanza_document, own, layers=frozenset({Layer.DEPENDENCIES, Layer.COREFERENCE})
    )
    assert parsed.tokens == own.tokens
    assert parsed.sentences[2].dependencies == Dependencies((-1, 0), ("root", "z"))
    assert parsed.mentions == (Mention(0, 1, 0, "0"), Mention(3, 5, 3, "0"))
    tagged = with_stanza_layers(stanza_document, own, layers=frozenset({Layer.TAGS}))
    assert [token.tag for token in tagged.tokens] == ["PRP", "VBD", "RB", "VB", "."]
    assert tagged.sentences == own.sentences


PROCESSORS = ("tokenize", "mwt", "pos", "lemma", "depparse", "constituency", "coref")


class LookAlikePipeline:
    """Answers as a Stanza pipeline does, with one word a sentence for a text, and remembers what it ran."""

    def __init__(self, processors: Sequence[str] = PROCESSORS) -> None:
        self.processors = dict.fromkeys(processors)
        self.ran: list[tuple[str, list[str]]] = []

    def process(self, given: Any, processors: list[str]) -> StanzaDocument:
        self.ran.append((type(given).__name__, processors))
        if isinstance(given, str):
            word = {"id": 1, "text": given.strip(), "start_char": given.index(given.strip())}
            word["end_char"] = word["start_char"] + len(given.strip())
            given = StanzaDocument([[word]], text=given)
        if "pos" in processors:
            given.set("xpos", ["UH"] * given.num_words)
        if "depparse" in processors:
            given.set(("head", "deprel"), [(0, "root")] * given.num_words)
        return given


def test_it_provides_what_its_processors_make() -> None:
    assert StanzaPipeline(LookAlikePipeline()).requires.keys() == ALL_LAYERS
    assert StanzaPipeline(LookAlikePipeline(["tokenize", "pos", "lemma", "depparse"])).requires == {
        Layer.TOKENS: frozenset(),
        Layer.TAGS: frozenset({Layer.TOKENS}),
        Layer.DEPENDENCIES: frozenset({Layer.TOKENS}),
    }
    assert StanzaPipeline(LookAlikePipeline()).name == f"Stanza {stanza.__version__} (en)"


def test_a_text_goes_through_all_processors() -> None:
    pipeline = LookAlikePipeline()
    found, empty = StanzaPipeline(pipeline).annotate(
        [raw_document(" Wow "), raw_document("\n \n")], layers=ALL_LAYERS
    )
    assert pipeline.ran == [("str", ["tokenize", "mwt", "pos", "lemma", "constituency", "depparse", "coref"])]
    assert (found.tokens[0].text, found.tokens[0].start, found.tokens[0].tag) == ("Wow", 1, "UH")
    assert (empty.tokens, empty.sentences, empty.mentions) == ((), (), ())


def test_own_tokens_are_not_cut_again() -> None:
    pipeline = LookAlikePipeline()
    document = document_from_words("d", [["Well", "well"]], tags=[["A", "B"]])
    layers = frozenset({Layer.DEPENDENCIES})
    found, empty = StanzaPipeline(pipeline).annotate([document, raw_document("")], layers=layers)
    assert pipeline.ran == [("Document", ["pos", "lemma", "depparse"])]
    assert found.tokens == document.tokens
    assert found.sentences[0].dependencies is not None
    assert empty == raw_document("")


def test_only_the_models_of_the_layers_asked_for_are_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, absent="peft")
    monkeypatch.setattr(
        stanza, "Pipeline", lambda _, processors, **options: LookAlikePipeline(processors.split(","))
    )
    found = StanzaPipeline.load(layers=frozenset({Layer.CONSTITUENTS}))
    assert found.requires.keys() == {Layer.TOKENS, Layer.TAGS, Layer.CONSTITUENTS}


def test_a_failure_names_the_document() -> None:
    pipeline = LookAlikePipeline()
    pipeline.process = lambda given, processors: 1 / 0  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(LayerError, match="letter: Stanza failed: division by zero"):
        StanzaPipeline(pipeline).annotate(
            [raw_document("Go.", document_id="letter")], layers=frozenset({Layer.TOKENS})
        )


def installed(monkeypatch: pytest.MonkeyPatch, *, absent: str = "") -> None:
    """Let the annotator see all packages but one, whatever is installed."""
    monkeypatch.setattr(stanza_pipeline, "find_spec", lambda name: None if name == absent else name)


@pytest.mark.parametrize("package", ["stanza", "transformers", "peft"])
def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    installed(monkeypatch, absent=package)
    with pytest.raises(MissingExtraError, match=rf"'{package}'.*disco2\[stanza\]"):
        StanzaPipeline.load()


def test_missing_models_are_not_fetched_unasked(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    installed(monkeypatch)
    with pytest.raises(SettingsError, match=r"Resources file not found.*--stanza-download.*stanza\.download"):
        StanzaPipeline.load(folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(importlib.util.find_spec("spacy") is None, reason="needs spaCy")
def test_a_real_pipeline_with_the_one_processor_that_needs_no_model(tmp_path: Path) -> None:
    """Stanza can tokenise with spaCy's rules: its own Pipeline and processor, from text to our tokens."""
    resources = {"en": {"lang_name": "English", "tokenize": {}, "packages": {"default": {}}}}
    (tmp_path / "resources.json").write_text(json.dumps(resources))
    pipeline = stanza.Pipeline(
        "en",
        dir=str(tmp_path),
        processors={"tokenize": "spacy"},
        package=None,
        download_method=None,
        verbose=False,
    )
    annotator = StanzaPipeline(pipeline)
    assert annotator.requires == {Layer.TOKENS: frozenset()}
    text = "Ann isn't in. She left."
    document = annotator.annotate([raw_document(text)], layers=frozenset({Layer.TOKENS}))[0]
    assert [document.words(range(s.start, s.end)) for s in document.sentences] == [
        ["Ann", "is", "n't", "in", "."],
        ["She", "left", "."],
    ]
    assert all(text[token.start : token.end] == token.text for token in document.tokens)
