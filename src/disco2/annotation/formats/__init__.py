"""Readers of annotation formats: CoNLL-U, Penn Treebank brackets, coreference files, document JSON."""
