"""Word vectors: shipped with the package, read from a file, or trained on the corpus at hand."""

from disco2.vectors.word_vectors import VectorSettings, WordVectors, load_vectors, read_vectors

__all__ = ["VectorSettings", "WordVectors", "load_vectors", "read_vectors"]
