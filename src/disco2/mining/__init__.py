"""Connective pairs of any English text, as training pairs for implicit relations."""

from disco2.mining.run import MOST_WORDS, Mined, mine_files, read_blocks

__all__ = ["MOST_WORDS", "Mined", "mine_files", "read_blocks"]
