"""The paper's entity term over an encoder: roles of coreferent mentions, from the encoder's states.

With h_p [H] the encoder's last state of word piece p, the leaf of a word w is

    l_w = tanh(P mean of h_p over the pieces of w)        P [K, H]

From these leaves the vectors u_i of all nodes are composed up the trees of both arguments, and the vectors
d_i of mentions down to them, as in the paper (``model.network``; U and V are [K, 2K]). The term is

    psi_E(y) = sum over aligned (i, j) of w_ij d_i' B_y d_j

with B_y = sum over r of b1_yr b2_yr' + diag(b3_y) and the weights w_ij of ``bilinear.link_weights``.
Relations whose arguments share no entity have no such term.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from disco2.data import Instance
from disco2.data.batch import Batch, Example, Floats, Ints, collate
from disco2.features.extractor import ExampleEncoder
from disco2.model.network import Bilinear, Composed, compose, link_terms, link_weights

NAMES = ("P", "U", "V", "B1", "B2", "B3")


@dataclass(frozen=True, slots=True)
class Roles:
    """What the entity term reads of a relation: its trees and links, and where its words are in the texts."""

    example: Example
    words: Ints  # [leaves, 3]: a word's argument (0 or 1), its first character there, that behind its last


def find_roles(instances: Sequence[Instance]) -> list[Roles | None]:
    """For each instance its trees and links; None where the arguments share no entity."""
    examples = iter(_TREES.encode([one for one in instances if one.document.mentions]))
    found: list[Roles | None] = []
    for instance in instances:
        example = next(examples) if instance.document.mentions else None
        words = word_places(instance) if example is not None and example.links else None
        found.append(None if example is None or words is None else Roles(example, words))
    return found


_TREES = ExampleEncoder(word_row=lambda form: 0, labels=(), extractor=None, with_entities=True)


def word_places(instance: Instance) -> Ints | None:
    """Where the tokens are in the texts of their arguments; None where the two don't agree.

    White space is left out, since texts of arguments with gaps are joined.
    """
    document = instance.document
    found: list[tuple[int, int, int]] = []
    for number, argument in enumerate((instance.relation.arg1, instance.relation.arg2)):
        visible = [place for place, character in enumerate(argument.text) if not character.isspace()]
        text = "".join(argument.text[place] for place in visible)
        begin = 0
        for token in (document.tokens[place] for place in argument.tokens):
            form = "".join(document.text[token.start : token.end].split())
            end = begin + len(form)
            if not form or text[begin:end] != form:
                return None
            found.append((number, visible[begin], visible[end - 1] + 1))
            begin = end
    return np.array(found, dtype=np.int32)


def average_pieces(
    roles: Roles, sequences: Sequence[int | None], offsets: Sequence[tuple[int, int]], states: Floats
) -> Floats:
    """[T, H] states of pieces -> [leaves, H] means over the pieces of each word.

    Of each piece the tokenizer knows the argument (0, 1, None) and the characters. A word that lost its
    pieces to the limit of the encoder gets zeros.
    """
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
    found = np.zeros((len(words), states.shape[1]), dtype=states.dtype)
    if leaves:
        shares = (1 / np.bincount(leaves)[leaves]).astype(np.float32)
        np.add.at(found, leaves, states[pieces] * shares[:, None])
    return found


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

    @property
    def matrices(self) -> Bilinear:
        return Bilinear(self.B1, self.B2, self.B3)

    def check_shapes(self, *, labels: int, size: int) -> None:
        """Raise ValueError unless the parameters fit each other, the labels and the encoder's states."""
        K, rank = len(self.P), self.B1.shape[1] if self.B1.ndim == 3 else 0
        factors = (labels, rank, K)
        shapes = ((K, size), (K, 2 * K), (K, 2 * K), factors, factors, (labels, K))
        if tuple(value.shape for value in self.parameters.values()) != shapes:
            raise ValueError("its entity term does not fit its labels or its encoder")

    def leaves(self, means: Floats) -> Floats:
        """l_w, [leaves, K], of the averaged states of words, [leaves, H]."""
        found: Floats = np.tanh(means @ self.P.T)
        return found

    def compose(
        self, examples: Sequence[Example], leaves: Floats, *, trains_leaves: bool = False
    ) -> tuple[Batch, Composed, Floats, Floats]:
        """The batch, its vectors, the weights of its links [links, 1], and their terms [links, Y]."""
        batch = replace(collate(examples), words=np.arange(len(leaves), dtype=np.int32))
        weights = link_weights(batch, self.pairs, leaves.dtype)
        composed = compose(batch, leaves, self.U, self.V, trains_leaves=trains_leaves)
        return batch, composed, weights, weights * self.matrices.scores(*composed.entities)

    def scores(self, roles: Sequence[Roles], means: Sequence[Floats]) -> Floats:
        """psi_E, [n, Y]; ``means`` are the averaged states of the words of each relation, [leaves, H]."""
        leaves = self.leaves(np.concatenate(means))
        batch, _, _, by_link = self.compose([one.example for one in roles], leaves)
        found: Floats = np.zeros((batch.size, by_link.shape[1]), dtype=by_link.dtype)
        np.add.at(found, batch.link_examples, by_link)
        return found

    def pair_terms(self, roles: Roles, means: Floats) -> tuple[tuple[Floats, ...], Floats]:
        """In double precision: each link's terms (see ``bilinear.link_terms``), and totals [links, Y]."""
        doubled: dict[str, Any] = {name: value.astype(np.float64) for name, value in self.parameters.items()}
        exact = replace(self, **doubled)
        batch, composed, weights, totals = exact.compose(
            [roles.example], exact.leaves(means.astype(np.float64))
        )
        return link_terms(exact.matrices, composed.down, weights, batch), totals
