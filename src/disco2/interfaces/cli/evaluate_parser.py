"""Scores of the whole pipeline from raw text: disco2 evaluate --end-to-end, disco2 experiment parser."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from disco2.annotation.annotator import Annotators
from disco2.corpora.catalogue import ALL
from disco2.corpora.protocols import document_parts
from disco2.data import Corpus, Document, Instance
from disco2.data.senses import in_pdtb3
from disco2.errors import InputError
from disco2.evaluation.end_to_end import SpanRelation
from disco2.experiments.configuration import Configuration
from disco2.experiments.parser import System, as_spans, has_relations, parser_findings
from disco2.inference.candidates import Candidate, find_span, predict_candidates
from disco2.inference.pipeline import Pipeline, load
from disco2.inference.prediction import RelationChoice
from disco2.interfaces.cli.corpus_options import CorpusOptions
from disco2.interfaces.cli.experiment import show_findings
from disco2.interfaces.cli.listing import print_note
from disco2.interfaces.cli.options import AsJson, Model, Part, Protocol, path_option
from disco2.reporting.findings import Findings
from disco2.reporting.page import write_findings


def parser(
    model: Model = None,
    split: Part = "test",
    protocol: Protocol = "",
    output: Annotated[Path, path_option(help="Folder for tables.")] = Path("runs"),
    as_json: AsJson = False,
    *,
    corpus: CorpusOptions,
) -> None:
    """Connectives, arguments, senses and all relations from raw text, beside rules, and by genre.

    Layers are made anew unless --automatic says otherwise.
    """
    found = score_end_to_end(corpus, model, part=split, protocol=protocol)
    write_findings(found, output)
    show_findings([found], as_json=as_json)
    print_note(f"tables are in {output}")


def evaluate_end_to_end(
    corpus: CorpusOptions, model: str | None, *, part: str, protocol: str, as_json: bool
) -> None:
    """Print the same tables without writing them."""
    show_findings([score_end_to_end(corpus, model, part=part, protocol=protocol)], as_json=as_json)


def score_end_to_end(corpus: CorpusOptions, model: str | None, *, part: str, protocol: str = "") -> Findings:
    """The figures of a pipeline on a part, beside those of rules where there is a training part."""
    pipeline = load(model, annotators=Annotators([]))
    found = corpus.read(check=lambda own: _check_part(_with_parts(own, protocol), part), usual=ALL)
    system = pipeline_system(pipeline)
    return parser_findings(_with_parts(found, protocol), system, part=part, name=pipeline.info.name)


def _with_parts(corpus: Corpus, protocol: str) -> Corpus:
    """The corpus with the parts of a protocol, by default its own or those that are usual for it."""
    if corpus.parts and not protocol:
        return corpus
    name = protocol or Configuration().task.protocol_for(corpus.name)
    return replace(corpus, parts=document_parts(corpus, name, seed=1))


def pipeline_system(pipeline: Pipeline) -> System:
    """The pipeline as a system to be scored on documents that have their layers."""
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
        return as_spans(document, pipeline.parser.parse(document, connectives=connectives, implicit=False))

    def classify(instances: Sequence[Instance]) -> list[str]:
        pairs = [
            Candidate(
                one,
                find_span(one.document, one.relation.arg1.tokens),
                find_span(one.document, one.relation.arg2.tokens),
                senses_only=True,
            )
            for one in instances
        ]
        return [
            in_pdtb3(one.sense) for one in predict_candidates(pipeline.model, pipeline.calibration, pairs)
        ]

    return System(parse, parse_given, classify)


def _check_part(corpus: Corpus, part: str) -> None:
    if not has_relations(corpus, part):
        raise InputError(f"No document of the part '{part}' has an explicit relation.", hint="Use --split.")
