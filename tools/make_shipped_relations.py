"""Make the model that ships: GUM with automatic layers -> src/disco2/models/english/relations.

    python tools/make_shipped_relations.py --gum DIR

The annotators are those in the package. The dev part says when to stop and fits the temperature; the test
part is only measured, for the model card.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS
from disco2.annotation.choice import AnnotatorChoice
from disco2.corpora.automatic import with_automatic_layers
from disco2.corpora.gum import read_gum
from disco2.experiments.calibrating import calibration_errors, calibration_of
from disco2.experiments.configuration import read_configuration
from disco2.experiments.division import divide
from disco2.experiments.layers import PARTS, RUNNING_TEXT, right_answers
from disco2.experiments.train_run import save_model, train_model
from disco2.inference.loading import SHIPPED

BEST = Path(__file__).parent.parent / "examples" / "best.toml"
SETTINGS = [*RUNNING_TEXT, "training.seed=1"]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--output", type=Path, default=SHIPPED)
    given = options.parse_args()

    configuration = read_configuration(BEST, SETTINGS)
    corpus = with_automatic_layers(read_gum(given.gum), AnnotatorChoice().open(), ALL_LAYERS)
    parts = divide(corpus, configuration)
    fitted = train_model(corpus, parts, configuration)
    calibration = calibration_of(fitted.model, fitted.development)
    figures: dict[str, float] = {}
    for part in PARTS:
        answers = right_answers(fitted.model, parts.instances[part])
        for name, right in (
            ("given arguments", answers.senses),
            ("given arguments across sentences", answers.across),
            ("running text, all outcomes", answers.running_text),
        ):
            figures[f"{part} accuracy, {name} ({right.size})"] = float(right.mean())
    errors = calibration_errors(fitted.model, calibration, parts.instances["test"])
    figures |= {f"test_calibration_error_of_{name}": value for name, value in errors.items()}
    save_model(fitted, parts, configuration, corpus, given.output, figures=figures)
    print((given.output / "MODEL_CARD.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
