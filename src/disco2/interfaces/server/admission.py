"""Checked bodies -> jobs; what can't be answered is refused before it waits."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

from disco2.annotation.text import paragraphs
from disco2.errors import InputError
from disco2.inference.candidates import GivenPair
from disco2.inference.pairs import PairLine
from disco2.inference.pipeline import unannotated
from disco2.inference.plain_text import has_word
from disco2.interfaces.server.bodies import PairBody, PairsBody, TextBody, ViewBody
from disco2.interfaces.server.jobs import Job, PairsJob, TextJob, ViewJob
from disco2.interfaces.server.reading import checked
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.workbench import too_many_sentences


def relations_job(content: dict[str, Any], limits: Limits, *, deadline: float) -> Job:
    """A job on a text or on pairs, whichever the body has."""
    if ("text" in content) == ("pairs" in content):
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "Text and pairs can't be asked for together." if "text" in content else "A field is missing.",
            where="body",
            hint="Give exactly one of: text, pairs.",
        )
    if "text" in content:
        body = checked(TextBody, content)
        _check_text(body.text, body.paragraphs, limits)
        return TextJob(
            body.text, body.choice, paragraphs=body.paragraphs, explain=body.explain, deadline=deadline
        )
    _check_count(content["pairs"], limits)
    given = checked(PairsBody, content)
    lines = [_line(place, pair) for place, pair in enumerate(given.pairs)]
    return PairsJob(lines, explain=given.explain, deadline=deadline)


def view_job(content: dict[str, Any], limits: Limits, *, deadline: float) -> Job:
    body = checked(ViewBody, content)
    _check_text(body.text, body.paragraphs, limits)
    return ViewJob(body.text, body.choice, body.relation, paragraphs=body.paragraphs, deadline=deadline)


def _check_text(text: str, parted: str, limits: Limits) -> None:
    """What can be told without annotating: no sentence goes over the end of a paragraph."""
    if not has_word(text):
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "The text has no word.",
            where="text",
            hint="Give a sentence or two.",
        )
    seen = unannotated(text, paragraphs=parted).text
    too_many_sentences(sum(has_word(one) for _, one in paragraphs(seen)), limits.sentences)


def _check_count(pairs: object, limits: Limits) -> None:
    if isinstance(pairs, list) and len(pairs) > limits.pairs:
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"There are {len(pairs):,} pairs; {limits.pairs:,} are the most.",
            where="pairs",
            hint="Send them in parts.",
        )


def _line(place: int, body: PairBody) -> PairLine:
    """The pair as a line of a file of pairs, so that its answer is the one of the command line."""
    number = place + 1
    try:
        return PairLine(number, body.id, GivenPair(body.arg1, body.arg2, id=f"line{number}"))
    except InputError:
        argument = "arg1" if not has_word(body.arg1) else "arg2"
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            "The argument has no word.",
            where=f"pairs[{place}].{argument}",
            hint="Give a sentence or a clause.",
        ) from None
