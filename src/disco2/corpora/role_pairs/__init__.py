"""A generated corpus in which only the roles of a shared entity tell the sense."""

from disco2.corpora.role_pairs.files import read_role_pairs, write_role_pairs

__all__ = ["read_role_pairs", "write_role_pairs"]
