"""The paper's picture of the word vectors, for which "he" and "she" are nearly the same word.

That is why one vector for an argument is not enough: changing "she was hungry" to "he was hungry" changes the
relation to the sentence before and hardly changes the vector.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from disco2.experiments.bench import PAPER, Bench, Experiment, GroupResults
from disco2.experiments.division import divide
from disco2.reporting.figures import check_plots
from disco2.reporting.findings import Findings, MapFigure, PlacedWord, Row, Table
from disco2.training.fit import word_vectors_for
from disco2.vectors import WordVectors

GROUP_OF = {word: group for group, words in PAPER["words"].items() for word in words.split()}
# Whose nearest words the table shows: the paper's example first.
SHOWN = ("he", "she", "him", "her", "it", "they", "because", "although", "but", "then", "said", "three")
NEIGHBOURS = 5
CANDIDATES = 5_000  # the most frequent words of the corpus, among which neighbours are looked for
USUAL_PERPLEXITY = 30.0

Counts = Mapping[str, int]
Floats = NDArray[np.float64]


def _findings(bench: Bench, runs: GroupResults) -> Findings:
    """Map and nearest neighbours of the vectors that a model with this configuration has for its leaves."""
    corpus, configuration = bench.corpus, bench.configuration
    source, K, seed = configuration.vectors.source, configuration.model.K, configuration.training.seed
    training = divide(corpus, configuration).instances["train"]
    vectors = word_vectors_for(training, configuration.vectors, K, seed=seed, sentences=corpus.sentences())
    counts = Counter(token.text.lower() for one in corpus.documents.values() for token in one.tokens)
    source, figure = Path(source).name, word_map(vectors, counts, seed=seed)
    return Findings(
        name="embeddings",
        title="Word vectors",
        words=(
            f"The vectors that the leaves of the trees have (source: {source}, K = {K}) for "
            f"{len(figure.words)} words: the most frequent of {corpus.name} and some of interest, placed by "
            "t-SNE. Words that are near on the map have similar vectors; the axes, and distances between far "
            "words, mean nothing.",
        ),
        tables=(neighbours_table(vectors, counts),),
        figures=(figure,),
        data={"source": source, "K": K, "words": len(figure.words)},
    )


def word_map(vectors: WordVectors, counts: Counts, *, words: int = 500, seed: int = 1) -> MapFigure:
    """The ``words`` most frequent words of a corpus and those of interest, in the plane by t-SNE.

    van der Maaten & Hinton (2008), on vectors of unit length. Only words that occur in the corpus and have a
    vector of their own are shown. The same vectors and seed give the same map on one machine.
    """
    from sklearn.manifold import TSNE

    shown = _distinct(vectors, (*_frequent(counts)[:words], *GROUP_OF))
    shown = [word for word in shown if counts.get(word)]
    perplexity = min(USUAL_PERPLEXITY, (len(shown) - 1) / 3)  # with few words, fewer count as neighbours
    method = TSNE(init="pca", perplexity=perplexity, random_state=seed, n_jobs=1)
    with threadpool_limits(1):  # the order of a sum must not depend on the number of cores
        places = np.asarray(method.fit_transform(_unit(vectors, shown)), dtype=np.float64)
    placed = (
        PlacedWord(word, round(float(x), 3), round(float(y), 3), GROUP_OF.get(word, ""))
        for word, (x, y) in zip(shown, places, strict=True)
    )
    return MapFigure("embeddings", "Word vectors in the plane (t-SNE)", tuple(placed))


def neighbours_table(vectors: WordVectors, counts: Counts) -> Table:
    """The nearest words by the cosine, of some words of interest that the corpus has."""
    candidates = _distinct(vectors, (*_frequent(counts)[:CANDIDATES], *SHOWN))
    matrix = _unit(vectors, candidates)
    rows: list[Row] = []
    for word in SHOWN:
        if counts.get(word) and word in candidates:
            cosines = matrix @ matrix[candidates.index(word)]
            nearest = [place for place in np.argsort(-cosines, kind="stable") if candidates[place] != word]
            listed = (f"{candidates[place]} {cosines[place]:.2f}" for place in nearest[:NEIGHBOURS])
            rows.append((word, counts[word], ", ".join(listed)))
    return Table(
        "embeddings-neighbours",
        "Nearest words",
        ("word", "occurrences", "nearest words, with the cosine"),
        tuple(rows),
        (f"Among the {len(candidates):,} most frequent words of the corpus that have a vector.",),
    )


def _frequent(counts: Counts) -> list[str]:
    """Words with a letter, the most frequent first; the alphabet decides between equals."""
    words = (word for word in counts if any(character.isalpha() for character in word))
    return sorted(words, key=lambda word: (-counts[word], word))


def _distinct(vectors: WordVectors, words: Sequence[str]) -> list[str]:
    """The words that have a vector, each vector once: stand-ins would lie on top of each other."""
    by_row: dict[int, str] = {}
    for word in words:
        row = vectors.row(word)
        if row is not None and (row not in by_row or vectors.words[row] == word):
            by_row[row] = word
    return list(by_row.values())


def _unit(vectors: WordVectors, words: Sequence[str]) -> Floats:
    """[words, dimensions] of length one; a vector of zeros stays one."""
    matrix = np.array([vectors.vector(word) for word in words], dtype=np.float64)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return matrix / np.where(lengths > 0, lengths, 1.0)


EMBEDDINGS = Experiment("embeddings", lambda bench: {}, _findings, check_plots)
