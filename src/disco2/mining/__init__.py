"""Connective pairs of any English text, as training pairs for implicit relations."""

from disco2.mining.run import PLACES, Mined, MiningSettings, mine_files, read_blocks

__all__ = ["PLACES", "Mined", "MiningSettings", "mine_files", "read_blocks"]
