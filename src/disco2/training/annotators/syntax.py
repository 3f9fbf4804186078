"""Training spaCy's components on documents with gold tokens, sentences, tags and dependencies."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from disco2.annotation.annotator import Layer, raw_document
from disco2.annotation.english.syntax import ENCODER, PARSER, SENTENCES, TAGGER, SpacySyntax
from disco2.errors import InputError
from disco2.evaluation.syntax import SyntaxScores, syntax_scores
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.records import Document
from disco2.threads import single_threaded
from disco2.training.annotators.parsed_text import parsed_text
from disco2.training.annotators.syntax_architecture import WIDTH, pipeline_config

if TYPE_CHECKING:
    from spacy.training import Example

PASSES = 12
LEARNING_RATE = 0.0015  # at the start; it falls to nearly nothing in a straight line
LEAST_RATE = 0.02  # of the first one
DROPOUT = 0.15
FIRST_BATCH, LAST_BATCH, GROWTH = 200, 1000, 1.001  # words in a batch


def train_syntax(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    seed: int = 1,
    passes: int = PASSES,
    width: int = WIDTH,
    progress: Callable[[str], None] = lambda line: None,
    force: bool = False,
) -> None:
    """Train and write to ``folder`` the components, each from the pass where it does best in development.

    Every pass is judged with the running average of the parameters. The same seed gives the same weights on
    the same machine.
    """
    from thinc.api import Adam, fix_random_seed

    from disco2.annotation.english.spacy_english import make_pipeline, write_component, write_config
    from disco2.training.annotators.syntax_examples import syntax_examples

    if not training or not development:
        raise InputError("Training needs documents to learn from and others to be judged on.")
    fix_random_seed(seed)
    order = random.Random(seed)  # noqa: S311  no secret
    pipeline = make_pipeline(pipeline_config(width=width))
    examples = syntax_examples(training, pipeline.vocab)
    optimizer = Adam(LEARNING_RATE, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    pipeline.initialize(lambda: examples, sgd=optimizer)
    words = passes * sum(map(len, examples))
    seen = 0
    best: dict[tuple[str, ...], float] = {}
    sizes = _batch_sizes()
    with single_threaded(), folder_in_place(folder, HIDDEN_LIST, force=force) as fresh:
        write_config(pipeline, fresh)
        for number in range(1, passes + 1):
            order.shuffle(examples)
            for batch in _batches(examples, sizes):
                seen += sum(map(len, batch))
                optimizer.learn_rate = LEARNING_RATE * max(LEAST_RATE, 1 - seen / words)
                pipeline.update(batch, sgd=optimizer, drop=DROPOUT)
            with pipeline.use_params(optimizer.averages):
                scores = judge_syntax(SpacySyntax(pipeline), development)
                progress(f"pass {number} of {passes}: {_line(scores)}")
                for components, merit in _merits(scores).items():
                    if components not in best or merit > best[components]:
                        best[components] = merit
                        for component in components:
                            write_component(pipeline, component, fresh)


def judge_syntax(annotator: SpacySyntax, documents: Sequence[Document]) -> SyntaxScores:
    """Tokens and sentences from the raw text; tags and dependencies on gold tokens and sentences."""
    gold = [parsed_text(document) for document in documents]
    raw = [raw_document(document.text, document_id=document.id) for document in documents]
    cut = annotator.annotate(raw, layers=frozenset({Layer.TOKENS}))
    parsed = annotator.annotate(documents, layers=frozenset({Layer.TAGS, Layer.DEPENDENCIES}))
    found = syntax_scores(gold, [parsed_text(document) for document in cut])
    scores = syntax_scores(gold, [parsed_text(document) for document in parsed])
    return replace(scores, tokens=found.tokens, sentences=found.sentences)


def _merits(scores: SyntaxScores) -> dict[tuple[str, ...], float]:
    """What counts for the components that share parameters, and so must come from the same pass."""
    return {(SENTENCES,): scores.sentences, (ENCODER, TAGGER, PARSER): scores.tags + scores.labelled}


def _batch_sizes() -> Iterator[float]:
    size = float(FIRST_BATCH)
    while True:
        yield size
        size = min(LAST_BATCH, size * GROWTH)


def _batches(examples: Sequence[Example], sizes: Iterator[float]) -> Iterator[list[Example]]:
    """The examples in order, as many together as there are words in the next size, at least one."""
    batch: list[Example] = []
    words, size = 0, next(sizes)
    for example in examples:
        if batch and words + len(example) > size:
            yield batch
            batch, words, size = [], 0, next(sizes)
        batch.append(example)
        words += len(example)
    if batch:
        yield batch


def _line(scores: SyntaxScores) -> str:
    return (
        f"tokens {scores.tokens:.2%}, sentences {scores.sentences:.2%}, tags {scores.tags:.2%}, "
        f"UAS {scores.unlabelled:.2%}, LAS {scores.labelled:.2%}"
    )
