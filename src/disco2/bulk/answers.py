"""A batch of documents -> what is said about each; one that can't be annotated does not spoil the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from disco2.data import Document
from disco2.errors import Disco2Error, LayerError
from disco2.inference.explanation import Explanation
from disco2.inference.pipeline import Pipeline, annotate_texts
from disco2.inference.prediction import Prediction, RelationChoice

HARMLESS = "It rained. We stayed at home."  # where this is refused, no document is to blame


@dataclass(frozen=True, slots=True)
class Text:
    """A document that is to be answered."""

    name: str
    sha256: str
    text: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The relations of a document."""

    document: Document
    sha256: str
    relations: Sequence[Prediction]
    explanations: Sequence[Explanation] | None = None

    @property
    def name(self) -> str:
        return self.document.id

    @property
    def sentences(self) -> int:
        return len(self.document.sentences)


class Answerer:
    """Annotates documents of a batch together and scores each alone.

    So an answer does not depend on who else is in the batch; but annotators multiply other matrices for other
    batches, and one in very many decisions may hang on a last digit. Hence documents that can't be answered
    are found one by one, and the answers still come from what is left of the batch, together.
    """

    def __init__(self, pipeline: Pipeline, *, choice: RelationChoice, paragraphs: str, explain: bool) -> None:
        self._pipeline = pipeline
        self._choice = choice
        self._paragraphs = paragraphs
        self._explain = explain

    def together(self, batch: Sequence[Text]) -> list[Answer | Disco2Error]:
        """An answer for each, or why there is none.

        An annotator that refuses a harmless text as well is out of order: its error is raised.
        """
        if not batch:
            return []
        try:
            found: list[Answer | Disco2Error] = [*self._answers(batch)]
        except MemoryError:
            raise
        except Exception:
            found = self._without_refused(batch)
        return found

    def alone(self, text: Text) -> Answer | Disco2Error:
        """The same for a single document."""
        try:
            return self._answers([text])[0]
        except MemoryError:
            raise
        except Exception as error:  # whatever made an annotator stumble, the other documents go on
            self._check_order()
            if isinstance(error, Disco2Error):
                return error
            return Disco2Error(f"It can't be annotated: {type(error).__name__}: {error}.")

    def _check_order(self) -> None:
        """Raise LayerError where the fault is not a document's."""
        try:
            self._answers([Text("", "", HARMLESS)])
        except MemoryError:
            raise
        except Exception as error:
            raise LayerError(
                f"The annotators are out of order, whatever the text: {error}",
                hint="What is done is kept; give the same command again.",
            ) from error

    def _without_refused(self, batch: Sequence[Text]) -> list[Answer | Disco2Error]:
        found = [self.alone(text) for text in batch]
        rest = [text for text, answer in zip(batch, found, strict=True) if isinstance(answer, Answer)]
        if len(rest) in (0, len(batch)):
            return found
        try:
            again = iter(self._answers(rest))
        except MemoryError:
            raise
        except Exception:
            return found
        return [next(again) if isinstance(answer, Answer) else answer for answer in found]

    def _answers(self, batch: Sequence[Text]) -> list[Answer]:
        documents = annotate_texts(
            self._pipeline.annotators, [(one.name, one.text) for one in batch], paragraphs=self._paragraphs
        )
        answers = []
        for text, document in zip(batch, documents, strict=True):
            found = self._pipeline.find(document, self._choice, paragraphs=self._paragraphs)
            explanations = list(self._pipeline.explain_many(found)) if self._explain else None
            answers.append(Answer(document, text.sha256, found, explanations))
        return answers
