"""The documents of a corpus that another one has annotated too."""

from __future__ import annotations

from dataclasses import replace

from disco2.errors import CorpusError
from disco2.records import Corpus


def documents_with_coreference(corpus: Corpus) -> Corpus:
    """The corpus without the documents that nobody annotated with coreference, such as PDTB ∩ OntoNotes.

    A document whose annotators found no two mentions of one entity stays.
    """
    kept = {name: one for name, one in corpus.documents.items() if one.mentions is not None}
    if not kept:
        raise CorpusError(
            f"None of {len(corpus.documents)} documents has coreference.",
            where=corpus.name,
            hint="Name the folder of the coreference files with --coref.",
        )
    return replace(
        corpus,
        documents=kept,
        relations=tuple(relation for relation in corpus.relations if relation.document in kept),
        parts={name: part for name, part in corpus.parts.items() if name in kept},
        notes=(*corpus.notes, f"{len(kept)} of {len(corpus.documents)} documents have coreference."),
    )
