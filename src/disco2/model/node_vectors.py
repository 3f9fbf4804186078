"""The vectors of one member of a model at the nodes of two argument trees, for those who want to see them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from disco2.data import Instance
from disco2.data.batch import Batch, EncodedArgument, Example, Ints, MentionGroups, collate
from disco2.model.arrays import Floats
from disco2.model.composition import compose_downward, compose_upward
from disco2.model.encoder_model import EncoderModel
from disco2.model.ensemble import members_of
from disco2.model.parameters import Parameters
from disco2.model.relation_model import RelationModel
from disco2.threads import single_threaded

DownwardVectors = dict[int, Floats]  # node -> d, from the root down


@dataclass(frozen=True, slots=True)
class NodeVectors:
    """In double precision; nodes are numbered as in each argument's tree."""

    up: tuple[Floats, Floats]  # [2n-1, K] of each argument
    down: tuple[tuple[DownwardVectors, DownwardVectors], ...]  # for each link, on the way to its mentions


def node_vectors(
    model: RelationModel | EncoderModel, instance: Instance, *, member: int = 0
) -> NodeVectors | None:
    """u of every node, d of every node on the way to an aligned mention. None where nothing is composed."""
    if isinstance(model, EncoderModel):
        read = None if model.entities is None else next(model.read_roles([instance]))
        if read is None or model.entities is None:
            return None
        leaves = np.tanh(read.means @ model.entities.P.T)
        return _compose(read.roles.example, leaves, model.entities.U, model.entities.V)
    if not model.settings.composes:
        return None
    example = model.encoder.encode([instance])[0]
    stacked: Parameters = {name: model.parameters[name] for name in ("U", "V") if name in model.parameters}
    parameters = members_of(model.settings, stacked)[member]
    words = np.concatenate([example.first.words, example.second.words])
    return _compose(example, model.leaves[words], parameters["U"], parameters.get("V"))


def _compose(example: Example, leaves: Floats, U: Floats, V: Floats | None) -> NodeVectors:
    batch = collate([example])
    with single_threaded():
        up = compose_upward(batch, leaves.astype(np.float64), U.astype(np.float64))
        of_nodes = (
            up[_upward_rows(batch, example.first, int(batch.first_roots[0]))],
            up[_upward_rows(batch, example.second, int(batch.second_roots[0]))],
        )
        if not example.links or V is None:
            return NodeVectors(of_nodes, ())
        down = compose_downward(batch, up, V.astype(np.float64))
    ways = zip(
        _ways(batch, down, example.first, [link.first for link in example.links], batch.first_mentions),
        _ways(batch, down, example.second, [link.second for link in example.links], batch.second_mentions),
        strict=True,
    )
    return NodeVectors(of_nodes, tuple(ways))


def _upward_rows(batch: Batch, argument: EncodedArgument, root: int) -> Ints:
    """[2n-1]: the row of each node, read off from the root down, where parents are met before children."""
    leaves, leaves_of_batch = len(argument.words), len(batch.words)
    rows = np.empty(2 * leaves - 1, dtype=np.int32)
    rows[-1] = root
    for inner in range(leaves - 2, -1, -1):
        place = rows[leaves + inner] - leaves_of_batch
        rows[argument.left[inner]] = batch.left[place]
        rows[argument.right[inner]] = batch.right[place]
    return rows


def _ways(
    batch: Batch, down: Floats, argument: EncodedArgument, links: list[Ints], mentions: MentionGroups
) -> list[DownwardVectors]:
    """For each link the vectors on the way from the root to its mentions in one argument."""
    found = []
    paths, root, roots = argument.downward, 2 * len(argument.words) - 2, len(batch.down_roots)
    for places, rows in zip(links, np.split(mentions.rows, mentions.starts[1:]), strict=True):
        way: dict[int, int] = {}
        for place, row in zip(places.tolist(), rows.tolist(), strict=True):
            while paths is not None and place and int(paths.nodes[place - 1]) not in way:
                way[int(paths.nodes[place - 1])] = row
                place, row = int(paths.parents[place - 1]), int(batch.down_parents[row - roots])
            if not place:
                way[root] = row
        found.append({node: down[way[node]] for node in sorted(way, reverse=True)})
    return found
