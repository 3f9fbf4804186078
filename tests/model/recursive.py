"""The model as the paper writes it: one node at a time, one pair of mentions at a time. Slow and obvious."""

from __future__ import annotations

import numpy as np

from disco2.data.batch import Example, Floats
from disco2.data.tree import ArgumentTree, EntityLink
from disco2.model.parameters import ModelSettings, Parameters


def recursive_scores(
    settings: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    example: Example,
    first: ArgumentTree,
    second: ArgumentTree,
    links: list[EntityLink],
    *,
    masks: tuple[Floats, Floats] | None = None,
) -> Floats:
    """psi(y) for all labels, by recursion over nodes and a double loop over mention pairs.

    ``masks``: [K] twice, multiplied with u_m and u_n where A joins them, and nowhere else.
    """
    scores = parameters["b"].astype(np.float64).copy()
    if settings.uses_features:
        for column in example.features:
            scores += parameters["beta"][:, column]
    if not settings.uses_vectors:
        return scores
    if settings.kind == "additive":
        u_m, u_n = (
            sum(vectors[word] for word in argument.words) for argument in (example.first, example.second)
        )
    else:
        u_m = upward(first, example.first.words, vectors, parameters["U"], first.root)
        u_n = upward(second, example.second.words, vectors, parameters["U"], second.root)
    if masks:
        u_m, u_n = masks[0] * u_m, masks[1] * u_n
    for label in range(len(scores)):
        A = sum(
            (
                np.outer(a1, a2)
                for a1, a2 in zip(parameters["A1"][label], parameters["A2"][label], strict=True)
            ),
            start=np.diag(parameters["A3"][label]),
        )
        scores[label] += u_m @ A @ u_n
    if settings.kind != "entities":
        return scores
    total = sum(link.pairs for link in links)
    for link in links:
        weight = {"sum": 1, "mean": 1 / total}[settings.pairs]
        for i in link.first:
            for j in link.second:
                d_i = downward(first, example.first.words, vectors, parameters, i)
                d_j = downward(second, example.second.words, vectors, parameters, j)
                for label in range(len(scores)):
                    B = sum(
                        (
                            np.outer(*pair)
                            for pair in zip(parameters["B1"][label], parameters["B2"][label], strict=True)
                        ),
                        start=np.diag(parameters["B3"][label]),
                    )
                    scores[label] += weight * (d_i @ B @ d_j)
    return scores


def upward(tree: ArgumentTree, words: np.ndarray, vectors: Floats, U: Floats, node: int) -> Floats:
    if node < tree.leaves:
        return vectors[words[node]]
    left = upward(tree, words, vectors, U, int(tree.left[node - tree.leaves]))
    right = upward(tree, words, vectors, U, int(tree.right[node - tree.leaves]))
    return np.tanh(U @ np.concatenate([left, right]))


def downward(
    tree: ArgumentTree, words: np.ndarray, vectors: Floats, parameters: Parameters, node: int
) -> Floats:
    if node == tree.root:
        return upward(tree, words, vectors, parameters["U"], node)
    parent = downward(tree, words, vectors, parameters, int(tree.parent[node]))
    sibling = upward(tree, words, vectors, parameters["U"], tree.sibling(node))
    return np.tanh(parameters["V"] @ np.concatenate([parent, sibling]))
