"""Hypothesis strategies: files of layers that are right in form, and odd in all that the form allows."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from disco2.annotation.document_json import document_to_json
from disco2.data import Constituents
from tests.fuzzing.layer_files import conllu_row
from tests.fuzzing.layer_targets import SEPARATOR
from tests.strategies import constituents, documents

WORDS = (
    "Ann",
    "slept",
    ".",
    "Corp.",
    "-LRB-",
    "1\\/2",
    "``",
    "do",
    "n't",
    "\u201c",
    "\u2014",
    "caf\u00e9",
    "a\u00a0b",
)
LABELS = (
    "S",
    "NP-SBJ=1",
    "ADVP|PRT",
    "",
    "ROOT",
    "TOP",
    "-NONE-",
    "X-1-2",
    "\u00a0",
    "S1",
    "-LRB-",
    "=",
    "|",
)
CHAINS = ("1", "2", "person-1-Ann", "place-2", "a b", "-", "\u0661")

words = st.sampled_from(WORDS)
labels = st.sampled_from(LABELS)


@st.composite
def brackets(draw: st.DrawFn) -> str:
    """One to three trees, on one line or many, with labels, tags and words that treebanks have and do not."""
    return "\n".join(draw(st.lists(constituents().flatmap(_written), min_size=1, max_size=3)))


@st.composite
def _written(draw: st.DrawFn, tree: Constituents) -> str:
    """A tree of the given shape."""
    gap = draw(st.sampled_from((" ", "\n  ", "\t", "")))
    pieces: list[str] = []
    open_nodes: list[int] = []
    node = 0
    for token in range(len(tree.tags)):
        while node < len(tree.labels) and tree.starts[node] == token:
            pieces.append(f"({draw(labels)}")
            open_nodes.append(node)
            node += 1
        pieces.append(f"({draw(st.sampled_from(('NN', 'VBD', '-NONE-', '.', '-LRB-')))} {draw(words)})")
        while open_nodes and tree.ends[open_nodes[-1]] == token + 1:
            open_nodes.pop()
            pieces.append(")")
    return gap.join(pieces)


@st.composite
def conllu(draw: st.DrawFn) -> str:
    """Sentences with any heads (circles, several roots, none), ranges of tokens and empty nodes."""
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        count = draw(st.integers(1, 6))
        head = st.integers(0, count + 1) | st.sampled_from(("_", "-1", "007", "9" * 30))
        for number in range(1, count + 1):
            if draw(st.integers(0, 4)) == 0:
                last = draw(st.integers(0, 9))
                lines.append(conllu_row(f"{number}-{last}", "_", word=draw(words), misc="SpaceAfter=No"))
            lines.append(conllu_row(number, draw(head), word=draw(words)))
            if draw(st.integers(0, 6)) == 0:
                lines.append(conllu_row(f"{number}.1", "_"))
        lines += draw(
            st.sampled_from(([""], ["", "# newpar"], ["", "# newdoc id = b", "# text = Ann"], [" "]))
        )
    return "\n".join(lines)


@st.composite
def columns(draw: st.DrawFn) -> str:
    """CoNLL's or GUM's columns with brackets that open and close anywhere."""
    bracket = st.builds(
        lambda form, chain: form.format(chain),
        st.sampled_from(("({}", "{})", "({})", "(", ")", "{}")),
        st.sampled_from(CHAINS),
    )
    cells = st.lists(bracket, max_size=4).map(lambda found: "|".join(found) or "_")
    many = draw(st.booleans())
    lines = [draw(st.sampled_from(("", "# begin document a", "#begin document (a); part 001")))]
    for number in range(draw(st.integers(1, 8))):
        cell, word = draw(cells), draw(words)
        lines.append(f"a 0 {number} {word} NN * - - - - {cell}" if many else f"{number}\t{word}\t{cell}")
        if draw(st.integers(0, 6)) == 0:
            lines.append("#begin document (a); part 002")
    return "\n".join(lines)


@st.composite
def ontonotes(draw: st.DrawFn) -> str:
    """Tags in any order, with and without what they need."""
    pieces = (
        *(
            '<COREF ID="1" TYPE="IDENT">',
            '<COREF ID="2">',
            "<COREF>",
            '<COREF ID="3" TYPE="APPOS">',
            "</COREF>",
        ),
        *(
            '<DOC DOCNO="a@b">',
            "</DOC>",
            '<TEXT PARTNO="001">',
            "<TEXT>",
            "</TEXT>",
            "*T*-1",
            "0",
            "&amp;",
            "<",
        ),
        *(" ", "\n", *WORDS),
    )
    return "<DOC>" + " ".join(draw(st.lists(st.sampled_from(pieces), max_size=30)))


@st.composite
def layers_on_text(draw: st.DrawFn) -> bytes:
    """A text with layers of it, or of another one."""
    text = " ".join(draw(st.lists(words, max_size=12)))
    parts = (text, draw(brackets()), draw(conllu()), draw(columns()))
    return SEPARATOR.join(part.encode() for part in parts)


annotated = documents().map(lambda document: json.dumps(document_to_json(document)).encode())

LAYERS: dict[str, st.SearchStrategy[bytes]] = {
    "brackets": brackets().map(str.encode),
    "conllu": conllu().map(str.encode),
    "coreference": st.one_of(columns(), ontonotes()).map(str.encode),
    "layers-on-text": layers_on_text(),
    "annotated-document": annotated,
    "stanford-answers": brackets().map(str.encode),
    "benepar-strings": brackets().map(str.encode),
}
