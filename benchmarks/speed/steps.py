"""Training steps: the product, the recursive implementation, PyTorch."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.speed.data import Made, Workload
from disco2.data.batch import Batch, Example, Floats, collate
from disco2.model import ModelSettings
from disco2.model.network import batch_scores
from disco2.model.parameters import Parameters
from disco2.model.relation_model import BATCH_SIZE
from disco2.training.loop import Learner
from disco2.training.optimiser import AdaGrad, fastest_arithmetic
from disco2.training.settings import TrainingSettings
from tests.model.recursive_gradient import recursive_gradients

Step = Callable[[], object]


def product_steps(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product: forward, loss, backward, AdaGrad, running mean."""
    parameters = workload.fresh_parameters()
    learner = Learner(workload.settings, parameters, workload.vectors, TrainingSettings())

    def run() -> None:
        _put_back(workload.parameters, parameters)
        for batch in batches:
            learner.step(batch)

    return run


def recursive_step(workload: Workload, made: Sequence[Made], *, one_pass: bool) -> Step:
    """The plain implementation, one node at a time, on one batch."""
    parameters = workload.fresh_parameters()
    optimiser = adagrad(parameters)

    def run() -> None:
        _put_back(workload.parameters, parameters)
        _, gradients = recursive_gradients(
            workload.settings, parameters, workload.vectors, made, one_pass=one_pass
        )
        optimiser.step(gradients)

    return run


def autograd_step(workload: Workload, made: Sequence[Made], *, levels: bool) -> Step:
    """PyTorch, node by node or level by level, on one batch."""
    parameters = workload.fresh_parameters()
    optimiser = adagrad(parameters)
    gradients_of = by_levels if levels else node_by_node
    gradients = gradients_of(workload.settings, parameters, workload.vectors, made)

    def run() -> None:
        _put_back(workload.parameters, parameters)
        optimiser.step(gradients()[1])

    return run


def product_scores(workload: Workload, batches: Sequence[Batch]) -> Step:
    """The product's scores of prepared batches."""

    def run() -> None:
        for batch in batches:
            batch_scores(workload.settings, workload.parameters, workload.vectors, batch)

    return run


def collated_scores(workload: Workload, examples: Sequence[Example]) -> Step:
    """The product's scores of examples that are collated on the way."""

    def run() -> None:
        for begin in range(0, len(examples), BATCH_SIZE):
            batch = collate(examples[begin : begin + BATCH_SIZE])
            batch_scores(workload.settings, workload.parameters, workload.vectors, batch)

    return run


def adagrad(parameters: Parameters) -> AdaGrad:
    """The optimiser as the product's defaults have it."""
    settings = TrainingSettings()
    return AdaGrad(
        parameters,
        rates=settings.rates(),
        regularisers=settings.regularisers(),
        clip=settings.clip,
        arithmetic=fastest_arithmetic(parameters),
    )


def _put_back(kept: Parameters, parameters: Parameters) -> None:
    for name, value in kept.items():
        parameters[name][...] = value


if TYPE_CHECKING:
    import torch

TORCH_ABSENT = "PyTorch is not installed"

Tensors = dict[str, Any]
Gradients = Callable[[], tuple[float, Parameters]]


def is_torch_installed() -> bool:
    """Whether PyTorch is there."""
    return importlib.util.find_spec("torch") is not None


def node_by_node(
    settings: ModelSettings, parameters: Parameters, vectors: Floats, made: Sequence[Made]
) -> Gradients:
    """Loss and gradients of a batch, one pair at a time; the parameters' present values count."""
    import torch

    tensors = _tensors(parameters)
    words = torch.from_numpy(vectors)

    def run() -> tuple[float, Parameters]:
        scores = [_pair_scores(settings, tensors, words, one) for one in made]
        return _differentiated(tensors, torch.stack(scores), [one.example for one in made])

    return run


def _pair_scores(settings: ModelSettings, tensors: Tensors, words: torch.Tensor, made: Made) -> torch.Tensor:
    """psi(y) of one pair for all labels, [Y]."""
    import torch

    example, first, second, links = made
    U, V = tensors["U"], tensors["V"]
    up: list[list[torch.Tensor]] = []
    for tree, side in ((first, example.first), (second, example.second)):
        nodes = list(words[side.words.tolist()])
        for left, right in zip(tree.left.tolist(), tree.right.tolist(), strict=True):
            nodes.append(torch.tanh(U @ torch.cat((nodes[left], nodes[right]))))
        up.append(nodes)
    scores: torch.Tensor = tensors["b"] + tensors["beta"][:, example.features.tolist()].sum(dim=1)
    scores = scores + _bilinear(tensors, "A", up[0][-1], up[1][-1])
    down: tuple[dict[int, torch.Tensor], ...] = ({}, {})
    for tree, nodes, known, mentions in (
        (first, up[0], down[0], [i for link in links for i in link.first]),
        (second, up[1], down[1], [j for link in links for j in link.second]),
    ):
        known[tree.root] = nodes[-1]
        for mention in mentions:
            path = []
            while mention not in known:
                path.append(mention)
                mention = int(tree.parent[mention])
            for node in reversed(path):
                pair = torch.cat((known[int(tree.parent[node])], nodes[tree.sibling(node)]))
                known[node] = torch.tanh(V @ pair)
    for link, weight in zip(links, _weights(settings.pairs, [link.pairs for link in links]), strict=True):
        for i in link.first:
            for j in link.second:
                scores = scores + weight * _bilinear(tensors, "B", down[0][i], down[1][j])
    return scores


def by_levels(
    settings: ModelSettings, parameters: Parameters, vectors: Floats, made: Sequence[Made]
) -> Gradients:
    """Loss and gradients of a batch, level by level; the parameters' present values count."""
    import torch

    examples = [one.example for one in made]
    plan = _plan(settings, examples, features=parameters["beta"].shape[1], dtype=vectors.dtype)
    tensors = _tensors(parameters)
    words = torch.from_numpy(vectors)

    def run() -> tuple[float, Parameters]:
        up = words[plan.words]
        for left, right in plan.up:
            up = torch.cat((up, torch.tanh(torch.cat((up[left], up[right]), dim=1) @ tensors["U"].T)))
        scores = tensors["b"] + plan.features @ tensors["beta"].T
        scores = scores + _bilinear(tensors, "A", up[plan.roots[0::2]], up[plan.roots[1::2]])
        if len(plan.link_examples):
            down = up[plan.down_roots]
            for parents, siblings in plan.down:
                pair = torch.cat((down[parents], up[siblings]), dim=1)
                down = torch.cat((down, torch.tanh(pair @ tensors["V"].T)))
            sums = [
                torch.zeros(len(plan.link_examples), up.shape[1], dtype=up.dtype).index_add(
                    0, links, down[rows]
                )
                for links, rows in plan.mentions
            ]
            by_link = plan.weights[:, None] * _bilinear(tensors, "B", *sums)
            scores = scores.index_add(0, plan.link_examples, by_link)
        return _differentiated(tensors, scores, examples)

    return run


@dataclass(frozen=True)
class _Plan:
    """Rows of a batch: leaves tree by tree, then inner nodes by height; below the roots, nodes by depth."""

    words: Any  # [leaves]
    up: list[tuple[Any, Any]]  # rows of the children, for each height
    roots: Any  # [2n]
    down_roots: Any
    down: list[tuple[Any, Any]]  # rows of the parents among downward rows, of the siblings among upward ones
    mentions: list[tuple[Any, Any]]  # for each side, the link and the downward row of every mention
    link_examples: Any
    weights: Any
    features: Any  # [n, F]


def _plan(settings: ModelSettings, examples: Sequence[Example], *, features: int, dtype: Any) -> _Plan:
    import torch

    trees = [tree for one in examples for tree in (one.first, one.second)]
    row: list[list[int]] = []
    count = 0
    for tree in trees:
        row.append(list(range(count, count + len(tree.words))) + [0] * len(tree.left))
        count += len(tree.words)
    up = []
    for height in range(1, 1 + max(int(tree.heights.max(initial=0)) for tree in trees)):
        children: tuple[list[int], list[int]] = ([], [])
        for tree, rows in zip(trees, row, strict=True):
            for inner in np.flatnonzero(tree.heights == height).tolist():
                children[0].append(rows[tree.left[inner]])
                children[1].append(rows[tree.right[inner]])
                rows[len(tree.words) + inner] = count
                count += 1
        up.append((torch.tensor(children[0]), torch.tensor(children[1])))

    ways = {owner: tree.downward for owner, tree in enumerate(trees) if tree.downward is not None}
    down_row = {owner: [place] + [0] * len(ways[owner].nodes) for place, owner in enumerate(ways)}
    down = []
    count = len(ways)
    deepest = max((int(paths.orders.max(initial=0)) // 2 for paths in ways.values()), default=0)
    for depth in range(1, 1 + deepest):
        parents, siblings = [], []
        for owner, paths in ways.items():
            for place in np.flatnonzero(paths.orders // 2 == depth).tolist():
                parents.append(down_row[owner][paths.parents[place]])
                siblings.append(row[owner][paths.siblings[place]])
                down_row[owner][1 + place] = count
                count += 1
        down.append((torch.tensor(parents), torch.tensor(siblings)))

    mentions: list[tuple[list[int], list[int]]] = [([], []), ([], [])]
    link_examples: list[int] = []
    weights: list[float] = []
    for index, one in enumerate(examples):
        weights += _weights(settings.pairs, [len(link.first) * len(link.second) for link in one.links])
        for link in one.links:
            for side, nodes in enumerate((link.first, link.second)):
                mentions[side][0].extend([len(link_examples)] * len(nodes))
                mentions[side][1].extend(down_row[2 * index + side][node] for node in nodes.tolist())
            link_examples.append(index)
    fired = np.zeros((len(examples), features), dtype=dtype)
    for index, one in enumerate(examples):
        fired[index, one.features] = 1
    return _Plan(
        words=torch.from_numpy(np.concatenate([tree.words for tree in trees]).astype(np.int64)),
        up=up,
        roots=torch.tensor([rows[-1] for rows in row]),
        down_roots=torch.tensor([row[owner][-1] for owner in ways], dtype=torch.int64),
        down=down,
        mentions=[(torch.tensor(links), torch.tensor(rows)) for links, rows in mentions],
        link_examples=torch.tensor(link_examples, dtype=torch.int64),
        weights=torch.from_numpy(np.array(weights, dtype=dtype)),
        features=torch.from_numpy(fired),
    )


def _tensors(parameters: Parameters) -> Tensors:
    """The same memory, so that the product's optimiser changes them."""
    import torch

    return {name: torch.from_numpy(value).requires_grad_() for name, value in parameters.items()}


def _bilinear(tensors: Tensors, letter: str, p: torch.Tensor, q: torch.Tensor) -> torch.Tensor:
    """p' A_y q for all y, of single vectors or of rows: [..., K] -> [..., Y]."""
    first, second, diagonal = (tensors[f"{letter}{place}"] for place in (1, 2, 3))
    labels, rank, K = first.shape
    left, right = p @ first.reshape(-1, K).T, q @ second.reshape(-1, K).T
    low_rank = (left * right).reshape(*p.shape[:-1], labels, rank).sum(dim=-1)
    scores: torch.Tensor = low_rank + (p * q) @ diagonal.T
    return scores


def _weights(scaling: str, pairs: Sequence[int]) -> list[float]:
    total = sum(pairs)
    return [
        {"sum": 1.0, "mean": 1 / total, "root": total**-0.5, "link-mean": 1 / own}[scaling] for own in pairs
    ]


def _differentiated(
    tensors: Tensors, scores: torch.Tensor, examples: Sequence[Example]
) -> tuple[float, Parameters]:
    """The large-margin loss of a batch and its gradients."""
    import torch

    labels = torch.tensor([one.label for one in examples])
    weights = torch.tensor([one.weight for one in examples], dtype=scores.dtype)
    right = scores.gather(1, labels[:, None])
    margins = torch.relu(1 - right + scores).scatter(1, labels[:, None], 0.0)
    loss = (margins.sum(dim=1) * weights).sum() / len(examples)
    for tensor in tensors.values():
        tensor.grad = None
    torch.autograd.backward(loss)
    return loss.item(), {
        name: tensor.grad.numpy() if tensor.grad is not None else np.zeros_like(tensor.detach().numpy())
        for name, tensor in tensors.items()
    }
