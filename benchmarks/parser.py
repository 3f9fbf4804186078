"""How good the discourse parser is on GUM, beside the rule baseline, with gold and with automatic layers.

    python -m benchmarks.parser --gum DIR [--parts dev,test] [--train FOLDER] [--genres]

``--train`` trains anew into a folder (src/disco2/models/parser is the shipped one) before it measures. All
figures are percent; F1 has a 95% interval over documents. ``aligned`` is CoNLL-2016's overlap of 0.7: the
mean of both arguments' F1; ``both overlap`` asks it of each argument. Automatic layers come from the cache
where they are there.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from pathlib import Path

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice
from disco2.annotation.cache import LayerStore, cache_file
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.data import Corpus
from disco2.evaluation.end_to_end import PrecisionRecall
from disco2.experiments.annotators import documents_of
from disco2.experiments.parser import (
    ParserScores,
    RuleBaseline,
    as_spans,
    gold_relations,
    score_parser,
    with_neighbours,
)
from disco2.parser.parser import DiscourseParser
from disco2.training.parser import train_parser

ROWS = (
    ("connectives", "end_to_end", "connectives"),
    ("explicit: both arguments exact", "end_to_end", "explicit both exact"),
    ("explicit: arguments aligned (0.7)", "end_to_end", "explicit aligned"),
    ("explicit: all exact, with sense", "end_to_end", "explicit exact"),
    ("explicit: aligned, with sense", "end_to_end", "explicit overlap"),
    ("gold connectives: Arg1 exact", "given", "explicit Arg1 exact"),
    ("gold connectives: Arg2 exact", "given", "explicit Arg2 exact"),
    ("gold connectives: both exact", "given", "explicit both exact"),
    ("gold connectives: both overlap (0.7)", "given", "explicit both overlap"),
    ("gold connectives: aligned (0.7)", "given", "explicit aligned"),
    ("implicit inside: both exact", "implicit", "not explicit both exact"),
    ("implicit inside: exact, with sense", "implicit", "not explicit exact"),
    ("implicit inside: aligned, with sense", "implicit", "not explicit overlap"),
    ("whole parser: exact", "whole", "all exact"),
    ("whole parser: aligned", "whole", "all overlap"),
)


def main() -> None:
    reading = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    reading.add_argument("--gum", type=Path, required=True)
    reading.add_argument("--parts", default="dev,test")
    reading.add_argument("--model", type=Path)
    reading.add_argument("--train", type=Path)
    reading.add_argument("--genres", action="store_true")
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
    parser = DiscourseParser.load(given.train or given.model)
    baseline = RuleBaseline.learn(gold)
    for part in given.parts.split(","):
        for layers, corpus in (("gold layers", gold), ("raw text", automatic)):
            found, seconds = _measure(parser, baseline, corpus, part)
            rules = score_parser(corpus, baseline.parse, baseline.parse_given, part=part)
            _show(f"GUM {part}, {layers}", found, rules)
            sentences = sum(len(document.sentences) for document in documents_of(corpus, part))
            print(f"{1000 * seconds / sentences:.2f} ms a sentence")
            if given.genres:
                _show_genres(parser, baseline, corpus, part)


def _measure(
    parser: DiscourseParser, baseline: RuleBaseline, corpus: Corpus, part: str
) -> tuple[ParserScores, float]:
    begin = time.process_time()
    for document in documents_of(corpus, part):
        parser.parse(document)
    seconds = time.process_time() - begin
    scores = score_parser(
        corpus,
        with_neighbours(parser, baseline.implicit_sense),
        lambda document, tokens: as_spans(
            document, parser.parse(document, connectives=tokens, implicit=False)
        ),
        part=part,
    )
    return scores, seconds


def _show(title: str, found: ParserScores, rules: ParserScores) -> None:
    print(f"\n{title}\n{'':40}{'precision':>10}{'recall':>8}{'F1':>7}{'95% interval':>16}{'rules F1':>10}")
    for name, group, measure in ROWS:
        one: PrecisionRecall = getattr(found, group)[measure]
        other: PrecisionRecall = getattr(rules, group)[measure]
        low, high = one.interval or (0.0, 0.0)
        print(
            f"{name:40}{100 * one.precision:10.1f}{100 * one.recall:8.1f}{100 * one.f1:7.1f}"
            f"{100 * low:9.1f} to {100 * high:.1f}{100 * other.f1:9.1f}"
        )
    print(f"{'gold connectives: sense, accuracy':40}{100 * found.senses:25.1f}{100 * rules.senses:25.1f}")


def _show_genres(parser: DiscourseParser, baseline: RuleBaseline, corpus: Corpus, part: str) -> None:
    """The main figures by genre, which GUM's document names hold."""
    print(f"\n{'genre':14}{'relations':>10}{'connectives':>13}{'sense':>7}{'both exact':>12}{'whole':>7}")
    for genre in sorted({name.split("_")[1] for name, where in corpus.parts.items() if where == part}):
        parts = {name: where for name, where in corpus.parts.items() if name.split("_")[1] == genre}
        chosen = replace(corpus, parts=parts)
        found, _ = _measure(parser, baseline, chosen, part)
        count = len(gold_relations(chosen, part))
        print(
            f"{genre:14}{count:10}{100 * found.end_to_end['connectives'].f1:13.1f}"
            f"{100 * found.senses:7.1f}{100 * found.given['explicit both exact'].f1:12.1f}"
            f"{100 * found.whole['all overlap'].f1:7.1f}"
        )


if __name__ == "__main__":
    main()
