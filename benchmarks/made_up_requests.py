"""Made-up requests to a server, each with the answer that the pipeline gives to it."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.made_up_documents import made_up_word
from disco2.drawing.trees import draw_trees
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine, answer_lines
from disco2.inference.pipeline import Pipeline
from disco2.inference.results import SCHEMA, pairs_result, text_result

RELATIONS, VIEWS = "/v1/relations", "/v1/views"
Json = dict[str, Any]

_NAMES = ("Bob", "Tina", "Ann", "Max", "The baker", "The teacher", "Her friend")
_VERBS = ("saw", "liked", "sold", "bought", "forgot", "painted", "lost")
_THINGS = ("the burger", "a house", "the old car", "some tea", "her book", "a boat")
_LINKS = ("", "", "", "", "However, ", "Then ", "Because of that, ")
_STATES = ("was hungry", "stayed at home", "laughed", "had no money", "was late again", "went to Rome")


@dataclass(frozen=True)
class Asked:
    """A request, the status of its answer, and the answer where it is one of the pipeline's."""

    kind: str
    path: str
    body: bytes
    status: int = 200
    answer: Json | None = None


def made_up_requests(pipeline: Pipeline, count: int, *, seed: int = 1) -> list[Asked]:
    """Many short ones, some long ones, some invalid ones; with words that nobody has ever seen."""
    chance = random.Random(seed)  # noqa: S311  no secret
    kinds: list[tuple[Callable[[Pipeline, random.Random], Asked], int]] = [
        (_short_text, 50),
        (_text, 20),
        (_long_text, 2),
        (_few_pairs, 15),
        (_many_pairs, 3),
        (_view, 5),
        (_invalid, 5),
    ]
    makers = chance.choices([make for make, _ in kinds], [weight for _, weight in kinds], k=count)
    return [make(pipeline, chance) for make in makers]


def _sentence(chance: random.Random) -> str:
    subject = chance.choice((*_NAMES, "She", "He", made_up_word(chance)))
    if chance.random() < 0.5:
        return f"{chance.choice(_LINKS)}{subject} {chance.choice(_STATES)}."
    place = f" in {made_up_word(chance)}" if chance.random() < 0.5 else ""
    return f"{chance.choice(_LINKS)}{subject} {chance.choice(_VERBS)} {chance.choice(_THINGS)}{place}."


def _sentences(chance: random.Random, count: int) -> str:
    return "".join(
        _sentence(chance) + ("\n\n" if chance.random() < 0.1 else " ") for _ in range(count)
    ).strip()


def _of_text(pipeline: Pipeline, text: str, *, explain: bool = False) -> Asked:
    document = pipeline.annotate(text)
    found = pipeline.relations(document)
    explanations = list(pipeline.explain_many(found)) if explain else None
    answer = text_result(pipeline, document, found, explanations)
    body = json.dumps({"text": text, "explain": explain}).encode()
    return Asked("text", RELATIONS, body, answer=_through_json(answer))


def _short_text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(2, 4)), explain=chance.random() < 0.1)


def _text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(5, 15)))


def _long_text(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_text(pipeline, _sentences(chance, chance.randint(40, 80)))


def _of_pairs(pipeline: Pipeline, chance: random.Random, count: int) -> Asked:
    pairs = [{"arg1": _sentence(chance), "arg2": _sentence(chance), "id": n} for n in range(count)]
    lines = [
        PairLine(n + 1, n, GivenPair(str(pair["arg1"]), str(pair["arg2"]), id=f"line{n + 1}"))
        for n, pair in enumerate(pairs)
    ]
    answers = [record for portion in answer_lines(pipeline, lines) for record in portion]
    body = json.dumps({"pairs": pairs}).encode()
    return Asked("pairs", RELATIONS, body, answer=_through_json(pairs_result(pipeline, answers)))


def _few_pairs(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_pairs(pipeline, chance, chance.randint(1, 5))


def _many_pairs(pipeline: Pipeline, chance: random.Random) -> Asked:
    return _of_pairs(pipeline, chance, chance.randint(20, 70))


def _view(pipeline: Pipeline, chance: random.Random) -> Asked:
    text = f"{_sentence(chance)} {_sentence(chance)}"
    view = pipeline.view(pipeline(text)[0])
    answer = {"schema": SCHEMA, "view": view.to_json(), "svg": draw_trees(view)}
    body = json.dumps({"text": text, "relation": 0}).encode()
    return Asked("view", VIEWS, body, answer=_through_json(answer))


def _invalid(_: Pipeline, chance: random.Random) -> Asked:
    status, body = chance.choice(
        [
            (400, b'{"text": '),
            (422, b"{}"),
            (422, b'{"text": "..."}'),
            (422, b'{"pairs": [{"arg1": "a"}]}'),
            (413, b'{"text": "%s"}' % (b"a" * 140_000)),
        ]
    )
    return Asked("invalid", RELATIONS, body, status=status)


def _through_json(answer: Json) -> Json:
    found: Json = json.loads(json.dumps(answer))
    return found
