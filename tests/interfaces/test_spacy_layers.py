"""Whose layers the component takes: those of the pipeline where it has some, else the built-in ones."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import spacy
from spacy.language import Language
from spacy.tokens import Doc

from disco2.annotation.annotator import Annotators
from disco2.annotation.english.annotators import shared_english
from disco2.data import Document
from disco2.errors import LayerError
from disco2.interfaces.spacy_component.pipe import Disco2Settings, read_documents
from tests.interfaces.spacy_stand_ins import benepar_extension, tagging_pipeline

TEXT = "Bob gave Tina the burger. She was hungry."


@pytest.fixture(scope="module")
def english() -> Annotators:
    return shared_english()


@pytest.fixture(scope="module")
def tagging() -> Language:
    return tagging_pipeline()


@pytest.fixture
def benepar() -> Iterator[None]:
    with benepar_extension():
        yield


def read(doc: Doc, english: Annotators, *, constituents: str = "auto") -> tuple[Document, str]:
    settings = Disco2Settings(paragraphs="blank", constituents=constituents, coref_prefix="coref_clusters")
    (found,) = read_documents([doc], settings, pipeline="theirs", english=english)
    return found.document, " + ".join(found.makers)


def test_tags_and_dependencies_are_the_pipelines_own(tagging: Language, english: Annotators) -> None:
    doc = tagging(TEXT)
    doc[1].tag_, doc[3].dep_, doc[3].head = "ODD", "oddity", doc[0]
    document, makers = read(doc, english)
    assert document.tokens[1].tag == "ODD"
    tree = document.sentences[0].dependencies
    assert tree is not None
    assert (tree.labels[3], tree.heads[3]) == ("oddity", 0)
    assert "English syntax" not in makers
    assert [name.split()[:3] for name in makers.split(" + ")] == [
        ["theirs"],
        ["disco2", "span", "parser"],
        ["disco2", "mention", "ranking"],
    ]


def test_whitespace_is_passed_over(english: Annotators) -> None:
    words = ["\n\n", "It", "rained", ".", " ", "\r\n", "We", "\u200b", "left", "."]
    spaces = [False, True, False, False, False, False, True, False, False, False]
    doc = Doc(spacy.blank("en").vocab, words=words, spaces=spaces)
    document, _ = read(doc, english)
    assert [token.text for token in document.tokens] == ["It", "rained", ".", "We", "left", "."]
    assert all(doc.text[token.start : token.end] == token.text for token in document.tokens)
    assert [(one.start, one.end) for one in document.sentences] == [(0, 3), (3, 6)]


@pytest.mark.usefixtures("benepar")
class TestBenepar:
    def test_its_trees_are_taken(self, tagging: Language, english: Annotators) -> None:
        doc = tagging(f"{TEXT} He ate (a lot).")
        doc.user_data["seen by benepar"] = True
        document, makers = read(doc, english)
        for sentence in document.sentences:
            assert sentence.constituents is not None
            assert sentence.constituents.labels == ("S", "ODD")
        assert "benepar" in makers
        assert "span parser" not in makers
        assert document.sentences[2].constituents.tags[2] == doc[12].tag_  # type: ignore[union-attr]

    def test_a_sentence_that_it_can_not_give_gets_a_built_in_tree(
        self, tagging: Language, english: Annotators
    ) -> None:
        doc = tagging("Bob gave Tina the burger. The bare trees stood there.")
        doc.user_data["seen by benepar"] = True
        document, makers = read(doc, english)
        trees = [sentence.constituents for sentence in document.sentences]
        assert trees[0] is not None
        assert trees[1] is not None
        assert "ODD" in trees[0].labels
        assert "VP" in trees[1].labels
        assert "benepar" in makers
        assert "span parser" in makers

    def test_benepar_alone_is_refused_where_it_has_seen_nothing(
        self, tagging: Language, english: Annotators
    ) -> None:
        with pytest.raises(LayerError, match="no constituents from benepar"):
            read(tagging(TEXT), english, constituents="benepar")
        assert read(tagging(""), english, constituents="benepar")[0].tokens == ()


def test_chains_come_from_span_groups(english: Annotators) -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("stand_in_coref")
    nlp.add_pipe("disco2")
    [relation] = nlp(f"\n {TEXT}")._.discourse_relations
    [entity] = relation.entities
    assert (entity.chain, str(entity)) == ("1", "burger ~ hungry")
    assert [span.text for span in entity.arg2] == ["hungry"]
    # Where the groups have another name, they are found under it; else the built-in chains are made.
    nlp.replace_pipe("stand_in_coref", "stand_in_coref", config={"prefix": "mine"})
    assert str(nlp(TEXT)._.discourse_relations[0].entities[0]) == "Tina ~ She"
    nlp.replace_pipe("disco2", "disco2", config={"coref_prefix": "mine"})
    assert str(nlp(TEXT)._.discourse_relations[0].entities[0]) == "burger ~ hungry"


def test_the_head_of_a_mention_comes_from_the_dependencies(english: Annotators) -> None:
    doc = spacy.blank("en")("\nThe old man of Rome slept. He snored.")
    doc.spans["coref_clusters_7"] = [doc[1:6], doc[8:9]]
    document, makers = read(doc, english)
    assert document.mentions is not None
    assert [(one.start, one.end, one.head, one.chain) for one in document.mentions] == [
        (0, 5, 2, "7"),
        (7, 8, 7, "7"),
    ]
    assert "span groups" in makers
    assert "mention ranking" not in makers
