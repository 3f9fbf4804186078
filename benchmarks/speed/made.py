"""One relation in both forms: arrays for the product, tree objects for implementations that walk them."""

from __future__ import annotations

from typing import NamedTuple

from disco2.data.batch import Example
from disco2.data.tree import ArgumentTree, EntityLink


class Made(NamedTuple):
    """An example, and the trees and entity links it was made of."""

    example: Example
    first: ArgumentTree
    second: ArgumentTree
    links: list[EntityLink]
