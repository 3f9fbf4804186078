"""A BERT-like encoder fine-tuned end to end on pairs of arguments, with PyTorch: [CLS] arg1 [SEP] arg2 [SEP].

Kept to what is usual: all weights learn, AdamW, a linear warm-up and a linear way down, the pass that is best
on the development part kept. Batches hold pairs of about the same length, which saves padding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn
from transformers import AutoModel, AutoTokenizer, PreTrainedModel
from transformers.utils import logging as transformers_logging

from disco2.evaluation.scores import hits
from disco2.records import Instance
from disco2.training.resampling import expand_two_senses

LONGEST = 256  # word pieces of a pair; GUM's longest pair has 214
BATCHES_SORTED_TOGETHER = 50
PREDICTION_BATCH = 32

transformers_logging.set_verbosity_error()  # type: ignore[no-untyped-call]
transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]


@dataclass(frozen=True)
class FineTuning:
    """How the encoder is fine-tuned."""

    epochs: int = 6
    rate: float = 5e-5
    batch_size: int = 16
    warm_up: float = 0.1  # share of all steps
    decay: float = 0.01
    clip: float = 1.0
    dropout: float = 0.1
    pooling: str = "mean"  # of all word pieces; or "first": the vector of [CLS]
    bfloat16: bool = False
    seed: int = 1


@dataclass(frozen=True)
class Pass:
    """One pass over the training pairs: the mean loss on the way, and accuracy in development after it."""

    number: int
    loss: float
    accuracy: float


class PairNetwork(nn.Module):
    """Encoder, pooling, dropout and one linear layer."""

    def __init__(self, encoder: PreTrainedModel, *, labels: int, dropout: float, pooling: str) -> None:
        super().__init__()
        self.encoder = encoder
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(encoder.config.hidden_size, labels)
        self.pooling = pooling

    def forward(self, pieces: dict[str, torch.Tensor]) -> torch.Tensor:
        """Scores, [pairs, labels]."""
        hidden = self.encoder(**pieces).last_hidden_state.float()  # [pairs, pieces, width]
        if self.pooling == "first":
            pooled = hidden[:, 0]
        else:
            mask = pieces["attention_mask"].unsqueeze(-1).float()
            pooled = (hidden * mask).sum(1) / mask.sum(1)
        scores: torch.Tensor = self.output(self.dropout(pooled))
        return scores


class PairClassifier:
    """A tokeniser and a network: instances in, scores out."""

    def __init__(self, folder: Path, labels: Sequence[str], settings: FineTuning) -> None:
        torch.manual_seed(settings.seed)
        self.labels = tuple(labels)
        self.settings = settings
        self._tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
        encoder = AutoModel.from_pretrained(folder, local_files_only=True, add_pooling_layer=False)
        self.network = PairNetwork(
            encoder, labels=len(labels), dropout=settings.dropout, pooling=settings.pooling
        )

    def scores(self, instances: Sequence[Instance]) -> NDArray[np.float32]:
        """[n, labels]; pairs of about the same length go through the network together."""
        self.network.eval()
        encoded = self._encode(instances)
        order = sorted(range(len(encoded)), key=lambda number: len(encoded[number]["input_ids"]))
        found = np.zeros((len(instances), len(self.labels)), dtype=np.float32)
        with torch.inference_mode(), self._precision():
            for begin in range(0, len(order), PREDICTION_BATCH):
                chosen = order[begin : begin + PREDICTION_BATCH]
                found[chosen] = self.network(self._padded([encoded[n] for n in chosen])).float().numpy()
        return found

    def predict(self, instances: Sequence[Instance]) -> list[str]:
        """The best label of each instance."""
        return [self.labels[best] for best in self.scores(instances).argmax(axis=1)]

    def accuracy(self, instances: Sequence[Instance]) -> float:
        """The share of instances with one of their gold labels as the best one."""
        return float(hits([one.gold for one in instances], self.predict(instances)).mean())

    def train(
        self,
        training: Sequence[Instance],
        development: Sequence[Instance],
        *,
        progress: Callable[[Pass], None] = lambda done: None,
    ) -> list[Pass]:
        """Fine-tune all weights; the network ends as it was after the pass that was best in development.

        The loss of an instance counts as much as the instance weighs.
        """
        settings = self.settings
        examples = expand_two_senses(training)
        encoded = self._encode(examples)
        gold = torch.tensor([self.labels.index(one.gold[0]) for one in examples])
        weights = torch.tensor([one.weight for one in examples])
        optimiser = torch.optim.AdamW(self._groups(), lr=settings.rate, fused=True)
        total = settings.epochs * -(-len(examples) // settings.batch_size)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, _up_and_down(total, settings.warm_up))
        random = np.random.default_rng(settings.seed)
        passes: list[Pass] = []
        best = deepcopy(self.network.state_dict())
        for number in range(1, settings.epochs + 1):
            self.network.train()
            losses: list[float] = []
            for chosen in self._batches([len(one["input_ids"]) for one in encoded], random):
                with self._precision():
                    scores = self.network(self._padded([encoded[n] for n in chosen]))
                    each = nn.functional.cross_entropy(scores.float(), gold[chosen], reduction="none")
                loss = (each * weights[chosen]).mean()
                loss.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(self.network.parameters(), settings.clip)
                optimiser.step()
                schedule.step()
                optimiser.zero_grad()
                losses.append(loss.item())
            done = Pass(number, float(np.mean(losses)), self.accuracy(development))
            if all(done.accuracy > other.accuracy for other in passes):
                best = deepcopy(self.network.state_dict())
            passes.append(done)
            progress(done)
        self.network.load_state_dict(best)
        return passes

    def _encode(self, instances: Sequence[Instance]) -> list[dict[str, list[int]]]:
        columns = self._tokenizer(
            [one.relation.arg1.text for one in instances],
            [one.relation.arg2.text for one in instances],
            truncation="longest_first",
            max_length=LONGEST,
        )
        names = list(columns)
        return [
            dict(zip(names, row, strict=True)) for row in zip(*(columns[name] for name in names), strict=True)
        ]

    def _padded(self, encoded: list[dict[str, list[int]]]) -> dict[str, torch.Tensor]:
        return dict(self._tokenizer.pad(encoded, return_tensors="pt"))

    def _precision(self) -> torch.autocast:
        return torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.settings.bfloat16)

    def _groups(self) -> list[dict[str, object]]:
        """Matrices shrink; biases and the scales of layer normalisation don't."""
        decayed = [one for one in self.network.parameters() if one.ndim > 1]
        others = [one for one in self.network.parameters() if one.ndim <= 1]
        return [
            {"params": decayed, "weight_decay": self.settings.decay},
            {"params": others, "weight_decay": 0.0},
        ]

    def _batches(self, lengths: Sequence[int], random: np.random.Generator) -> Iterator[list[int]]:
        """All pairs once, in random order, but with pairs of about the same length in one batch."""
        size = self.settings.batch_size
        order = random.permutation(len(lengths)).tolist()
        portion = size * BATCHES_SORTED_TOGETHER
        ordered = [
            number
            for begin in range(0, len(order), portion)
            for number in sorted(order[begin : begin + portion], key=lengths.__getitem__)
        ]
        batches = [ordered[begin : begin + size] for begin in range(0, len(ordered), size)]
        for place in random.permutation(len(batches)):
            yield batches[place]


def _up_and_down(total: int, warm_up: float) -> Callable[[int], float]:
    """The learning rate of each step as a share of the highest: linear up, then linear down to nothing."""
    peak = max(round(warm_up * total), 1)
    return lambda step: min((step + 1) / peak, (total - step) / max(total - peak, 1))
