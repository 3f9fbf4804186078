"""What a user gets from ``import disco2``, and how quickly."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import disco2
from disco2.version import VERSION

NAMES = {
    *("BundleError", "CorpusError", "Disco2Error", "InputError", "LayerError", "MissingExtraError"),
    *("SettingsError", "VectorsError", "LanguageWarning", "Explanation", "Pipeline", "Prediction"),
    *("Relations", "__version__", "load", "render"),
}


def test_the_public_names() -> None:
    assert set(disco2.__all__) == NAMES
    assert set(dir(disco2)) == NAMES | {"Disco2Classifier"}
    assert disco2.__version__ == VERSION
    assert disco2.Pipeline.__module__ == "disco2.inference.pipeline"
    with pytest.raises(AttributeError, match="no attribute 'laod'"):
        _ = disco2.laod


def test_importing_is_light() -> None:
    code = "import sys, disco2; print(sorted({name.split('.')[0] for name in sys.modules}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    for heavy in ("numpy", "spacy", "rich", "typer", "safetensors", "Stemmer", "threadpoolctl"):
        assert f"'{heavy}'" not in done.stdout


def test_a_bundle_may_be_named_by_a_string(tmp_path: Path) -> None:
    from tests.inference.rule_annotator import RuleAnnotator
    from tests.inference.small_pipeline import TEMPERATURE, write_small_bundle

    write_small_bundle(tmp_path / "mine")
    pipeline = disco2.load(str(tmp_path / "mine"), annotators=RuleAnnotator())
    assert (pipeline.info.name, pipeline.info.licence) == ("mine", "none")
    assert pipeline.calibration.temperature == TEMPERATURE
    assert len(pipeline("It rained. We left.")) == 1
    with pytest.raises(disco2.BundleError, match="no disco2 model"):
        disco2.load(tmp_path / "nowhere")
