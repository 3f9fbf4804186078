"""The drawing has everything that a page may ask it for."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import pytest

import disco2
from disco2.drawing.layout import MOST_LINKS
from disco2.drawing.trees import cell_class, draw_trees
from disco2.inference.view import RelationView
from disco2.model.parameters import KINDS
from tests.conftest import ROOT
from tests.drawing.made_up import (
    BURGER,
    HOSTILE,
    NAMESPACE,
    TWICE,
    chain_of_phrases,
    drawn,
    plain_view,
    view_of,
    with_class,
)
from tools import make_docs_figures


def heights(view: RelationView, side: int) -> list[int]:
    argument = view.arguments[side]
    found = [0] * len(argument.words)
    for left, right in zip(argument.left, argument.right, strict=True):
        found.append(1 + max(found[left], found[right]))
    return found


def check_nodes_and_edges(view: RelationView, root: ElementTree.Element) -> None:
    for side, argument in enumerate(view.arguments):
        expected = heights(view, side)
        leaves = len(argument.words)
        nodes = with_class(root, "d2-node", arg=str(side + 1))
        assert [int(node.get("data-node", "")) for node in nodes] == list(range(2 * leaves - 1))
        assert [int(node.get("data-height", "")) for node in nodes] == expected
        kinds = ["d2-leaf" in node.get("class", "").split() for node in nodes]
        assert kinds == [True] * leaves + [False] * (leaves - 1)
        parents = {
            child: node
            for node, children in enumerate(zip(argument.left, argument.right, strict=True), start=leaves)
            for child in children
        }
        edges = with_class(root, "d2-edge", arg=str(side + 1))
        assert {int(edge.get("data-child", "")): int(edge.get("data-height", "")) for edge in edges} == {
            child: expected[parent] for child, parent in parents.items()
        }
        assert len(edges) == 2 * leaves - 2
        words = [node.findtext(f"{NAMESPACE}text[@class='d2-word']") for node in nodes[:leaves]]
        assert all(words)


def test_every_node_and_edge_is_there() -> None:
    view = view_of(*BURGER)
    root = drawn(view)
    assert root.tag == f"{NAMESPACE}svg"
    assert (root.get("class"), root.get("role")) == ("d2-trees", "img")
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    assert [child.tag for child in root][:2] == [f"{NAMESPACE}title", f"{NAMESPACE}desc"]
    assert "Bob gave Tina the burger." in root.findtext(f"{NAMESPACE}desc", "")
    check_nodes_and_edges(view, root)


def test_a_composed_node_shows_the_beginning_of_its_vector() -> None:
    view = view_of(*BURGER)
    for side, argument in enumerate(view.arguments):
        for node in with_class(drawn(view), "d2-inner", arg=str(side + 1)):
            up = next(group for group in node if group.get("class") == "d2-cells d2-up")
            expected = [cell_class(value) for value in argument.up[int(node.get("data-node", ""))][:8]]
            assert [cell.get("class") for cell in up] == [f"d2-cell {name}" for name in expected]


@pytest.mark.parametrize("kind", KINDS)
def test_models_of_all_kinds_are_drawn(kind: str) -> None:
    view = view_of(*BURGER, kind=kind)
    root = drawn(view)
    check_nodes_and_edges(view, root)
    composes = kind in ("entities", "upward")
    assert bool(with_class(root, "d2-cell")) == composes
    assert bool(with_class(root, "d2-scale")) == composes
    ways = [element for element in root.iter() if element.get("data-way")]
    assert bool(ways) == (kind == "entities")
    assert len(with_class(root, "d2-mention")) == 2  # coreference is there, whoever reads it


def test_ways_mentions_and_what_is_read() -> None:
    """Bob (gave (Tina (the (burger .)))): the annotator's trees branch to the right."""
    root = drawn(view_of(*BURGER))
    first = {node.get("data-node"): node for node in with_class(root, "d2-node", arg="1")}
    assert [name for name, node in first.items() if node.get("data-way")] == ["2", "8", "9", "10"]
    assert [name for name, node in first.items() if node.get("data-read")] == ["0", "1", "7"]
    assert [name for name, node in first.items() if node.get("data-mention")] == ["2"]
    assert "d2-mention d2-chain-0" in first["2"].get("class", "")
    edges = with_class(root, "d2-edge", arg="1")
    assert [edge.get("data-child") for edge in edges if edge.get("data-way") == "c0"] == ["2", "8", "9"]
    assert [name for name, node in first.items() if with_class(node, "d2-down")] == ["2", "8", "9", "10"]


def test_several_chains_on_one_way() -> None:
    view = view_of(*TWICE)
    assert [chain.chain for chain in view.chains] == ["Bob", "Tina"]
    root = drawn(view)
    tops = [node for node in with_class(root, "d2-node") if "d2-root" in node.get("class", "")]
    assert [node.get("data-way") for node in tops] == ["c0 c1", "c0 c1"]
    marks = with_class(root, "d2-mark")
    assert sorted(mark.get("data-mark", "") for mark in marks) == ["c0"] * 4 + ["c1"] * 3
    letters = {(mark.get("data-mark"), mark.findtext(f"{NAMESPACE}text")) for mark in marks}
    assert letters == {("c0", "A"), ("c1", "B")}  # not by colour alone


@pytest.mark.parametrize(
    ("first", "second", "links"),
    [(1, 1, 1), (2, 3, 6), (5, 5, 25), (6, 5, 25), (1, 40, 25), (40, 1, 25), (40, 40, 25), (3, 9, 24)],
)
def test_links_of_mentions_and_of_roots(first: int, second: int, links: int) -> None:
    root = drawn(view_of("Bob " * first + "slept.", "He woke " + "him " * (second - 1)))
    found = [link for link in with_class(root, "d2-link") if link.get("data-link")]
    assert len(found) == links <= MOST_LINKS
    assert {link.get("data-link") for link in found} == {"c0"}
    assert {link.get("class") for link in found} == {"d2-link d2-chain-0"}
    assert len(with_class(root, "d2-roots")) == 1


@pytest.mark.parametrize(
    "word",
    [
        HOSTILE,
        "\"><img src=x onerror='alert(1)'>",
        "a&b&amp;",
        "]]>",
        "<!--",
        "\x00\x01\x1b",
        "\ud800\uffff",
        "",
    ],
)
def test_no_word_breaks_out(word: str) -> None:
    view = view_of(*BURGER)
    first = view.arguments[0]
    words = (word, *first.words[1:])
    labels = (word, *first.labels[1:-1], word)
    chain = view.chains[0]
    mention = replace(chain.first[0], text=word)
    view = replace(
        view,
        arguments=(
            replace(first, words=words, labels=labels, span=replace(first.span, text=word)),
            view.arguments[1],
        ),
        chains=(replace(chain, chain=word, first=(mention,)),),
        relation=replace(view.relation, sense=word),
    )
    written = draw_trees(view)
    written.encode("utf-8")
    root = ElementTree.fromstring(written)  # noqa: S314  ours
    assert not {element.tag for element in root.iter()} & {f"{NAMESPACE}script", f"{NAMESPACE}img"}
    assert not {name for element in root.iter() for name in element.attrib if name.startswith("on")}
    assert len(with_class(root, "d2-node")) == 18
    if word == HOSTILE:
        shown = root.findtext(f".//{NAMESPACE}text[@class='d2-word']", "")
        assert shown == HOSTILE[:23] + "…"
        titles = [title.text for title in root.iter(f"{NAMESPACE}title")]
        assert HOSTILE in titles  # the whole word, for those who point at it


@pytest.mark.parametrize("to_left", [False, True])
def test_a_tree_of_300_levels(to_left: bool) -> None:
    high = chain_of_phrases([f"word{number}" for number in range(301)], to_left=to_left)
    view = plain_view(high, chain_of_phrases(["one"]))
    root = drawn(view)
    check_nodes_and_edges(view, root)
    assert max(int(node.get("data-height", "")) for node in with_class(root, "d2-node")) == 300
    assert float(root.get("height", "")) < 12_000
    assert float(root.get("width", "")) < 30_000


def test_figures_of_the_documentation_are_those_of_the_shipped_model() -> None:
    for name, picture in make_docs_figures.figures(disco2.load("en-fast")).items():
        stored = (ROOT / "docs" / "figures" / name).read_bytes().decode("utf-8")
        assert stored == picture, f"{name} is old: run python tools/make_docs_figures.py"
