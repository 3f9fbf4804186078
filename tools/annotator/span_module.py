"""The constituency parser's network, its loss and its training steps in PyTorch."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from disco2.annotation.english.constituents import RESERVED, Lexicon
from disco2.annotation.english.span_network import (
    EPSILON,
    LAYERS,
    PIECES,
    TAG,
    VECTOR,
    WORD,
    Floats,
    Integers,
    Rows,
    Spans,
    all_spans,
    best_splits,
    read_trees,
    scores_by_length,
)
from tools.annotator.constituents import SEED, Example, ParserSettings, disturb

# The parser's network in PyTorch, for training; ``annotation/english/constituents`` runs it in NumPy.

GATES = ("weight_ih", "weight_hh", "bias_ih", "bias_hh")  # PyTorch's names of an LSTM's weights


class ParserModule(nn.Module):
    """Embeddings, bidirectional LSTM, scorer of spans, and a tagger that only training uses."""

    vectors: Tensor

    def __init__(self, lexicon: Lexicon, *, labels: int, settings: ParserSettings) -> None:
        super().__init__()
        matrix = torch.from_numpy(lexicon.vectors.matrix)
        self.register_buffer(
            "vectors", torch.cat([matrix, matrix.new_zeros(1, matrix.shape[1])]), persistent=False
        )
        self.words = nn.Embedding(len(lexicon.words) + RESERVED, settings.word_size)
        self.pieces = nn.Embedding(len(lexicon.pieces) + 1, settings.piece_size, padding_idx=0)
        self.tags = nn.Embedding(len(lexicon.tags) + RESERVED, settings.tag_size)
        for table in (self.words, self.pieces, self.tags):
            nn.init.normal_(table.weight, std=0.3)
        with torch.no_grad():
            self.pieces.weight[0] = 0.0
        hidden = settings.hidden
        size = matrix.shape[1] + settings.word_size + settings.piece_size + settings.tag_size
        sizes = [size, *[2 * hidden] * (LAYERS - 1)]
        self.forwards = nn.ModuleList([nn.LSTM(size, hidden, batch_first=True) for size in sizes])
        self.backwards = nn.ModuleList([nn.LSTM(size, hidden, batch_first=True) for size in sizes])
        self.starts = nn.Linear(2 * hidden, settings.span_hidden)
        self.ends = nn.Linear(2 * hidden, settings.span_hidden, bias=False)
        self.norm = nn.LayerNorm(settings.span_hidden, eps=EPSILON)
        self.outputs = nn.Linear(settings.span_hidden, labels)
        self.tagger = nn.Linear(2 * hidden, len(lexicon.tags) + RESERVED)
        self.input_dropout = settings.input_dropout
        self.dropout = settings.dropout

    def encode(self, sentences: Sequence[Integers]) -> tuple[Tensor, Rows, Tensor]:
        """The encoder's output at all places [N - 1, 2 H], each sentence's first place, and scores of tags.

        The first two are as in ``Network.encode``; the scores of the tags of all tokens are [N, tags].
        """
        lengths = torch.tensor([len(sentence) for sentence in sentences])
        steps = torch.arange(int(lengths.max()))
        inside = steps[None, :] < lengths[:, None]
        turned = torch.where(inside, lengths[:, None] - 1 - steps[None, :], steps[None, :])
        flat = self._embed(sentences)
        states = flat.new_zeros(len(sentences), len(steps), flat.shape[1])
        states[inside] = flat
        states = self._drop(states, self.input_dropout)
        for forward, backward in zip(self.forwards, self.backwards, strict=True):
            read, _ = forward(states)
            read_back, _ = backward(_turn(states, turned))
            states = self._drop(torch.cat([read, _turn(read_back, turned)], dim=2), self.dropout)
        in_order = states[inside]
        half = in_order.shape[1] // 2
        encoded = torch.cat([in_order[:-1, :half], in_order[1:, half:]], dim=1)
        places = (torch.cumsum(lengths, 0) - lengths).numpy()
        return encoded, places, self.tagger(in_order)

    def sides(self, encoded: Tensor) -> tuple[Tensor, Tensor]:
        """What each place [N, 2 H] contributes to the spans that begin there, and to those that end there."""
        return self.starts(encoded), self.ends(encoded)

    def scores(self, begins: Tensor, finishes: Tensor, starts: Tensor, ends: Tensor) -> Tensor:
        """Scores [S, L] of the labels of the spans between places."""
        scores: Tensor = self.outputs(torch.relu(self.norm(begins[starts] + finishes[ends])))
        return scores

    def export(self) -> dict[str, NDArray[np.float32]]:
        """The weights under the names and in the shapes of ``Network.of``."""
        found: dict[str, Tensor] = {
            "words": self.words.weight,
            "pieces": self.pieces.weight,
            "tags": self.tags.weight,
            "spans.starts": self.starts.weight.T,
            "spans.ends": self.ends.weight.T,
            "spans.bias": self.starts.bias,
            "spans.gain": self.norm.weight,
            "spans.shift": self.norm.bias,
            "spans.outputs": self.outputs.weight,
            "spans.output_bias": self.outputs.bias,
        }
        for layer, both in enumerate(zip(self.forwards, self.backwards, strict=True)):
            weights = {
                name: torch.stack([lstm.get_parameter(f"{name}_l0") for lstm in both]) for name in GATES
            }
            found |= {
                f"encoder.{layer}.inputs": weights["weight_ih"].mT,
                f"encoder.{layer}.recurrent": weights["weight_hh"].mT,
                f"encoder.{layer}.bias": weights["bias_ih"] + weights["bias_hh"],
            }
        return {name: value.detach().contiguous().numpy().copy() for name, value in found.items()}

    def _embed(self, sentences: Sequence[Integers]) -> Tensor:
        numbers = torch.from_numpy(np.concatenate(sentences)).long()
        return torch.cat(
            [
                self.vectors[numbers[:, VECTOR]],
                self.words(numbers[:, WORD]),
                self.pieces(numbers[:, PIECES]).sum(dim=1),
                self.tags(numbers[:, TAG]),
            ],
            dim=1,
        )

    def _drop(self, states: Tensor, share: float) -> Tensor:
        """Dropout with one mask for all tokens of a sentence (Gal & Ghahramani 2016)."""
        if not self.training or not share:
            return states
        mask = states.new_empty(len(states), 1, states.shape[2]).bernoulli_(1 - share) / (1 - share)
        return states * mask


def _turn(states: Tensor, turned: Tensor) -> Tensor:
    """Each sentence of a padded batch [B, T, D] reversed, its padding left at the end."""
    return states.gather(1, turned[:, :, None].expand_as(states))


# The structured large-margin loss of Stern, Andreas & Klein (2017).
#
# With s(T) the sum of the scores of a tree's labelled spans and d(T, G) the number of spans of T whose label
# is not that of the gold tree G, where a span without a label counts as labelled with nothing,
#
#     loss = max over T of s(T) + d(T, G),  less s(G).
#
# The best T is found by the parser's own chart, with 1 added to the score of every wrong label.

NOTHING = -1  # the column after the last label: no label at all, which scores 0


def margin_loss(module: ParserModule, encoded: Tensor, places: Rows, batch: Sequence[Example]) -> Tensor:
    """The sum of the losses of a batch; ``places`` are the sentences' first places in ``encoded``.

    The tree that violates the margin most is found without gradients; then only its spans and those of the
    gold tree are scored again with gradients, a small part of all spans.
    """
    lengths = np.array([len(example.numbers) - 2 for example in batch], dtype=np.int32)
    counts = [len(example.starts) for example in batch]
    gold = Spans(
        np.repeat(np.arange(len(batch), dtype=np.int32), counts),
        np.concatenate([example.starts for example in batch]),
        np.concatenate([example.ends for example in batch]),
    )
    labels = np.concatenate([example.labels for example in batch])
    sides = module.sides(encoded)

    def scores(spans: Spans) -> Tensor:
        first = places[spans.sentences]
        return module.scores(
            *sides, torch.from_numpy(first + spans.starts), torch.from_numpy(first + spans.ends)
        )

    def total(spans: Spans, labels: Integers) -> Tensor:
        return scores(spans).gather(1, torch.from_numpy(labels).long()[:, None]).sum()

    with torch.no_grad():
        everything = scores(all_spans(lengths)).numpy()
    found, guesses, wrong = worst_trees(everything, lengths, gold, labels)
    return total(found, guesses) + float(wrong) - total(gold, labels)


def worst_trees(
    scores: NDArray[np.float32], lengths: Integers, gold: Spans, labels: Integers
) -> tuple[Spans, Integers, int]:
    """The labelled spans of the trees with the highest s + d, and d itself.

    ``scores`` [S, L] are those of ``all_spans(lengths)``.
    """
    spans = all_spans(lengths)
    truth = np.full(len(scores), NOTHING, dtype=np.int32)
    truth[span_rows(gold, lengths)] = labels
    raised = np.concatenate([scores, np.zeros((len(scores), 1), dtype=np.float32)], axis=1) + 1.0
    raised[np.arange(len(scores)), truth] -= 1.0
    raised[spans.ends - spans.starts == lengths[spans.sentences], NOTHING] = -np.inf  # a sentence has a label
    best = raised.max(axis=1)
    tree = read_trees(best_splits(scores_by_length(spans, best, lengths)), lengths)
    rows = span_rows(tree, lengths)
    guesses = raised[rows].argmax(axis=1).astype(np.int32)
    labelled = guesses < scores.shape[1]
    truth[truth == NOTHING] = scores.shape[1]
    wrong = int((guesses != truth[rows]).sum())
    return Spans(*(column[labelled] for column in tree)), guesses[labelled], wrong


def span_rows(spans: Spans, lengths: Integers) -> Rows:
    """The rows of the spans in ``all_spans(lengths)``."""
    sizes = lengths.astype(np.int64)
    counts = sizes * (sizes + 1) // 2
    before = np.cumsum(counts) - counts
    starts = spans.starts.astype(np.int64)
    rows: Rows = (
        before[spans.sentences]
        + starts * sizes[spans.sentences]
        - starts * (starts - 1) // 2
        + (spans.ends - starts - 1)
    )
    return rows


# The passes over the training sentences.

BETAS = (0.9, 0.95)
LAST_RATE = 0.01  # of the highest


def train_passes(
    examples: Sequence[Example], lexicon: Lexicon, *, labels: int, settings: ParserSettings
) -> Iterator[dict[str, Floats]]:
    """The running mean of the weights after each pass.

    Adam with a warm-up to the highest rate, then a cosine decay.
    """
    torch.manual_seed(SEED)
    random = np.random.default_rng(SEED)
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
            falling = 0.5 * (1 + math.cos(math.pi * min(step / steps, 1.0))) + LAST_RATE
            for group in optimiser.param_groups:
                group["lr"] = settings.rate * min(step / settings.warm_up, falling)
            optimiser.zero_grad()
            torch.autograd.backward(_loss(module, batch, lexicon, settings, random) / len(batch))
            torch.nn.utils.clip_grad_norm_(module.parameters(), settings.clip)
            optimiser.step()
            keep = min(settings.averaging, (1 + step) / (10 + step))
            with torch.no_grad():
                for old, new in zip(mean.parameters(), module.parameters(), strict=True):
                    old.lerp_(new, 1 - keep)
        yield mean.export()


def _loss(
    module: ParserModule,
    batch: Sequence[Example],
    lexicon: Lexicon,
    settings: ParserSettings,
    random: np.random.Generator,
) -> Tensor:
    """The margin loss of the trees and, as a second task, the cross entropy of the tags."""
    numbers = [disturb(example, settings, random, no_vector=len(lexicon.vectors)) for example in batch]
    encoded, places, tag_scores = module.encode(numbers)
    tags = torch.from_numpy(np.concatenate([example.tags for example in batch])).long()
    tag_loss = torch.nn.functional.cross_entropy(tag_scores, tags, reduction="sum")
    return margin_loss(module, encoded, places, batch) + settings.tag_loss * tag_loss


def _batches(
    examples: Sequence[Example], settings: ParserSettings, random: np.random.Generator
) -> list[list[Example]]:
    """Sentences of similar length together, in random order."""
    lengths = np.array([len(example.numbers) for example in examples])
    order = np.argsort(lengths * random.uniform(0.9, 1.1, len(lengths)), kind="stable")
    batches: list[list[Example]] = [[]]
    for index in order.tolist():
        batch = batches[-1]
        if batch and (len(batch) + 1) * lengths[index] > settings.batch_tokens:
            batches.append([])
        batches[-1].append(examples[index])
    return [batches[index] for index in random.permutation(len(batches)).tolist()]
