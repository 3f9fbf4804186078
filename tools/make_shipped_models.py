"""Put a trained model into the package, with its measured figures in manifest and card.

    disco2 train --config examples/english.toml --automatic all --output en
    python -m benchmarks.answers --gum DIR --discogem DIR --models ./en --json answers.json
    python tools/make_shipped_models.py en --trained ./en --figures answers.json
    python tools/train_directions.py src/disco2/models/en --gum DIR

The model en-fast is that of examples/english-fast.toml, trained in the same way. The parameters of en-paper
are those of: disco2 train --config examples/paper.toml --corpus gum --path DIR --seed 1
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from disco2.bundle import load_bundle, save_bundle
from disco2.shipped import MODELS


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("name", choices=("en", "en-fast", "en-paper"))
    options.add_argument(
        "--trained", required=True, help="folder of the model, as named to benchmarks.answers"
    )
    options.add_argument(
        "--figures", type=Path, required=True, help="what benchmarks.answers wrote as --json"
    )
    given = options.parse_args()
    model, manifest = load_bundle(Path(given.trained))
    measured = {}
    for row in json.loads(given.figures.read_text(encoding="utf-8")):
        if row["model"] == given.trained:
            measured |= {
                f"test accuracy, {row['test']} ({row['pairs']})": row["accuracy"],
                f"test macro-F1, {row['test']} ({row['pairs']})": row["macro_f1"],
                f"test calibration error, {row['test']} ({row['pairs']})": row["calibration_error"],
            }
    if not measured:
        options.error(f"{given.figures} has no figures of {given.trained}")
    save_bundle(
        model,
        MODELS / given.name,
        configuration=manifest.configuration,
        task=manifest.task,
        data=manifest.data,
        figures={name: one for name, one in manifest.figures.items() if "test" not in name} | measured,
        calibration=manifest.calibration,
        force=True,
    )
    print((MODELS / given.name / "MODEL_CARD.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
