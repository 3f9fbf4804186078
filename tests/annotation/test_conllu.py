"""CoNLL-U -> words, tags and dependencies."""

from __future__ import annotations

import pytest
from hypothesis import strategies as st

from disco2.annotation.treebanks import parse_conllu
from disco2.data import Dependencies
from disco2.errors import LayerError
from tests.growth import LINEAR, growth


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
    text = "\n".join([row("1", "Rain", head="_"), row("2", "falls", head="_")])
    (sentence,) = parse_conllu(text, where="made-up.conllu")
    assert sentence.dependencies is None
    assert sentence.words == ("Rain", "falls")


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
        ([row("1", "Rain"), row("3", "falls", head="1")], 2, "3 where 2"),
        ([row("x", "Rain")], 1, "'x' is not a token number"),
        ([row("1-x", "Rain")], 1, "range"),
        ([row("1", "Rain"), row("2", "falls", head="_")], 1, "some have none"),
        ([row("1", "Rain"), row("2", "a", head="3"), row("3", "b", head="2")], 1, "circle"),
    ],
)
def test_faults_are_named_with_their_line(rows: list[str], line: int, what: str) -> None:
    with pytest.raises(LayerError, match=what) as caught:
        parse_conllu("\n".join(rows), where="made-up.conllu")
    assert caught.value.where == f"made-up.conllu:{line}"


NUMBERS = st.sampled_from(["0", "1", "2", "3", "4", "_", "01", "-1", "x", "", "٣", "1000", "9999999999"])


def test_a_range_does_not_reach_into_the_next_sentence() -> None:
    text = "\n".join([row("1-2", "don't"), "", row("1", "Rain"), row("2", "falls", head="1")])
    (sentence,) = parse_conllu(text, where="made-up.conllu")
    assert sentence.glued == (False, False)


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
