"""Train the spaCy components on documents with gold tokens, sentences, tags and dependencies."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from spacy.tokens import Doc
from spacy.training import Example
from spacy.vocab import Vocab
from thinc.api import Adam, Config, fix_random_seed

from disco2.annotation.annotator import SPACY_ROOT, Layer, raw_document, to_spacy
from disco2.annotation.english.annotators import (
    ENCODER,
    PARSER,
    SENTENCES,
    TAGGER,
    SpacySyntax,
    sentence_groups,
)
from disco2.annotation.english.spacy_english import CONFIG_FILE, make_pipeline
from disco2.data import Document, Sentence
from disco2.errors import InputError, LayerError
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.threads import single_threaded
from disco2.vectors.word_vectors import read_shipped
from tools.annotator.scores import ParsedText, SyntaxScores, syntax_scores

# The spaCy configuration of the pipeline.

WIDTH = 96


def pipeline_config(*, width: int = WIDTH) -> dict[str, Any]:
    """Sentence starts have a small separate encoder; tags and dependencies share a larger one.

    Both encoders are convolutions over hashed words, prefixes, suffixes and shapes (Miranda et al. 2022) and
    the shipped word vectors.
    """
    common = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500}
    of_sentences = {"NORM": 2000, "PREFIX": 1000, "SUFFIX": 1000, "SHAPE": 1000, "SPACY": 50}
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": width}
    transitions = {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": width,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": listener,
    }
    senter = _labels(_convolutions(of_sentences, width=32, depth=3))
    encoder = _convolutions(common, width=width, depth=4)
    return {
        "nlp": {"lang": "en", "pipeline": ["senter", "tok2vec", "tagger", "parser"]},
        "components": {
            "senter": {"factory": "senter", "model": senter},
            "tok2vec": {"factory": "tok2vec", "model": encoder},
            "tagger": {"factory": "tagger", "model": _labels(listener)},
            "parser": {"factory": "parser", "model": transitions, "min_action_freq": 10},
        },
    }


def _convolutions(attributes: dict[str, int], *, width: int, depth: int) -> dict[str, Any]:
    """``attributes``: what is hashed, and into how many rows."""
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": width,
            "attrs": list(attributes),
            "rows": list(attributes.values()),
            "include_static_vectors": True,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": width,
            "depth": depth,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }


def _labels(encoder: dict[str, Any]) -> dict[str, Any]:
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": encoder}


# Training examples.


def syntax_examples(documents: Sequence[Document], vocab: Vocab) -> list[Example]:
    """One example for each group of neighbouring sentences, on gold tokens."""
    return [_example(document, group, vocab) for document in documents for group in sentence_groups(document)]


def _example(document: Document, group: list[Sentence], vocab: Vocab) -> Example:
    marked = to_spacy(document, group[0].start, group[-1].end, vocab=vocab)
    words = [word.text for word in marked]
    spaces = [bool(word.whitespace_) for word in marked]
    heads, labels = _parse(document, group)
    gold = Doc(
        vocab,
        words=words,
        spaces=spaces,
        tags=[token.tag for token in document.tokens[group[0].start : group[-1].end]],
        heads=heads,
        deps=labels,
        sent_starts=[bool(word.is_sent_start) for word in marked],
    )
    return Example(Doc(vocab, words=words, spaces=spaces), gold)


def _parse(document: Document, group: list[Sentence]) -> tuple[list[int], list[str]]:
    """Heads counted from the group's first token, where a root is its own head, and labels."""
    heads: list[int] = []
    labels: list[str] = []
    for sentence in group:
        tree = sentence.dependencies
        if tree is None or not all(token.tag for token in document.tokens[sentence.start : sentence.end]):
            raise LayerError(
                "A sentence has no dependencies or no tags.",
                where=document.id,
                hint="Train on documents with gold tags and dependencies.",
            )
        offset = sentence.start - group[0].start
        for index, (head, label) in enumerate(zip(tree.heads, tree.labels, strict=True)):
            heads.append(offset + (index if head < 0 else head))
            labels.append(SPACY_ROOT if head < 0 else label)
    return heads, labels


SEED = 1
SHARED = (ENCODER, TAGGER, PARSER)
PASSES = 12
LEARNING_RATE = 0.0015  # at the start; it decreases linearly to nearly 0
LEAST_RATE = 0.02  # of the first one
DROPOUT = 0.15
FIRST_BATCH, LAST_BATCH, GROWTH = 200, 1000, 1.001  # words in a batch


def train_syntax(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    passes: int = PASSES,
    width: int = WIDTH,
    progress: Callable[[str], None] = print,
) -> None:
    """Train the components and write each to ``folder``, from the pass with its best score in development.

    Every pass is scored with the running average of the parameters. The weights are the same each time on the
    same machine.
    """
    if not training or not development:
        raise InputError("Training needs documents for training and for development.")
    fix_random_seed(SEED)
    order = random.Random(SEED)  # noqa: S311  no secret
    pipeline = make_pipeline(pipeline_config(width=width), read_shipped())
    examples = syntax_examples(training, pipeline.vocab)
    optimizer = Adam(LEARNING_RATE, L2=0.01, grad_clip=1.0, L2_is_weight_decay=True, use_averages=True)
    pipeline.initialize(lambda: examples, sgd=optimizer)
    words = passes * sum(map(len, examples))
    seen = 0
    best: dict[tuple[str, ...], float] = {}
    sizes = _batch_sizes()
    with single_threaded(), folder_in_place(folder, HIDDEN_LIST, force=True) as fresh:
        # Without the settings for spaCy's own training command.
        config = {section: pipeline.config[section] for section in ("nlp", "components")}
        Config(config).to_disk(fresh / CONFIG_FILE)
        for number in range(1, passes + 1):
            order.shuffle(examples)
            for batch in _batches(examples, sizes):
                seen += sum(map(len, batch))
                optimizer.learn_rate = LEARNING_RATE * max(LEAST_RATE, 1 - seen / words)
                pipeline.update(batch, sgd=optimizer, drop=DROPOUT)
            with pipeline.use_params(optimizer.averages):
                scores = score_syntax(SpacySyntax(pipeline), development)
                progress(
                    f"pass {number} of {passes}: "
                    f"tokens {scores.tokens:.2%}, sentences {scores.sentences:.2%}, tags {scores.tags:.2%}, "
                    f"UAS {scores.unlabelled:.2%}, LAS {scores.labelled:.2%}"
                )
                # Components that share parameters must come from the same pass.
                merits = {(SENTENCES,): scores.sentences, SHARED: scores.tags + scores.labelled}
                for components, merit in merits.items():
                    if components not in best or merit > best[components]:
                        best[components] = merit
                        for component in components:
                            trained: Any = pipeline.get_pipe(component)
                            trained.to_disk(fresh / component, exclude=["vocab"])  # no words of the texts


def score_syntax(annotator: SpacySyntax, documents: Sequence[Document]) -> SyntaxScores:
    """Tokens and sentences from the raw text; tags and dependencies on gold tokens and sentences."""
    gold = [parsed_text(document) for document in documents]
    raw = [raw_document(document.text, document_id=document.id) for document in documents]
    cut = annotator.annotate(raw, layers=frozenset({Layer.TOKENS}))
    parsed = annotator.annotate(documents, layers=frozenset({Layer.TAGS, Layer.DEPENDENCIES}))
    found = syntax_scores(gold, [parsed_text(document) for document in cut])
    scores = syntax_scores(gold, [parsed_text(document) for document in parsed])
    return replace(scores, tokens=found.tokens, sentences=found.sentences)


def _batch_sizes() -> Iterator[float]:
    size = float(FIRST_BATCH)
    while True:
        yield size
        size = min(LAST_BATCH, size * GROWTH)


def _batches(examples: Sequence[Example], sizes: Iterator[float]) -> Iterator[list[Example]]:
    """The examples in order, in batches of the next size in words, at least one example each."""
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


# Documents for the scorer.


def parsed_text(document: Document) -> ParsedText:
    """Tokens of sentences without dependencies are roots without labels."""
    heads: list[int] = []
    labels: list[str] = []
    for sentence in document.sentences:
        tree = sentence.dependencies
        if tree is None:
            heads.extend([-1] * len(sentence))
            labels.extend([""] * len(sentence))
        else:
            heads.extend(head if head < 0 else sentence.start + head for head in tree.heads)
            labels.extend(tree.labels)
    return ParsedText(
        tokens=[(token.start, token.end) for token in document.tokens],
        sentences=[(sentence.start, sentence.end) for sentence in document.sentences],
        tags=[token.tag for token in document.tokens],
        heads=heads,
        labels=labels,
    )
