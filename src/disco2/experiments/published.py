"""Figures of Ji & Eisenstein (2015), "One Vector is Not Enough": theirs, never measured here."""

from __future__ import annotations

import re

from disco2.corpora.tasks import TaskSettings
from disco2.data import Corpus
from disco2.experiments.bench import Bench, is_covered
from disco2.reporting.findings import Measure

SOURCE = "Published: Ji & Eisenstein (2015), on PDTB 2; not measured here."

LIN_2009 = "Lin et al. (2009)"

# Table "multiclass", by the names of our ladder.
MULTICLASS = {
    "most common class": 26.03,
    "additive word vectors": 28.73,
    LIN_2009: 40.2,
    "surface features": 39.69,
    "upward": 36.98,
    "upward + entities": 37.63,
    "upward + features": 42.53,
    "upward + entities + features": 43.56,
}

# F1 and accuracy for each class of level 1, in the order of ``CLASSES``.
BINARY = {
    "Pitler et al. (2009)": ((21.96, 56.59), (47.13, 67.30), (76.42, 63.62), (16.76, 63.49)),
    "Zhou et al. (2010)": ((31.79, 58.22), (47.16, 48.96), (70.11, 54.54), (20.30, 55.48)),
    "Park & Cardie (2012)": ((31.32, 74.66), (49.82, 72.09), (79.22, 69.14), (26.57, 79.32)),
    "Biran & McKeown (2013)": ((25.40, 63.36), (46.94, 68.09), (75.87, 62.84), (20.23, 68.35)),
    "Ji & Eisenstein (2015)": ((35.84, 68.45), (51.39, 74.08), (79.91, 69.47), (26.91, 86.41)),
}

# Share of relations with coreferent entities: training, test.
SHARED_ENTITIES = {
    "automatic": (27.4, 29.1),
    "intersection, automatic": (26.2, 32.3),
    "intersection, own": (40.9, 49.3),
}

# Accuracy without and with entities on relations that share one, and on the intersection with OntoNotes.
ENTITIES_ON_SHARED = (42.2, 44.9)
ENTITIES_ON_INTERSECTION = (37.1, 38.8)

# What ``documents_with_coreference`` notes: how many documents it kept, of how many.
_KEPT = re.compile(r"(\d+) of (\d+) documents have coreference\.")

# The range of test accuracies over K in the figure.
DIMENSION_RANGE = (41.9, 43.6)


def published(percent: float, *, decimals: int = 0) -> Measure:
    """A percentage with so many decimals; 0: as many as it has, one or two."""
    usual = 1 if round(percent, 1) == percent else 2
    return Measure(round(percent / 100, 6), published=True, decimals=decimals or usual)


def is_papers_corpus(bench: Bench, protocol: str) -> bool:
    """Whether the published figures belong beside ours: the same corpus, all of it, split and task."""
    corpus = bench.corpus
    task, usual = (
        settings.task(corpus.name, corpus.inventory)
        for settings in (bench.configuration.task, TaskSettings())
    )
    return corpus.name == "pdtb2" and bench.protocol == protocol and task == usual and not is_cut(corpus)


def is_cut(corpus: Corpus) -> bool:
    """Whether the corpus says of itself that documents without coreference were left out of it."""
    return any((found := _KEPT.fullmatch(note)) is not None and found[1] != found[2] for note in corpus.notes)


def notes_beside(bench: Bench) -> tuple[str, ...]:
    """Notes for tables that have published figures and ours."""
    if is_covered(bench.corpus):
        return (SOURCE,)
    documents = bench.corpus.documents.values()
    without = sum(document.mentions is None for document in documents)
    return (
        SOURCE,
        f"The published models had automatic coreference in every document; here {without} of "
        f"{len(documents)} documents have none, and so no entities.",
    )
