"""PDTB 2: native and 48-field pipe files, located by character offsets or by Gorn addresses."""

from disco2.corpora.pdtb2.reader import read_pdtb2

__all__ = ["read_pdtb2"]
