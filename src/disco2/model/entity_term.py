"""The paper's entity term over an encoder: roles of coreferent mentions, from the encoder's states.

With h_p [H] the encoder's last state of word piece p, the leaf of a word w is

    l_w = tanh(P mean of h_p over the pieces of w)        P [K, H]

From these leaves the vectors u_i of all nodes are composed up the trees of both arguments, and the vectors
d_i of mentions down to them, as in the paper (``model.composition``; U and V are [K, 2K]). The term is

    psi_E(y) = sum over aligned (i, j) of w_ij d_i' B_y d_j

with B_y = sum over r of b1_yr b2_yr' + diag(b3_y) and the weights w_ij of ``bilinear.link_weights``.
Relations whose arguments share no entity have no such term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from disco2.data import Argument, Document, Instance
from disco2.data.batch import Batch, Example, Floats, collate
from disco2.features.encoder import Encoder
from disco2.model.bilinear import Bilinear, link_terms, link_weights, spread_to_mentions, sum_mentions
from disco2.model.composition import compose_downward, compose_upward, downward_gradient, upward_gradient

NAMES = ("P", "U", "V", "B1", "B2", "B3")

Places = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Roles:
    """What the entity term reads of a relation: its trees and links, and where its words are in the texts.

    ``words`` holds, for each word of both arguments, its argument (0 or 1), its first character there and the
    one after its last, [leaves, 3].
    """

    example: Example
    words: Places


def find_roles(instances: Sequence[Instance]) -> list[Roles | None]:
    """For each instance its trees and links; None where the arguments share no entity."""
    with_entities = [one for one in instances if one.document.mentions]
    examples = iter(_TREES.encode(with_entities))
    found: list[Roles | None] = []
    for instance in instances:
        example = next(examples) if instance.document.mentions else None
        words = _word_places(instance) if example is not None and example.links else None
        found.append(None if example is None or words is None else Roles(example, words))
    return found


_TREES = Encoder(word_row=lambda form: 0, labels=(), extractor=None, with_entities=True)


def _word_places(instance: Instance) -> Places | None:
    """Where the tokens are in the texts of their arguments; None where the two don't agree.

    Texts of arguments with gaps are joined, so that places are counted in characters without white space.
    """
    found: list[tuple[int, int, int]] = []
    for number, argument in enumerate((instance.relation.arg1, instance.relation.arg2)):
        places = _argument_places(instance.document, argument)
        if places is None:
            return None
        found += [(number, start, end) for start, end in places]
    return np.array(found, dtype=np.int32)


def _argument_places(document: Document, argument: Argument) -> list[tuple[int, int]] | None:
    visible = [place for place, character in enumerate(argument.text) if not character.isspace()]
    text = "".join(argument.text[place] for place in visible)
    places, begin = [], 0
    for number in argument.tokens:
        token = document.tokens[number]
        form = "".join(document.text[token.start : token.end].split())
        end = begin + len(form)
        if not form or text[begin:end] != form:
            return None
        places.append((visible[begin], visible[end - 1] + 1))
        begin = end
    return places


@dataclass(frozen=True, slots=True)
class LeafPieces:
    """The word pieces behind each leaf: piece ``pieces[k]`` belongs to leaf ``leaves[k]``."""

    leaves: Places
    pieces: Places
    count: int  # of leaves; one that lost its pieces to the limit of the encoder is zeros

    @property
    def shares(self) -> NDArray[np.float32]:
        """What each piece counts in the mean of its leaf."""
        sizes = np.bincount(self.leaves, minlength=self.count)
        return (1 / sizes[self.leaves]).astype(np.float32)

    def average(self, states: Floats) -> Floats:
        """[T, H] states of pieces -> [leaves, H] means over the pieces of each leaf."""
        found = np.zeros((self.count, states.shape[1]), dtype=states.dtype)
        np.add.at(found, self.leaves, states[self.pieces] * self.shares[:, None])
        return found


def find_pieces(
    roles: Roles, sequences: Sequence[int | None], offsets: Sequence[tuple[int, int]]
) -> LeafPieces:
    """Match words with pieces, of which the tokenizer knows the argument (0, 1, None) and the characters."""
    leaves, pieces = [], []
    words = roles.words.tolist()
    word = 0
    for piece, (sequence, (start, end)) in enumerate(zip(sequences, offsets, strict=True)):
        if sequence is None:
            continue
        while word < len(words) and (words[word][0], words[word][2]) <= (sequence, start):
            word += 1
        other = word  # a piece may reach over several words
        while other < len(words) and words[other][0] == sequence and words[other][1] < end:
            leaves.append(other)
            pieces.append(piece)
            other += 1
    return LeafPieces(np.array(leaves, dtype=np.int32), np.array(pieces, dtype=np.int32), len(words))


@dataclass(frozen=True)
class EntityTerm:
    """The parameters of the term, and the term itself."""

    P: Floats  # [K, H]
    U: Floats  # [K, 2K]
    V: Floats  # [K, 2K]
    B1: Floats  # [Y, R, K]
    B2: Floats  # [Y, R, K]
    B3: Floats  # [Y, K]
    pairs: str = "mean"  # how pairs are weighted, see ``bilinear.link_weights``

    @property
    def parameters(self) -> dict[str, Floats]:
        return {name: getattr(self, name) for name in NAMES}

    def check_shapes(self, *, labels: int, size: int) -> None:
        """Raise ValueError unless the parameters fit each other, the labels and the encoder's states."""
        K, rank = len(self.P), self.B1.shape[1] if self.B1.ndim == 3 else 0
        factors = (labels, rank, K)
        shapes = ((K, size), (K, 2 * K), (K, 2 * K), factors, factors, (labels, K))
        if tuple(value.shape for value in self.parameters.values()) != shapes:
            raise ValueError("its entity term does not fit its labels or its encoder")

    def scores(self, roles: Sequence[Roles], means: Sequence[Floats]) -> Floats:
        """psi_E, [n, Y]; ``means`` are the averaged states of the words of each relation, [leaves, H]."""
        batch = collate([one.example for one in roles])
        by_link, _ = self._score_links(batch, np.concatenate(means))
        found: Floats = np.zeros((batch.size, by_link.shape[1]), dtype=by_link.dtype)
        np.add.at(found, batch.link_examples, by_link)
        return found

    def pair_terms(self, roles: Roles, means: Floats) -> tuple[tuple[Floats, ...], Floats]:
        """In double precision: each link's terms [first mentions, second mentions, Y], and totals [links, Y].

        Of a long link the terms of its first mentions, see ``bilinear.link_terms``.
        """
        doubled: dict[str, Any] = {name: value.astype(np.float64) for name, value in self.parameters.items()}
        exact = EntityTerm(**doubled, pairs=self.pairs)
        batch = collate([roles.example])
        totals, (_, down) = exact._score_links(batch, means.astype(np.float64))
        weights = link_weights(batch, self.pairs, down.dtype)
        return link_terms(exact.matrices, down, weights, batch), totals

    @property
    def matrices(self) -> Bilinear:
        return Bilinear(self.B1, self.B2, self.B3)

    def _score_links(self, batch: Batch, means: Floats) -> tuple[Floats, tuple[Floats, Floats]]:
        weights = link_weights(batch, self.pairs, means.dtype)
        return score_links(batch, np.tanh(means @ self.P.T), self.U, self.V, self.matrices, weights)


def score_links(
    batch: Batch, leaves: Floats, U: Floats, V: Floats, matrices: Bilinear, weights: Floats
) -> tuple[Floats, tuple[Floats, Floats]]:
    """The term of each link [links, Y], and what its gradients need; ``leaves`` [leaves, K] are l_w."""
    up = compose_upward(batch, leaves, U)
    down = compose_downward(batch, up, V)
    sums = sum_mentions(down, batch.first_mentions), sum_mentions(down, batch.second_mentions)
    return weights * matrices.scores(*sums), (up, down)


def link_gradients(
    batch: Batch,
    done: tuple[Floats, Floats],
    U: Floats,
    V: Floats,
    matrices: Bilinear,
    weights: Floats,
    d_links: Floats,
) -> tuple[Floats, Floats, Floats, Bilinear]:
    """Gradients of leaves, U, V and the matrices, given those of the links' terms, [links, Y]."""
    up, down = done
    sums = sum_mentions(down, batch.first_mentions), sum_mentions(down, batch.second_mentions)
    d_matrices, d_first, d_second = matrices.gradients(*sums, weights * d_links)
    d_down, d_up = np.zeros_like(down), np.zeros_like(up)
    spread_to_mentions(d_first, batch.first_mentions, d_down)
    spread_to_mentions(d_second, batch.second_mentions, d_down)
    dV = downward_gradient(batch, up, down, d_down, V, d_up)
    dU = upward_gradient(batch, up, d_up, U, leaves=True)
    return d_up[: len(up) - batch.inner_nodes], dU, dV, d_matrices
