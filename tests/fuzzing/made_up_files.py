"""Hypothesis strategies: files of relations, well formed, with cells that may be anything."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from hypothesis import strategies as st

from tests.corpora import test_conll16, test_disrpt

KINDS = ("Implicit", "Explicit", "AltLex", "AltLexC", "EntRel", "NoRel", "Hypophora", "implicit", "", "Other")
SENSES = (
    *(
        "Comparison.Contrast",
        "Contingency.Cause.Reason",
        "Expansion.Conjunction",
        "Cmparison.Contrast",
        "EntRel",
    ),
    *("NoRel", "", "Arg1", "Contingency.Condition.Arg-as-cond", "contrast", "Temporal.Synchrony", "x" * 2000),
)
WORDS = st.text(st.sampled_from("ab .,\"'()\t\u00e9\u00ad\u2028\U0001f600-_|"), max_size=12)
_RULE = "_" * 56


def mostly(usual: st.SearchStrategy[str], *others: str) -> st.SearchStrategy[str]:
    return st.one_of(usual, usual, usual, usual, st.sampled_from(others), WORDS)


@st.composite
def _span(draw: st.DrawFn) -> str:
    start = draw(st.integers(0, 600))
    return f"{start}..{start + draw(st.sampled_from((0, 1, 5, 40, 400, 99_999_999)))}"


SPANS = st.lists(_span(), min_size=1, max_size=4).map(";".join)
SPAN_CELLS = mostly(
    SPANS, "", "0..0", "5..3", "0..999999999", "..", "1..2;", "0..9999999999", "-1..4", "1..\u0663"
)
GORN = mostly(
    st.lists(st.lists(st.integers(0, 3).map(str), min_size=1, max_size=5).map(",".join), max_size=3).map(
        ";".join
    ),
    *("", "0;" * 500, "99999", ",", "0,0,0,0,0,0,0,0,0"),
)


@st.composite
def _cells(draw: st.DrawFn, count: int, columns: dict[int, st.SearchStrategy[str]]) -> str:
    cells = [draw(columns[place]) if place in columns else "" for place in range(count)]
    return "|".join(cell.replace("|", "") for cell in cells) + "|" * draw(st.sampled_from((0, 0, 0, 0, 1)))


_KIND, _SENSE = st.sampled_from(KINDS), st.sampled_from(SENSES)
STATED = mostly(st.just("GDTB::DOC:4;_;1-3;4-6,10-11"), "a:1;1-9,1-9;1;2", "a:;;;", "x:1;2;3;99999999999-9")
PDTB3_LINE = _cells(
    34,
    {0: _KIND, 1: SPAN_CELLS, 7: WORDS, 8: _SENSE, 9: _SENSE, 10: WORDS, 11: _SENSE, 13: SPAN_CELLS}
    | {14: SPAN_CELLS, 20: SPAN_CELLS, 26: SPAN_CELLS, 32: STATED},
)
PDTB2_LINE = _cells(
    48,
    {0: _KIND, 3: SPAN_CELLS, 4: GORN, 5: WORDS, 8: WORDS, 9: WORDS, 10: WORDS, 11: _SENSE, 12: _SENSE}
    | {13: _SENSE, 22: SPAN_CELLS, 23: GORN, 24: WORDS, 32: SPAN_CELLS, 33: GORN, 34: WORDS},
)


@st.composite
def native_block(draw: st.DrawFn) -> str:
    def selection() -> list[str]:
        return [draw(SPAN_CELLS), draw(GORN), "#### Text ####", draw(WORDS), "##############"]

    kind = draw(_KIND)
    rows = [_RULE, f"____{kind}____"]
    rows += selection() if kind in ("Explicit", "AltLex") else [str(draw(st.integers(0, 99))), "1"]
    if kind in ("Explicit", "AltLex", "Implicit"):
        rows += ["#### Features ####", "Wr, Comm, Null, Null"]
        rows += [", ".join((draw(WORDS), draw(_SENSE), draw(_SENSE)))]
    for part in draw(
        st.sampled_from((("Arg1", "Arg2"), ("Sup1", "Arg1", "Arg2"), ("Arg1",), ("Arg2", "Arg1")))
    ):
        rows += [f"____{part}____", *selection()]
    rows.append(_RULE)
    if draw(st.integers(0, 5)) == 0:
        del rows[draw(st.integers(0, len(rows) - 1))]
    return "\n".join(rows)


TOKEN_RANGES = mostly(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 8)), min_size=1, max_size=3).map(
        lambda pairs: ",".join(f"{min(pair)}-{max(pair)}" for pair in pairs)
    ),
    *("", "_", "0", "9-1", "1-99999999", "-1", "1-7," * 300 + "1", "\u0663", "1--2"),
)


@st.composite
def rels_row(draw: st.DrawFn) -> str:
    cells = {
        "doc": draw(mostly(st.sampled_from(("story_a", "story_b")), "none")),
        "unit1_toks": draw(TOKEN_RANGES),
        "unit2_toks": draw(TOKEN_RANGES),
        "unit1_txt": draw(WORDS),
        "rel_type": draw(_KIND),
        "orig_label": ";".join(draw(st.lists(_SENSE, max_size=3))),
        "label": draw(_SENSE),
    }
    return test_disrpt.row(
        test_disrpt.HEADER_2025, **{name: cell.replace("\t", "") for name, cell in cells.items()}
    )


TOKEN_LISTS = st.one_of(
    st.lists(st.integers(0, 12), min_size=1, max_size=5),
    st.lists(st.integers(0, 12).map(lambda token: [0, 1, token, 0, 0]), min_size=1, max_size=5),
    st.sampled_from(([], [-1], [99], [10**12], [True], [0.0], ["0"], [[0, 0, 0]], None, {})),
)


@st.composite
def conll_relation(draw: st.DrawFn) -> str:
    changed = {
        "ID": draw(st.one_of(st.integers(-3, 10**30), WORDS, st.none(), st.booleans())),
        "Type": draw(st.one_of(_KIND, st.none())),
        "Sense": draw(st.lists(st.one_of(_SENSE, st.none()), max_size=3)),
        "Arg1": {"TokenList": draw(TOKEN_LISTS)},
        "Arg2": {"TokenList": draw(TOKEN_LISTS)},
        "Connective": draw(
            st.one_of(st.none(), st.just({}), TOKEN_LISTS.map(lambda one: {"TokenList": one}))
        ),
    }
    return json.dumps(test_conll16.relation(1) | changed)


@st.composite
def conll_parses(draw: st.DrawFn) -> str:
    """The usual document with words that lie elsewhere, wherever their offsets say."""
    parses = test_conll16.parses()
    words = [word for sentence in parses["wsj_9901"]["sentences"] for word in sentence["words"]]
    offset = st.one_of(st.integers(-2, 60), st.sampled_from((10**12, -(10**12), 9_999, 10**30)))
    for _ in range(draw(st.integers(0, 4))):
        word = draw(st.sampled_from(words))
        word[1][draw(st.sampled_from(("CharacterOffsetBegin", "CharacterOffsetEnd")))] = draw(offset)
        word[0] = draw(st.one_of(st.just(word[0]), WORDS))
    return json.dumps(parses)


@st.composite
def json_pair(draw: st.DrawFn) -> str:
    value = st.one_of(WORDS, st.none(), st.integers(-5, 5), st.floats(), st.booleans(), st.just([[]]))
    pair = {"arg1": draw(st.one_of(WORDS, value)), "arg2": draw(st.one_of(WORDS, value))}
    for name in draw(
        st.lists(st.sampled_from(("label", "id", "split", "kind", "Label", "other")), max_size=4)
    ):
        pair[name] = draw(st.one_of(_SENSE, value, st.lists(value, max_size=3)))
    return json.dumps(pair)


@st.composite
def table_row(draw: st.DrawFn) -> str:
    cells = [draw(WORDS) for _ in range(draw(st.sampled_from((3, 3, 3, 3, 2, 4))))]
    return ",".join(f'"{cell}"' if draw(st.booleans()) else cell for cell in cells)


def _file(row: st.SearchStrategy[str], *, top: Sequence[str] = ()) -> st.SearchStrategy[bytes]:
    rows = st.lists(row, min_size=1, max_size=5)
    ends = st.sampled_from(("\n", "\n", "\n", "\r\n", "\n\n"))
    join: Callable[[list[str], str], bytes] = lambda lines, end: end.join([*top, *lines, ""]).encode()  # noqa: E731
    return st.builds(join, rows, ends)


FILES: dict[str, st.SearchStrategy[bytes]] = {
    "pdtb2-native": _file(native_block()),
    "pdtb2-by-trees": _file(native_block()),
    "pdtb2-pipe": _file(PDTB2_LINE),
    "pdtb3": _file(PDTB3_LINE),
    "gum-relations": _file(PDTB3_LINE),
    "conll16-relations": _file(conll_relation()),
    "conll16-parses": conll_parses().map(str.encode),
    "conll16-without-text": conll_parses().map(str.encode),
    "disrpt-rels": _file(rels_row(), top=["\t".join(test_disrpt.HEADER_2025.split())]),
    "pairs-json": _file(json_pair()),
    "pairs-table": _file(table_row(), top=["arg1,arg2,label"]),
    "pair-lines": _file(json_pair()),
}
