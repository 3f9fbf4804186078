"""Documents -> a trained coreference model in a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from disco2.annotation.annotator import Layer
from disco2.annotation.english.coreference.features import mention_feature_sizes
from disco2.annotation.english.coreference.ranking import Tables, write_weights
from disco2.annotation.english.coreference.resolver import MentionRanker
from disco2.errors import InputError
from disco2.evaluation.coreference import CoreferenceScores
from disco2.files import HIDDEN_LIST, check_folder_place
from disco2.records import Document
from disco2.training.annotators.coreference.backing_off import BackedOffTables
from disco2.training.annotators.coreference.examples import Example, example, frequent_words
from disco2.training.annotators.coreference.loss import loss_and_gradient
from disco2.training.annotators.coreference.optimiser import SparseAdaGrad
from disco2.training.annotators.coreference.scoring import coreference_scores
from disco2.training.annotators.coreference.settings import CoreferenceSettings


@dataclass(frozen=True, slots=True)
class TrainingReport:
    """The loss of each pass, and the scores on the development documents in the end, if there were any."""

    losses: tuple[float, ...]
    development: CoreferenceScores | None


def train_coreference(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    settings: CoreferenceSettings | None = None,
    seed: int = 1,
    progress: Callable[[str], None] = lambda line: None,
    force: bool = False,
) -> TrainingReport:
    """Train on ``training`` and write the weights to ``folder``.

    Documents have gold mentions and the syntax that the model will meet: gold tokens with automatic tags,
    dependencies and phrases, as ``annotate(documents, layers=...)`` of another annotator gives them, which
    leaves the mentions alone. ``development`` is only scored. The same seed gives the same weights.
    """
    check_folder_place(folder, HIDDEN_LIST, force=force)
    settings = settings or CoreferenceSettings()
    words = frequent_words(training, rarest=settings.rarest_word)
    examples = [made for document in training if (made := example(document, words, settings)) is not None]
    if not examples:
        raise InputError(
            "No training document has a phrase that may be a mention.",
            hint="Give documents with tags and constituents.",
        )
    tables, losses = _fit(examples, sum(mention_feature_sizes(len(words)).values()), settings, seed, progress)
    write_weights(folder, tables, words, window=settings.window, matches=settings.matches, force=force)
    scores = evaluate_coreference(MentionRanker.load(folder), development) if development else None
    return TrainingReport(losses, scores)


def _fit(
    examples: Sequence[Example],
    mention_rows: int,
    settings: CoreferenceSettings,
    seed: int,
    progress: Callable[[str], None],
) -> tuple[Tables, tuple[float, ...]]:
    parameters = BackedOffTables(mention_rows)
    optimiser = SparseAdaGrad(parameters.parameters, rate=settings.rate, penalty=settings.penalty)
    random = np.random.default_rng(seed)
    losses = []
    for number in range(settings.passes):
        total = 0.0
        for index in random.permutation(len(examples)).tolist():
            loss, gradient = loss_and_gradient(parameters.merged(), examples[index])
            optimiser.step(parameters.spread(gradient))
            total += loss
        losses.append(total)
        progress(f"pass {number + 1} of {settings.passes}: loss {total:.0f}")
    return parameters.merged(), tuple(losses)


def evaluate_coreference(ranker: MentionRanker, documents: Sequence[Document]) -> CoreferenceScores:
    """The ranker's chains against the mentions that the documents have."""
    return coreference_scores(documents, ranker.annotate(documents, layers=frozenset({Layer.COREFERENCE})))
