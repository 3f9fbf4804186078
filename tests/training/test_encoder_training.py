"""Fine-tuning: a small encoder learns made-up pairs; a killed run ends as a quiet one; bad folders."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from disco2.corpora.role_pairs import read_role_pairs, write_role_pairs
from disco2.data import Instance
from disco2.data.tree import MentionIndexes
from disco2.errors import InputError, SettingsError
from disco2.model import EncoderModel, ModelSettings
from disco2.training.encoder import (
    EncoderSettings,
    StagePlan,
    encoder_folder,
    fit_encoder,
    mention_links,
    text_pair,
)
from tests.encoders import write_encoder
from tests.instances import reasons_and_results

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("onnx")

LABELS = ("Cause", "Result")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An untrained encoder of two layers in Hugging Face's layout."""
    words = {word for one in reasons_and_results(200, seed=1) for word in _words(one)}
    path = tmp_path_factory.mktemp("encoder")
    write_encoder(path, words)
    return path


def _words(one: object) -> list[str]:
    relation = one.relation  # type: ignore[attr-defined]
    return f"{relation.arg1.text} {relation.arg2.text}".lower().split()


def fit(
    folder: Path, state: Path, *, settings: EncoderSettings, stages: tuple[StagePlan, ...] = ()
) -> EncoderModel:
    fitted = fit_encoder(
        {"own": reasons_and_results(160, seed=1), "more": reasons_and_results(40, seed=5)},
        reasons_and_results(40, seed=2),
        labels=LABELS,
        model=ModelSettings(kind="encoder", pieces=32),
        settings=replace(settings, folder=str(folder)),
        stages=stages,
        seed=1,
        folder=state,
    )
    assert isinstance(fitted.model, EncoderModel)
    return fitted.model


SETTINGS = EncoderSettings(epochs=6, rate=3e-3, batch_size=8, averaging=0.9, threads=1)


@pytest.fixture(scope="module")
def trained(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> EncoderModel:
    return fit(folder, tmp_path_factory.mktemp("state"), settings=SETTINGS)


def test_it_learns_what_the_words_say(trained: EncoderModel) -> None:
    unseen = reasons_and_results(60, seed=3)
    right = [label in one.gold for label, one in zip(trained.predict(unseen), unseen, strict=True)]
    assert np.mean(right) > 0.8


def test_int8_answers_nearly_as_float32(folder: Path, trained: EncoderModel, tmp_path: Path) -> None:
    exact = fit(folder, tmp_path, settings=replace(SETTINGS, int8=False))
    unseen = reasons_and_results(60, seed=3)
    same = np.array(exact.predict(unseen)) == np.array(trained.predict(unseen))
    assert same.mean() > 0.9
    assert b"MatMulInteger" in trained.onnx
    assert b"MatMulInteger" not in exact.onnx


STAGES = (
    StagePlan(name="first", data=("more:16",), epochs=1),
    StagePlan(name="last", data=("own", "more:8"), epochs=2, seed=3),
)


def test_a_run_that_was_killed_ends_as_a_quiet_one(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from disco2.training.fine_tuning import FineTuning, _StageRun

    pairs = [text_pair(one) for one in reasons_and_results(60, seed=1)]
    linked = [replace(one, links=(((0, 3), (0, 3)),)) for one in pairs[:12]]
    stages = [
        StagePlan(name="first", data=("a:20",), epochs=2, rate=1e-3, averaging=0.0, seed=1),
        StagePlan(
            name="last",
            data=("a", "b"),
            roles=("c",),
            link_weight=1,
            epochs=1,
            rate=1e-3,
            averaging=0.9,
            seed=1,
        ),
    ]
    pools, settings = {"a": pairs, "b": pairs[:8], "c": linked}, EncoderSettings(batch_size=4)

    def run(state: Path) -> dict[str, np.ndarray]:
        found = FineTuning(folder, LABELS, stages, pools, settings, state, save_every=3).run()
        return {name: value.numpy().copy() for name, value in found.state_dict().items()}

    quiet = run(tmp_path / "quiet")
    take_step, steps = _StageRun.take_step, 0

    def stop_sometimes(self: _StageRun, step: int) -> None:
        nonlocal steps
        steps += 1
        if steps in (2, 9, 17):
            raise KeyboardInterrupt
        take_step(self, step)

    monkeypatch.setattr(_StageRun, "take_step", stop_sometimes)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path / "killed")
    resumed = run(tmp_path / "killed")
    assert steps > 30
    for name, value in quiet.items():
        np.testing.assert_array_equal(resumed[name], value, err_msg=name)


def test_the_weights_of_members_are_averaged_and_their_work_is_shared(folder: Path, tmp_path: Path) -> None:
    settings = replace(SETTINGS, state=str(tmp_path / "kept"), int8=False)
    one, other = (
        fit(folder, tmp_path, settings=settings, stages=(STAGES[0], replace(STAGES[1], seed=seed)))
        for seed in (3, 4)
    )
    before = {path.name for path in (tmp_path / "kept").iterdir()}
    assert len(before) == 3  # the first stage was run once
    mean = fit(folder, tmp_path, settings=settings, stages=(STAGES[0], replace(STAGES[1], members=2)))
    assert {path.name for path in (tmp_path / "kept").iterdir()} == before
    assert not np.array_equal(one.weights, other.weights)
    np.testing.assert_allclose(mean.weights, (one.weights + other.weights) / 2, atol=1e-6)


def test_what_the_texts_of_role_pairs_say_is_not_learned(folder: Path, tmp_path: Path) -> None:
    """Pairs with the wrong label do no harm among the roles of a stage, and much among its data."""
    from disco2.training.fine_tuning import FineTuning

    pairs = [text_pair(one) for one in reasons_and_results(160, seed=1)]
    other = dict(zip(LABELS, reversed(LABELS), strict=True))
    wrong = [replace(one, target={other[label]: 1.0 for label in one.target}) for one in pairs] * 3
    unseen = reasons_and_results(60, seed=3)
    shares = []
    for given in ({"data": ("own",), "roles": ("wrong",), "link_weight": 1.0}, {"data": ("own", "wrong")}):
        plan = StagePlan(epochs=6, rate=3e-3, averaging=0.9, seed=1, **given)  # type: ignore[arg-type]
        tuning = FineTuning(folder, LABELS, [plan], {"own": pairs, "wrong": wrong}, SETTINGS, tmp_path)
        tuning.run()
        answers = tuning.scores([(one.relation.arg1.text, one.relation.arg2.text) for one in unseen])
        right = [LABELS[best] in one.gold for best, one in zip(answers.argmax(axis=1), unseen, strict=True)]
        shares.append(np.mean(right))
    assert shares[0] > 0.8
    assert shares[1] < 0.5


def test_mentions_are_scored_as_written_down(folder: Path) -> None:
    """phi beside the sums of its definition, link by link and label by label."""
    import torch

    from disco2.training.fine_tuning import LINK_RANK, MentionPairs

    torch.manual_seed(1)
    part, states = MentionPairs(6, 3).double(), torch.randn(2, 9, 6, dtype=torch.double)
    links = [[([1, 2], [6])], [([0], [5]), ([3], [7, 8])]]
    with torch.no_grad():
        found = part(states, links).numpy()
    P, bias = part.shared.weight.detach().numpy(), part.shared.bias.detach().numpy()
    b1, b2 = (one.weight.detach().numpy().reshape(3, LINK_RANK, -1) for one in (part.first, part.second))
    for row, own in enumerate(links):
        expected = np.zeros(3)
        for one, other in own:
            t1, t2 = (np.tanh(P @ states[row, side].numpy().mean(axis=0) + bias) for side in (one, other))
            for label in range(3):
                for r in range(LINK_RANK):
                    expected[label] += (b1[label, r] @ t1) * (b2[label, r] @ t2) / len(own)
        np.testing.assert_allclose(found[row], expected, atol=1e-12)


def test_links_are_the_heads_of_coreferent_mentions(tmp_path: Path) -> None:
    corpus = read_role_pairs(write_role_pairs(tmp_path / "roles", size=20, seed=3))
    for relation in corpus.relations:
        instance = Instance(relation, corpus.documents[relation.document], relation.senses)
        words = [
            (relation.arg1.text[slice(*first)], relation.arg2.text[slice(*second)].lower())
            for first, second in mention_links(instance, MentionIndexes())
        ]
        assert any(name.istitle() and pronoun in ("he", "she", "him", "her") for name, pronoun in words), (
            words
        )


def test_a_share_of_an_unknown_label_is_refused(folder: Path, tmp_path: Path) -> None:
    from disco2.training.fine_tuning import FineTuning

    pool = [
        replace(text_pair(one), target={"Cause": 0.5, "Contrast": 0.5})
        for one in reasons_and_results(9, seed=1)
    ]
    tuning = FineTuning(
        folder, LABELS, [StagePlan(name="a", data=("own",))], {"own": pool}, SETTINGS, tmp_path
    )
    with pytest.raises(InputError, match="'Contrast', which is not known"):
        tuning.run()


def test_bad_stages_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="'gold'"):
        fit(folder, tmp_path, settings=SETTINGS, stages=(StagePlan(data=("gold",)),))
    with pytest.raises(SettingsError, match="'many'"):
        fit(folder, tmp_path, settings=SETTINGS, stages=(StagePlan(data=("own:many",)),))
    with pytest.raises(SettingsError, match="'more' is named twice"):
        fit(
            folder,
            tmp_path,
            settings=SETTINGS,
            stages=(StagePlan(data=("more",), roles=("more",), link_weight=1),),
        )
    with pytest.raises(SettingsError, match="link_weight above 0"):
        fit(folder, tmp_path, settings=SETTINGS, stages=(StagePlan(roles=("more",)),))


def test_folders_that_are_no_encoder_are_refused(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config\.json is missing"):
        encoder_folder(str(tmp_path))
    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    (tmp_path / "config.json").write_text(json.dumps(config | {"vocab_size": 7}))
    with pytest.raises(InputError, match="word pieces and the encoder 7 rows"):
        encoder_folder(str(tmp_path))
    (tmp_path / "config.json").write_text("[]")
    with pytest.raises(InputError, match="This is no encoder"):
        encoder_folder(str(tmp_path))
