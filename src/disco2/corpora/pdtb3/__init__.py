"""PDTB 3: 34-field pipe files (GUM's too), with ends that count or don't."""

from disco2.corpora.pdtb3.reader import read_pdtb3

__all__ = ["read_pdtb3"]
