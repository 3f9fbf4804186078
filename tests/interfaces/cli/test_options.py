"""Shared options: expected shares of senses (--prior), from Python too, and paragraphs."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from jsonschema import Draft202012Validator

import disco2
from disco2.bundle import save_bundle
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.prediction import RelationChoice, read_schema
from disco2.interfaces.cli.options import PARAGRAPHS
from tests.inference.rule_annotator import RuleAnnotator
from tests.inference.small_pipeline import COUNTS, LABELS, small_model, small_pipeline
from tests.interfaces.conftest import Run

TEXT = "Bob gave Tina the burger. She was hungry. However, Bob ate it."
PAIR = ("Bob gave Tina the burger.", "She was hungry.")


def test_every_way_to_ask_takes_a_prior(small_bundle: Path) -> None:
    nlp, shares = small_pipeline(), {"Comparison.Contrast": 0.9}
    asked = RelationChoice.of(between_only=True, norel=True)
    document = nlp.annotate(TEXT)
    usual, (implicit, explicit) = nlp.find(document, asked), nlp.find(document, asked, prior=shares)
    assert implicit.scores == usual[0].scores
    # p' is p times the ratio of shares: 0.9 to 16 of 48 relations, 0.1 to the other 32 of 48
    ratios = dict.fromkeys(LABELS, 0.1 / (32 / 48)) | {"Comparison.Contrast": 0.9 / (16 / 48)}
    total = sum(usual[0].probabilities[label] * ratios[label] for label in LABELS)
    for label, found in implicit.probabilities.items():
        assert found == pytest.approx(usual[0].probabilities[label] * ratios[label] / total)
    assert set(explicit.probabilities) == set(nlp.senses)  # where EntRel and NoRel are no answers
    assert explicit.probabilities["Comparison.Contrast"] > usual[1].probabilities["Comparison.Contrast"]
    classified = nlp.classify(*PAIR, prior=shares)
    assert classified.probabilities != nlp.classify(*PAIR).probabilities
    assert next(nlp.classify_many([PAIR], prior=shares)) == classified
    assert next(nlp.pipe([TEXT], prior=shares))[0].probabilities == pytest.approx(implicit.probabilities)
    loaded = disco2.load(small_bundle, annotators=RuleAnnotator(), prior=shares)
    assert loaded(TEXT)[0].probabilities == pytest.approx(implicit.probabilities)
    uniform = loaded(TEXT, prior="uniform")[0]  # in place of the one it was loaded with
    assert uniform.probabilities == pytest.approx(nlp(TEXT, prior="uniform")[0].probabilities)


def test_a_model_without_counts_refuses_a_prior(run_small: Run, tmp_path: Path) -> None:
    save_bundle(small_model(), tmp_path / "old")
    nlp = disco2.load(tmp_path / "old", annotators=RuleAnnotator())
    with pytest.raises(disco2.BundleError, match="does not record"):
        nlp(TEXT, prior="uniform")
    code, _, err = run_small("predict", TEXT, "--model", tmp_path / "old", "--prior", "uniform")
    assert code == 2
    assert "Train it again" in err


def test_a_prior_takes_offsets_back(tmp_path: Path) -> None:
    """With an offset NoRel is commoner in the answers; where a user names its share, that share holds."""
    model, offset = small_model(), 0.7
    moved = model.parameters["b"] + np.float32(offset) * (np.array(LABELS) == "NoRel")
    raised = replace(model, parameters=model.parameters | {"b": moved.astype(np.float32)})
    found = []
    for name, one, data in (("plain", model, {}), ("raised", raised, {"offsets": {"NoRel": offset}})):
        data = {"label_counts": COUNTS, **data}
        save_bundle(one, tmp_path / name, data=data, calibration={"temperature": 1.5})
        nlp = disco2.load(tmp_path / name, annotators=RuleAnnotator())
        found.append(
            [nlp(TEXT, norel=True, prior=prior)[0].probabilities for prior in (None, {"NoRel": 0.5})]
        )
    (plain, with_prior), (more, with_the_same) = found
    assert more["NoRel"] > plain["NoRel"]
    assert with_the_same == pytest.approx(with_prior, abs=1e-6)


def test_the_prior_is_in_the_json(run_small: Run) -> None:
    code, out, err = run_small("predict", TEXT, "--json", "--prior", "Comparison.Contrast=0.9, NoRel = 0.05")
    assert (code, err) == (0, "")
    result = json.loads(out)
    Draft202012Validator(read_schema()).validate(result)
    shares = {"Comparison.Contrast": 0.9, "NoRel": 0.05}
    assert result["model"]["prior"] == shares
    (wanted, _) = small_pipeline()(TEXT, prior=shares)
    assert result["relations"][0]["probabilities"] == pytest.approx(wanted.probabilities, abs=1e-5)
    result = json.loads(run_small("predict", TEXT, "--json", "--prior", "uniform")[1])
    assert result["model"]["prior"] == "uniform"
    assert "prior" not in json.loads(run_small("predict", TEXT, "--json")[1])["model"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("0.5", "No shares by label"),
        ("", "No shares by label"),
        ("NoRel=much", "No shares by label"),
        ("NoRel=-0.1", "The share of 'NoRel' in the prior is -0.1"),
        ("NoRel=0.7,EntRel=0.6", "add up to 1.3"),
        ("NoRel=0.1,NoRel=0.2", "No shares by label"),
        ("Norel=0.1", "Did you mean 'NoRel'?"),
    ],
)
def test_shares_that_make_no_sense(run_small: Run, given: str, said: str) -> None:
    code, out, err = run_small("predict", TEXT, "--prior", given)
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err


@pytest.mark.parametrize(
    ("command", "option"),
    [
        ("predict", "--paragraphs"),
        ("bulk", "--format"),
        ("bulk", "--engine"),
        ("evaluate", "--form"),
        ("corpus mine", "--paragraphs"),
        ("corpus convert", "--to"),
        ("experiment all", "--grid"),
    ],
)
def test_an_empty_value_is_no_choice(run: Run, command: str, option: str) -> None:
    code, out, err = run(*command.split(), option, "")
    assert (code, out) == (2, "")
    assert err.startswith("error: Unknown ")
    assert "Choose one of: " in err


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="a file that opens but can't be read")
def test_a_file_that_cant_be_read_is_named(run_small: Run) -> None:
    code, _, err = run_small("predict", "--file", "/proc/self/mem")
    assert code == 2
    assert "It can't be read" in err
    assert "/proc/self/mem" in err


def test_paragraph_modes_are_those_of_the_pipeline() -> None:
    assert tuple(PARAGRAPH_BREAKS) == PARAGRAPHS
