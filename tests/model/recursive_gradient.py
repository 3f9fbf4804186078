"""The gradients as the paper derives them: one argument pair, one node, one pair of mentions at a time.

For a pair with the right label y*, every label y' with psi(y*) - psi(y') < 1 adds dpsi(y')/dtheta -
dpsi(y*)/dtheta; and dpsi(y)/dU has a term for u_m, one for u_n, and two for each aligned pair of mentions,
each followed through the tree by recursion (paper, "Learning the classification parameters" and "Learning the
composition parameters"). The paper's derivative of a1 lacks the factor a2' u_n, which is here.

With ``one_pass`` the errors of all labels and mentions are added up at their nodes first, so that each node
is visited once on the way back: about the leanest that code can be which goes node by node.

Vectors of nodes are computed once for each pair and kept, and A_y, B_y once for given parameters: nothing is
slow on purpose.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from disco2.data.batch import Example, Floats, Ints
from disco2.data.tree import ArgumentTree, EntityLink
from disco2.model.parameters import ModelSettings, Parameters

Pair = tuple[Example, ArgumentTree, ArgumentTree, list[EntityLink]]


def recursive_gradients(
    settings: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    pairs: Sequence[Pair],
    *,
    one_pass: bool = False,
) -> tuple[float, Parameters]:
    """The large-margin loss of a batch, and its gradient by every parameter. Kinds upward and entities."""
    model = _Model(settings, parameters, vectors)
    total = 0.0
    for example, first, second, links in pairs:
        total += model.learn(
            example, first, second, links, scale=example.weight / len(pairs), one_pass=one_pass
        )
    return total, model.gradients


@dataclass(frozen=True, slots=True)
class _Side:
    """One argument: its tree and the vectors of its nodes."""

    tree: ArgumentTree
    up: list[Floats]
    down: dict[int, Floats]  # the root and the nodes on the way to mentions, parents before children


@dataclass(frozen=True, slots=True)
class _Relation:
    """What all derivatives of one pair have in common."""

    example: Example
    m: _Side
    n: _Side
    aligned: list[tuple[int, int, float]]  # nodes i, j and the weight of their pair


class _Model:
    """Parameters with explicit matrices A_y and B_y, and the gradients that grow pair by pair."""

    def __init__(self, settings: ModelSettings, parameters: Parameters, vectors: Floats) -> None:
        self.settings, self.parameters, self.vectors = settings, parameters, vectors
        self.gradients = {name: np.zeros_like(value) for name, value in parameters.items()}
        self.A = _matrices(parameters, "A")
        self.B = _matrices(parameters, "B") if settings.kind == "entities" else []

    def learn(
        self,
        example: Example,
        first: ArgumentTree,
        second: ArgumentTree,
        links: list[EntityLink],
        *,
        scale: float,
        one_pass: bool,
    ) -> float:
        """Add ``scale`` times one pair's gradient; the loss, scaled alike."""
        aligned = _aligned(links, self.settings.pairs) if self.settings.kind == "entities" else []
        m = self._composed(first, example.first.words, [i for i, _, _ in aligned])
        n = self._composed(second, example.second.words, [j for _, j, _ in aligned])
        relation = _Relation(example, m, n, aligned)
        scores = [self._score(y, relation) for y in range(len(self.A))]
        right = example.label
        violated = [y for y, psi in enumerate(scores) if y != right and 1 - scores[right] + psi > 0]
        if one_pass:
            self._one_pass([*((y, scale) for y in violated), (right, -scale * len(violated))], relation)
        else:
            for y in violated:
                self._derivative(y, scale, relation)
                self._derivative(right, -scale, relation)
        return scale * float(sum(1 - scores[right] + scores[y] for y in violated))

    def _composed(self, tree: ArgumentTree, words: Ints, mentions: Sequence[int]) -> _Side:
        """u_i = tanh(U [u_left; u_right]) for every node, d_i = tanh(V [d_parent; u_sibling]) on the way."""
        up: list[Floats] = list(self.vectors[words])
        U = self.parameters["U"]
        for left, right in zip(tree.left.tolist(), tree.right.tolist(), strict=True):
            up.append(np.tanh(U @ np.concatenate((up[left], up[right]))))
        side = _Side(tree, up, {tree.root: up[tree.root]})
        for mention in mentions:
            self._down(side, mention)
        return side

    def _down(self, side: _Side, node: int) -> Floats:
        if node not in side.down:
            parent = self._down(side, int(side.tree.parent[node]))
            sibling = side.up[side.tree.sibling(node)]
            side.down[node] = np.tanh(self.parameters["V"] @ np.concatenate((parent, sibling)))
        return side.down[node]

    def _score(self, y: int, relation: _Relation) -> float:
        """psi(y) (eq. 5)."""
        m, n = relation.m, relation.n
        score = self.parameters["b"][y] + m.up[-1] @ self.A[y] @ n.up[-1]
        if self.settings.uses_features:
            score += self.parameters["beta"][y, relation.example.features].sum()
        for i, j, weight in relation.aligned:
            score += weight * (m.down[i] @ self.B[y] @ n.down[j])
        return float(score)

    def _derivative(self, y: int, share: float, relation: _Relation) -> None:
        """Add ``share`` times dpsi(y)/dtheta, term by term."""
        m, n = relation.m, relation.n
        u_m, u_n = m.up[-1], n.up[-1]
        self._linear(y, share, relation.example)
        self._bilinear("A", y, share, u_m, u_n)
        self._through_up(m, m.tree.root, share * (self.A[y] @ u_n))
        self._through_up(n, n.tree.root, share * (self.A[y].T @ u_m))
        for i, j, weight in relation.aligned:
            d_i, d_j = m.down[i], n.down[j]
            self._bilinear("B", y, share * weight, d_i, d_j)
            self._through_down(m, i, share * weight * (self.B[y] @ d_j))
            self._through_down(n, j, share * weight * (self.B[y].T @ d_i))

    def _linear(self, y: int, share: float, example: Example) -> None:
        self.gradients["b"][y] += share
        if self.settings.uses_features:
            self.gradients["beta"][y, example.features] += share

    def _bilinear(self, letter: str, y: int, share: float, p: Floats, q: Floats) -> None:
        """d(p' A_y q): by a1 it is (a2' q) p, by a2 it is (a1' p) q, by a3 the product p * q."""
        first, second = self.parameters[f"{letter}1"][y], self.parameters[f"{letter}2"][y]
        for r in range(len(first)):
            self.gradients[f"{letter}1"][y, r] += share * (second[r] @ q) * p
            self.gradients[f"{letter}2"][y, r] += share * (first[r] @ p) * q
        self.gradients[f"{letter}3"][y] += share * (p * q)

    def _through_down(self, side: _Side, node: int, error: Floats) -> None:
        """What an error at d_i means for V and U: it comes from the parent's d and the sibling's u."""
        if node == side.tree.root:
            self._through_up(side, node, error)
            return
        to_parent, to_sibling = self._down_node(side, node, error)
        self._through_down(side, int(side.tree.parent[node]), to_parent)
        self._through_up(side, side.tree.sibling(node), to_sibling)

    def _through_up(self, side: _Side, node: int, error: Floats) -> None:
        """What an error at u_i means for U: it comes from the children's u. Words are not trained."""
        for child, flow in self._up_node(side, node, error):
            self._through_up(side, child, flow)

    def _one_pass(self, shares: Sequence[tuple[int, float]], relation: _Relation) -> None:
        """Add the derivatives of several labels, each by its share."""
        m, n = relation.m, relation.n
        u_m, u_n = m.up[-1], n.up[-1]
        m_errors, n_errors = (np.zeros((2, side.tree.root + 1, len(u_m)), u_m.dtype) for side in (m, n))
        for y, share in shares:
            self._linear(y, share, relation.example)
            self._bilinear("A", y, share, u_m, u_n)
            m_errors[0, -1] += share * (self.A[y] @ u_n)
            n_errors[0, -1] += share * (self.A[y].T @ u_m)
            for i, j, weight in relation.aligned:
                d_i, d_j = m.down[i], n.down[j]
                self._bilinear("B", y, share * weight, d_i, d_j)
                m_errors[1, i] += share * weight * (self.B[y] @ d_j)
                n_errors[1, j] += share * weight * (self.B[y].T @ d_i)
        for side, (up, down) in ((m, m_errors), (n, n_errors)):
            for node in reversed(side.down):
                if node == side.tree.root:
                    up[node] += down[node]
                else:
                    to_parent, to_sibling = self._down_node(side, node, down[node])
                    down[side.tree.parent[node]] += to_parent
                    up[side.tree.sibling(node)] += to_sibling
            for node in range(side.tree.root, side.tree.leaves - 1, -1):
                for child, flow in self._up_node(side, node, up[node]):
                    up[child] += flow

    def _down_node(self, side: _Side, node: int, error: Floats) -> tuple[Floats, Floats]:
        """One node's part in dL/dV; the errors of its parent's d and of its sibling's u."""
        parent, sibling = side.down[int(side.tree.parent[node])], side.up[side.tree.sibling(node)]
        delta = error * (1 - side.down[node] ** 2)
        self.gradients["V"] += np.outer(delta, np.concatenate((parent, sibling)))
        flow = self.parameters["V"].T @ delta
        return flow[: self.settings.K], flow[self.settings.K :]

    def _up_node(self, side: _Side, node: int, error: Floats) -> list[tuple[int, Floats]]:
        """One node's part in dL/dU; its children that are inner nodes, with the errors of their u."""
        inner, K = node - side.tree.leaves, self.settings.K
        if inner < 0:
            return []
        left, right = int(side.tree.left[inner]), int(side.tree.right[inner])
        delta = error * (1 - side.up[node] ** 2)
        self.gradients["U"] += np.outer(delta, np.concatenate((side.up[left], side.up[right])))
        if max(left, right) < side.tree.leaves:
            return []
        flow = self.parameters["U"].T @ delta
        return [pair for pair in ((left, flow[:K]), (right, flow[K:])) if pair[0] >= side.tree.leaves]


def _matrices(parameters: Parameters, letter: str) -> list[Floats]:
    """A_y = sum over r of a1_yr a2_yr' + diag(a3_y), for every label."""
    return [
        sum((np.outer(a1, a2) for a1, a2 in zip(first, second, strict=True)), start=np.diag(diagonal))
        for first, second, diagonal in zip(
            parameters[f"{letter}1"], parameters[f"{letter}2"], parameters[f"{letter}3"], strict=True
        )
    ]


def _aligned(links: list[EntityLink], scaling: str) -> list[tuple[int, int, float]]:
    """Every pair of mentions of one entity, with its weight."""
    total = sum(link.pairs for link in links)
    return [
        (i, j, {"sum": 1.0, "mean": 1 / total}[scaling])
        for link in links
        for i in link.first
        for j in link.second
    ]
