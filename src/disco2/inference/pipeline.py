"""Raw text -> relations: the whole flow."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import TypedDict, TypeVar, Unpack

from disco2.annotation.annotator import ALL_LAYERS, Annotator, AnnotatorChoice, raw_document
from disco2.bundle import Manifest, load_bundle, read_manifest
from disco2.data import Document, RelationKind
from disco2.errors import InputError
from disco2.inference.candidates import (
    Candidate,
    GivenPair,
    complete_relations,
    draft_relations,
    predict_candidates,
    senses_of,
)
from disco2.inference.explanation import Explanation, explain_predictions
from disco2.inference.plain_text import LanguageWarning, check_text, text_warnings, without_controls
from disco2.inference.prediction import Prediction, RelationChoice, Relations, check_min_probability, heading
from disco2.inference.view import RelationView, relation_view
from disco2.model import AnyModel
from disco2.model.probabilities import Calibration, Prior, Shares
from disco2.parser.parser import DiscourseParser
from disco2.shipped import find_model


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A name, a licence, a hash that tells models apart, and how many training relations each label has."""

    name: str = "unnamed"
    licence: str = "not recorded"
    digest: str = ""
    label_counts: Mapping[str, float] = field(default_factory=dict)  # empty where they were not recorded


def check_batch_size(size: object, *, of: str) -> None:
    """Raise InputError for anything but a whole number from 1 on."""
    if not isinstance(size, int) or isinstance(size, bool) or size < 1:
        raise InputError(f"A batch can't have {size} {of}.", hint="Give a batch size of 1 or more.")


# Unicode's separator of paragraphs, which all annotators respect, for line ends; one for one keeps offsets.
_LINES_AS_PARAGRAPHS = dict.fromkeys(map(ord, "\n\r\u2028"), "\u2029")


def annotate_texts(
    annotators: Annotator, texts: Sequence[tuple[str, str]], *, paragraphs: str = "blank"
) -> list[Document]:
    """Documents from ids and texts, in order.

    Annotators see spaces for control characters; the documents keep the texts as they were, NULs and Windows
    line ends included, so that all offsets are exact. Where ``paragraphs`` end at every ``line`` end, no
    sentence goes on behind one.
    """
    raw = [unannotated(text, document_id=name, paragraphs=paragraphs) for name, text in texts]
    found = annotators.annotate(raw, layers=ALL_LAYERS)
    return [replace(document, text=text) for document, (_, text) in zip(found, texts, strict=True)]


def unannotated(text: str, *, document_id: str = "text", paragraphs: str = "blank") -> Document:
    """What annotators get to see of a text, with no layer yet."""
    seen = without_controls(check_text(text))
    if paragraphs == "line":
        seen = seen.translate(_LINES_AS_PARAGRAPHS)
    return raw_document(seen, document_id=document_id)


_T = TypeVar("_T")


class ChoiceOptions(TypedDict, total=False):
    """Which relations are asked for: see ``Pipeline.__call__``."""

    kinds: Iterable[str] | str | None
    between_only: bool
    norel: bool
    min_probability: float


class Pipeline:
    """Annotators, a parser, a model and its calibration as one thing that takes text.

    ``pipeline(text)`` finds all relations of a text; ``pipeline.classify(arg1, arg2)`` judges two arguments
    that are given. The parser finds connectives and clauses, whatever the model.
    """

    def __init__(
        self,
        annotators: Annotator,
        model: AnyModel,
        calibration: Calibration | None = None,
        *,
        info: ModelInfo | None = None,
        parser: DiscourseParser | None = None,
    ) -> None:
        self.annotators = annotators
        self.model = model
        self.calibration = calibration or Calibration()
        self.info = info or ModelInfo()
        self.senses = senses_of(model)
        self.parser = parser or DiscourseParser.load()

    @property
    def outcomes(self) -> tuple[str, ...]:
        """All senses and other outcomes that a relation of a text may have: the model's, then the others."""
        others = (*self.parser.senses, RelationKind.HYPOPHORA.value)
        return tuple(dict.fromkeys((*self.model.labels, *others)))

    def __repr__(self) -> str:
        return f"<Pipeline {self.info.name}: {len(self.senses)} senses, layers by {self.annotators.name}>"

    def __call__(
        self,
        text: str,
        *,
        paragraphs: str = "blank",
        prior: Shares | None = None,
        **options: Unpack[ChoiceOptions],
    ) -> Relations:
        """All relations of a text, in text order: explicit, implicit, EntRel, Hypophora.

        ``kinds`` names those to return, such as ``["Explicit"]``. NoRel, neighbouring sentences without a
        relation, is returned only if it is named there, or with ``norel``. ``between_only`` judges every pair
        of neighbouring sentences in a paragraph, and looks for nothing else. Relations whose probability is
        below ``min_probability`` are marked as ``unsure``. ``paragraphs`` end at a "blank" line, at every
        "line" end, or at "none".

        ``prior`` holds the shares of labels that are expected in the text, such as ``{"Contingency.Cause":
        0.4}`` or ``"uniform"``, in place of those that the model was trained on or loaded with; it has no
        effect on explicit relations.

        Warns with ``LanguageWarning`` if the text does not look like English.
        """
        choice = RelationChoice.of(**options)
        document = self.annotate(text, paragraphs=paragraphs)
        _warn(text)
        return self.find(document, choice, paragraphs=paragraphs, prior=prior)

    def pipe(
        self,
        texts: Iterable[str],
        *,
        batch_size: int = 16,
        paragraphs: str = "blank",
        prior: Shares | None = None,
        **options: Unpack[ChoiceOptions],
    ) -> Iterator[Relations]:
        """The same for many texts, which are annotated ``batch_size`` at a time; takes them as they come."""
        choice = RelationChoice.of(**options)
        for portion in _portions(texts, batch_size):
            numbered = [(f"text{n}", text) for n, text in portion]
            for document in annotate_texts(self.annotators, numbered, paragraphs=paragraphs):
                _warn(document.text)
                yield self.find(document, choice, paragraphs=paragraphs, prior=prior)

    def classify(
        self, arg1: str, arg2: str, *, prior: Shares | None = None, min_probability: float = 0.0
    ) -> Prediction:
        """The sense between two arguments that are given; EntRel and NoRel are no answers here."""
        return next(self.classify_many([(arg1, arg2)], prior=prior, min_probability=min_probability))

    def classify_many(
        self,
        pairs: Iterable[tuple[str, str]],
        *,
        batch_size: int = 64,
        prior: Shares | None = None,
        min_probability: float = 0.0,
    ) -> Iterator[Prediction]:
        """The same for many pairs, each a document of its own, ``batch_size`` at a time, in order."""
        for portion in _portions(pairs, batch_size):
            given = []
            for n, pair in portion:
                if not isinstance(pair, Sequence) or isinstance(pair, str | bytes) or len(pair) != 2:
                    hint = 'Give them as ("It rained.", "We left.").'
                    raise InputError("A pair is two texts.", where=f"pair{n}", hint=hint)
                given.append(GivenPair(*pair, id=f"pair{n}"))
            yield from self.classify_pairs(given, prior=prior, min_probability=min_probability)

    def classify_pairs(
        self, pairs: Sequence[GivenPair], *, prior: Shares | None = None, min_probability: float = 0.0
    ) -> list[Prediction]:
        """The same for pairs that have been checked, all at once."""
        check_min_probability(min_probability)
        documents = self.annotators.annotate([pair.document() for pair in pairs], layers=ALL_LAYERS)
        candidates = [pair.candidate(found) for pair, found in zip(pairs, documents, strict=True)]
        answers = predict_candidates(self.model, self.calibrated(prior), candidates)
        return [replace(one, index=0, unsure=one.probability < min_probability) for one in answers]

    def annotate(self, text: str, *, document_id: str = "text", paragraphs: str = "blank") -> Document:
        """The text with all layers: tokens, tags, dependencies, constituents, coreference."""
        return annotate_texts(self.annotators, [(document_id, text)], paragraphs=paragraphs)[0]

    def relations(
        self,
        document: Document,
        *,
        paragraphs: str = "blank",
        prior: Shares | None = None,
        **options: Unpack[ChoiceOptions],
    ) -> Relations:
        """The relations of a document that has its layers already.

        If it has no constituents or no dependencies, only neighbouring sentences are judged.
        """
        return self.find(document, RelationChoice.of(**options), paragraphs=paragraphs, prior=prior)

    def find(
        self,
        document: Document,
        choice: RelationChoice,
        *,
        paragraphs: str = "blank",
        prior: Shares | None = None,
    ) -> Relations:
        """The same for a choice that has been checked."""
        return self.find_all([document], choice, paragraphs=paragraphs, prior=prior)[0]

    def find_all(
        self,
        documents: Sequence[Document],
        choice: RelationChoice,
        *,
        paragraphs: str = "blank",
        prior: Shares | None = None,
    ) -> list[Relations]:
        """The same for several documents, whose pairs are scored together."""
        drafts = [draft_relations(one, self.parser, choice, paragraphs=paragraphs) for one in documents]
        candidates = [one for draft in drafts for one in draft if isinstance(one, Candidate)]
        judgements = predict_candidates(self.model, self.calibrated(prior), candidates)
        return [
            Relations(complete_relations(draft, judgements, choice), document, heading(self))
            for document, draft in zip(documents, drafts, strict=True)
        ]

    def calibrated(self, prior: Shares | None) -> Calibration:
        """The pipeline's calibration, with this prior where one is given."""
        if prior is None:
            return self.calibration
        made = Prior.of(prior, labels=self.model.labels, counts=self.info.label_counts)
        made.log_ratios([self.model.labels.index(sense) for sense in self.senses])  # or there is no answer
        return replace(self.calibration, prior=made)

    def explain(self, prediction: Prediction, *, sense: str = "", rival: str = "") -> Explanation:
        """The score of the predicted sense (or another) as a sum of terms, beside the next best outcome."""
        return next(explain_predictions(self.model, self.parser, [prediction], sense=sense, rival=rival))

    def explain_many(self, predictions: Sequence[Prediction]) -> Iterator[Explanation]:
        """The same for many predictions, in order; much quicker where they are of one long text."""
        return explain_predictions(self.model, self.parser, predictions)

    def view(self, prediction: Prediction) -> RelationView:
        """Trees, vectors and entities, to be drawn, and the scores of the most probable senses in parts."""
        return relation_view(self.model, self.parser, prediction)


def _warn(text: str) -> None:
    for warning in text_warnings(text):
        warnings.warn(warning, LanguageWarning, stacklevel=3)


def _portions(items: Iterable[_T], size: int) -> Iterator[list[tuple[int, _T]]]:
    """Numbered items, at most ``size`` at a time."""
    if not isinstance(items, Iterable) or isinstance(items, str | bytes):
        raise InputError(
            f"Many texts or pairs are needed, not one {type(items).__name__}.", hint="Give a list."
        )
    check_batch_size(size, of="items")
    numbered = enumerate(items)
    while portion := list(islice(numbered, min(size, sys.maxsize))):
        yield portion


def load(
    model: str | Path | None = None, *, annotators: Annotator | None = None, prior: Shares | None = None
) -> Pipeline:
    """The pipeline of a model: a shipped one by its name, else a folder; by default the best that ships.

    ``disco2 models`` lists the names. Without ``annotators`` the built-in English ones make all layers of a
    text. ``prior`` holds the shares of labels that are expected in all texts: see ``Pipeline.__call__``.
    """
    folder = find_model(model)
    trained, manifest = load_bundle(folder)
    if annotators is None:
        annotators = AnnotatorChoice().open()
    info = ModelInfo(
        name=str(manifest.data.get("name") or folder.resolve().name),
        licence=str(manifest.data.get("licence") or "not recorded"),
        digest=_digest(manifest),
        label_counts=manifest.prior_counts,
    )
    calibration = Calibration(manifest.temperature, manifest.running_text_temperature)
    pipeline = Pipeline(annotators, trained, calibration, info=info)
    pipeline.calibration = pipeline.calibrated(prior)
    return pipeline


def model_digest(model: str | Path | None = None) -> str:
    """What tells a model from others, without loading it."""
    return _digest(read_manifest(find_model(model)))


def _digest(manifest: Manifest) -> str:
    return str(manifest.to_json()["digest"])
