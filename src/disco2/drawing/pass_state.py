"""Which step of which pass a drawing shows from the beginning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

DIRECTIONS = ("none", "up", "down")


@dataclass(frozen=True, slots=True)
class PassState:
    """Without a direction everything is shown plainly.

    The upward pass has reached all nodes up to a height, or all of them; the downward pass goes to the
    mentions of one chain, by its place in ``RelationView.chains``.
    """

    direction: str = "none"
    reached: int | None = None
    chain: int | None = None

    def __post_init__(self) -> None:
        if self.direction not in DIRECTIONS:
            raise ValueError(f"direction: one of {', '.join(DIRECTIONS)}")
        if self.direction == "down" and self.chain is None:
            raise ValueError("the downward pass goes to a chain")

    def attributes(self) -> dict[str, str]:
        """For the element svg, as a page would set them."""
        found = {} if self.direction == "none" else {"data_pass": self.direction}
        return found if self.chain is None else found | {"data_chain": f"c{self.chain}"}

    def classes(self, height: int) -> list[str]:
        """Of a node, or of an edge to a node, of this height."""
        if self.direction != "up":
            return []
        return ["d2-reached"] if self.reached is None or height <= self.reached else []

    def chosen(self, chains: Sequence[int], name: str) -> list[str]:
        """This class for what belongs to these chains, if the chosen one is among them."""
        return [name] if self.chain in chains else []
