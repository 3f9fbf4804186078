"""What the description of the API shows: requests, and the answers that this very server gives to them."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass

from disco2.inference.pipeline import Pipeline
from disco2.inference.results import Json
from disco2.interfaces.server.admission import relations_job, view_job
from disco2.interfaces.server.jobs import Job
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.workbench import Workbench

TEXT: Json = {"text": "Bob gave Tina the burger. She was hungry."}
EXPLAINED: Json = {"text": "It rained all day. We stayed at home.", "explain": True}
PAIRS: Json = {
    "pairs": [
        {"arg1": "Bob gave Tina the burger.", "arg2": "She was hungry.", "id": "she"},
        {"arg1": "Bob gave Tina the burger.", "arg2": "He was hungry.", "id": "he"},
    ]
}
VIEW: Json = {"text": TEXT["text"], "relation": 0}


@dataclass(frozen=True, slots=True)
class Examples:
    """Answers to the requests above; making them also wakes up everything that is slow the first time."""

    text: Json
    explained: Json
    pairs: Json
    view: Json | None  # where annotators find two sentences in the text


def make_examples(pipeline: Pipeline) -> Examples:
    """They are answered whatever the limits of the server are."""
    bench = Workbench(pipeline, Limits())
    try:
        view = _answer(bench, view_job, VIEW)
    except Refusal:
        view = None
    return Examples(
        text=_answer(bench, relations_job, TEXT),
        explained=_answer(bench, relations_job, EXPLAINED),
        pairs=_answer(bench, relations_job, PAIRS),
        view=view,
    )


def _answer(bench: Workbench, make: Callable[..., Job], content: Json) -> Json:
    job = make(content, bench.limits, deadline=time.monotonic() + 3600)
    found: Json = json.loads(job.answer(bench).body)
    return found
