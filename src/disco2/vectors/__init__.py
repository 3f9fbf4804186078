"""Word vectors: shipped with the package, read from a file, or trained on the corpus at hand."""

from disco2.vectors.reading import read_vectors
from disco2.vectors.reduce import reduce
from disco2.vectors.settings import VectorSettings
from disco2.vectors.source import load_vectors
from disco2.vectors.training import train_word2vec
from disco2.vectors.word_vectors import WordVectors

__all__ = ["VectorSettings", "WordVectors", "load_vectors", "read_vectors", "reduce", "train_word2vec"]
