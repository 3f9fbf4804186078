"""Readers of treebank files: CoNLL-U and Penn Treebank brackets."""

from __future__ import annotations

import pytest
from hypothesis import given

from disco2.annotation.treebanks import BracketedSentence, bare_label, parse_brackets, parse_conllu
from disco2.data import Constituents, Dependencies
from disco2.errors import LayerError
from tests.growth import LINEAR, growth
from tests.strategies import constituents


def row(number: str, form: str, *, head: str = "0", upos: str = "X", xpos: str = "_", misc: str = "_") -> str:
    label = "root" if head == "0" else "dep:sub"
    return "\t".join([number, form, form, upos, xpos, "_", head, label, "_", misc])


TEXT = "\n".join(
    [
        "# newdoc id = GUM_made_up",
        "# sent_id = GUM_made_up-1",
        "# text = Goats don't sing.",
        row("1", "Goats", head="4", xpos="NNS"),
        row("2-3", "don't"),
        row("2", "do", head="4", upos="AUX"),
        row("3", "n't", head="4", upos="PART"),
        row("3.1", "never"),
        row("4", "sing", xpos="VB", misc="Gloss=x|SpaceAfter=No"),
        row("5", ".", head="4", upos="PUNCT", xpos="."),
        "",
        "# sent_id = GUM_made_up-2",
        row("1", "Why", misc="SpaceAfter=No"),
    ]
)


@pytest.mark.parametrize("text", [TEXT, TEXT + "\n\n", TEXT.replace("\n", "\r\n"), "\ufeff" + TEXT])
def test_words_tags_heads_and_comments(text: str) -> None:
    first, second = parse_conllu(text, where="made-up.conllu")
    assert first.words == ("Goats", "do", "n't", "sing", ".")
    assert first.tags == ("NNS", "AUX", "PART", "VB", ".")
    assert first.dependencies == Dependencies(
        (3, 3, 3, -1, 3), ("dep:sub", "dep:sub", "dep:sub", "root", "dep:sub")
    )
    assert first.glued == (False, True, False, True, False)
    assert first.document == "GUM_made_up"
    assert (first.text, first.line) == ("Goats don't sing.", 4)
    assert second.words == ("Why",)
    assert (second.document, second.text) == ("GUM_made_up", "")
    assert second.line == 13


def test_a_file_without_heads_has_no_dependencies() -> None:
    (sentence,) = parse_conllu(row("1", "Rain", head="_"), where="made-up.conllu")
    assert (sentence.words, sentence.dependencies) == (("Rain",), None)


@pytest.mark.parametrize(
    ("rows", "line", "what"),
    [
        (["1\tRain\t_"], 1, "3 columns"),
        (["1 Rain _ _ _ _ 0 root _ _"], 1, "1 columns"),
        ([row("1", "Rain"), row("2", "falls", head="3")], 2, "'3' is not the number"),
        ([row("1", "Rain", head="-1")], 1, "'-1' is not the number"),
        ([row("1", "Rain", head="two")], 1, "'two' is not the number"),
        ([row("1", "Rain", head="1")], 1, "'1' is not the number"),
        ([row("1", "Rain", head="9" * 6000)], 1, "is not the number"),
        ([row("1", "Rain"), row("3", "falls", head="1")], 2, "next token"),
        ([row("x", "Rain")], 1, "'x' is not the number"),
        ([row("1-x", "Rain")], 1, "range"),
        ([row("1", "Rain"), row("2", "falls", head="_")], 1, "no head"),
        ([row("1", "Rain"), row("2", "a", head="3"), row("3", "b", head="2")], 1, "cycle"),
    ],
)
def test_faults_in_conllu_have_their_line(rows: list[str], line: int, what: str) -> None:
    with pytest.raises(LayerError, match=what) as caught:
        parse_conllu("\n".join(rows), where="made-up.conllu")
    assert caught.value.where == f"made-up.conllu:{line}"


def test_a_range_that_overlaps_another_or_runs_backwards_glues_nothing() -> None:
    """The words are what counts; a range says no more than where spaces are."""
    rows = [row("1-2", "a"), row("1", "a"), row("2-3", "b"), row("2", "b", head="1"), row("3-1", "c")]
    text = "\n".join([*rows, row("3", "c", head="1"), row("0-4", "d"), row("4", "d", head="1")])
    (sentence,) = parse_conllu(text, where="made-up.conllu")
    assert sentence.words == ("a", "b", "c", "d")
    assert sentence.glued == (True, False, False, False)


@pytest.mark.parametrize("form", ["", " ", "\u00a0", "\u3000"])
def test_a_word_without_a_form_keeps_its_place(form: str) -> None:
    """Converters leave the form of a word inside a range empty; relations count on its number."""
    rows = [row("1-2", "don't"), row("1", form), row("2", "n't", head="1"), row("3", "go", head="1")]
    (sentence,) = parse_conllu("\n".join(rows), where="made-up.conllu")
    assert sentence.words == ("_", "n't", "go")
    assert sentence.dependencies is not None
    assert sentence.dependencies.heads == (-1, 0, 0)


@pytest.mark.parametrize("comment", ["# newdoc id = a", "# newdoc_id = a", "#newdoc id=a"])
def test_documents_are_told_apart(comment: str) -> None:
    text = "\n".join([comment, row("1", "Rain"), "", comment.replace("a", "b"), row("1", "Snow")])
    assert [one.document for one in parse_conllu(text, where="f")] == ["a", "b"]


def test_many_ranges_take_linear_time() -> None:
    def read(units: int) -> None:
        pairs = range(1, 2 * units, 2)
        rows = [
            [row(f"{n}-{n + 1}", "x"), row(str(n), "a"), row(str(n + 1), "b", head=str(n))] for n in pairs
        ]
        text = "\n".join("\n".join(three) for three in rows)
        (sentence,) = parse_conllu(text, where="made-up.conllu")
        assert len(sentence.words) == 2 * units
        for number in ("1-999999999", "999999999-1"):
            everywhere = "\n".join([row(number, "x")] * units)
            (again,) = parse_conllu(f"{everywhere}\n{text}", where="made-up.conllu")
            assert again.words == sentence.words

    assert growth(read, 400) < LINEAR


def one(text: str) -> BracketedSentence:
    (sentence,) = parse_brackets(text, where="made-up.mrg")
    return sentence


def phrases(tree: Constituents) -> list[tuple[str, int, int, int]]:
    return list(zip(tree.labels, tree.starts, tree.ends, tree.parents, strict=True))


@pytest.mark.parametrize(
    ("text", "words", "found"),
    [
        (
            "(ROOT (S (NP-SBJ=1 (DT The) (NN goat)) (VP (VBZ sings)) (. .)))",
            "The goat sings .",
            [("S", 0, 4, -1), ("NP", 0, 2, 0), ("VP", 2, 3, 0)],
        ),
        (  # traces and the phrases they leave empty are gone
            "( (S (NP-SBJ (-NONE- *)) (VP (VB Go) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .)) )",
            "Go .",
            [("S", 0, 2, -1), ("VP", 0, 1, 0)],
        ),
    ],
)
def test_phrases_come_in_pre_order(text: str, words: str, found: list[tuple[str, int, int, int]]) -> None:
    assert " ".join(one(text).words) == words
    assert phrases(one(text).constituents) == found


@pytest.mark.parametrize("wrapper", ["", "ROOT", "TOP", "S1"])
def test_a_wrapper_is_left_out_or_a_root(wrapper: str) -> None:
    assert phrases(one(f"({wrapper} (NP (NN Rain)))").constituents) == [("NP", 0, 1, -1)]
    assert phrases(one(f"({wrapper} (ROOT (NP (NN Rain))))").constituents) == [("NP", 0, 1, -1)]
    several = one(f"({wrapper} (NP (NN Rain)) (. !))")
    assert phrases(several.constituents) == [("ROOT", 0, 2, -1), ("NP", 0, 1, 0)]
    for text in ("(UH Oh)", f"({wrapper} (UH Oh))"):
        assert phrases(one(text).constituents) == [("ROOT", 0, 1, -1)]


def test_words_are_unescaped_and_quotes_and_no_break_spaces_stay() -> None:
    sentence = one(r"(X (-LRB- -LRB-) (CD 1\/2) (SYM \*\*) (`` ``) ('' '') (-RRB- -RRB-) (NN a-LSB-b-RSB-))")
    assert sentence.words == ("(", "1/2", "**", "``", "''", ")", "a[b]")
    assert sentence.constituents.tags[0] == "-LRB-"
    assert one("(NP (CD 2\u00a0000) (NNS bees))").words == ("2\u00a0000", "bees")


@pytest.mark.parametrize(
    ("label", "bare"),
    [("NP-SBJ=1", "NP"), ("ADVP|PRT", "ADVP"), ("-LRB-", "-LRB-"), ("PRP$", "PRP$"), ("=", "="), ("", "")],
)
def test_bare_labels(label: str, bare: str) -> None:
    assert bare_label(label) == bare


def test_several_trees_with_their_lines() -> None:
    text = "\ufeff( (S\r\n   (NN Rain)\r\n   (VBZ falls)))\r\n\r\n(S (NN Snow) (VBZ melts))\n(NP (NN Ice))"
    sentences = parse_brackets(text, where="made-up.mrg")
    assert [sentence.words for sentence in sentences] == [("Rain", "falls"), ("Snow", "melts"), ("Ice",)]
    assert [sentence.line for sentence in sentences] == [1, 5, 6]
    assert parse_brackets(" \n\n( (NP (-NONE- *)) )", where="made-up.mrg") == []


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
def test_faults_in_brackets_have_their_line(text: str, line: int, what: str) -> None:
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
