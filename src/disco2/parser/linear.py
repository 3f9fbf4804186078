"""Log-linear models over named binary features: scores, probabilities, and the file that holds them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from disco2.errors import BundleError
from disco2.files import HIDDEN_LIST, folder_in_place, hash_file

Scores = NDArray[np.float32]
MODEL_FILE, WEIGHTS_FILE = "model.json", "weights.safetensors"
FORMAT = 1


@dataclass(frozen=True)
class LinearModel:
    """Scores ``s = Σ_f W[f]`` of classes, f running over the features of an item that the model knows.

    ``weights`` is [features + 1, classes]; its last row is zero, for features that are not known. One class
    means a yes-no question or a ranking.
    """

    classes: tuple[str, ...]
    rows: Mapping[str, int]
    weights: Scores

    def scores(self, items: Sequence[Sequence[str]]) -> Scores:
        """[items, classes]; all items at once, because one gather is quicker than many."""
        result = np.zeros((len(items), self.weights.shape[1]), dtype=np.float32)
        unknown = len(self.rows)
        known = self.rows.get
        lengths = [len(item) for item in items]
        if not sum(lengths):
            return result
        rows = np.array([known(name, unknown) for item in items for name in item], dtype=np.intp)
        begins = np.concatenate(([0], np.cumsum(lengths)[:-1]))
        filled = np.flatnonzero(np.array(lengths))
        result[filled] = np.add.reduceat(self.weights[rows], begins[filled], axis=0)
        return result

    def terms(self, item: Sequence[str], number: int) -> list[tuple[str, float]]:
        """The features of one item with their part in the score of a class, the largest first."""
        found = [(name, float(self.weights[self.rows[name], number])) for name in item if name in self.rows]
        return sorted(found, key=lambda term: -abs(term[1]))


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
    weights = {name: model.weights[:-1].astype(np.float16) for name, model in models.items()}
    with folder_in_place(folder, HIDDEN_LIST, force=force) as place:
        text = json.dumps(content, ensure_ascii=False, indent=1)
        (place / MODEL_FILE).write_text(text + "\n", encoding="utf-8")
        (place / WEIGHTS_FILE).write_bytes(save(weights))


def read_models(folder: Path) -> tuple[dict[str, LinearModel], dict[str, Any]]:
    """Read what ``write_models`` wrote; BundleError where it is missing, damaged or of another format."""
    _check_hashes(folder)
    try:
        content = json.loads((folder / MODEL_FILE).read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise BundleError(
                f"The parser's model has format {content['format']}; this version reads {FORMAT}.",
                where=str(folder),
            )
        arrays = load((folder / WEIGHTS_FILE).read_bytes())
        models = {}
        for name, described in content["models"].items():
            features = described["features"].split("\n") if described["features"] else []
            weights = arrays[name].astype(np.float32)
            if weights.shape != (len(features), len(described["classes"])):
                raise ValueError(f"{name} has {weights.shape} weights")
            padded = np.vstack([weights, np.zeros((1, weights.shape[1]), dtype=np.float32)])
            rows = {feature: row for row, feature in enumerate(features)}
            models[name] = LinearModel(tuple(described["classes"]), rows, padded)
        return models, dict(content["settings"])
    except (OSError, ValueError, LookupError, TypeError, AttributeError, SafetensorError) as error:
        raise BundleError(f"The parser's model can't be read: {error}.", where=str(folder)) from error


def models_digest(folder: Path) -> str:
    """A hash that tells models apart, from the folder's list alone."""
    try:
        listed = json.loads((folder / HIDDEN_LIST.name).read_text(encoding="utf-8"))["files"]
        return sha256("".join(listed[name] for name in (MODEL_FILE, WEIGHTS_FILE)).encode()).hexdigest()
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise _incomplete(folder, error) from error


def _check_hashes(folder: Path) -> None:
    """Compare the files with the hashes in the folder's list."""
    try:
        listed = json.loads((folder / HIDDEN_LIST.name).read_text(encoding="utf-8"))["files"]
        for name in (MODEL_FILE, WEIGHTS_FILE):
            if listed[name] != hash_file(folder / name):
                raise BundleError(
                    f"{name} is not the file that was written.",
                    where=str(folder),
                    hint="Install disco2 again, or train the parser again.",
                )
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise _incomplete(folder, error) from error


def _incomplete(folder: Path, error: Exception) -> BundleError:
    return BundleError(
        f"There is no whole parser model: {error}.", where=str(folder), hint="Install disco2 again."
    )
