"""Train the directions of an encoder's senses, such as Reason and Result, and write them into its bundle.

    python tools/train_directions.py src/disco2/models/en --gum DIR

Learns from the training parts of GUM and of data/everyday*.jsonl, and prints the accuracy on their dev parts
beside that of the more frequent direction. The other parts of the model stay as they are. Takes some minutes.
"""

from __future__ import annotations

import argparse
from dataclasses import replace
from pathlib import Path

from disco2.bundle import load_bundle, save_bundle
from disco2.corpora.catalogue import read_corpus
from disco2.data import RelationKind
from disco2.model import EncoderModel
from disco2.training.directions import DirectedPair, fit_directions

DATA = Path(__file__).resolve().parents[1] / "data"
FIGURE = "dev accuracy of directions, "


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
