"""The part of disco2 evaluate that scores whole parsers from raw text, as the CoNLL shared tasks do."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from disco2.annotation.annotator import Annotators
from disco2.corpora.catalogue import ALL
from disco2.data import Corpus, Document
from disco2.data.senses import in_pdtb3
from disco2.errors import InputError
from disco2.evaluation.end_to_end import PrecisionRecall, SpanRelation
from disco2.experiments.parser import ParserScores, RuleBaseline, as_spans, has_relations, score_parser
from disco2.inference.pipeline import Pipeline, load
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.cli.corpus_options import CorpusOptions
from disco2.interfaces.cli.listing import percent, print_json, print_table, results

# What is shown: a name, which scores it is in, and its measure there.
ROWS = (
    ("connectives", "end_to_end", "connectives"),
    ("explicit: Arg1 exact", "end_to_end", "explicit Arg1 exact"),
    ("explicit: Arg2 exact", "end_to_end", "explicit Arg2 exact"),
    ("explicit: both exact", "end_to_end", "explicit both exact"),
    ("explicit: both overlap", "end_to_end", "explicit both overlap"),
    ("explicit: exact, with sense", "end_to_end", "explicit exact"),
    ("explicit: overlap, with sense", "end_to_end", "explicit overlap"),
    ("gold connectives: both exact", "given", "explicit both exact"),
    ("gold connectives: both overlap", "given", "explicit both overlap"),
    ("implicit in sentences: both exact", "implicit", "not explicit both exact"),
    ("implicit in sentences: exact, with sense", "implicit", "not explicit exact"),
    ("implicit in sentences: overlap, with sense", "implicit", "not explicit overlap"),
    ("not explicit: exact, with sense", "whole", "not explicit exact"),
    ("not explicit: overlap, with sense", "whole", "not explicit overlap"),
    ("all: exact, with sense", "whole", "all exact"),
    ("all: overlap, with sense", "whole", "all overlap"),
)


def evaluate_end_to_end(corpus: CorpusOptions, model: str | None, *, part: str, as_json: bool) -> None:
    """Print the scores of the pipeline on a part, beside those of rules where there is a training part."""
    pipeline = load(model, annotators=Annotators([]))
    found = corpus.read(check=lambda own: _check_part(own, part), usual=ALL)
    scores = score_pipeline(pipeline, found, part=part)
    rules = None
    if part != "train" and has_relations(found, "train"):
        baseline = RuleBaseline.learn(found)
        rules = score_parser(found, baseline.parse, baseline.parse_given, part=part)
    if as_json:
        print_json({"split": part, "model": pipeline.info.name, **_to_json(scores, rules)})
    else:
        _show(scores, rules, part)


def score_pipeline(pipeline: Pipeline, corpus: Corpus, *, part: str) -> ParserScores:
    """The scores of everything that a pipeline finds in the documents of a part, which have their layers."""
    choice = RelationChoice()

    def parse(document: Document) -> list[SpanRelation]:
        return [
            SpanRelation(
                document.id,
                one.kind,
                frozenset(one.source.relation.arg1.tokens),
                frozenset(one.source.relation.arg2.tokens),
                (in_pdtb3(one.sense),),
                frozenset(one.source.relation.connective_tokens),
            )
            for one in pipeline.find(document, choice)
            if one.source is not None
        ]

    def parse_given(document: Document, connectives: list[tuple[int, ...]]) -> list[SpanRelation]:
        given = pipeline.parser.parse(document, connectives=connectives, implicit=False)
        return as_spans(document, given)

    return score_parser(corpus, parse, parse_given, part=part)


def _check_part(corpus: Corpus, part: str) -> None:
    if not has_relations(corpus, part):
        raise InputError(f"No document of the part '{part}' has an explicit relation.", hint="Use --split.")


def _measure(scores: ParserScores, group: str, measure: str) -> PrecisionRecall | None:
    found: dict[str, PrecisionRecall] = getattr(scores, group)
    return found.get(measure)


def _show(scores: ParserScores, rules: ParserScores | None, part: str) -> None:
    rows = []
    for name, group, measure in ROWS:
        one = _measure(scores, group, measure)
        if one is None:
            continue
        low, high = one.interval or (0.0, 0.0)
        other = _measure(rules, group, measure) if rules else None
        rows.append(
            [
                name,
                percent(one.precision),
                percent(one.recall),
                percent(one.f1),
                f"{percent(low)} to {percent(high)}",
                percent(other.f1) if other else "",
            ]
        )
    print_table(
        f"Relations of '{part}', from end to end",
        ["", "precision", "recall", "F1", "95% interval", "F1 of rules"],
        rows,
    )
    compared = f", of rules {percent(rules.senses)}%" if rules else ""
    results.print(f"sense of gold connectives: accuracy {percent(scores.senses)}%{compared}", markup=False)


def _to_json(scores: ParserScores, rules: ParserScores | None) -> dict[str, Any]:
    def written(one: ParserScores) -> dict[str, Any]:
        groups = {
            group: {
                name: asdict(figure)
                | {"precision": figure.precision, "recall": figure.recall, "f1": figure.f1}
                for name, figure in getattr(one, group).items()
            }
            for group in ("end_to_end", "given", "implicit", "whole")
        }
        return groups | {"sense_accuracy": one.senses}

    return {"scores": written(scores), "rules": None if rules is None else written(rules)}
