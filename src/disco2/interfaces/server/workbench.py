"""What jobs are done with: the pipeline, the documents of the batch, the recent ones, the limits."""

from __future__ import annotations

from collections.abc import Callable
from http import HTTPStatus

from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.server.recent import Judged, RecentDocuments
from disco2.interfaces.server.refusal import Refusal
from disco2.interfaces.server.settings import Limits
from disco2.interfaces.server.together import TogetherAnnotator, Turn, turn_at


class Workbench:
    """For one worker's thread alone.

    Its pipeline is the given one, but annotates documents together. Every job runs the code that the command
    line runs, and each is scored alone, so that no answer depends on who else asked.
    """

    def __init__(self, pipeline: Pipeline, limits: Limits, *, turn: Turn | None = None) -> None:
        """Workers of one pipeline take the same ``turn`` at its annotators."""
        self.together = TogetherAnnotator(pipeline.annotators, turn=turn or turn_at(pipeline.annotators))
        self.pipeline = Pipeline(
            self.together, pipeline.model, pipeline.calibration, info=pipeline.info, parser=pipeline.parser
        )
        self.recent = RecentDocuments()
        self.limits = limits

    def judge(
        self, text: str, choice: RelationChoice, *, paragraphs: str, check: Callable[[], None]
    ) -> Judged:
        """The relations of a text, or a refusal where it has too many sentences.

        ``check`` raises where the work is to stop.
        """
        found = self.recent.find(text, paragraphs, choice)
        if found is not None:
            return found
        document = self.pipeline.annotate(text, paragraphs=paragraphs)
        too_many_sentences(len(document.sentences), self.limits.sentences)
        check()
        judged = Judged(document, self.pipeline.find(document, choice, paragraphs=paragraphs))
        self.recent.keep(text, paragraphs, choice, judged)
        check()
        return judged


def too_many_sentences(count: int, most: int) -> None:
    """Refuse a text of so many sentences, where they are."""
    if count > most:
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"The text has {count:,} sentences; {most:,} are the most.",
            where="text",
            hint="Send it in parts.",
        )


def too_many_tokens(count: int, most: int, *, where: str) -> None:
    """Refuse what would take very long: a text in which nearly every character is a token."""
    if count > most:
        raise Refusal(
            HTTPStatus.UNPROCESSABLE_ENTITY,
            f"There are {count:,} words and marks; {most:,} are the most.",
            where=where,
            hint="Send it in parts.",
        )
