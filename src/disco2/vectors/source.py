"""From the name of a source to the vectors that a model's leaves are."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from disco2.errors import VectorsError
from disco2.vectors.aliases import forms
from disco2.vectors.reading import read_vectors
from disco2.vectors.reduce import reduce
from disco2.vectors.shipped import reduced_shipped
from disco2.vectors.training import train_word2vec
from disco2.vectors.word_vectors import WordVectors

SHIPPED = "shipped"
WORD2VEC = "word2vec"
_FREQUENT_FOR_STATISTICS = 50_000  # so that a file's mean and variance hardly depend on the corpus at hand


def load_vectors(
    source: str,
    *,
    dimensions: int,
    words: set[str],
    frequent: int,
    sentences: Iterable[list[str]] | None,
    seed: int,
) -> WordVectors:
    """Vectors of ``dimensions`` values, standardised, for ``words`` and the ``frequent`` most frequent ones.

    ``source`` is "shipped", "word2vec" (trained on ``sentences``) or the path of a file. The axes, means and
    variances come from the whole vocabulary that was loaded: of a file, its first 50,000 words and ``words``.
    """
    if source == SHIPPED:
        standard = reduced_shipped(dimensions=dimensions)
    else:
        if source == WORD2VEC:
            if sentences is None:
                raise VectorsError(
                    "Word2vec needs sentences to be trained on.",
                    hint='Give a corpus, or use the vectors "shipped" with the package.',
                )
            loaded = train_word2vec(sentences, dimensions=dimensions, seed=seed)
        else:
            keep = {form for word in words for form in forms(word)}
            loaded = read_vectors(_file(source), keep=keep, frequent=max(frequent, _FREQUENT_FOR_STATISTICS))
        standard = WordVectors(loaded.words, reduce(loaded.matrix, dimensions=dimensions))
    if words and all(standard.row(word) is None for word in words):
        raise VectorsError(
            "None of the words that are needed has a vector.",
            where=source,
            hint="Are these vectors for another language?",
        )
    return standard.cut(words=words, frequent=frequent)


def _file(source: str) -> Path:
    path = Path(os.path.expanduser(source))  # noqa: PTH111  which leaves an unknown user's name as it is
    if not os.path.isfile(path):  # noqa: PTH113  which does not raise where a folder can't be read
        raise VectorsError(
            f"There is no file of word vectors {source!r}.",
            hint=f'Give the path of a file, "{SHIPPED}", or "{WORD2VEC}".',
        )
    return path
