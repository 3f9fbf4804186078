"""The parser's network in PyTorch, for training; ``annotation/english/constituents`` runs it in NumPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from disco2.annotation.english.constituents.network import EPSILON, LAYERS, Rows
from disco2.annotation.english.constituents.words import RESERVED, Lexicon, WordNumbers
from disco2.training.annotators.constituents.settings import ParserSettings

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

    def encode(self, sentences: Sequence[WordNumbers]) -> tuple[Tensor, Rows, Tensor]:
        """What the encoder says at all places [N - 1, 2 H], each sentence's first place, and tags.

        The first two are as in ``Network.encode``, the last the scores of the tags of all tokens [N, tags].
        """
        lengths = torch.tensor([len(sentence.words) for sentence in sentences])
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
        """What each place [N, 2 H] adds to the spans that begin there, and to those that end there."""
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

    def _embed(self, sentences: Sequence[WordNumbers]) -> Tensor:
        def joined(name: str) -> Tensor:
            return torch.from_numpy(
                np.concatenate([getattr(sentence, name) for sentence in sentences])
            ).long()

        return torch.cat(
            [
                self.vectors[joined("vectors")],
                self.words(joined("words")),
                self.pieces(joined("pieces")).sum(dim=1),
                self.tags(joined("tags")),
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
