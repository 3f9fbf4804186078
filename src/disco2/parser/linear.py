"""Log-linear models over named binary features: scores, probabilities, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place, read_listed_files

Scores = NDArray[np.float32]
# Heads with names of features: ``("if", ["x", "y"])`` stands for "if|x" and "if|y", and ``("", ["x"])`` for
# "x". Few heads occur in a model, so that most such names need not be made or looked up.
Item = Sequence[tuple[str, Sequence[str]]]
MODEL_FILE, WEIGHTS_FILE = "model.json", "weights.safetensors"
FORMAT = 1


@dataclass(frozen=True)
class LinearModel:
    """Scores ``s = Σ_f W[f]`` of classes, f running over the features of an item that the model knows.

    ``weights`` is [features, classes]. One class means a yes-no question or a ranking.
    """

    classes: tuple[str, ...]
    rows: Mapping[str, int]
    weights: Scores

    @cached_property
    def _rows_by_head(self) -> dict[str, dict[str, int]]:
        found: dict[str, dict[str, int]] = {"": dict(self.rows)}
        for name, row in self.rows.items():
            head, bar, rest = name.partition("|")
            if bar:
                found.setdefault(head, {})[rest] = row
        return found

    def scores(self, items: Sequence[Item]) -> Scores:
        """[items, classes]; all items at once, because one gather is quicker than many."""
        result = np.zeros((len(items), self.weights.shape[1]), dtype=np.float32)
        by_head = self._rows_by_head
        rows: list[int] = []
        ends = []
        for item in items:
            for head, names in item:
                below = by_head.get(head)
                if below:
                    rows += [below[name] for name in names if name in below]
            ends.append(len(rows))
        begins = np.array([0, *ends[:-1]])
        filled = np.flatnonzero(begins < ends)
        if len(filled):
            gathered = self.weights[np.array(rows, dtype=np.intp)]
            result[filled] = np.add.reduceat(gathered, begins[filled], axis=0)
        return result

    def terms(self, item: Item) -> list[tuple[str, NDArray[np.float64]]]:
        """The features of one item that are known, with their parts in the scores, [classes]."""
        known = [name for name in feature_names(item) if name in self.rows]
        return [(name, self.weights[self.rows[name]].astype(np.float64)) for name in known]


def feature_names(item: Item) -> list[str]:
    """All names of an item's features, each with its head."""
    return [f"{head}|{name}" if head else name for head, names in item for name in names]


def probabilities(scores: Scores) -> NDArray[np.float64]:
    """Softmax over the last axis, ``p_i = exp(s_i) / Σ_j exp(s_j)``."""
    shifted = np.exp(scores.astype(np.float64) - scores.max(axis=-1, keepdims=True))
    result: NDArray[np.float64] = shifted / shifted.sum(axis=-1, keepdims=True)
    return result


def yes_probabilities(scores: Scores) -> NDArray[np.float64]:
    """``1 / (1 + exp(-s))`` of a yes-no question's only score."""
    result: NDArray[np.float64] = 1 / (1 + np.exp(-scores[:, 0].astype(np.float64)))
    return result


def write_models(
    folder: Path, models: Mapping[str, LinearModel], settings: Mapping[str, Any], *, force: bool = False
) -> None:
    """Write models and settings: names as JSON, weights as safetensors in half precision, and a list of
    hashes.
    """
    content = {
        "format": FORMAT,
        "settings": dict(settings),
        "models": {
            name: {"classes": list(model.classes), "features": "\n".join(model.rows)}
            for name, model in models.items()
        },
    }
    weights = {name: model.weights.astype(np.float16) for name, model in models.items()}
    with folder_in_place(folder, HIDDEN_LIST, force=force) as place:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (place / MODEL_FILE).write_text(text + "\n", encoding="utf-8")
        (place / WEIGHTS_FILE).write_bytes(save(weights))


def read_models(folder: Path) -> tuple[dict[str, LinearModel], dict[str, Any], str]:
    """Models, settings and a hash of both; BundleError if they are missing, damaged or of another format."""
    files = read_listed_files(folder)
    try:
        content = json.loads(files[MODEL_FILE])
        if content["format"] != FORMAT:
            raise BundleError(
                f"The parser's model has format {content['format']}; this version reads {FORMAT}.",
                where=str(folder),
            )
        arrays = load(files[WEIGHTS_FILE])
        models = {}
        for name, described in content["models"].items():
            features = described["features"].split("\n") if described["features"] else []
            weights = arrays[name].astype(np.float32)
            if weights.shape != (len(features), len(described["classes"])):
                raise ValueError(f"{name} has {weights.shape} weights")
            rows = {feature: row for row, feature in enumerate(features)}
            models[name] = LinearModel(tuple(described["classes"]), rows, weights)
        hashes = [sha256(files[name]).hexdigest() for name in (MODEL_FILE, WEIGHTS_FILE)]
        return models, dict(content["settings"]), sha256("".join(hashes).encode()).hexdigest()
    except (ValueError, LookupError, TypeError, AttributeError, SafetensorError) as error:
        raise BundleError(f"The parser's model can't be read: {error}.", where=str(folder)) from error
