"""How often the default model is right where it answers only above a probability.

    python -m tools.make_coverage --gum DIR --discogem DIR [--model en] [--plot docs/figures/coverage.svg]

Prints the table of docs/confidence.md: for every threshold and test part, the share of pairs whose most
probable outcome reaches the threshold, and the accuracy on these. Draws the same as a curve. Test parts and
layers are those of ``python -m benchmarks.answers``.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import disco2
from benchmarks.answers import TestSet, acceptance_tests, gum_tests, pair_test
from disco2.corpora.catalogue import read_corpus
from disco2.evaluation.scores import hits
from disco2.inference.pipeline import Pipeline

THRESHOLDS = (0.0, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
FEWEST = 20  # an accuracy on fewer answers is not shown
SVG = {"svg.hashsalt": "disco2", "svg.fonttype": "none"}  # the same bytes each time

Answers = tuple[NDArray[np.float64], NDArray[np.bool_]]  # probability [n] and whether it is right [n]


def answers(nlp: Pipeline, test: TestSet) -> Answers:
    allowed = nlp.model.is_sense.nonzero()[0].tolist() if test.senses_only else None
    probabilities = nlp.calibration.probabilities(nlp.model.scores(test.instances), allowed)
    senses = [nlp.model.labels[best] for best in probabilities.argmax(axis=1)]
    return probabilities.max(axis=1), hits([one.gold for one in test.instances], senses)


def table(found: Mapping[str, Answers]) -> str:
    lines = [f"| probability | {' | '.join(found)} |", "| --- |" + " ---: |" * len(found)]
    for threshold in THRESHOLDS:
        cells = [_cell(right[probability >= threshold], len(right)) for probability, right in found.values()]
        lines.append(f"| {f'{threshold:.0%} or more' if threshold else 'any'} | {' | '.join(cells)} |")
    return "\n".join(lines)


def _cell(right: NDArray[np.bool_], pairs: int) -> str:
    return f"{len(right) / pairs:.0%} / {right.mean():.0%}" if len(right) >= FEWEST else "too few"


def draw(found: Mapping[str, Answers], path: Path) -> None:
    from matplotlib import pyplot, rc_context

    with rc_context(SVG):
        figure, axes = pyplot.subplots(figsize=(6.4, 3.8), layout="constrained")
        for name, (probability, right) in found.items():
            count = np.arange(1, len(right) + 1)
            accuracy = np.cumsum(right[np.argsort(-probability, kind="stable")]) / count
            axes.plot(100 * count[FEWEST:] / len(right), 100 * accuracy[FEWEST:], label=name)
        axes.set(xlabel="share answered, the most probable first (%)", ylabel="accuracy (%)", ylim=(0, 101))
        axes.grid(alpha=0.3)
        axes.legend(loc="lower left", fontsize="small")
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    for name in ("--gum", "--discogem"):
        options.add_argument(name, type=Path, required=True, help="folder of the corpus")
    options.add_argument("--model", default="en", help="a name or a folder")
    options.add_argument("--plot", type=Path, default=Path("docs/figures/coverage.svg"))
    given = options.parse_args()
    arguments, _, running = gum_tests(given.gum, "test")
    discogem = pair_test("", read_corpus("discogem", given.discogem), protocol="documents", part="test")
    tests = {"GUM, given arguments": arguments, "GUM, running text": running, "DiscoGeM": discogem}
    tests["everyday pairs"] = acceptance_tests()[0]
    model = disco2.load(given.model)
    found = {name: answers(model, test) for name, test in tests.items()}
    print(table(found))
    draw(found, given.plot)
