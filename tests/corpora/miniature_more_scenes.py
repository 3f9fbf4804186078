"""Further made-up scenes: every class with implicit and explicit relations, with shared entities too."""

from __future__ import annotations

from tests.corpora.miniature_documents import MiniDocument, documents
from tests.corpora.miniature_scenes import SCENES, Said, Scene

RIVALS = Scene(
    sentences=(
        (
            "{person} praised the {thing}.",
            "(S (NP-SBJ (NNP {person})) (VP (VBD praised) (NP (DT the) (NN {thing}))) (. .))",
        ),
        (
            "She disliked its price.",
            "(S (NP-SBJ (PRP She)) (VP (VBD disliked) (NP (PRP$ its) (NN price))) (. .))",
        ),
        (
            "Critics in {place} shrugged.",
            "(S (NP-SBJ (NP (NNS Critics)) (PP-LOC (IN in) (NP (NNP {place})))) (VP (VBD shrugged)) (. .))",
        ),
    ),
    relations=(
        Said(
            "Implicit",
            ("{person} praised the {thing}",),
            ("She disliked its price",),
            labels=(("but", ("Comparison.Contrast.Juxtaposition",)),),
        ),
        Said(
            "Implicit",
            ("She disliked its price",),
            ("Critics in {place} shrugged",),
            labels=(("however", ("Comparison.Concession.Contra-expectation",)),),
        ),
    ),
    chains=(("{person}", "She"), ("the {thing}", "its")),
)

BOXES = Scene(
    sentences=(
        (
            "{friend} packed the boxes.",
            "(S (NP-SBJ (NNP {friend})) (VP (VBD packed) (NP (DT the) (NNS boxes))) (. .))",
        ),
        ("He sealed them.", "(S (NP-SBJ (PRP He)) (VP (VBD sealed) (NP (PRP them))) (. .))"),
        ("Snow fell.", "(S (NP-SBJ (NN Snow)) (VP (VBD fell)) (. .))"),
    ),
    relations=(
        Said(
            "Implicit",
            ("{friend} packed the boxes",),
            ("He sealed them",),
            labels=(("then", ("Temporal.Asynchronous.Precedence",)),),
        ),
        Said(
            "Implicit", ("He sealed them",), ("Snow fell",), labels=(("meanwhile", ("Temporal.Synchrony",)),)
        ),
    ),
    chains=(("{friend}", "He"), ("the boxes", "them")),
)

GARDEN = Scene(
    sentences=(
        ("Roses cover the wall.", "(S (NP-SBJ (NNS Roses)) (VP (VBP cover) (NP (DT the) (NN wall))) (. .))"),
        ("Bees hum.", "(S (NP-SBJ (NNS Bees)) (VP (VBP hum)) (. .))"),
        (
            "{person} paints before she sleeps.",
            "(S (NP-SBJ (NNP {person})) (VP (VBZ paints) (SBAR-TMP (IN before) (S (NP-SBJ (PRP she))"
            " (VP (VBZ sleeps))))) (. .))",
        ),
        (
            "Owls hunt because mice nest.",
            "(S (NP-SBJ (NNS Owls)) (VP (VBP hunt) (SBAR-PRP (IN because) (S (NP-SBJ (NNS mice))"
            " (VP (VBP nest))))) (. .))",
        ),
        (
            "Boats drift and gulls cry.",
            "(S (S (NP-SBJ (NNS Boats)) (VP (VBP drift))) (CC and) (S (NP-SBJ (NNS gulls)) (VP (VBP cry)))"
            " (. .))",
        ),
    ),
    relations=(
        Said(
            "Implicit",
            ("Roses cover the wall",),
            ("Bees hum",),
            labels=(("and", ("Expansion.Conjunction",)),),
        ),
        Said(
            "Explicit",
            ("{person} paints",),
            ("she sleeps",),
            labels=(("before", ("Temporal.Asynchronous.Precedence",)),),
            anchor=("before",),
        ),
        Said(
            "Explicit",
            ("Owls hunt",),
            ("mice nest",),
            labels=(("because", ("Contingency.Cause.Reason",)),),
            anchor=("because",),
        ),
        Said(
            "Explicit",
            ("Boats drift",),
            ("gulls cry",),
            labels=(("and", ("Expansion.Conjunction",)),),
            anchor=("and",),
        ),
    ),
    chains=(("{person}", "she"),),
)

ALL_SCENES = (*SCENES, RIVALS, BOXES, GARDEN)


def half_annotated() -> tuple[list[MiniDocument], list[MiniDocument]]:
    """Two documents in each of the 25 sections, and those of them that OntoNotes has annotated: the first."""
    docs = documents(range(25), files=(3, 4), scenes=ALL_SCENES)
    return docs, [document for document in docs if document.id.endswith("03")]
