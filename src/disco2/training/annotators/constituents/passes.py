"""The passes over the training sentences."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from torch import Tensor

from disco2.annotation.english.constituents.network import Floats
from disco2.annotation.english.constituents.words import Lexicon
from disco2.training.annotators.constituents.examples import Example, disturbed
from disco2.training.annotators.constituents.margin import margin_loss
from disco2.training.annotators.constituents.model import ParserModule
from disco2.training.annotators.constituents.settings import ParserSettings

BETAS = (0.9, 0.95)
LAST_RATE = 0.01  # of the highest


def passes(
    examples: Sequence[Example], lexicon: Lexicon, *, labels: int, settings: ParserSettings, seed: int
) -> Iterator[dict[str, Floats]]:
    """The running mean of the weights after each pass.

    Adam, whose rate rises to the highest in the first steps and then falls along a cosine.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    module = ParserModule(lexicon, labels=labels, settings=settings)
    mean = ParserModule(lexicon, labels=labels, settings=settings)
    mean.load_state_dict(module.state_dict())
    optimiser = torch.optim.AdamW(
        module.parameters(), lr=settings.rate, betas=BETAS, weight_decay=settings.decay
    )
    steps = settings.epochs * len(_batches(examples, settings, random))
    step = 0
    for _ in range(settings.epochs):
        for batch in _batches(examples, settings, random):
            step += 1
            for group in optimiser.param_groups:
                group["lr"] = _rate(step, steps, settings)
            optimiser.zero_grad()
            torch.autograd.backward(_loss(module, batch, lexicon, settings, random) / len(batch))
            torch.nn.utils.clip_grad_norm_(module.parameters(), settings.clip)
            optimiser.step()
            keep = min(settings.averaging, (1 + step) / (10 + step))
            with torch.no_grad():
                for old, new in zip(mean.parameters(), module.parameters(), strict=True):
                    old.lerp_(new, 1 - keep)
        yield mean.export()


def _rate(step: int, steps: int, settings: ParserSettings) -> float:
    falling = 0.5 * (1 + math.cos(math.pi * min(step / steps, 1.0))) + LAST_RATE
    return settings.rate * min(step / settings.warm_up, falling)


def _loss(
    module: ParserModule,
    batch: Sequence[Example],
    lexicon: Lexicon,
    settings: ParserSettings,
    random: np.random.Generator,
) -> Tensor:
    """The margin loss of the trees and, as a second task, the cross entropy of the tags."""
    numbers = [disturbed(example, settings, random, no_vector=len(lexicon.vectors)) for example in batch]
    encoded, places, tag_scores = module.encode(numbers)
    tags = torch.from_numpy(np.concatenate([example.tags for example in batch])).long()
    tag_loss = torch.nn.functional.cross_entropy(tag_scores, tags, reduction="sum")
    return margin_loss(module, encoded, places, batch) + settings.tag_loss * tag_loss


def _batches(
    examples: Sequence[Example], settings: ParserSettings, random: np.random.Generator
) -> list[list[Example]]:
    """Sentences of similar length together, in random order."""
    lengths = np.array([len(example.numbers.words) for example in examples])
    order = np.argsort(lengths * random.uniform(0.9, 1.1, len(lengths)), kind="stable")
    batches: list[list[Example]] = [[]]
    for index in order.tolist():
        batch = batches[-1]
        if batch and (len(batch) + 1) * lengths[index] > settings.batch_tokens:
            batches.append([])
        batches[-1].append(examples[index])
    return [batches[index] for index in random.permutation(len(batches)).tolist()]
