"""Connective pairs of any English text, as training pairs for implicit relations."""
