"""Preparation and a training step take linear time in words and in mentions, whatever the trees look like."""

from __future__ import annotations

import numpy as np
import pytest

from disco2.data import Document
from disco2.data.batch import Batch, collate
from disco2.features.extractor import ExampleEncoder
from disco2.model import ModelSettings, initial_parameters
from disco2.model.network import backward, forward
from tests.growth import LINEAR, TIMES, growth
from tests.shapes import neighbours, shaped_document

SETTINGS = ModelSettings(K=6, features=False)


def prepare(document: Document) -> Batch:
    encoder = ExampleEncoder(
        word_row=lambda form: int(form[1:]), labels=(), extractor=None, with_entities=True
    )
    return collate(encoder.encode(neighbours(document)))


def step(batch: Batch) -> None:
    vectors = np.random.default_rng(1).normal(size=(50, SETTINGS.K)).astype(np.float32)
    parameters = initial_parameters(SETTINGS, labels=2, features=0, seed=1)
    done = forward(SETTINGS, parameters, vectors, batch)
    backward(SETTINGS, parameters, batch, done, np.ones_like(done.scores))


@pytest.mark.parametrize("shape", ["balanced", "rightward"])
@pytest.mark.parametrize(
    ("doubled", "size", "rest"), [("words", 800, {"mentions": 10}), ("mentions", 60, {"words": 1000})]
)
def test_time(doubled: str, size: int, rest: dict[str, int], shape: str) -> None:
    """All mentions are of one chain: there are as many pairs as the square of their number."""
    documents = {
        units: shaped_document(shape=shape, **{doubled: units}, **rest) for units in (size, TIMES * size)
    }
    assert growth(lambda units: prepare(documents[units]), size) < LINEAR
    batches = {units: prepare(document) for units, document in documents.items()}
    assert growth(lambda units: step(batches[units]), size) < LINEAR
