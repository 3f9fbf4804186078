"""Documents made from layers, and layers added to documents."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from disco2.annotation.coreference import CoreferenceDocument
from disco2.annotation.layers import (
    document_as_written,
    document_from_trees,
    join_constituents,
    project_constituents,
    project_dependencies,
    with_constituents,
    with_dependencies,
    with_mentions,
)
from disco2.annotation.treebanks import parse_brackets, parse_conllu
from disco2.data import Constituents, Dependencies, Document, Mention, ReadIssues, Sentence
from disco2.errors import LayerError
from tests.documents import assert_valid, document_from_words
from tests.growth import LINEAR, growth
from tests.strategies import constituents

TREES = """
( (S (`` ``) (NP-SBJ (NNP Ann)) (VP (VBZ works) (PP (IN for) (NP (NNP Acme) (NNP Corp.)))) (. .) ('' '')) )
( (S (NP-SBJ (PRP She)) (VP (VBZ likes) (NP (PRP$ her) (JJ well-known) (NN boss))) (. .)) )
"""
TEXT = '.START \n\n"Ann works for Acme Corp."\nShe likes her well-known\nboss.\n'


def words(document: Document) -> list[list[str]]:
    return [document.words(range(sentence.start, sentence.end)) for sentence in document.sentences]


def kinds(issues: ReadIssues) -> list[str]:
    return [finding.kind for finding in issues.findings]


def from_trees(text: str = TEXT, trees: str = TREES) -> tuple[Document, ReadIssues]:
    issues = ReadIssues()
    return document_from_trees("d", text, parse_brackets(trees, where="t"), where="t", issues=issues), issues


def conllu(*sentences: list[tuple[str, int]]) -> str:
    return "\n\n".join(
        "\n".join(
            f"{i}\t{form}\t_\tX\t_\t_\t{head}\td{i}\t_\t_" for i, (form, head) in enumerate(sentence, start=1)
        )
        for sentence in sentences
    )


def test_a_document_from_trees_stands_on_its_raw_text() -> None:
    document, issues = from_trees()
    assert not issues.findings
    assert words(document) == [
        ['"', "Ann", "works", "for", "Acme", "Corp.", ".", '"'],
        ["She", "likes", "her", "well-known", "boss", "."],
    ]
    assert all(token.text == TEXT[token.start : token.end] for token in document.tokens)
    assert [token.tag for token in document.tokens][:3] == ["``", "NNP", "VBZ"]
    first, second = document.sentences
    assert first.constituents is not None
    assert second.constituents is not None
    assert first.constituents.labels == ("S", "NP", "VP", "PP", "NP")
    assert document.mentions is None


def test_text_without_a_tree_is_split_by_rule() -> None:
    document, issues = from_trees("By our staff. " + TEXT.removeprefix(".START \n\n") + "Copyright 1999.")
    assert kinds(issues) == ["text without a tree", "text without a tree"]
    assert words(document)[0] == ["By", "our", "staff", "."]
    assert words(document)[-1] == ["Copyright", "1999", "."]
    assert [sentence.constituents is None for sentence in document.sentences] == [True, False, False, True]
    assert all(token.text == document.text[token.start : token.end] for token in document.tokens)


def test_a_tree_that_does_not_fit_is_left_out() -> None:
    document, issues = from_trees(trees=TREES.replace("works", "sleeps"))
    assert kinds(issues) == ["tree does not fit its text", "text without a tree"]
    assert issues.findings[0].where == "t:2"
    assert "sleeps" in issues.findings[0].detail
    assert [sentence.constituents is None for sentence in document.sentences] == [True, False]
    assert "".join(token.text for token in document.tokens) == "".join(TEXT.removeprefix(".START").split())
    document, issues = from_trees(
        "The end. Rain falls.", "(S (X The) (X start)) (S (X The) (X end) (X .)) (S (X Rain) (X rises) (X .))"
    )
    assert kinds(issues) == ["tree does not fit its text"] * 2 + ["text without a tree"]
    assert words(document) == [["The", "end", "."], ["Rain", "falls", "."]]
    assert [sentence.constituents is None for sentence in document.sentences] == [False, True]


def test_trees_of_another_text_are_refused() -> None:
    with pytest.raises(LayerError, match="No tree fits") as caught:
        from_trees("Rain falls.")
    assert caught.value.where == "t"


def test_trees_on_the_same_tokens_are_taken_as_they_are() -> None:
    trees = parse_brackets("(S (NN Rain) (VBZ falls)) (NP (NN Snow))", where="t")
    document = document_from_words("d", [["Rain", "falls"], ["Snow"]], tags=[["XX", ""], [""]])
    issues = ReadIssues()
    result = with_constituents(document, trees, where="t", issues=issues)
    assert [sentence.constituents for sentence in result.sentences] == [tree.constituents for tree in trees]
    assert [token.tag for token in result.tokens] == ["XX", "VBZ", "NN"]
    assert not issues.findings


def test_trees_on_other_tokens_are_mapped_by_characters() -> None:
    trees = parse_brackets("(S (NP (JJ well-known) (NNS goats)) (VP (VBP ca) (RB n't)) (. .))", where="t")
    document = document_from_words("d", [["well", "-", "known", "goats", "can't"]])
    issues = ReadIssues()
    (sentence,) = with_constituents(document, trees, where="t", issues=issues).sentences
    tree = sentence.constituents
    assert tree is not None
    assert tree.labels == ("S", "NP", "VP")
    assert list(zip(tree.starts, tree.ends, strict=True)) == [(0, 5), (0, 4), (4, 5)]
    assert tree.tags == ("JJ", "JJ", "JJ", "NNS", "VBP")
    assert not issues.findings


def test_a_sentence_whose_trees_do_not_fit_keeps_none() -> None:
    long = ["Seven", "quiet", "goats", "sleep", "here"]
    document = document_from_words("d", [long, ["Rain", "falls", "every", "day"], ["Snow", "melts"]])
    trees = parse_brackets(
        f"(S {' '.join(f'(X {word})' for word in long)}) (S (X Hail) (X stops)) (S (X Snow) (X melts))",
        where="t",
    )
    issues = ReadIssues()
    result = with_constituents(document, trees, where="t", issues=issues)
    assert [sentence.constituents is not None for sentence in result.sentences] == [True, False, True]
    assert kinds(issues) == ["sentence without tree"]
    assert "Rain falls" in issues.findings[0].detail


@pytest.mark.parametrize(
    "trees",
    [
        "(S (X Rain) (X falls) (X Snow) (X melts))",
        "(S (X Rain)) (S (X falls)) (S (X Snow)) (S (X melts))",
    ],
)
def test_trees_over_other_sentences_fit_none(trees: str) -> None:
    document = document_from_words("d", [["Rain", "falls"], ["Snow", "melts"]])
    issues = ReadIssues()
    result = with_constituents(document, parse_brackets(trees, where="t"), where="t", issues=issues)
    assert [sentence.constituents for sentence in result.sentences] == [None, None]
    assert kinds(issues) == ["sentence without tree"] * 2


def test_sentences_that_come_twice_have_their_own_trees() -> None:
    document = document_from_words("d", [["Go", "!"], ["..."], ["Go", "!"]])
    trees = parse_brackets("(S (VB Go) (. !)) (FRAG (: ...)) (SINV (VB Go) (. !))", where="t")
    result = with_constituents(document, trees, where="t", issues=ReadIssues())
    assert [one.constituents.labels for one in result.sentences if one.constituents] == [
        ("S",),
        ("FRAG",),
        ("SINV",),
    ]


def test_dependencies_on_the_same_and_on_other_tokens() -> None:
    document, _ = from_trees()
    text = conllu(
        [('"', 3), ("Ann", 3), ("works", 0), ("for", 6), ("Acme", 6), ("Corp.", 3), ('"', 3)],
        [("She", 2), ("likes", 0), ("her", 7), ("well", 6), ("-", 6), ("known", 7), ("boss", 2), (".", 2)],
    )
    issues = ReadIssues()
    result = with_dependencies(document, parse_conllu(text, where="c"), where="c", issues=issues)
    first, second = (sentence.dependencies for sentence in result.sentences)
    assert first is not None
    assert second is not None
    # The full stop behind "Corp." is the treebank's own and hangs on the abbreviation.
    assert first.heads == (2, 2, -1, 5, 5, 2, 5, 2)
    assert first.labels[6] == "punct"
    assert second == Dependencies((1, -1, 4, 4, 1, 1), ("d1", "d2", "d3", "d6", "d7", "d8"))
    assert not issues.findings
    assert result.sentences[0].constituents == document.sentences[0].constituents


def test_sentences_without_heads_are_reported() -> None:
    document = document_from_words("d", [["Rain", "falls"]])
    issues = ReadIssues()
    parses = parse_conllu(
        conllu([("Rain", 2), ("falls", 0)]).replace("\t2\t", "\t_\t").replace("\t0\t", "\t_\t"), where="c"
    )
    assert with_dependencies(document, parses, where="c", issues=issues) == document
    assert kinds(issues) == ["sentence without dependencies"]


def test_mentions_are_attached_by_characters_with_their_heads() -> None:
    document, _ = from_trees()
    spoken = "`` Ann works for Acme Corp. '' She likes her well - known boss ."
    coreference = CoreferenceDocument(
        "x",
        tuple(spoken.split()),
        ((1, 2, "1"), (7, 8, "1"), (9, 10, "1"), (9, 14, "2"), (4, 6, "3"), (12, 13, "4"), (12, 13, "4")),
    )
    issues = ReadIssues()
    result = with_mentions(document, coreference, where="c", issues=issues)
    assert result.mentions == (
        Mention(1, 2, 1, "1"),
        Mention(4, 6, 5, "3"),
        Mention(8, 9, 8, "1"),
        Mention(10, 13, 12, "2"),
        Mention(10, 11, 10, "1"),
        Mention(11, 12, 11, "4"),
    )
    assert not issues.findings


def test_mentions_take_their_heads_from_dependencies_first() -> None:
    document = document_from_words("d", [["the", "man", "who", "sang"]])
    coreference = CoreferenceDocument("x", ("the", "man", "who", "sang"), ((0, 4, "1"),))
    parses = parse_conllu(conllu([("the", 2), ("man", 0), ("who", 4), ("sang", 2)]), where="c")
    parsed = with_dependencies(document, parses, where="c", issues=ReadIssues())
    for one, head in ((document, 3), (parsed, 1)):
        found = with_mentions(one, coreference, where="c", issues=ReadIssues())
        assert found.mentions == (Mention(0, 4, head, "1"),)


def test_a_mention_with_other_words_is_left_out() -> None:
    document = document_from_words("d", [["Rain", "falls", "on", "the", "quiet", "hills", "today"]])
    coreference = CoreferenceDocument(
        "x", ("Hail", "falls", "on", "the", "quiet", "hills", "today"), ((0, 1, "1"), (3, 6, "2"))
    )
    issues = ReadIssues()
    assert with_mentions(document, coreference, where="c", issues=issues).mentions == (Mention(3, 6, 5, "2"),)
    assert kinds(issues) == ["mention does not fit"]
    assert "Hail" in issues.findings[0].detail


def test_mentions_inside_each_other_take_linear_time() -> None:
    def attach(units: int) -> None:
        words = ("Rain",) * (2 * units)
        spans = tuple((start, 2 * units - start, "1") for start in range(units))
        document = document_from_words("d", [[*words, "falls"]])
        found = with_mentions(
            document, CoreferenceDocument("x", words, spans), where="c", issues=ReadIssues()
        )
        assert found.mentions is not None
        assert len(found.mentions) == units

    assert growth(attach, 500) < LINEAR


def test_a_phrase_that_keeps_no_token_is_gone_with_those_below_it() -> None:
    [tree] = parse_brackets("(S (NP (NN a)) (VP (VP (VB b)) (NP (NN c))))", where="made-up")
    projected = project_constituents(tree.constituents, [0, 2])
    assert projected == Constituents(
        ("S", "NP", "VP", "NP"), (0, 0, 1, 1), (2, 1, 2, 2), (-1, 0, 0, 2), ("NN", "NN")
    )


@given(st.lists(constituents(), min_size=1, max_size=3), st.data())
def test_projected_phrases_stay_nested(trees: list[Constituents], data: st.DataObject) -> None:
    joined = join_constituents(trees)
    words = len(joined.tags)
    owners = sorted(data.draw(st.lists(st.integers(0, words - 1), min_size=1, max_size=2 * words)))
    document = document_from_words("d", [["w"] * len(owners)])
    tree = project_constituents(joined, owners)
    assert_valid(replace(document, sentences=(Sentence(0, len(owners), tree),)))


@pytest.mark.parametrize(
    ("heads", "ranges", "expected", "labels"),
    [
        # The pieces of a word hang on the last of them.
        ("1 2 -1", [(0, 1), (0, 1), (0, 1), (1, 2), (2, 3)], (2, 2, 3, 4, -1), "flat flat d0 d1 d2"),
        # Words that make one token give it the head of the highest.
        ("2 0 3 -1", [(0, 3), (3, 4)], (1, -1), "d2 d3"),
        # Punctuation that the parse lacks hangs on its word.
        ("1 -1", [(0, 1), (0, 0), (1, 2)], (2, 0, -1), "d0 punct d1"),
        # A head that no token has is passed over.
        ("1 2 -1", [(0, 1), (2, 3)], (1, -1), "d0 d2"),
    ],
)
def test_dependencies_over_other_tokens(
    heads: str, ranges: list[tuple[int, int]], expected: tuple[int, ...], labels: str
) -> None:
    numbers = tuple(map(int, heads.split()))
    parse = Dependencies(numbers, tuple(f"d{word}" for word in range(len(numbers))))
    assert project_dependencies(parse, ranges) == Dependencies(expected, tuple(labels.split()))


@st.composite
def dependency_trees(draw: st.DrawFn) -> Dependencies:
    """One root; every other word hangs on a word that was attached before it, in any order of the words."""
    order = draw(st.permutations(range(draw(st.integers(1, 8)))))
    heads = [-1] * len(order)
    for place, word in enumerate(order[1:], start=1):
        heads[word] = order[draw(st.integers(0, place - 1))]
    return Dependencies(tuple(heads), tuple("root" if head < 0 else "dep" for head in heads))


@given(dependency_trees(), st.data())
def test_projected_dependencies_are_a_tree(parse: Dependencies, data: st.DataObject) -> None:
    """Words and tokens are cuts of one line of characters, three for each word."""
    length = 3 * len(parse.heads)
    cuts = [0, *sorted(data.draw(st.sets(st.integers(1, length - 1)))), length]
    ranges = [(start // 3, (end - 1) // 3 + 1) for start, end in pairwise(cuts)]
    projected = project_dependencies(parse, ranges)
    assert projected.heads.count(-1) == 1
    document = document_from_words("d", [["w"] * len(ranges)])
    assert_valid(replace(document, sentences=(Sentence(0, len(ranges), dependencies=projected),)))


WRITTEN = [  # whether a paragraph opens; words, with a + where no space follows
    (True, "Do+ n't go+ ."),
    (False, "It rained+ !"),
    (True, "We left+ ."),
]
SPACES = ("_", "SpaceAfter=No")
LAYER = "\n\n".join(
    "\n".join(
        ["# newpar"] * opens
        + [
            f"{number}\t{word.rstrip('+')}\t_\tX\tX\t_\t{number - 1}\tdep\t_\t{SPACES[word[-1] == '+']}"
            for number, word in enumerate(sentence.split(), 1)
        ]
    )
    for opens, sentence in WRITTEN
)


def test_tokens_lie_on_the_text_as_written() -> None:
    parses = parse_conllu(LAYER, where="made up")
    words, tags = [parse.words for parse in parses], [parse.tags for parse in parses]
    spaced = document_from_words("d", words, tags=tags)
    written = document_as_written("d", parses)
    assert written.text == "Don't go. It rained!\n\nWe left."
    assert written.words(range(10)) == [written.text[one.start : one.end] for one in written.tokens]
    assert written.words(range(10)) == spaced.words(range(10))
    assert [token.tag for token in written.tokens] == [token.tag for token in spaced.tokens]
    assert written.sentences == spaced.sentences
    other = ["Do", "n\u2019t", "go", ".", "It", "rained", "!", "We", "left", "\u2026"]
    written = document_as_written("d", parses, words=other)
    assert written.text == "Don\u2019t go. It rained!\n\nWe left\u2026"
    assert written.words(range(10)) == other
