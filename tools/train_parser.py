"""Train the discourse parser on GUM, with its own and with automatic layers.

    python tools/train_parser.py --gum DIR [--output src/disco2/models/parser]

How good it is: ``disco2 experiment parser --corpus gum --path DIR``. Automatic layers are cached.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.annotation.cache import LayerStore, layer_folder
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.training.parser import train_parser


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--output", type=Path, default=Path("src/disco2/models/parser"))
    given = options.parse_args()
    gold = read_corpus("gum", given.gum)
    with (
        AnnotatorChoice().open(layers=ALL_LAYERS, on_demand=True) as annotators,
        LayerStore(layer_folder()) as store,
    ):
        annotators.store = store
        automatic = with_automatic_layers(gold, annotators, ALL_LAYERS)
    train_parser([gold, automatic], given.output, force=True, progress=print)


if __name__ == "__main__":
    main()
