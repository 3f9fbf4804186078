"""Fine-tune a transformer encoder on pairs of texts, in stages that survive a kill, and export it to ONNX.

Needs PyTorch, transformers and onnx.

A pair is read as one sequence, ``[CLS] arg1 [SEP] arg2 [SEP]``. With h_t the encoder's last state of word
piece t, m1 and m2 the means of h_t over the pieces of either argument, the scores of all labels are

    psi = W [m1; m2] + b        W [Y, 2H], b [Y]

The loss is the cross-entropy against a distribution over labels, so that votes of several annotators can be
used as they are. A second linear layer on the same vector, only there in training, predicts a ``hint``: the
connective that was removed from a mined pair, or the subtype of an annotated sense.

Where a stage has a ``link_weight``, a bilinear form, only there in training, teaches the states of coreferent
mentions who does what; the entity term is fitted to the finished states. With s_i [H] the mean state of the
pieces of head i, its loss is the cross-entropy of psi + phi, where psi counts as a constant:

    phi_y = mean over links (i, j) of sum over r of (b1_yr' tanh(P s_i)) (b2_yr' tanh(P s_j))
"""

from __future__ import annotations

import json
import logging
import math
import random
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import sha256
from itertools import accumulate, chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from safetensors.torch import load_file, save
from tokenizers import Encoding
from torch import Tensor, nn
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModel
from transformers.utils import logging as transformers_logging

from disco2.errors import InputError
from disco2.files import write_bytes
from disco2.model.encoder_model import INPUTS, OUTPUT, argument_numbers, import_onnxruntime, read_tokenizer
from disco2.training.encoder import SHARED, EncoderSettings, Span, StagePlan, TextPair
from disco2.training.loop import Report

OPSET = 17  # of ONNX
LINK_SIZE, LINK_RANK = 64, 4  # of the bilinear form of coreferent mentions
LINK_RATE = 20  # times the rate of the encoder, which is trained already
_CHUNK = 50  # batches that are sorted by length together
_OF_STAGE = ("name", "drawn", "epochs", "rate", "averaging", "roles", "link_weight")  # beside its seed

Pieces = tuple[list[int], list[int]]  # word pieces, and the argument to which each belongs
Links = list[tuple[list[int], list[int]]]  # the places of the pieces of two coreferent mentions


class PairEncoder(nn.Module):
    """The encoder with the linear layer that scores labels."""

    def __init__(self, encoder: nn.Module, labels: int) -> None:
        super().__init__()
        self.encoder = encoder
        config: Any = encoder.config
        self.takes_types = getattr(config, "type_vocab_size", 0) > 1
        self.dropout = nn.Dropout(0.1)
        self.head = nn.Linear(2 * int(config.hidden_size), labels)

    def states(self, ids: Tensor, argument: Tensor) -> Tensor:
        """h, [n, T, H], for pieces [n, T]; ``argument`` [n, T] is 1, 2, or 0 for padding."""
        given = {"input_ids": ids, "attention_mask": (argument > 0).long()}
        if self.takes_types:
            given["token_type_ids"] = (argument == 2).long()
        found: Tensor = self.encoder(**given).last_hidden_state.float()
        return found

    def pooled(self, states: Tensor, argument: Tensor) -> Tensor:
        """[m1; m2], [n, 2H]."""
        means = []
        for number in (1, 2):
            mask = (argument == number).to(states.dtype).unsqueeze(-1)
            means.append((states * mask).sum(1) / mask.sum(1).clamp(min=1))
        return torch.cat(means, dim=1)


class MentionPairs(nn.Module):
    """phi: scores of all labels from the states of coreferent mentions."""

    def __init__(self, size: int, labels: int) -> None:
        super().__init__()
        self.shared = nn.Linear(size, LINK_SIZE)
        self.first, self.second = (nn.Linear(LINK_SIZE, labels * LINK_RANK, bias=False) for _ in range(2))

    def forward(self, states: Tensor, links: Sequence[Links]) -> Tensor:
        """[n, Y] for states [n, T, H]; every pair has a link."""
        pairs = [(row, link) for row, own in enumerate(links) for link in own]
        sides = (torch.stack([states[row, link[side]].mean(0) for row, link in pairs]) for side in (0, 1))
        one, other = (torch.tanh(self.shared(side)) for side in sides)
        scores = (self.first(one) * self.second(other)).unflatten(1, (-1, LINK_RANK)).sum(2)
        rows = torch.tensor([row for row, _ in pairs])
        found: Tensor = scores.new_zeros(len(links), scores.shape[1]).index_add(0, rows, scores)
        return found.div_(torch.bincount(rows).unsqueeze(1))


def load_encoder(folder: Path) -> nn.Module:
    """The encoder of a folder in Hugging Face's layout; nothing is fetched, no code of the folder is run."""
    transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
    transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
    found: nn.Module = AutoModel.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False, use_safetensors=True
    )
    return found


class _Ready(NamedTuple):
    """A pair as numbers."""

    pieces: Pieces
    target: list[float]  # [Y]
    weight: float
    hint: int  # -1 without
    links: Links
    counts_text: bool  # whether psi is learned from it, or phi alone


class FineTuning:
    """One model on its way through the stages.

    ``folder`` keeps the model after every finished stage and the state within the current one. A stage is
    named by a hash of all that led to it, so that a killed run resumes, and runs that share their first
    stages share the work.
    """

    def __init__(
        self,
        encoder: Path,
        labels: Sequence[str],
        stages: Sequence[StagePlan],
        pools: Mapping[str, Sequence[TextPair]],
        settings: EncoderSettings,
        folder: Path,
        *,
        most_pieces: int = 96,
        save_every: int = 200,
    ) -> None:
        self.labels, self.stages, self.folder = tuple(labels), tuple(stages), folder
        self.pools, self.settings = pools, settings
        self.save_every = save_every
        self.loss = 0.0  # mean over the steps since the stage began or was resumed
        torch.manual_seed(stages[0].seed)
        try:
            tokenizer = (encoder / "tokenizer.json").read_bytes()
            self.tokenizer = read_tokenizer(tokenizer, most_pieces=most_pieces)
            self.model = PairEncoder(load_encoder(encoder), len(self.labels))
        except Exception as error:  # transformers raises errors of many kinds
            what = f"The encoder can't be loaded: {getattr(error, 'what', error)}."
            raise InputError(what, where=str(encoder)) from error
        weights = sha256((encoder / "model.safetensors").read_bytes()).hexdigest()
        self._names = self._stage_names([weights, self.labels, most_pieces])

    def run(
        self, after_epoch: Callable[[], None] = lambda: None, report: Report = lambda text: None
    ) -> PairEncoder:
        """Train all stages; ``after_epoch`` may look at the model, which is then in evaluation mode."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for stage, names in zip(self.stages, self._names, strict=True):
            first = {name: value.clone() for name, value in self.model.state_dict().items()}
            finished = [self.folder / f"{name}.safetensors" for name in names]
            for member, (name, file) in enumerate(zip(names, finished, strict=True)):
                if file.is_file():
                    continue
                self.model.load_state_dict(first)
                self._run_stage(replace(stage, seed=stage.seed + member), name, after_epoch, report)
                _save_tensors(file, self.model.state_dict())
                self._partly(name).unlink(missing_ok=True)
            states = [load_file(file) for file in finished]
            mean = states[0]
            for name, value in mean.items():
                if value.is_floating_point():  # whole numbers, such as positions, are the same in all
                    mean[name] = torch.stack([state[name] for state in states]).mean(0)
            self.model.load_state_dict(mean)
        self.model.eval()
        return self.model

    def _stage_names(self, base: object) -> list[list[str]]:
        """For each member of each stage a hash of all that its result depends on.

        A member has the name of a stage with its seed alone, so that the two share their work.
        """
        before = sha256(json.dumps(base).encode())
        shared = {name: getattr(self.settings, name) for name in SHARED}
        names: list[list[str]] = []
        for stage in self.stages:
            own = {name: getattr(stage, name) for name in _OF_STAGE}
            names.append([])
            for member in range(stage.members):
                digest = before.copy()
                plain = own | shared | {"seed": stage.seed + member}
                digest.update(json.dumps(plain, sort_keys=True).encode())
                for name in sorted(stage.drawn):
                    digest.update(name.encode())
                    for one in self.pools[name]:
                        read = one if stage.link_weight else replace(one, links=())
                        digest.update(json.dumps(asdict(read), sort_keys=True, default=dict).encode())
                names[-1].append(f"{stage.name}-{digest.hexdigest()[:16]}")
            before = sha256(json.dumps(names).encode())
        return names

    def _partly(self, name: str) -> Path:
        """The file of a stage that is under way."""
        return self.folder / f"{name}.partly.safetensors"

    def scores(self, pairs: Sequence[tuple[str, str]], *, batch_size: int = 64) -> np.ndarray:
        """psi of all labels for pairs of texts, [n, Y]."""
        was_training = self.model.training
        self.model.eval()
        read = [_pieces(one) for one in self.tokenizer.encode_batch(list(pairs))]
        order = sorted(range(len(read)), key=lambda place: len(read[place][0]))
        found = np.zeros((len(read), len(self.labels)), dtype=np.float32)
        with torch.no_grad():
            for begin in range(0, len(order), batch_size):
                rows = order[begin : begin + batch_size]
                ids, argument = _padded([read[row] for row in rows])
                with torch.autocast("cpu", torch.bfloat16, enabled=self.settings.bfloat16):
                    states = self.model.states(ids, argument)
                found[rows] = self.model.head(self.model.pooled(states, argument)).numpy()
        self.model.train(was_training)
        return found

    def _run_stage(
        self, stage: StagePlan, name: str, after_epoch: Callable[[], None], report: Report
    ) -> None:
        texts = {pool: self.pools[pool] for pool in stage.drawn}
        targets = {label for pool in texts.values() for one in pool for label in one.target}
        if unknown := sorted(targets.difference(self.labels)):
            known = f"Known labels: {', '.join(self.labels)}."
            raise InputError(f"Pairs have the label '{unknown[0]}', which is not known.", hint=known)
        hints = sorted({one.hint for pool in texts.values() for one in pool if one.hint})
        hint_number = {hint: place for place, hint in enumerate(hints)} | {"": -1}
        pools = {}
        for pool, pairs in texts.items():
            read = self.tokenizer.encode_batch([(one.arg1, one.arg2) for one in pairs])
            shares = ([one.target.get(label, 0.0) for label in self.labels] for one in pairs)
            pools[pool] = [
                _Ready(
                    _pieces(encoding),
                    target,
                    one.weight,
                    hint_number[one.hint],
                    _links(encoding, one.links),
                    pool not in stage.role_pools,
                )
                for one, encoding, target in zip(pairs, read, shares, strict=True)
            ]
        run = _StageRun(self.model, stage, self.settings, pools, hints)
        partly = self._partly(name)
        begin = run.load(partly) if partly.is_file() else 0
        for step in range(begin, run.steps):
            run.take_step(step)
            if (step + 1) % 50 == 0:
                report(f"{name}: step {step + 1} of {run.steps}, loss {np.mean(run.losses[-50:]):.4f}")
            if (step + 1) % self.save_every == 0:
                run.save(partly, step + 1)
            if step + 1 in run.ends:
                self.loss = float(np.mean(run.losses))
                kept = {name: value.detach().clone() for name, value in self.model.named_parameters()}
                run.keep_average()
                self.model.eval()
                after_epoch()
                self.model.load_state_dict(kept, strict=False)
        run.keep_average()


class _StageRun:
    """The steps of one stage: batches, optimiser, moving average."""

    def __init__(
        self,
        model: PairEncoder,
        stage: StagePlan,
        settings: EncoderSettings,
        pools: Mapping[str, Sequence[_Ready]],
        hints: Sequence[str],
    ) -> None:
        self.model, self.stage, self.settings = model, stage, settings
        torch.manual_seed(stage.seed)
        self.hint_head = nn.Linear(model.head.in_features, max(len(hints), 1))
        parts = {"model": model, "hints": self.hint_head}
        self.mention_pairs: MentionPairs | None = None
        if stage.link_weight:
            width, labels = model.head.in_features // 2, model.head.out_features
            self.mention_pairs = parts["links"] = MentionPairs(width, labels)
        kinds = [hint.partition(":")[0] for hint in hints] or [""]
        self._same_group = torch.tensor([[one == other for other in kinds] for one in kinds])
        epochs = [_epoch(pools, stage, epoch, settings.batch_size) for epoch in range(stage.epochs)]
        self.batches = list(chain(*epochs))
        self.ends = list(accumulate(map(len, epochs)))  # the steps after which a pass is done
        self.steps = len(self.batches)
        self.losses: list[float] = []
        self._named = dict(nn.ModuleDict(parts).named_parameters())
        # Weight decay for matrices alone, not for biases and norms.
        groups: dict[tuple[bool, bool], list[nn.Parameter]] = {}
        for name, parameter in self._named.items():
            groups.setdefault((name.startswith("links."), parameter.ndim > 1), []).append(parameter)
        self._optimiser = torch.optim.AdamW(
            [
                {"params": some, "weight_decay": 0.01 * matrices, "factor": LINK_RATE if links else 1}
                for (links, matrices), some in groups.items()
            ],
            lr=stage.rate,
            fused=True,
        )
        self._average = {name: value.detach().clone() for name, value in model.named_parameters()}

    def take_step(self, step: int) -> None:
        """One batch; what is random in it depends on the seed and the step alone, as a resumed run needs."""
        self.model.train()
        torch.manual_seed(_number(self.stage.seed, step))
        # The rate rises over the first share of the steps, then falls to zero like a line.
        rise = max(1, math.ceil(self.steps * self.settings.warm_up))
        slope = (step + 1) / rise if step < rise else (self.steps - step) / max(1, self.steps - rise)
        for group in self._optimiser.param_groups:
            group["lr"] = self.stage.rate * slope * group["factor"]
        loss = self._loss(self.batches[step])
        self._optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self._named.values(), 1.0)
        self._optimiser.step()
        self.losses.append(loss.item())
        if self.stage.averaging:
            decay = min(self.stage.averaging, (step + 1) / (step + 10))
            with torch.no_grad():
                for name, parameter in self.model.named_parameters():
                    self._average[name].lerp_(parameter, 1 - decay)

    def _loss(self, batch: Sequence[_Ready]) -> Tensor:
        """Mean over the batch of weight * (loss of psi + hint_weight * hint's + link_weight * phi's)."""
        settings = self.settings
        ids, argument = _padded([one.pieces for one in batch])
        with torch.autocast("cpu", torch.bfloat16, enabled=settings.bfloat16):
            states = self.model.states(ids, argument)
        pooled = self.model.dropout(self.model.pooled(states, argument))
        scores = self.model.head(pooled)
        target = torch.tensor([one.target for one in batch])
        target = target * (1 - settings.smoothing) + settings.smoothing / scores.shape[1]
        weight = torch.tensor([one.weight for one in batch])
        counted = torch.tensor([float(one.counts_text) for one in batch])
        loss = -(target * scores.log_softmax(1)).sum(1) * counted
        rows = [row for row, one in enumerate(batch) if one.hint >= 0 and one.counts_text]
        if rows and settings.hint_weight:
            gold = torch.tensor([batch[row].hint for row in rows])
            allowed = self.hint_head(pooled[rows]).masked_fill(~self._same_group[gold], -1e4)
            hint_loss = nn.functional.cross_entropy(allowed, gold, reduction="none")
            loss = loss.index_add(0, torch.tensor(rows), settings.hint_weight * hint_loss)
        rows = [row for row, one in enumerate(batch) if one.links]
        if rows and self.mention_pairs is not None:
            phi = self.mention_pairs(states[rows], [batch[row].links for row in rows])
            link_loss = -(target[rows] * (scores[rows].detach() + phi).log_softmax(1)).sum(1)
            loss = loss.index_add(0, torch.tensor(rows), self.stage.link_weight * link_loss)
        mean: Tensor = (weight * loss).sum() / weight.sum()
        return mean

    def keep_average(self) -> None:
        if self.stage.averaging:
            self.model.load_state_dict(self._average, strict=False)

    def save(self, path: Path, step: int) -> None:
        tensors: dict[str, Tensor] = {f"parameter.{name}": value for name, value in self._named.items()}
        tensors |= {f"average.{name}": value for name, value in self._average.items()}
        for place, state in self._optimiser.state_dict()["state"].items():
            tensors |= {f"adam.{place}.{name}": value for name, value in state.items()}
        _save_tensors(path, tensors | {"step": torch.tensor(step)})

    def load(self, path: Path) -> int:
        """The step at which to go on."""
        tensors = load_file(path)
        with torch.no_grad():
            for name, parameter in self._named.items():
                parameter.copy_(tensors[f"parameter.{name}"])
        self._average = {name: tensors[f"average.{name}"] for name in self._average}
        states: dict[int, dict[str, Tensor]] = {}
        for key, value in tensors.items():
            if key.startswith("adam."):
                _, place, name = key.split(".")
                states.setdefault(int(place), {})[name] = value
        self._optimiser.load_state_dict(self._optimiser.state_dict() | {"state": states})
        return int(tensors["step"])


def _epoch(
    pools: Mapping[str, Sequence[_Ready]], stage: StagePlan, epoch: int, batch_size: int
) -> list[list[_Ready]]:
    """The batches of an epoch, each of pairs of about the same length; the same for the same seed."""
    chosen: list[_Ready] = []
    for name, pool in sorted(pools.items()):
        count = stage.drawn[name]
        # Where a part of the pool is drawn, every epoch takes the next part of one order.
        order = list(pool)
        random.Random(_number(stage.seed, name, 0 if count else epoch)).shuffle(order)  # noqa: S311
        first = count * epoch
        chosen += [order[(first + place) % len(order)] for place in range(count)] if count else order
    chance = random.Random(_number(stage.seed, "batches", epoch))  # noqa: S311
    chance.shuffle(chosen)
    batches = []
    for begin in range(0, len(chosen), _CHUNK * batch_size):
        chunk = sorted(chosen[begin : begin + _CHUNK * batch_size], key=lambda one: len(one.pieces[0]))
        batches += [chunk[start : start + batch_size] for start in range(0, len(chunk), batch_size)]
    chance.shuffle(batches)
    return batches


def _save_tensors(path: Path, tensors: Mapping[str, Tensor]) -> None:
    write_bytes(path, save({name: value.detach().contiguous() for name, value in tensors.items()}))


def _padded(read: Sequence[Pieces]) -> tuple[Tensor, Tensor]:
    """Ids and arguments, [n, T] each, with zeros behind shorter pairs."""
    ids, argument = (
        pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
        for rows in zip(*read, strict=True)
    )
    return ids, argument


def _pieces(read: Encoding) -> Pieces:
    return read.ids, argument_numbers(read.sequence_ids).tolist()


def _links(read: Encoding, links: Sequence[tuple[Span, Span]]) -> Links:
    """The pieces of both mentions of each link; without links that have lost a mention to the limit."""
    pieces = list(enumerate(zip(read.sequence_ids, read.offsets, strict=True)))

    def covering(side: int, begin: int, behind: int) -> list[int]:
        return [
            place for place, (own, (start, end)) in pieces if own == side and start < behind and end > begin
        ]

    found = [(covering(0, *first), covering(1, *second)) for first, second in links]
    return [(one, other) for one, other in found if one and other]


def _number(*parts: object) -> int:
    return int.from_bytes(sha256(":".join(map(str, parts)).encode()).digest()[:6], "big")


class _States(nn.Module):
    """The encoder with plain tensors in and out, as the exporter needs it."""

    def __init__(self, encoder: nn.Module, takes_types: bool) -> None:
        super().__init__()
        self.encoder, self.takes_types = encoder, takes_types

    def forward(self, ids: Tensor, types: Tensor | None = None) -> Tensor:
        given = {"token_type_ids": types} if self.takes_types else {}
        states: Tensor = self.encoder(input_ids=ids, **given).last_hidden_state
        return states


def export_onnx(encoder: nn.Module, *, takes_types: bool, quantise: bool = True) -> bytes:
    """The encoder's last states for one pair of any length; int8 weights per channel where ``quantise``.

    A pair is never padded, so there is no attention mask, which would cost a tenth of the time.

    Weights use seven of the eight bits: processors without VNNI add up products of 8-bit numbers in 16 bits,
    which would overflow.
    """
    import_onnxruntime()
    from onnxruntime.quantization import QuantType, quantize_dynamic

    encoder.eval()
    names = list(INPUTS if takes_types else INPUTS[:1])
    example = torch.ones(1, 12, dtype=torch.long)
    axes = {name: {1: "pieces"} for name in (*names, OUTPUT)}
    with tempfile.TemporaryDirectory() as folder:
        plain, small = Path(folder) / "plain.onnx", Path(folder) / "int8.onnx"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the exporter warns of shapes that don't depend on the input
            torch.onnx.export(
                _States(encoder, takes_types),
                tuple(example for _ in names),
                str(plain),
                input_names=names,
                output_names=[OUTPUT],
                dynamic_axes=axes,
                opset_version=OPSET,
                dynamo=False,
            )
        if not quantise:
            return plain.read_bytes()
        root = logging.getLogger()
        level = root.level
        root.setLevel(logging.ERROR)  # the quantiser advises a preprocessing that changes nothing here
        try:
            quantize_dynamic(plain, small, per_channel=True, reduce_range=True, weight_type=QuantType.QInt8)
        finally:
            root.setLevel(level)
        return small.read_bytes()
