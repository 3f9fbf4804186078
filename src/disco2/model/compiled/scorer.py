"""The compiled scorer: see ``scorer.NumPyScorer`` for its twin."""

from __future__ import annotations

from threading import Lock

import numpy as np

from disco2.data.batch import Batch, Ints
from disco2.model.arrays import Floats
from disco2.model.bilinear import Bilinear
from disco2.model.compiled.downward import sum_mentions
from disco2.model.compiled.half_products import copy_vectors, downward_by_halves, new_words, upward_by_halves
from disco2.model.compiled.indices import check_features, check_words
from disco2.model.compiled.terms import add_bilinear, add_features
from disco2.model.compiled.workspace import Workspace
from disco2.model.ensemble import members_of
from disco2.model.links import link_weights
from disco2.model.parameters import Parameters, argument_matrices, entity_matrices
from disco2.model.settings import ModelSettings


class CompiledScorer:
    """For models that compose; members take turns and share their room."""

    def __init__(self, settings: ModelSettings, parameters: Parameters, vectors: Floats) -> None:
        self._pairs = settings.pairs
        self._vocabulary = len(vectors)
        self._turn = Lock()
        room = Workspace()
        members = members_of(settings, parameters)
        self._members = [_Member(member, vectors, room) for member in members]
        # These terms are linear in beta and b, so the means over the members give them exactly.
        self._b = np.mean([member["b"] for member in members], axis=0, dtype=np.float32)
        self._beta = None
        if settings.uses_features:
            beta = np.mean([member["beta"] for member in members], axis=0, dtype=np.float32)
            self._beta = np.ascontiguousarray(beta.T)

    def scores(self, batch: Batch) -> Floats:
        """psi(y) of all labels, [n, Y]: the mean over the members. Threads that ask take turns."""
        check_words(batch, self._vocabulary)
        with self._turn:
            return self._scores(batch)

    def _scores(self, batch: Batch) -> Floats:
        found: Floats = np.tile(self._b, (batch.size, 1))
        if self._beta is not None:
            check_features(batch, len(self._beta))
            add_features(batch.feature_rows, batch.feature_columns, self._beta, found)
        share = np.float32(1 / len(self._members))
        weights = share * link_weights(batch, self._pairs, found.dtype)[:, 0]
        for member in self._members:
            member.add_scores(batch, share, weights, found)
        return found


class _Member:
    """One model's matrices, laid out for products from the right, and its table of half products."""

    def __init__(self, parameters: Parameters, vectors: Floats, room: Workspace) -> None:
        self._vectors = vectors
        self._room = room
        self._K = len(parameters["U"])
        self._UT = np.ascontiguousarray(parameters["U"].T)
        self._arguments = _transposed(argument_matrices(parameters))
        self._VT = None
        if "V" in parameters:
            self._VT = np.ascontiguousarray(parameters["V"].T)
            self._entities = _transposed(entity_matrices(parameters))
        # Memory that is never written to is not taken: only words that occur cost any.
        self._table = np.empty((3 * len(vectors), self._K), dtype=np.float32)
        self._known = np.zeros(len(vectors), dtype=bool)

    def add_scores(self, batch: Batch, share: np.float32, weights: Floats, scores: Floats) -> None:
        """Adds ``share`` times the term of A, and that of B with a weight for each link."""
        room, K, inner = self._room, self._K, batch.inner_nodes
        self._push_new_words(batch)
        place = room.ints("place", inner)
        up, halves = room.floats("up", inner, K), room.floats("halves", inner, K)
        upward_by_halves(
            batch.words, batch.left, batch.right, batch.levels, self._table, self._UT, place, up, halves
        )
        first, second = room.floats("first", batch.size, K), room.floats("second", batch.size, K)
        copy_vectors(batch.first_roots, batch.words, self._vectors, place, up, first)
        copy_vectors(batch.second_roots, batch.words, self._vectors, place, up, second)
        every = np.arange(batch.size, dtype=np.int32)
        self._add_bilinear(self._arguments, first, second, every, np.full(batch.size, share), scores)
        if self._VT is None or not len(batch.link_examples):
            return

        nodes = len(batch.down_parents)
        down = room.floats("down", len(batch.down_roots) + nodes, K)
        copy_vectors(batch.down_roots, batch.words, self._vectors, place, up, down)
        row = room.ints("row", nodes)
        gathered, halves = room.floats("gathered", nodes, K), room.floats("halves", nodes, K)
        downward_by_halves(
            batch.words,
            batch.down_parents,
            batch.down_siblings,
            batch.down_levels,
            self._table,
            self._VT,
            place,
            up,
            row,
            gathered,
            halves,
            down,
        )
        links = len(batch.link_examples)
        first, second = room.floats("first", links, K), room.floats("second", links, K)
        for mentions, sums in ((batch.first_mentions, first), (batch.second_mentions, second)):
            sum_mentions(down, mentions.rows, mentions.starts, mentions.sizes, sums)
        self._add_bilinear(self._entities, first, second, batch.link_examples, weights, scores)

    def _add_bilinear(
        self, matrices: Bilinear, p: Floats, q: Floats, rows: Ints, weights: Floats, scores: Floats
    ) -> None:
        projected = matrices.first.shape[1]
        left = self._room.floats("left", len(p), projected)
        right = self._room.floats("right", len(p), projected)
        product = self._room.floats("product", len(p), self._K)
        add_bilinear(
            p,
            q,
            matrices.first,
            matrices.second,
            matrices.diagonal,
            rows,
            weights,
            left,
            right,
            product,
            scores,
        )

    def _push_new_words(self, batch: Batch) -> None:
        """Half products of words that were never met before."""
        vocabulary, K = len(self._vectors), self._K
        found = self._room.ints("found", len(batch.words))
        count = new_words(batch.words, self._known, found)
        if not count:
            return
        words = np.unique(found[:count])
        vectors = self._vectors[words]
        self._table[words] = vectors @ self._UT[:K]
        self._table[vocabulary + words] = vectors @ self._UT[K:]
        if self._VT is not None:
            self._table[2 * vocabulary + words] = vectors @ self._VT[K:]
        self._known[words] = True  # last, so that an interruption leaves nothing half known


def _transposed(matrices: Bilinear) -> Bilinear:
    """[K, Y R], [K, Y R] and [K, Y], for products with rows of vectors."""
    labels, rank, K = matrices.first.shape
    return Bilinear(
        np.ascontiguousarray(matrices.first.reshape(labels * rank, K).T),
        np.ascontiguousarray(matrices.second.reshape(labels * rank, K).T),
        np.ascontiguousarray(matrices.diagonal.T),
    )
