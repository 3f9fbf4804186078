"""Train word2vec on the sentences at hand, as the paper did."""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import numpy as np

from disco2.errors import MissingExtraError, VectorsError
from disco2.vectors.word_vectors import WordVectors


def train_word2vec(
    sentences: Iterable[list[str]],
    *,
    dimensions: int,
    seed: int,
    epochs: int = 20,
    window: int = 5,
    minimum_count: int = 2,
    negative: int = 5,
    lower_case: bool = True,
) -> WordVectors:
    """Skip-gram vectors with negative sampling (Mikolov et al. 2013), the most frequent word first.

    The same sentences, settings and seed give the same vectors in every run: one worker, and a hash function
    that does not change with PYTHONHASHSEED.
    """
    try:
        from gensim.models import Word2Vec
    except ImportError:
        raise MissingExtraError("gensim", "word2vec", "Training word vectors") from None
    corpus = [
        # A model's words are stored one a line.
        [word.lower() if lower_case else word for word in words if "\n" not in word]
        for words in sentences
    ]
    trainer = Word2Vec(
        vector_size=dimensions,
        window=window,
        min_count=minimum_count,
        negative=negative,
        sg=1,
        workers=1,
        seed=seed,
        hashfxn=_stable_hash,
        epochs=epochs,
    )
    trainer.build_vocab(corpus)
    if not trainer.wv.index_to_key:
        raise VectorsError(
            f"No word occurs {minimum_count} times in the {len(corpus)} sentences to train word2vec on.",
            hint="Give more text, or use the shipped vectors.",
        )
    trainer.train(corpus, total_examples=trainer.corpus_count, epochs=epochs)
    return WordVectors(tuple(trainer.wv.index_to_key), np.array(trainer.wv.vectors, dtype=np.float32))


def _stable_hash(text: str) -> int:
    return zlib.crc32(text.encode("utf-8", errors="surrogatepass"))
