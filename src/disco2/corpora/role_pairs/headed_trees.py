"""A sentence built by hand as one tree that holds both phrases and, by marked heads, dependencies."""

from __future__ import annotations

from dataclasses import dataclass

HEAD = "head"
ROOT = "root"
_GLUED = frozenset({",", "."})
_UNIVERSAL = {
    "DT": "DET",
    "IN": "ADP",
    "JJ": "ADJ",
    "NN": "NOUN",
    "NNP": "PROPN",
    "NNS": "NOUN",
    "PRP": "PRON",
    "PRP$": "PRON",
    "RB": "ADV",
    "RBR": "ADV",
    "TO": "ADP",
    "VB": "VERB",
    "VBD": "VERB",
    "VBN": "VERB",
    ",": "PUNCT",
    ".": "PUNCT",
}


@dataclass(frozen=True)
class Node:
    """A phrase with children, or a tag with a word.

    ``relation`` is the dependency from the head of the parent's head child to this node's head; the head
    child itself has ``HEAD``, the top node ``ROOT``. ``entity`` names whom the node speaks of.
    """

    label: str
    relation: str
    children: tuple[Node, ...] = ()
    word: str = ""
    entity: str = ""


@dataclass(frozen=True)
class FlatSentence:
    """A tree, read off: ``heads`` count from 0, -1 for the root; ``mentions`` are (start, end, entity)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    brackets: str
    mentions: tuple[tuple[int, int, str], ...]

    @property
    def text(self) -> str:
        pieces = [word if word in _GLUED else f" {word}" for word in self.words]
        return "".join(pieces).strip()

    def conllu_lines(self) -> list[str]:
        """The ten columns of each token."""
        lines = []
        for token, (word, tag) in enumerate(zip(self.words, self.tags, strict=True)):
            relation = self.relations[token]
            glued = token + 1 < len(self.words) and self.words[token + 1] in _GLUED
            columns = (
                str(token + 1),
                word,
                "_",
                _universal_tag(word, tag, relation),
                tag,
                "_",
                str(self.heads[token] + 1),
                relation,
                "_",
                "SpaceAfter=No" if glued else "_",
            )
            lines.append("\t".join(columns))
        return lines


def flatten(tree: Node) -> FlatSentence:
    """Words, phrases and dependencies of a tree, without recursion."""
    nodes: list[Node] = []
    parents: list[int] = []
    spans: list[list[int]] = []
    words: list[str] = []
    tags: list[str] = []
    pieces: list[str] = []
    leaf_of: dict[int, int] = {}
    waiting: list[tuple[Node | None, int]] = [(tree, -1)]  # (None, i) closes phrase i
    while waiting:
        node, parent = waiting.pop()
        if node is None:
            pieces.append(")")
            spans[parent][1] = len(words)
            continue
        index = len(nodes)
        nodes.append(node)
        parents.append(parent)
        spans.append([len(words), len(words) + 1])
        if node.children:
            pieces.append(f" ({node.label}")
            waiting.append((None, index))
            waiting.extend((child, index) for child in reversed(node.children))
        else:
            pieces.append(f" ({node.label} {node.word})")
            leaf_of[index] = len(words)
            words.append(node.word)
            tags.append(node.label)
    for index in range(len(nodes) - 1, 0, -1):  # children come after their parents
        if nodes[index].relation == HEAD:
            leaf_of[parents[index]] = leaf_of[index]
    heads = [-1] * len(words)
    relations = [ROOT] * len(words)
    for index in range(1, len(nodes)):
        if nodes[index].relation != HEAD:
            heads[leaf_of[index]] = leaf_of[parents[index]]
            relations[leaf_of[index]] = nodes[index].relation
    mentions = [
        (start, end, node.entity) for node, (start, end) in zip(nodes, spans, strict=True) if node.entity
    ]
    return FlatSentence(
        tuple(words), tuple(tags), tuple(heads), tuple(relations), "".join(pieces).strip(), tuple(mentions)
    )


def _universal_tag(word: str, tag: str, relation: str) -> str:
    """UD's tag for the few words that occur here."""
    if word.lower() in ("nobody", "nothing"):
        return "PRON"
    if word == "not":
        return "PART"
    if relation == "mark":
        return "PART" if tag == "TO" else "SCONJ"
    if relation == "aux" or word in ("was", "were"):
        return "AUX"
    return _UNIVERSAL[tag]
