"""Sources of a model's word vectors: shipped, from a file, or trained."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load

from disco2.errors import BundleError, MissingExtraError, VectorsError
from disco2.files import read_listed_files
from disco2.settings import Settings, setting
from disco2.vectors.reading import read_vectors
from disco2.vectors.word_vectors import Recipe, WordVectors, find_reduction, forms, reduce

FOLDER = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
VECTORS_FILE = "vectors.safetensors"
WORDS_FILE = "words.txt"
TENSOR = "vectors"

INSTALL_AGAIN = "Install the package again: pip install --force-reinstall disco2"


def read_shipped() -> WordVectors:
    """The shipped vectors, as GloVe has them: not yet reduced or standardised."""
    words, matrix, _ = _read(FOLDER)
    return WordVectors(words, matrix.astype(np.float32))


def reduced_shipped(*, dimensions: int) -> WordVectors:
    """The shipped vectors, reduced and standardised, with the recipe to make them again."""
    words, matrix, digest = _read(FOLDER)
    reduction = find_reduction(matrix.astype(np.float32), dimensions=dimensions)
    return WordVectors(words, reduction(matrix), Recipe(digest, reduction))


def make_table(recipe: Recipe, folder: Path = FOLDER) -> WordVectors:
    """The table that a recipe describes; VectorsError if the shipped vectors are different ones."""
    words, matrix, digest = _read(folder)
    # Checked before memory is allocated for the table.
    if digest != recipe.digest or not recipe.reduction.fits(matrix.shape[1]):
        raise VectorsError(
            "The word vectors that ship with this installation are not the ones the table was made from.",
            where=str(folder),
            hint=INSTALL_AGAIN,
        )
    table = recipe.reduction(matrix)
    if recipe.rows is None:
        return WordVectors(words, table, recipe)
    return WordVectors(tuple(words[row] for row in recipe.rows), table[recipe.rows], recipe)


def _read(folder: Path) -> tuple[tuple[str, ...], NDArray[np.float16], str]:
    """Words, vectors and the SHA-256 over both files; VectorsError if a byte of the folder was changed."""
    try:
        files = read_listed_files(folder)
        matrix: NDArray[np.float16] = load(files[VECTORS_FILE])[TENSOR]
        words = files[WORDS_FILE].decode("utf-8").split("\n")[:-1]
    except (BundleError, SafetensorError, KeyError, UnicodeDecodeError) as error:
        raise VectorsError(
            f"The shipped word vectors can't be read ({error.__cause__ or error}).",
            where=str(folder),
            hint=INSTALL_AGAIN,
        ) from error
    total = sha256()
    for name in (VECTORS_FILE, WORDS_FILE):
        total.update(f"{name}\n{len(files[name])}\n".encode())
        total.update(files[name])
    return tuple(words), matrix, total.hexdigest()


@dataclass(frozen=True)
class VectorSettings(Settings):
    """Source and size of the table of word vectors."""

    source: str = setting(
        "shipped", "shipped: GloVe, comes with the package; word2vec: trained on the corpus; or a file"
    )
    frequent: int = setting(
        50000, "frequent words to keep in the model, beside those that the training relations use", minimum=0
    )


SHIPPED = "shipped"
WORD2VEC = "word2vec"
_WORD2VEC_EPOCHS, _WORD2VEC_MINIMUM = 20, 2  # passes over the sentences; rarer words get no vector
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
            loaded = train_word2vec(sentences or (), dimensions=dimensions, seed=seed)
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


def train_word2vec(sentences: Iterable[list[str]], *, dimensions: int, seed: int) -> WordVectors:
    """Train skip-gram vectors of lower-cased words (Mikolov et al. 2013), the most frequent word first.

    The same sentences, settings and seed give the same vectors in every run: one worker, and a hash function
    that does not change with PYTHONHASHSEED.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtraError("gensim", "word2vec", "Training word vectors") from None
    # A model's words are stored one a line.
    corpus = [[word.lower() for word in words if "\n" not in word] for words in sentences]
    trainer = Word2Vec(
        vector_size=dimensions,
        window=5,
        min_count=_WORD2VEC_MINIMUM,
        negative=5,
        sg=1,
        workers=1,
        seed=seed,
        hashfxn=_stable_hash,
        epochs=_WORD2VEC_EPOCHS,
    )
    trainer.build_vocab(corpus)
    if not trainer.wv.index_to_key:
        raise VectorsError(
            f"No word occurs {_WORD2VEC_MINIMUM} times in the {len(corpus)} sentences to train word2vec on.",
            hint="Give more text, or use the shipped vectors.",
        )
    trainer.train(corpus, total_examples=trainer.corpus_count, epochs=_WORD2VEC_EPOCHS)
    return WordVectors(tuple(trainer.wv.index_to_key), np.array(trainer.wv.vectors, dtype=np.float32))


def _stable_hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", errors="surrogatepass"))
