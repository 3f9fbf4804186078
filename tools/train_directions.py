"""Train the directions of an encoder's senses, such as Reason and Result, and write them into its bundle.

    python tools/train_directions.py src/disco2/models/en --gum DIR

Learns from the training parts of GUM and of data/everyday*.jsonl, and prints the accuracy on their dev parts
beside that of the more frequent direction. The other parts of the model stay as they are. Takes some minutes.

For each sense of level 2 there is one logistic regression on the means x = [m1; m2] that the encoder gives
(``model.encoder_model``), standardised by their mean and deviation in training:

    p(second direction | x) = sigmoid(w x + b),    minimising  sum -log p(gold) + lambda/2 |w|^2

The loss is convex, so that there is no seed: Newton's method, with the Hessian A' S A + lambda I.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from disco2.bundle import load_bundle, save_bundle
from disco2.corpora.catalogue import read_corpus
from disco2.data import RelationKind
from disco2.data.batch import Floats
from disco2.model import EncoderModel
from disco2.parser.connectives import DIRECTED, level2

DATA = Path(__file__).resolve().parents[1] / "data"
FIGURE = "dev accuracy of directions, "
PENALTY = 300.0  # lambda, chosen on the dev parts of GUM and of the everyday pairs
STEPS = 25
LEAST_GAIN = 0.02  # of accuracy over the majority, without which a sense gets no directions

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class DirectedPair:
    """Two arguments, the sense of level 3 between them, and the part (train or dev) of the corpus."""

    arg1: str
    arg2: str
    sense: str
    corpus: str
    part: str


@dataclass(frozen=True, slots=True)
class DirectionFigures:
    """How often the direction of a sense is right in the dev part of a corpus."""

    sense: str
    corpus: str
    pairs: int
    accuracy: float
    majority: float  # share of the more frequent direction


def fit_directions(
    model: EncoderModel, pairs: Sequence[DirectedPair]
) -> tuple[dict[str, Floats], list[DirectionFigures]]:
    """The rows of D that ``EncoderModel.directions`` holds, and their figures on the dev part.

    A sense whose accuracy on all of dev is not clearly above the majority is left out. One that has only
    one direction in training gets a row of zeros: it is always that one.
    """
    wanted = [one for one in pairs if level2(one.sense) in DIRECTED and one.sense.count(".") == 2]
    pooled = model.pool([(one.arg1, one.arg2) for one in wanted]).astype(np.float64)
    rows: dict[str, Floats] = {}
    figures: list[DirectionFigures] = []
    for sense in sorted({level2(one.sense) for one in wanted} & set(model.labels)):
        own = [place for place, one in enumerate(wanted) if level2(one.sense) == sense]
        train = [place for place in own if wanted[place].part == "train"]
        counts = Counter(wanted[place].sense for place in train)
        names = sorted(name for name, _ in counts.most_common(2))
        if len(names) < 2:
            rows |= {name: np.zeros(pooled.shape[1] + 1, dtype=np.float32) for name in names}
            continue
        train = [place for place in train if wanted[place].sense in names]
        gold = np.array([one.sense == names[1] for one in wanted], dtype=np.float64)
        weights = fit_logistic(pooled[train], gold[train])
        dev = [place for place in own if wanted[place].part == "dev"]
        right = (pooled @ weights[:-1] + weights[-1] > 0) == gold
        of_sense = [
            _figures(sense, corpus, [place for place in dev if wanted[place].corpus == corpus], right, gold)
            for corpus in sorted({wanted[place].corpus for place in dev})
        ]
        every = _figures(sense, "all", dev, right, gold)
        figures += [*of_sense, every]
        if every.accuracy >= every.majority + LEAST_GAIN:
            rows |= {names[0]: (-weights / 2).astype(np.float32), names[1]: (weights / 2).astype(np.float32)}
    return rows, figures


def _figures(
    sense: str, corpus: str, places: Sequence[int], right: NDArray[np.bool_], gold: Numbers
) -> DirectionFigures:
    chosen = list(places)
    share = float(gold[chosen].mean()) if chosen else 0.0
    accuracy = float(right[chosen].mean()) if chosen else 0.0
    return DirectionFigures(sense, corpus, len(chosen), accuracy, max(share, 1 - share))


def fit_logistic(inputs: Numbers, gold: Numbers, *, penalty: float = PENALTY) -> Numbers:
    """Weights and bias, [d + 1], of inputs [n, d] and answers 0 or 1, [n]."""
    mean, deviation = inputs.mean(axis=0), inputs.std(axis=0) + 1e-8
    matrix = np.hstack([(inputs - mean) / deviation, np.ones((len(inputs), 1))])
    ridge = np.full(matrix.shape[1], penalty)
    ridge[-1] = 1e-6  # the bias is free
    weights = np.zeros(matrix.shape[1])
    for _ in range(STEPS):
        chances = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (chances - gold) + ridge * weights
        hessian = (matrix * (chances * (1 - chances))[:, None]).T @ matrix + np.diag(ridge)
        step = np.linalg.solve(hessian, gradient)
        weights -= step
        if np.abs(step).max() < 1e-8:
            break
    scaled = weights[:-1] / deviation
    return np.append(scaled, weights[-1] - scaled @ mean)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("model", type=Path, help="folder of an encoder; it is changed")
    options.add_argument("--gum", type=Path, required=True)
    given = options.parse_args()
    model, manifest = load_bundle(given.model)
    if not isinstance(model, EncoderModel):
        options.error(f"{given.model} is not an encoder")
    pairs = []
    for name, path in [
        ("gum", given.gum),
        *(("pairs", file) for file in sorted(DATA.glob("everyday*.jsonl"))),
    ]:
        corpus = read_corpus(name, path)
        pairs += [
            DirectedPair(one.arg1.text, one.arg2.text, one.senses[0], path.stem, corpus.parts[one.document])
            for one in corpus.relations
            if one.kind is RelationKind.IMPLICIT and one.senses and one.document in corpus.parts
        ]
    rows, figures = fit_directions(model, pairs)
    print(f"{'sense':28} {'dev part of':16} {'pairs':>5} {'right':>6} {'majority':>8}")
    for one in figures:
        accuracy, majority = f"{100 * one.accuracy:.1f}", f"{100 * one.majority:.1f}"
        print(f"{one.sense:28} {one.corpus:16} {one.pairs:5} {accuracy:>6} {majority:>8}")
    print("directions:", ", ".join(rows))
    kept = {name: value for name, value in manifest.figures.items() if not name.startswith(FIGURE)}
    measured = {f"{FIGURE}{one.sense} ({one.pairs})": one.accuracy for one in figures if one.corpus == "all"}
    save_bundle(
        replace(model, directions=rows),
        given.model,
        configuration=manifest.configuration,
        task=manifest.task,
        data=manifest.data,
        figures=kept | measured,
        calibration=manifest.calibration,
        force=True,
    )


if __name__ == "__main__":
    main()
