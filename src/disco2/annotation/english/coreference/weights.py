"""The weights of the mention-ranking model on disk: tables as safetensors, the rest as JSON."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from disco2.annotation.english.coreference.kinds import GROUPS, KINDS
from disco2.annotation.english.coreference.mention_features import mention_feature_sizes
from disco2.annotation.english.coreference.pair_features import PAIR_FEATURES
from disco2.annotation.english.coreference.ranking import Tables
from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place

SHIPPED = Path(__file__).resolve().parents[3] / "models" / "english" / "coreference"
TABLES_FILE = "tables.safetensors"
MODEL_FILE = "model.json"
FORMAT = 1


def write_weights(
    folder: Path,
    tables: Tables,
    words: tuple[str, ...],
    *,
    window: int,
    matches: int,
    force: bool = False,
) -> None:
    """Write a model's folder, in half precision, all of it or nothing."""
    # Safetensors writes memory as it lies, whatever order an array has.
    arrays = {
        name: np.ascontiguousarray(table, dtype=np.float16)
        for name, table in (("new", tables.new), ("antecedent", tables.antecedent), ("pair", tables.pair))
    }
    described = {
        "format": FORMAT,
        "window": window,
        "matches": matches,
        "mention_features": mention_feature_sizes(len(words)),
        "pair_features": PAIR_FEATURES,
        "words": list(words),
    }
    with folder_in_place(folder, HIDDEN_LIST, force=force) as fresh:
        (fresh / TABLES_FILE).write_bytes(save(arrays))
        (fresh / MODEL_FILE).write_text(
            json.dumps(described, ensure_ascii=False, indent=0) + "\n", encoding="utf-8"
        )


def read_weights(folder: Path) -> tuple[Tables, tuple[str, ...], int, int]:
    """Tables, words, window, matches; BundleError where a file is missing, damaged or of another version."""
    try:
        described = json.loads((folder / MODEL_FILE).read_text(encoding="utf-8"))
        arrays = load_file(folder / TABLES_FILE)
        words = tuple(described["words"])
        sizes = mention_feature_sizes(len(words))
        tables = Tables(**{name: arrays[name].astype(np.float32) for name in ("new", "antecedent", "pair")})
        window, matches = int(described["window"]), int(described["matches"])
        fits = (
            described["format"] == FORMAT
            and described["mention_features"] == sizes
            and described["pair_features"] == PAIR_FEATURES
            and tables.new.shape == tables.antecedent.shape == (sum(sizes.values()), GROUPS)
            and tables.pair.shape == (sum(PAIR_FEATURES.values()), KINDS * KINDS)
        )
    except (
        OSError,
        SafetensorError,
        LookupError,
        TypeError,
        ValueError,
        ArithmeticError,
        RecursionError,
    ) as error:
        raise BundleError(
            f"The coreference model can't be read ({error}).",
            where=str(folder),
            hint="Install the package again, or train the annotators: disco2 annotator train --help",
        ) from error
    if not fits:
        raise BundleError(
            "The coreference model was made for another version of its features.",
            where=str(folder),
            hint="Install the package again, or train the annotators: disco2 annotator train --help",
        )
    return tables, words, window, matches
