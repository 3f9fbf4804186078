"""A model and annotators -> a pipeline."""

from __future__ import annotations

from pathlib import Path

from disco2.annotation.annotator import Annotator
from disco2.bundle import Manifest, load_bundle, read_manifest
from disco2.inference.model_info import ModelInfo
from disco2.inference.pipeline import Pipeline
from disco2.model.calibration import Calibration
from disco2.model.prior import Shares
from disco2.shipped import find_model


def load(
    model: str | Path | None = None, *, annotators: Annotator | None = None, prior: Shares | None = None
) -> Pipeline:
    """The pipeline of a model: a shipped one by its name, else a folder; by default the best that ships.

    ``disco2 models`` lists the names. Without ``annotators`` the built-in English ones make all layers of a
    text. ``prior`` holds the shares of labels that are expected in all texts: see ``Pipeline.__call__``.
    """
    folder = find_model(model)
    trained, manifest = load_bundle(folder)
    if annotators is None:
        from disco2.annotation.annotator import AnnotatorChoice  # late: only now is spaCy needed

        annotators = AnnotatorChoice().open()
    info = ModelInfo(
        name=str(manifest.data.get("name") or folder.resolve().name),
        licence=str(manifest.data.get("licence") or "not recorded"),
        digest=_digest(manifest),
        label_counts=manifest.prior_counts,
    )
    calibration = Calibration(manifest.temperature, manifest.running_text_temperature)
    pipeline = Pipeline(annotators, trained, calibration, info=info)
    pipeline.calibration = pipeline.calibrated(prior)
    return pipeline


def model_digest(model: str | Path | None = None) -> str:
    """What tells a model from others, without loading it."""
    return _digest(read_manifest(find_model(model)))


def _digest(manifest: Manifest) -> str:
    return str(manifest.to_json()["digest"])
