"""The two encodings of PDTB 2's relation files, line by line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from disco2.corpora.pdtb2_files import (
    Pdtb2Relation,
    Selection,
    looks_native,
    looks_piped,
    parse_native,
    parse_pipe,
)
from disco2.data import Dirt
from tests.corpora.miniature import Writer, documents

DOCUMENT = documents()[0]
NATIVE, PIPE = Writer().native(DOCUMENT), Writer().pipe(DOCUMENT)
Parse = Callable[..., Iterator[Pdtb2Relation]]

RULE = "_" * 56
TWO_CONNECTIVES = f"""{RULE}
____Implicit____
57
1
#### Features ####
Ot, Comm, Null, Null
9..13
0,0
#### Text ####
Mina
##############
as a result, Contingency.Cause.Result, Temporal.Asynchronous.Precedence
then, Temporal.Asynchronous.Precedence
____Sup1____
1..4
0
#### Text ####
Sup
##############
____Arg1____
9..20;25..30
0,0;0,1,2
#### Text ####
Mina missed
the ferry
##############
#### Features ####
Inh, Null, Null, Null
____Arg2____
41..98

#### Text ####
She waited
##############
#### Features ####
Ot, Comm, Null, Null
99..110
1,2
#### Text ####
Oren said
##############
{RULE}
"""


def read(parse: Parse, text: str) -> tuple[list[Pdtb2Relation], Dirt]:
    dirt = Dirt()
    return list(parse(text, where="made-up", dirt=dirt)), dirt


def test_a_native_block_is_read_in_full() -> None:
    (relation,), dirt = read(parse_native, TWO_CONNECTIVES)
    assert relation == Pdtb2Relation(
        number=1,
        line=2,
        kind="Implicit",
        connectives=("as a result", "then"),
        senses=(
            "Contingency.Cause.Result",
            "Temporal.Asynchronous.Precedence",
            "Temporal.Asynchronous.Precedence",
        ),
        anchor=Selection(),
        arg1=Selection(((9, 20), (25, 30)), ((0, 0), (0, 1, 2)), "Mina missed the ferry"),
        arg2=Selection(((41, 98),), (), "She waited"),
    )
    assert not dirt.findings


def test_both_encodings_say_the_same() -> None:
    native, _ = read(parse_native, NATIVE)
    piped, _ = read(parse_pipe, PIPE)
    assert len(native) == len(DOCUMENT.relations)

    def unspaced(relation: Pdtb2Relation) -> Pdtb2Relation:
        """The converter drops line ends inside texts; line numbers differ."""
        parts = {
            name: replace(part, text=part.text.replace(" ", ""))
            for name in ("anchor", "arg1", "arg2")
            if isinstance(part := getattr(relation, name), Selection)
        }
        return replace(relation, line=0, **parts)

    assert list(map(unspaced, native)) == list(map(unspaced, piped))


def test_kinds_connectives_and_senses() -> None:
    relations, _ = read(parse_native, NATIVE)
    by_kind = {relation.kind: relation for relation in relations}
    assert set(by_kind) == {"Implicit", "Explicit", "AltLex", "EntRel", "NoRel"}
    assert relations[1].connectives == ("but",)
    assert relations[1].senses == ("Comparison.Contrast.Juxtaposition",)
    assert relations[1].anchor.text == "but"
    assert by_kind["AltLex"].connectives == ("That is why",)
    assert by_kind["AltLex"].senses == ("Contingency.Cause.Result",)
    assert by_kind["EntRel"].senses == by_kind["NoRel"].connectives == ()


def test_content_tells_the_encodings_apart() -> None:
    assert looks_native(NATIVE)
    assert not looks_piped(NATIVE)
    assert looks_piped(PIPE)
    assert not looks_native(PIPE)
    assert looks_piped("Implicit|00|03||||57|1\n"), "a line cut off early is still a pipe file"
    assert not looks_native("Bakers rise early.\n")
    assert not looks_piped("Bakers rise early.\n")


@pytest.mark.parametrize(("parse", "text"), [(parse_native, NATIVE), (parse_pipe, PIPE)])
def test_windows_line_ends_change_nothing(parse: Parse, text: str) -> None:
    assert read(parse, text.replace("\n", "\r\n")) == read(parse, text)


@pytest.mark.parametrize(("parse", "text"), [(parse_native, NATIVE), (parse_pipe, PIPE)])
def test_a_file_cut_off_loses_its_last_relation_only(parse: Parse, text: str) -> None:
    whole, _ = read(parse, text)
    cut, dirt = read(parse, text[:-80])
    assert cut == whole[:-1]
    assert len(dirt.findings) == 1
    assert f"relation {len(whole)}" in dirt.findings[0].detail


def test_a_bad_block_is_skipped_and_still_counted() -> None:
    blocks = NATIVE.replace("____Explicit____", "____Explizit____", 1)
    relations, dirt = read(parse_native, blocks)
    assert [relation.number for relation in relations] == [1, *range(3, len(DOCUMENT.relations) + 1)]
    assert dirt.counts() == {"bad relation block": 1}
    assert "Explizit" in dirt.findings[0].detail


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("9..39", "9..x", "is not a span"),
        ("9..39", "39..9", "ends before it starts"),
        ("57\n1\n", "57\n", "sentence number"),
        ("____Arg2____", "____Sup2____", "no Arg2"),
        ("#### Text ####\nMina", "Mina", "#### Text ####"),
    ],
)
def test_what_breaks_the_grammar_is_said(old: str, new: str, said: str) -> None:
    relations, dirt = read(parse_native, NATIVE.replace(old, new, 1))
    assert len(relations) == len(DOCUMENT.relations) - 1
    assert said in dirt.findings[0].detail


def test_a_line_with_too_few_or_too_many_fields_is_skipped() -> None:
    first, second, *rest = PIPE.splitlines(keepends=True)
    text = "".join([first.replace("|", "", 1), second.replace("\n", "|\n"), *rest])
    relations, dirt = read(parse_pipe, text)
    assert [relation.number for relation in relations] == list(range(3, len(DOCUMENT.relations) + 1))
    assert [finding.where for finding in dirt.findings] == ["made-up:1", "made-up:2"]
    assert "47 fields" in dirt.findings[0].detail
    assert "49 fields" in dirt.findings[1].detail


@settings(max_examples=150, deadline=None)
@given(
    place=st.integers(0, len(NATIVE)),
    length=st.integers(0, 200),
    instead=st.text(alphabet="_#|.;,0 19\nA\r\x00é", max_size=20),
)
def test_damage_never_raises(place: int, length: int, instead: str) -> None:
    for parse, text in ((parse_native, NATIVE), (parse_pipe, PIPE)):
        read(parse, text[:place] + instead + text[place + length :])
