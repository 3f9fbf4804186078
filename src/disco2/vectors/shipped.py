"""The word vectors that come with the package: GloVe, 100 dimensions, 50,000 words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file

from disco2.errors import VectorsError
from disco2.vectors.word_vectors import WordVectors

FOLDER = Path(__file__).resolve().parents[1] / "models" / "glove-100d-50k"
VECTORS_FILE = "vectors.safetensors"
WORDS_FILE = "words.txt"
TENSOR = "vectors"


def read_shipped(folder: Path = FOLDER) -> WordVectors:
    """The shipped vectors, as GloVe has them: not yet reduced or standardised."""
    try:
        matrix = load_file(folder / VECTORS_FILE)[TENSOR]
        words = (folder / WORDS_FILE).read_text(encoding="utf-8").split("\n")[:-1]
    except (OSError, SafetensorError, KeyError, UnicodeDecodeError) as error:
        raise VectorsError(
            f"The shipped word vectors can't be read ({error}).",
            where=str(folder),
            hint="Install the package again: pip install --force-reinstall disco2",
        ) from error
    return WordVectors(tuple(words), matrix.astype(np.float32))
