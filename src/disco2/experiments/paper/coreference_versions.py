"""One corpus with coreference of its own and by an annotator, as versions that differ in nothing else.

"own" is there where every document has coreference of its own. Where only some do, as in PDTB and OntoNotes,
these documents are versions for themselves (the intersection), under either coreference.
"""

from __future__ import annotations

from dataclasses import replace

from disco2.annotation.annotator import Layer, is_present
from disco2.corpora.protocols import documents_with_coreference
from disco2.data import Corpus
from disco2.experiments.paper.bench import AUTOMATIC, is_covered
from disco2.experiments.runs.plan import OWN

INTERSECTION = "intersection, "
UNDER_COREFERENCE = (Layer.TAGS, Layer.DEPENDENCIES, Layer.CONSTITUENTS)


def layers_for_coreference(corpus: Corpus) -> str:
    """What is to be made anew: coreference, and before it the layers that some document lacks altogether."""
    missing = [
        layer.value
        for layer in UNDER_COREFERENCE
        if not all(is_present(layer, document) for document in corpus.documents.values())
    ]
    return ",".join([*missing, Layer.COREFERENCE.value])


def coreference_versions(own: Corpus, automatic: Corpus) -> dict[str, Corpus]:
    """All versions whose coreference covers all their documents, by name."""
    automatic_only = {AUTOMATIC: automatic}
    if all(document.mentions is None for document in own.documents.values()):
        return automatic_only
    put_back = with_own_coreference(own, automatic)
    if is_covered(own):
        return {OWN: put_back} | automatic_only
    common = documents_with_coreference(put_back)
    return automatic_only | {
        INTERSECTION + OWN: common,
        INTERSECTION + AUTOMATIC: _only(automatic, common),
    }


def has_new_tokens(automatic: Corpus) -> bool:
    return Layer.TOKENS in automatic.automatic


def with_own_coreference(own: Corpus, automatic: Corpus) -> Corpus:
    """The automatic version with the corpus's own mentions: a corpus that lacks trees has the same ones.

    On new tokens the mentions would lie elsewhere: then it is the corpus as it was.
    """
    if has_new_tokens(automatic):
        return own
    layers = tuple(layer for layer in automatic.automatic if layer != Layer.COREFERENCE)
    return replace(
        automatic,
        documents={
            name: replace(document, mentions=own.documents[name].mentions)
            for name, document in automatic.documents.items()
        },
        automatic=layers,
        annotators=automatic.annotators if layers else own.annotators,
    )


def _only(corpus: Corpus, chosen: Corpus) -> Corpus:
    """The documents of one corpus that another one has."""
    return replace(
        corpus,
        documents={name: corpus.documents[name] for name in chosen.documents if name in corpus.documents},
        relations=tuple(one for one in corpus.relations if one.document in chosen.documents),
        parts=chosen.parts,
        notes=chosen.notes,
    )
