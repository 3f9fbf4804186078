"""Made-up documents with trees, relations and coreference, all counted out.

The documents say, for each relation, which tokens its arguments have. That is found here from the sentences
alone, without the package's readers, so that tests can hold the two against each other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Said:
    """A relation of a scene. ``labels`` pairs each connective with its senses, in PDTB 2's names."""

    kind: str
    arg1: tuple[str, ...]
    arg2: tuple[str, ...]
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    anchor: tuple[str, ...] = ()
    sup1: tuple[str, ...] = ()
    sup2: tuple[str, ...] = ()
    attribution: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """``chains`` gives, for each entity, the texts of its mentions in order."""

    sentences: tuple[tuple[str, str], ...]  # raw text and tree
    relations: tuple[Said, ...]
    chains: tuple[tuple[str, ...], ...] = ()


IN_PDTB3 = {
    "Comparison.Concession.Contra-expectation": "Comparison.Concession.Arg2-as-denier",
    "Comparison.Contrast.Juxtaposition": "Comparison.Contrast",
    "Expansion.Instantiation": "Expansion.Instantiation.Arg2-as-instance",
    "Expansion.Restatement.Specification": "Expansion.Level-of-detail.Arg2-as-detail",
    "Temporal.Synchrony": "Temporal.Synchronous",
}

PEOPLE = (
    *("Mina", "Oren", "Tilda", "Bram", "Ysolde", "Kofi"),
    *("Anneke", "Ruben", "Lucía", "Sef", "Dagny", "Ilse"),
)
PLACES = ("Ulla", "Varnby", "Osterlo", "Kestrel", "Mirem", "Tolva", "Hexby", "Sandro", "Quill", "Brenna")
THINGS = ("ferry", "kiln", "lantern", "orchard", "harbour", "mill", "violin", "greenhouse", "tram", "library")


def _read_scenes() -> list[Scene]:
    """The scenes of miniature_scenes.toml."""
    file = Path(__file__).with_name("miniature_scenes.toml")
    return [
        Scene(
            tuple((raw, tree) for raw, tree in one["sentences"]),
            tuple(_read_said(relation) for relation in one["relations"]),
            tuple(map(tuple, one.get("chains", ()))),
        )
        for one in tomllib.loads(file.read_text(encoding="utf-8"))["scenes"]
    ]


def _read_said(relation: dict[str, Any]) -> Said:
    labels = tuple((connective, tuple(senses)) for connective, *senses in relation.get("labels", ()))
    pieces = {name: tuple(found) for name, found in relation.items() if name not in ("kind", "labels")}
    return Said(kind=relation["kind"], labels=labels, **pieces)


ALL_SCENES = tuple(_read_scenes())
SCENES = ALL_SCENES[:5]

Spans = tuple[tuple[int, int], ...]

UNESCAPED = {"``": '"', "''": '"', "-LRB-": "(", "-RRB-": ")", "1\\/2": "1/2"}
FILES_IN_SECTION = (3, 4, 20)


@dataclass(frozen=True)
class MiniRelation:
    said: Said
    arg1: Spans
    arg2: Spans
    anchor: Spans
    sup1: Spans
    sup2: Spans
    attribution: Spans


@dataclass(frozen=True)
class MiniDocument:
    """``text`` has ``\\n`` line ends; ``tokens`` are the treebank's words with their places in it."""

    id: str
    text: str
    trees: tuple[str, ...]
    tokens: tuple[tuple[str, int, int], ...]
    sentence_ends: tuple[int, ...]
    relations: tuple[MiniRelation, ...]
    chains: tuple[Spans, ...]

    def token_numbers(self, spans: Spans) -> tuple[int, ...]:
        return tuple(
            number
            for number, (_, start, end) in enumerate(self.tokens)
            if any(low <= start and end <= high for low, high in spans)
        )


def documents(
    sections: Iterable[int] = (0,),
    *,
    files: Sequence[int] = FILES_IN_SECTION,
    scenes: Sequence[Scene] = SCENES,
) -> list[MiniDocument]:
    """The documents of some sections: three each, every one with all scenes in another order."""
    return [
        _document(section, number, scenes, seed=section * len(files) + position)
        for section in sections
        for position, number in enumerate(files)
    ]


def half_annotated() -> tuple[list[MiniDocument], list[MiniDocument]]:
    """Two documents in each of the 25 sections, and those of them that OntoNotes has annotated: the first."""
    docs = documents(range(25), files=(3, 4), scenes=ALL_SCENES)
    return docs, [document for document in docs if document.id.endswith("03")]


def _document(section: int, number: int, scenes: Sequence[Scene], *, seed: int) -> MiniDocument:
    slots = {
        "person": PEOPLE[seed % len(PEOPLE)],
        "friend": PEOPLE[(seed + 5) % len(PEOPLE)],
        "place": PLACES[seed % len(PLACES)],
        "thing": THINGS[(seed * 3) % len(THINGS)],
    }
    text = ".START \n\n"
    trees, tokens, sentence_ends, relations, chains = [], [], [], [], []
    for turn in range(len(scenes)):
        scene = scenes[(seed + turn) % len(scenes)]
        scene_start = len(text)
        for raw, tree in scene.sentences:
            raw, tree = raw.format(**slots), tree.format(**slots)
            tokens.extend(_places(_leaves(tree), raw, offset=len(text)))
            sentence_ends.append(len(tokens))
            trees.append(tree)
            text += raw + "\n"

        def places(pieces: Sequence[str], start: int = scene_start, text: str = text) -> Spans:
            return _find(text, [piece.format(**slots) for piece in pieces], start)

        for said in scene.relations:
            relations.append(
                MiniRelation(
                    said,
                    places(said.arg1),
                    places(said.arg2),
                    places(said.anchor),
                    places(said.sup1),
                    places(said.sup2),
                    places(said.attribution),
                )
            )
        chains.extend(places(chain) for chain in scene.chains)
        text += "\n"
    return MiniDocument(
        id=f"wsj_{section:02d}{number:02d}",
        text=text,
        trees=tuple(trees),
        tokens=tuple(tokens),
        sentence_ends=tuple(sentence_ends),
        relations=tuple(relations),
        chains=tuple(chains),
    )


def _leaves(tree: str) -> list[str]:
    pairs = re.findall(r"\(([^\s()]+) ([^\s()]+)\)", tree)
    return [word for tag, word in pairs if tag != "-NONE-"]


def _places(words: Sequence[str], raw: str, *, offset: int) -> Iterable[tuple[str, int, int]]:
    position = 0
    for word in words:
        form = UNESCAPED.get(word, word)
        start = raw.index(form, position)
        assert not raw[position:start].strip()
        position = start + len(form)
        yield form, offset + start, offset + position
    assert position == len(raw)


def _find(text: str, pieces: Sequence[str], start: int) -> Spans:
    """Each piece's first place as whole words behind the piece before it."""
    spans = []
    for piece in pieces:
        match = re.compile(rf"(?<!\w){re.escape(piece)}(?!\w)").search(text, start)
        assert match is not None, piece
        spans.append(match.span())
        start = match.end()
    return tuple(spans)
