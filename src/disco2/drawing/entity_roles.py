"""What part each node of a tree plays for the shared entities: mention, on the way to one, or read there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from disco2.drawing.tree_layout import TreeLayout
from disco2.inference.view import RelationView, ViewedChain, ViewedMention

COLOURS = 8  # d2-chain-0 to d2-chain-7 in trees.css
MOST_LINKS = 25  # drawn of one chain


@dataclass(frozen=True, slots=True)
class EntityRoles:
    """For each node that has any its chains, by their places in ``RelationView.chains``."""

    mentions: Mapping[int, Sequence[int]]
    ways: Mapping[int, Sequence[int]]  # on the way from the root to a mention, both ends included
    reads: Mapping[int, Sequence[int]]  # whose upward vector the downward pass reads


def entity_roles(view: RelationView, side: int, layout: TreeLayout) -> EntityRoles:
    """The roles in one argument's tree; ``side`` is 0 or 1."""
    mentions: dict[int, list[int]] = {}
    ways: dict[int, list[int]] = {}
    reads: dict[int, list[int]] = {}
    for place, chain in enumerate(view.chains):
        for mention in mentions_of(chain, side):
            mentions.setdefault(mention.node, []).append(place)
        for node in chain.down[side]:
            ways.setdefault(node, []).append(place)
            if layout.siblings[node] >= 0:
                reads.setdefault(layout.siblings[node], []).append(place)
    return EntityRoles(mentions, ways, reads)


def mentions_of(chain: ViewedChain, side: int) -> tuple[ViewedMention, ...]:
    return chain.second if side else chain.first


def chain_names(places: Sequence[int]) -> list[str]:
    """``c0``, ``c2``: how attributes name chains."""
    return [f"c{place}" for place in places]


def chain_class(place: int) -> str:
    return f"d2-chain-{place % COLOURS}"


def chain_letter(place: int) -> str:
    """A to Z, then AA, AB and so on: what tells chains apart where colours don't."""
    letters = ""
    place += 1
    while place:
        place, letter = divmod(place - 1, 26)
        letters = chr(ord("A") + letter) + letters
    return letters


def linked_mentions(chain: ViewedChain) -> list[tuple[int, int]]:
    """Pairs of nodes to be linked: all, or those of the first mentions on either side."""
    rows = min(len(chain.first), max(5, MOST_LINKS // len(chain.second)))
    columns = min(len(chain.second), MOST_LINKS // min(rows, MOST_LINKS))
    rows = min(rows, MOST_LINKS // columns)
    return [(one.node, other.node) for one in chain.first[:rows] for other in chain.second[:columns]]
