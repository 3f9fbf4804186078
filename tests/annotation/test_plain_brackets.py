"""Files of brackets, read quickly and with care: the same trees, or the same fault."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from disco2.annotation.formats.ptb import (
    BracketedSentence,
    _plain_trees,
    _read_with_care,
    parse_brackets,
)
from disco2.errors import LayerError

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


def outcome(text: str, *, careful: bool) -> list[BracketedSentence] | tuple[str, str]:
    try:
        return _read_with_care(text, where="f") if careful else parse_brackets(text, where="f")
    except LayerError as error:
        return error.what, error.where


@given(st.lists(st.sampled_from([*PIECES, *ODD_PIECES]), max_size=20).map("".join))
@example(SOUND)
@example("(S (NN dog)))")
@example("(NN dog)")
@example("(S (NP (NN dog\n")
def test_the_same_trees_and_the_same_faults(text: str) -> None:
    assert outcome(text, careful=False) == outcome(text, careful=True)


def test_sound_files_are_read_quickly() -> None:
    trees = _plain_trees(SOUND)
    assert trees is not None
    assert [(tree.words, line) for tree, line in trees] == [
        (["The", "goat", "slept"], 2),
        (["Rain", "."], 6),
        (["z"], 8),
    ]


def test_a_deep_tree_is_read_quickly() -> None:
    deep = "(X " * 20_000 + "(Y z)" + ")" * 20_000
    trees = _plain_trees(deep)
    assert trees is not None
    assert trees[0][0].ends == [1] * 20_000
