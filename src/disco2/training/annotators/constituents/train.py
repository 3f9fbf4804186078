"""Train the constituency parser on documents with trees, and write it to a folder."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from disco2.annotation.annotator import Layer
from disco2.annotation.english.constituents.parser import (
    SpanParser,
    StoredParser,
    half_precision,
    write_parser,
)
from disco2.annotation.english.constituents.words import build_lexicon
from disco2.errors import CorpusError, MissingExtraError
from disco2.files import HIDDEN_LIST, check_folder_place
from disco2.records import Document
from disco2.training.annotators.constituents.examples import label_chains, make_examples
from disco2.training.annotators.constituents.scoring import compare_trees
from disco2.training.annotators.constituents.settings import ParserSettings
from disco2.vectors import WordVectors
from disco2.vectors.shipped import read_shipped

Progress = Callable[[str], None]
CONSTITUENTS = frozenset({Layer.CONSTITUENTS})


def train_constituents(
    training: Sequence[Document],
    development: Sequence[Document],
    folder: Path,
    *,
    seed: int = 1,
    settings: ParserSettings | None = None,
    vectors: WordVectors | None = None,
    progress: Progress = lambda message: None,
    force: bool = False,
) -> None:
    """Learn from the trees of ``training``; the pass with the best labelled F1 on ``development`` is kept.

    The tags that the parser sees are the tokens' own: give gold ones for training, which are disturbed, and
    those of the tagger that it will work with for development. The same seed gives the same weights on the
    same machine.
    """
    try:
        import torch
    except ImportError:
        raise MissingExtraError("torch", "annotators", "Training the constituency parser") from None
    from disco2.training.annotators.constituents.passes import passes

    settings = settings or ParserSettings()
    vectors = vectors if vectors is not None else read_shipped()
    _check_trees(training)
    _check_trees(development)
    check_folder_place(folder, HIDDEN_LIST, force=force)
    lexicon = build_lexicon(
        (token.text for document in training for token in document.tokens),
        (token.tag for document in training for token in document.tokens),
        vectors=vectors,
        word_count=settings.word_count,
        piece_count=settings.piece_count,
    )
    labels = label_chains(training, least=settings.label_count)
    examples = make_examples(training, lexicon, labels, seed=seed)
    best = -1.0
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums in a fixed order
    try:
        made = passes(examples, lexicon, labels=len(labels), settings=settings, seed=seed)
        for number, parameters in enumerate(made, 1):
            rounded = {name: value.astype(np.float32) for name, value in half_precision(parameters).items()}
            stored = StoredParser(rounded, labels, lexicon.words, lexicon.pieces, lexicon.tags)
            parsed = SpanParser(stored, vectors).annotate(development, layers=CONSTITUENTS)
            figures = compare_trees(development, parsed)
            progress(
                f"pass {number}: labelled F1 {100 * figures.labelled.f1:.2f}, "
                f"unlabelled {100 * figures.unlabelled.f1:.2f}"
            )
            if figures.labelled.f1 > best:
                best = figures.labelled.f1
                write_parser(stored, folder, force=force)
    finally:
        torch.set_num_threads(threads)


def _check_trees(documents: Sequence[Document]) -> None:
    if not any(sentence.constituents for document in documents for sentence in document.sentences):
        raise CorpusError(
            "There are no trees to learn from, or none to choose by.",
            hint="Give documents with constituents.",
        )
