"""From relations to batches: features found, trees and entities encoded, examples collated.

A step on the same number of relations stands beside each: preparation is done once for a training and a step
in every pass.
"""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks import pdtb_sized
from benchmarks.speed.memory import peak_bytes
from benchmarks.speed.rows import Row, row
from benchmarks.speed.run import Run
from benchmarks.speed.steps import product_steps
from benchmarks.speed.timing import in_turns
from benchmarks.speed.workload import STANDARD_BATCH, STANDARD_K, Workload
from disco2.data import Instance
from disco2.data.batch import collate
from disco2.features import FeatureExtractor
from disco2.features.encoder import UNKNOWN_WORD, Encoder
from disco2.model import ModelSettings, RelationModel
from disco2.training.preparation import word_vectors_for
from disco2.vectors import VectorSettings

RELATIONS = 1024
STEP = "training step"


def measure_preparation(run: Run) -> list[Row]:
    """Relations a second for finding features, for encoding without them, and for collating batches of 64."""
    instances = pdtb_sized.generate(RELATIONS)
    extractor = FeatureExtractor.fit(instances)
    vectors = word_vectors_for(instances, VectorSettings(), STANDARD_K, seed=1, sentences=())
    model = RelationModel(ModelSettings(K=STANDARD_K), pdtb_sized.LABELS, vectors, extractor, {})
    rows = _rows(run, run.generated, model, instances)
    if run.gum:
        rows += _rows(run, run.gum.workload, run.gum.untrained, run.gum.instances[:RELATIONS])
    return rows


def _rows(run: Run, workload: Workload, model: RelationModel, instances: Sequence[Instance]) -> list[Row]:
    extractor = model.extractor
    assert extractor is not None
    examples = [one.example for one in workload.made[:RELATIONS]]

    def find_features() -> object:
        return extractor.transform(instances)

    def word_row(form: str) -> int:
        row = model.vectors.row(form)
        return UNKNOWN_WORD if row is None else row + 1

    def encode() -> object:
        # A new encoder has seen no word yet.
        encoder = Encoder(
            word_row=word_row,
            labels=model.labels,
            extractor=None,
            with_entities=True,
        )
        return encoder.encode(instances)

    def collate_all() -> object:
        return [
            collate(examples[begin : begin + STANDARD_BATCH]) for begin in range(0, RELATIONS, STANDARD_BATCH)
        ]

    step = product_steps(workload, workload.batches(STANDARD_BATCH)[: RELATIONS // STANDARD_BATCH])
    found = []
    for name, work in (
        ("feature extraction", find_features),
        ("encoding, features apart", encode),
        ("collating batches", collate_all),
    ):
        seconds = in_turns({"product": work, STEP: step}, repeats=2 * run.slow_repeats)
        found.append(
            row(
                f"{name}, {workload.name}",
                "relations",
                count=RELATIONS,
                seconds=seconds,
                peak=peak_bytes(work),
            )
        )
    return found
