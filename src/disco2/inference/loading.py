"""A bundle and annotators -> a pipeline."""

from __future__ import annotations

from pathlib import Path

from disco2.annotation.annotator import Annotator
from disco2.bundle import Manifest, load_bundle, read_manifest
from disco2.bundle.layout import MANIFEST
from disco2.errors import BundleError
from disco2.inference.model_info import ModelInfo
from disco2.inference.pipeline import Pipeline
from disco2.model.calibration import Calibration

SHIPPED = Path(__file__).resolve().parent.parent / "models" / "english" / "relations"
SHIPPED_NAME = "disco2 English"


def load(bundle: str | Path | None = None, *, annotators: Annotator | None = None) -> Pipeline:
    """The pipeline of a trained bundle, by default the English one that ships with the package.

    Without ``annotators`` the built-in English ones make all layers of a text.
    """
    path = _place(bundle)
    model, manifest = load_bundle(path)
    if annotators is None:
        from disco2.annotation.choice import AnnotatorChoice  # late: only now is spaCy needed

        annotators = AnnotatorChoice().open()
    info = ModelInfo(
        name=str(manifest.data.get("name") or (SHIPPED_NAME if bundle is None else path.resolve().name)),
        licence=str(manifest.data.get("licence") or "not recorded"),
        digest=_digest(manifest),
    )
    calibration = Calibration(manifest.temperature, manifest.running_text_temperature)
    return Pipeline(annotators, model, calibration, info=info)


def model_digest(bundle: str | Path | None = None) -> str:
    """What tells the model of a bundle from others, without loading it."""
    return _digest(read_manifest(_place(bundle)))


def _place(bundle: str | Path | None) -> Path:
    if bundle is None and not (SHIPPED / MANIFEST).is_file():
        raise BundleError(
            "This installation has no shipped model.",
            where=str(SHIPPED),
            hint="Install disco2 again, or give a folder that disco2 train wrote.",
        )
    return SHIPPED if bundle is None else Path(bundle)


def _digest(manifest: Manifest) -> str:
    return str(manifest.to_json()["digest"])
