"""Connective pairs of any English text, as training pairs for implicit relations."""

from disco2.mining.miner import PLACES, MinedPair, Miner, MiningSettings
from disco2.mining.run import Mined, mine_files

__all__ = ["PLACES", "Mined", "MinedPair", "Miner", "MiningSettings", "mine_files"]
