"""Word vectors: shipped with the package, read from a file, or trained on the corpus at hand."""

from disco2.model.vectors.reading import read_vectors
from disco2.model.vectors.reduce import reduce
from disco2.model.vectors.settings import VectorSettings
from disco2.model.vectors.source import load_vectors
from disco2.model.vectors.training import train_word2vec
from disco2.model.vectors.word_vectors import WordVectors

__all__ = ["VectorSettings", "WordVectors", "load_vectors", "read_vectors", "reduce", "train_word2vec"]
