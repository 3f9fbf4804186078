"""Penn Treebank brackets: read quickly and with care, the same trees or the same fault."""

from __future__ import annotations

import pytest
from hypothesis import given

from disco2.annotation.treebanks import (
    BracketedSentence,
    _plain_trees,
    bare_label,
    parse_brackets,
)
from disco2.data import Constituents
from disco2.errors import LayerError
from tests.strategies import constituents


def one(text: str) -> BracketedSentence:
    (sentence,) = parse_brackets(text, where="made-up.mrg")
    return sentence


def phrases(tree: Constituents) -> list[tuple[str, int, int, int]]:
    return list(zip(tree.labels, tree.starts, tree.ends, tree.parents, strict=True))


def test_phrases_come_in_pre_order_with_bare_labels() -> None:
    sentence = one("(ROOT (S (NP-SBJ=1 (DT The) (NN goat)) (VP (VBZ sings)) (. .)))")
    assert sentence.words == ("The", "goat", "sings", ".")
    assert sentence.constituents.tags == ("DT", "NN", "VBZ", ".")
    assert phrases(sentence.constituents) == [("S", 0, 4, -1), ("NP", 0, 2, 0), ("VP", 2, 3, 0)]


def test_traces_and_the_phrases_they_leave_empty_are_gone() -> None:
    sentence = one("( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .)) )")
    assert sentence.words == ("Go", ".")
    assert phrases(sentence.constituents) == [("S", 0, 2, -1), ("VP", 0, 1, 0)]


def test_a_phrase_that_follows_an_empty_one_keeps_its_parent() -> None:
    sentence = one("(S (NP (NP (-NONE- *)) (NP (NN tea))) (VP (VBZ cools)))")
    assert phrases(sentence.constituents) == [
        ("S", 0, 2, -1),
        ("NP", 0, 1, 0),
        ("NP", 0, 1, 1),
        ("VP", 1, 2, 0),
    ]


@pytest.mark.parametrize("wrapper", ["", "ROOT", "TOP", "S1"])
def test_a_wrapper_above_one_phrase_is_left_out(wrapper: str) -> None:
    assert phrases(one(f"({wrapper} (NP (NN Rain)))").constituents) == [("NP", 0, 1, -1)]
    assert phrases(one(f"({wrapper} (ROOT (NP (NN Rain))))").constituents) == [("NP", 0, 1, -1)]


@pytest.mark.parametrize("wrapper", ["", "ROOT", "TOP"])
def test_a_wrapper_above_several_things_is_a_root(wrapper: str) -> None:
    sentence = one(f"({wrapper} (NP (NN Rain)) (. !))")
    assert phrases(sentence.constituents) == [("ROOT", 0, 2, -1), ("NP", 0, 1, 0)]


def test_a_single_word_has_a_root() -> None:
    for text in ("(UH Oh)", "((UH Oh))", "(ROOT (UH Oh))"):
        assert phrases(one(text).constituents) == [("ROOT", 0, 1, -1)]


def test_unary_chains_are_kept_the_outer_one_first() -> None:
    assert phrases(one("(S (VP (VP (VB Run))))").constituents) == [
        ("S", 0, 1, -1),
        ("VP", 0, 1, 0),
        ("VP", 0, 1, 1),
    ]


def test_words_are_unescaped_and_quotes_stay() -> None:
    sentence = one(r"(X (-LRB- -LRB-) (CD 1\/2) (SYM \*\*) (`` ``) ('' '') (-RRB- -RRB-) (NN a-LSB-b-RSB-))")
    assert sentence.words == ("(", "1/2", "**", "``", "''", ")", "a[b]")
    assert sentence.constituents.tags[0] == "-LRB-"


@pytest.mark.parametrize(
    ("label", "bare"),
    [
        ("NP-SBJ=1", "NP"),
        ("ADVP|PRT", "ADVP"),
        ("NP=2", "NP"),
        ("-LRB-", "-LRB-"),
        ("-NONE-", "-NONE-"),
        ("PRP$", "PRP$"),
        ("=", "="),
        ("", ""),
    ],
)
def test_bare_labels(label: str, bare: str) -> None:
    assert bare_label(label) == bare


def test_several_trees_with_their_lines() -> None:
    text = "\ufeff( (S\r\n   (NN Rain)\r\n   (VBZ falls)))\r\n\r\n(S (NN Snow) (VBZ melts))\n(NP (NN Ice))"
    sentences = parse_brackets(text, where="made-up.mrg")
    assert [sentence.words for sentence in sentences] == [("Rain", "falls"), ("Snow", "melts"), ("Ice",)]
    assert [sentence.line for sentence in sentences] == [1, 5, 6]


def test_a_no_break_space_is_part_of_its_word() -> None:
    assert one("(NP (CD 2\u00a0000) (NNS bees))").words == ("2\u00a0000", "bees")


def test_nothing_gives_nothing() -> None:
    assert parse_brackets(" \n\n", where="made-up.mrg") == []
    assert parse_brackets("( (NP (-NONE- *)) )", where="made-up.mrg") == []


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("(S (NN Rain)\n(VBZ falls)", 1, "never closed"),
        ("(S (NN Rain))\n\n(S (NN Snow)", 3, "never closed"),
        ("(S (NN Rain)))", 1, "never opened"),
        ("(S (NN Rain))\nand more", 2, "outside all brackets"),
        ("(S (NN Rain)\n falls)", 2, "without a tag"),
        ("(S (NN Rain))\n()", 2, "no words"),
        ("(())", 1, "no words"),
        ("(S\n(NP two words here))", 2, "without a tag"),
    ],
)
def test_faults_are_named_with_their_line(text: str, line: int, what: str) -> None:
    with pytest.raises(LayerError, match=what) as caught:
        parse_brackets(text, where="made-up.mrg")
    assert caught.value.where == f"made-up.mrg:{line}"


@given(constituents())
def test_a_tree_that_is_written_down_is_read_back(tree: Constituents) -> None:
    pieces: list[str] = []
    for token in range(len(tree.tags)):
        pieces.extend(f"({tree.labels[node]}-X " for node, start in enumerate(tree.starts) if start == token)
        pieces.append(f"(NN w{token})")
        pieces.extend(")" for end in tree.ends if end == token + 1)
    assert one(" ".join(pieces)).constituents == tree


PIECES = ["(", "(", ")", ")", "(NP", "(S-TPC\n", "(NN dog)", "(NN\tdog ) )", "(-LRB- -LRB-)", "( ", " ", "\n"]
ODD_PIECES = [
    "(-NONE- *T*)",
    "dog",
    "(NP)",
    "(NN do)g)",
    "(NN a dog)",
    "(NN do\xa0g)",
    "(NN\u2003dog)",
    "\x1c",
]
SOUND = """
(ROOT
  (S (NP-SBJ (DT The) (NN goat))
     (VP (VBD slept))) )

( (NP (NN Rain) (. .)
) )
((X (Y z)))"""


def test_sound_files_are_read_quickly() -> None:
    trees = _plain_trees(SOUND)
    assert trees is not None
    assert [(tree.words, line) for tree, line in trees] == [
        (["The", "goat", "slept"], 2),
        (["Rain", "."], 6),
        (["z"], 8),
    ]
