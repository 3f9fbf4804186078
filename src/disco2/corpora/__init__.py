"""Bytes on disk -> documents and relations; protocols and tasks over them."""
