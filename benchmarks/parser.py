"""Train the discourse parser on GUM, and measure its speed.

    python -m benchmarks.parser --gum DIR [--train FOLDER]

``--train`` trains into a folder first; src/disco2/models/parser is the shipped one. How good it is:
``disco2 experiment parser --corpus gum --path DIR``. Automatic layers are
cached.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.annotation.cache import LayerStore, cache_file
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.experiments.annotators import documents_of
from disco2.parser.parser import DiscourseParser
from disco2.training.parser import train_parser


def main() -> None:
    reading = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reading.add_argument("--gum", type=Path, required=True)
    reading.add_argument("--train", type=Path)
    given = reading.parse_args()
    gold = read_corpus("gum", given.gum)
    with (
        AnnotatorChoice().open(layers=ALL_LAYERS, on_demand=True) as annotators,
        LayerStore(cache_file()) as store,
    ):
        annotators.store = store
        automatic = with_automatic_layers(gold, annotators, ALL_LAYERS)
    if given.train:
        train_parser([gold, automatic], given.train, force=True, progress=print)
    parser = DiscourseParser.load(given.train)
    documents = documents_of(automatic, "dev")
    parser.parse(documents[0])
    begin = time.process_time()
    for document in documents:
        parser.parse(document)
    seconds = time.process_time() - begin
    sentences = sum(len(document.sentences) for document in documents)
    print(f"{sentences} sentences of dev in {seconds:.2f} s: {1000 * seconds / sentences:.2f} ms a sentence")


if __name__ == "__main__":
    main()
