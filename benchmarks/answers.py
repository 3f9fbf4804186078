"""How often the models are right, on every open test part, beside the most common class.

    python -m benchmarks.answers --gum DIR --discogem DIR [--models en,en-fast] [--part test] [--json FILE]
    python -m benchmarks.answers --gum DIR --discogem DIR --without     # en without its entity term, features

GUM: the sense between given arguments, of these the ones between sentences, and running text (EntRel and
NoRel allowed); layers are the built-in annotators'. DiscoGeM: split by document. Acceptance: the everyday
pairs and the role twins of tests/acceptance; with ``--part dev`` the dev parts of data/ instead. Every row
has the accuracy with its 95% interval (bootstrap, seed 1), macro-F1 over the gold labels and the calibration
error of the probabilities.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import disco2
from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.data import Corpus, Instance
from disco2.data.tree import shared_entities
from disco2.evaluation.scores import (
    confusion_matrix,
    expected_calibration_error,
    hits,
    macro_f1,
    scores_by_sense,
    settled_gold,
)
from disco2.evaluation.significance import bootstrap_interval, paired_bootstrap
from disco2.experiments.configuration import Configuration
from disco2.experiments.division import across_sentences, as_running_text, divide
from disco2.inference.pipeline import Pipeline
from disco2.model import EncoderModel
from disco2.shipped import shipped_names


@dataclass(frozen=True)
class TestSet:
    """Labelled pairs; where ``senses_only``, EntRel and NoRel are no answers."""

    name: str
    instances: Sequence[Instance]
    senses_only: bool = True


@dataclass(frozen=True)
class Figures:
    """What a model reaches on a test set, as shares."""

    model: str
    test: str
    pairs: int
    accuracy: float
    low: float
    high: float
    macro_f1: float
    calibration_error: float | None  # None for the baseline

    def __str__(self) -> str:
        error = "" if self.calibration_error is None else f"{100 * self.calibration_error:6.1f}"
        shares = f"{100 * self.accuracy:6.1f}  [{100 * self.low:4.1f}, {100 * self.high:4.1f}]"
        return f"{self.test:32} {self.pairs:6} {self.model:18} {shares}  {100 * self.macro_f1:6.1f} {error}"


def gum_tests(folder: Path, part: str) -> list[TestSet]:
    corpus = with_automatic_layers(read_corpus("gum", folder), AnnotatorChoice().open(), ALL_LAYERS)
    configuration = Configuration().changed({"task.outcomes": "running-text"})
    instances = divide(corpus, configuration).instances[part]
    senses = [one for one in instances if one.has_sense]
    return [
        TestSet("GUM, given arguments", senses),
        TestSet("GUM, of these between sentences", across_sentences(senses)),
        TestSet("GUM, running text", as_running_text(instances), senses_only=False),
    ]


def pair_test(name: str, corpus: Corpus, *, protocol: str, part: str) -> TestSet:
    """A corpus of pairs with automatic layers, as the pipeline would make them."""
    configuration = Configuration().changed({"task.protocol": protocol, "task.level": 2, "task.minimum": 1})
    layered = with_automatic_layers(corpus, AnnotatorChoice().open(), ALL_LAYERS)
    return TestSet(name, divide(layered, configuration).instances[part])


def acceptance_tests() -> list[TestSet]:
    """The pairs on whose sense both labellers and the author agree."""
    from tests.acceptance.test_answers import PAIRS, TWINS, acceptance_corpus

    named = {"everyday pairs of our own": PAIRS, "role twins of our own": TWINS}
    return [
        pair_test(name, acceptance_corpus(file), protocol="own", part="train") for name, file in named.items()
    ]


def made_up_tests() -> list[TestSet]:
    """The dev parts of the made-up pairs."""
    tests = []
    for file in sorted((Path(__file__).parents[1] / "data").glob("*.jsonl")):
        corpus = read_corpus("pairs", file)
        held_out = corpus.only({name for name, part in corpus.parts.items() if part == "dev"})
        alone = replace(held_out, inventory="pdtb3", parts={})  # one part, which is all there is
        tests.append(pair_test(f"{file.stem}, dev", alone, protocol="own", part="train"))
    return tests


def measure(nlp: Pipeline, name: str, test: TestSet) -> Figures:
    model = nlp.model
    scores = model.scores(test.instances)
    allowed = model.is_sense.nonzero()[0].tolist() if test.senses_only else None
    probabilities = nlp.calibration.probabilities(scores, allowed)
    answers = [model.labels[best] for best in probabilities.argmax(axis=1)]
    gold = [one.gold for one in test.instances]
    error = expected_calibration_error(probabilities.max(axis=1), hits(gold, answers).tolist())
    return figures(name, test, answers, error)


def right_answers(model: EncoderModel, test: TestSet) -> NDArray[np.bool_]:
    scores = model.scores(test.instances)
    if test.senses_only:
        scores[:, ~model.is_sense] = -np.inf
    return hits([one.gold for one in test.instances], [model.labels[best] for best in scores.argmax(axis=1)])


def compare_parts(tests: Sequence[TestSet]) -> None:
    """`en` against itself without its entity term, its features, and both.

    On all pairs, and on those that share an entity. The other weights stay as they are.
    """
    model = disco2.load("en").model
    assert isinstance(model, EncoderModel)
    no_entities = replace(model, entities=None, settings=replace(model.settings, entity_size=0))
    without = {
        "entities": no_entities,
        "features": replace(model, extractor=None, feature_weights=None),
        "both": replace(no_entities, extractor=None, feature_weights=None),
    }
    print(f"{'measured on':32} {'pairs':>6} {'en':>6} {'without':>10} {'':>6} {'difference':>22} {'p':>6}")
    for test in tests:
        first = right_answers(model, test)
        documents = {one.relation.document: one.document for one in test.instances}
        shared = np.array(shared_entities(documents, [one.relation for one in test.instances]))
        for part, lesser in without.items():
            second = right_answers(lesser, test)
            for name, chosen in ((test.name, np.ones_like(shared)), ("    that share an entity", shared)):
                found = paired_bootstrap(first[chosen], second[chosen], seed=1)
                low, high = found.interval
                shares = f"{100 * first[chosen].mean():6.1f} {part:>10} {100 * second[chosen].mean():6.1f}"
                difference = f"{100 * found.difference:+7.1f} [{100 * low:+.1f}, {100 * high:+.1f}]"
                print(f"{name:32} {chosen.sum():6} {shares} {difference} {found.p:6.3f}")


def most_common(test: TestSet) -> Figures:
    answer = Counter(one.gold[0] for one in test.instances).most_common(1)[0][0]
    return figures("most common class", test, [answer] * len(test.instances), None)


def figures(name: str, test: TestSet, answers: Sequence[str], error: float | None) -> Figures:
    gold = [one.gold for one in test.instances]
    right = hits(gold, answers)
    settled = settled_gold(gold, answers)
    labels = sorted({*settled, *answers})
    by_sense = scores_by_sense(confusion_matrix(settled, answers, labels=labels), labels=labels)
    low, high = bootstrap_interval(right, seed=1)
    return Figures(name, test.name, len(gold), float(np.mean(right)), low, high, macro_f1(by_sense), error)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, help="folder of a checkout of GUM")
    options.add_argument("--discogem", type=Path, help="folder of DiscoGeM as published")
    options.add_argument("--models", default=",".join(shipped_names()), help="names or folders")
    options.add_argument("--part", default="test", choices=("dev", "test"))
    options.add_argument(
        "--without", action="store_true", help="compare en with itself without entity term and features"
    )
    options.add_argument("--json", type=Path)
    given = options.parse_args()
    tests = gum_tests(given.gum, given.part) if given.gum else []
    if given.discogem:
        corpus = read_corpus("discogem", given.discogem)
        tests.append(pair_test("DiscoGeM, by document", corpus, protocol="documents", part=given.part))
    tests += acceptance_tests() if given.part == "test" else made_up_tests()
    if given.without:
        compare_parts(tests)
        return
    found = []
    print(
        f"{'measured on':32} {'pairs':>6} {'model':18} {'accuracy':>6} {'95%':>13} {'macro-F1':>8} {'ECE':>6}"
    )
    models = {name: disco2.load(name) for name in given.models.split(",")}
    for test in tests:
        found += [most_common(test), *(measure(nlp, name, test) for name, nlp in models.items())]
        print(*map(str, found[-1 - len(models) :]), sep="\n")
    if given.json:
        given.json.write_text(json.dumps([vars(one) for one in found], indent=1))


if __name__ == "__main__":
    main()
