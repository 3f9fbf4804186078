"""The parser on disk: its weights in half precision, and what it knows of words and labels."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from disco2.annotation.english.constituents.encoder import Floats
from disco2.annotation.english.constituents.network import LAYERS, PARAMETERS
from disco2.annotation.english.constituents.words import RESERVED, Lexicon
from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place
from disco2.vectors import WordVectors

SHIPPED = Path(__file__).resolve().parents[3] / "models" / "english" / "constituents"
FORMAT = 1
WEIGHTS_FILE = "weights.safetensors"
VOCABULARY_FILE = "vocabulary.json"


@dataclass(frozen=True)
class StoredParser:
    """All that makes a parser but the word vectors, which the package has once for all."""

    parameters: Mapping[str, Floats]
    labels: tuple[str, ...]  # chains of labels, such as S+VP
    words: tuple[str, ...]
    pieces: tuple[str, ...]
    tags: tuple[str, ...]

    @property
    def vector_size(self) -> int:
        """The dimensions of the word vectors, which are the encoder's inputs but the parser's own."""
        own = sum(self.parameters[name].shape[1] for name in ("words", "pieces", "tags"))
        return int(self.parameters["encoder.0.inputs"].shape[1] - own)

    def lexicon(self, vectors: WordVectors) -> Lexicon:
        """What turns words into numbers."""
        return Lexicon(vectors, self.words, self.pieces, self.tags)


def half_precision(parameters: Mapping[str, Floats]) -> dict[str, NDArray[np.float16]]:
    """The parameters as they are stored."""
    return {name: np.ascontiguousarray(value, dtype=np.float16) for name, value in parameters.items()}


def write_parser(parser: StoredParser, folder: Path, *, force: bool = False) -> None:
    """Write a parser's folder, all of it or nothing."""
    vocabulary = {
        "format": FORMAT,
        "labels": parser.labels,
        "tags": parser.tags,
        "words": parser.words,
        "pieces": parser.pieces,
    }
    with folder_in_place(folder, HIDDEN_LIST, force=force) as fresh:
        (fresh / WEIGHTS_FILE).write_bytes(save(half_precision(parser.parameters)))
        text = json.dumps(vocabulary, ensure_ascii=False, indent=0)
        (fresh / VOCABULARY_FILE).write_text(text + "\n", encoding="utf-8")


def read_parser(folder: Path) -> StoredParser:
    """A parser from its folder; BundleError where it can't be read."""
    try:
        weights = load_file(folder / WEIGHTS_FILE)
        vocabulary = json.loads((folder / VOCABULARY_FILE).read_text(encoding="utf-8"))
        if vocabulary["format"] != FORMAT:
            raise ValueError(f"it has format {vocabulary['format']} and not {FORMAT}")
        parser = StoredParser(
            {name: value.astype(np.float32) for name, value in weights.items()},
            **{name: tuple(vocabulary[name]) for name in ("labels", "words", "pieces", "tags")},
        )
        _check_shapes(parser)
        return parser
    except (OSError, SafetensorError, LookupError, TypeError, ValueError, RecursionError) as error:
        raise BundleError(
            f"The constituency parser can't be read ({error}).",
            where=str(folder),
            hint="Install the package again: pip install --force-reinstall disco2",
        ) from error


def _check_shapes(parser: StoredParser) -> None:
    """Raise ValueError unless all weights are there and fit each other and the vocabulary."""
    found = {name: value.shape for name, value in parser.parameters.items()}
    if missing := PARAMETERS - found.keys():
        raise ValueError(f"it lacks the weights {', '.join(sorted(missing))}")
    hidden, width = found["encoder.0.recurrent"][1], found["spans.starts"][1]
    expected = {
        "words": (len(parser.words) + RESERVED, found["words"][-1]),
        "pieces": (len(parser.pieces) + 1, found["pieces"][-1]),
        "tags": (len(parser.tags) + RESERVED, found["tags"][-1]),
        "spans.starts": (2 * hidden, width),
        "spans.ends": (2 * hidden, width),
        **dict.fromkeys(("spans.bias", "spans.gain", "spans.shift"), (width,)),
        "spans.outputs": (len(parser.labels), width),
        "spans.output_bias": (len(parser.labels),),
    }
    for layer in range(LAYERS):
        size = 2 * hidden if layer else found["encoder.0.inputs"][1]
        expected |= {
            f"encoder.{layer}.inputs": (2, size, 4 * hidden),
            f"encoder.{layer}.recurrent": (2, hidden, 4 * hidden),
            f"encoder.{layer}.bias": (2, 4 * hidden),
        }
    if wrong := [name for name, shape in expected.items() if found[name] != shape]:
        raise ValueError(f"its weights {', '.join(wrong)} have another shape")
