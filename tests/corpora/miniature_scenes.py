"""Made-up scenes for a miniature treebank: sentences with trees, relations between them, and who is who.

Braces in a sentence are slots: ``{person}``, ``{friend}``, ``{place}``, ``{thing}``. Arguments are given by
their text, so that nothing here counts characters, tokens or nodes; a line end in them is the break between
two sentences.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Said:
    """A relation of a scene. ``labels`` pairs each connective with its senses, in PDTB 2's names."""

    kind: str
    arg1: tuple[str, ...]
    arg2: tuple[str, ...]
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    anchor: tuple[str, ...] = ()
    sup1: tuple[str, ...] = ()
    sup2: tuple[str, ...] = ()
    attribution: tuple[str, ...] = ()


@dataclass(frozen=True)
class Scene:
    """``chains`` gives, for each entity, the texts of its mentions in order."""

    sentences: tuple[tuple[str, str], ...]  # raw text and tree
    relations: tuple[Said, ...]
    chains: tuple[tuple[str, ...], ...] = ()


IN_PDTB3 = {
    "Comparison.Concession.Contra-expectation": "Comparison.Concession.Arg2-as-denier",
    "Comparison.Contrast.Juxtaposition": "Comparison.Contrast",
    "Expansion.Instantiation": "Expansion.Instantiation.Arg2-as-instance",
    "Expansion.Restatement.Specification": "Expansion.Level-of-detail.Arg2-as-detail",
    "Temporal.Synchrony": "Temporal.Synchronous",
}

PEOPLE = (
    "Mina",
    "Oren",
    "Tilda",
    "Bram",
    "Ysolde",
    "Kofi",
    "Anneke",
    "Ruben",
    "Lucía",
    "Sef",
    "Dagny",
    "Ilse",
)
PLACES = ("Ulla", "Varnby", "Osterlo", "Kestrel", "Mirem", "Tolva", "Hexby", "Sandro", "Quill", "Brenna")
THINGS = ("ferry", "kiln", "lantern", "orchard", "harbour", "mill", "violin", "greenhouse", "tram", "library")

FERRY = Scene(
    sentences=(
        (
            "{person} missed the well-lit {thing}.",
            "(S (NP-SBJ (NNP {person})) (VP (VBD missed) (NP (DT the) (JJ well-lit) (NN {thing}))) (. .))",
        ),
        (
            "She had been told to wait at the north pier (the old one).",
            "(S (NP-SBJ-1 (PRP She)) (VP (VBD had) (VP (VBN been) (VP (VBN told) (NP (-NONE- *-1))"
            " (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB wait) (PP-LOC (IN at) (NP (NP (DT the) (JJ north)"
            " (NN pier)) (PRN (-LRB- -LRB-) (NP (DT the) (JJ old) (CD one)) (-RRB- -RRB-)))))))))) (. .))",
        ),
    ),
    relations=(
        Said(
            "Implicit",
            ("{person} missed the well-lit {thing}",),
            ("She had been told to wait at the north pier (the old one)",),
            labels=(("because", ("Contingency.Cause.Reason",)),),
        ),
    ),
    chains=(("{person}", "She"),),
)

KILN = Scene(
    sentences=(
        (
            '"The {thing}," {friend} said, "works, but 1/2 of the glaze cracks."',
            "(S (`` ``) (S-TPC-2 (S (NP-SBJ-1 (DT The) (NN {thing})) (PRN (, ,) ('' '') (S (NP-SBJ"
            " (NNP {friend}))"
            " (VP (VBD said) (SBAR (-NONE- 0) (S (-NONE- *T*-2))))) (, ,) (`` ``)) (VP (VBZ works)))"
            " (, ,) (CC but)"
            " (S (NP-SBJ (NP (CD 1\\/2)) (PP (IN of) (NP (DT the) (NN glaze)))) (VP (VBZ cracks))))"
            " (. .) ('' ''))",
        ),
        ("Nobody repairs it.", "(S (NP-SBJ (NN Nobody)) (VP (VBZ repairs) (NP (PRP it))) (. .))"),
        (
            "That is why {friend} keeps 12 spare ones, he says.",
            "(S (S-TPC-1 (NP-SBJ (DT That)) (VP (VBZ is) (SBAR-PRD (WHADVP-3 (WRB why)) (S (NP-SBJ"
            " (NNP {friend}))"
            " (VP (VBZ keeps) (NP (CD 12) (JJ spare) (NNS ones)) (ADVP (-NONE- *T*-3))))))) (, ,)"
            " (NP-SBJ (PRP he)) (VP (VBZ says) (SBAR (-NONE- 0) (S (-NONE- *T*-1)))) (. .))",
        ),
    ),
    relations=(
        Said(
            "Explicit",
            ("The {thing}", "works"),
            ("1/2 of the glaze cracks",),
            labels=(("but", ("Comparison.Contrast.Juxtaposition",)),),
            anchor=("but",),
            attribution=("{friend} said",),
        ),
        Said(
            "AltLex",
            ("Nobody repairs it",),
            ("{friend} keeps 12 spare ones",),
            labels=(("That is why", ("Contingency.Cause.Result",)),),
            anchor=("That is why",),
            sup2=("he says",),
        ),
    ),
    chains=(("The {thing}", "it"), ("{friend}", "{friend}", "he")),
)

CHOIR = Scene(
    sentences=(
        (
            "The choir sang all night in {place}.",
            "(S (NP-SBJ (DT The) (NN choir)) (VP (VBD sang) (NP-TMP (DT all) (NN night))"
            " (PP-LOC (IN in) (NP (NNP {place})))) (. .))",
        ),
        (
            "The café there kept its doors open.",
            "(S (NP-SBJ (NP (DT The) (NN café)) (ADVP (RB there))) (VP (VBD kept) (S (NP-SBJ (PRP$ its)"
            " (NNS doors))"
            " (ADJP-PRD (JJ open)))) (. .))",
        ),
        ("Nobody slept.", "(S (NP-SBJ (NN Nobody)) (VP (VBD slept)) (. .))"),
    ),
    relations=(
        Said(
            "Implicit",
            ("The choir sang all night in {place}",),
            ("The café there kept its doors open",),
            labels=(
                ("and", ("Expansion.Conjunction", "Temporal.Synchrony")),
                ("meanwhile", ("Temporal.Synchrony",)),
            ),
        ),
        Said(
            "Implicit",
            ("The choir sang all night in {place}.\nThe café there kept its doors open.",),
            ("Nobody slept",),
            labels=(("so", ("Contingency.Cause.Result",)),),
        ),
    ),
    chains=(("{place}", "there"), ("The café there", "its")),
)

BRIDGE = Scene(
    sentences=(
        (
            "The new bridge spans the {place}.",
            "(S (NP-SBJ (DT The) (JJ new) (NN bridge)) (VP (VBZ spans) (NP (DT the) (NNP {place}))) (. .))",
        ),
        (
            "It was painted green by volunteers.",
            "(S (NP-SBJ-1 (PRP It)) (VP (VBD was) (VP (VBN painted) (S (NP-SBJ (-NONE- *-1)) (ADJP-PRD"
            " (JJ green)))"
            " (PP (IN by) (NP-LGS (NNS volunteers))))) (. .))",
        ),
        ("Bakers rise early.", "(S (NP-SBJ (NNS Bakers)) (VP (VBP rise) (ADVP-TMP (RB early))) (. .))"),
    ),
    relations=(
        Said("EntRel", ("The new bridge spans the {place}",), ("It was painted green by volunteers",)),
        Said("NoRel", ("It was painted green by volunteers",), ("Bakers rise early",)),
    ),
    chains=(("The new bridge", "It"),),
)

MARKET = Scene(
    sentences=(
        (
            "Traders in {place} sell odd goods.",
            "(S (NP-SBJ (NP (NNS Traders)) (PP-LOC (IN in) (NP (NNP {place})))) (VP (VBP sell)"
            " (NP (JJ odd) (NNS goods))) (. .))",
        ),
        (
            "They seldom explain them.",
            "(S (NP-SBJ (PRP They)) (ADVP-TMP (RB seldom)) (VP (VBP explain) (NP (PRP them))) (. .))",
        ),
        (
            "{person} bought a broken {thing} there.",
            "(S (NP-SBJ (NNP {person})) (VP (VBD bought) (NP (DT a) (VBN broken) (NN {thing}))"
            " (ADVP-LOC (RB there)))"
            " (. .))",
        ),
        (
            "Although it was cheap, {person} returned it.",
            "(S (SBAR-ADV (IN Although) (S (NP-SBJ (PRP it)) (VP (VBD was) (ADJP-PRD (JJ cheap))))) (, ,)"
            " (NP-SBJ (NNP {person})) (VP (VBD returned) (NP (PRP it))) (. .))",
        ),
        (
            "The seller was asked to refund her.",
            "(S (NP-SBJ-1 (DT The) (NN seller)) (VP (VBD was) (VP (VBN asked) (NP (-NONE- *-1))"
            " (S (NP-SBJ (-NONE- *-1)) (VP (TO to) (VP (VB refund) (NP (PRP her))))))) (. .))",
        ),
    ),
    relations=(
        Said(
            "Implicit",
            ("Traders in {place} sell odd goods",),
            ("{person} bought a broken {thing} there",),
            labels=(("for example", ("Expansion.Instantiation",)),),
            sup1=("They seldom explain them",),
        ),
        Said(
            "Explicit",
            ("{person} returned it",),
            ("it was cheap",),
            labels=(("although", ("Comparison.Concession.Contra-expectation",)),),
            anchor=("Although",),
        ),
        Said(
            "Implicit",
            ("Traders in {place} sell odd goods",),
            ("They seldom explain them",),
            labels=(("in fact", ("Expansion.Restatement.Specification",)),),
        ),
        Said(  # Arg2's node comes behind a trace, so that its address is wrong for whoever drops traces
            "Implicit",
            ("The seller was asked",),
            ("to refund her",),
            labels=(("so", ("Contingency.Cause.Result",)),),
        ),
    ),
    chains=(
        ("Traders in {place}", "They"),
        ("odd goods", "them"),
        ("{place}", "there"),
        ("{person}", "{person}", "her"),
        ("a broken {thing}", "it", "it"),
    ),
)

SCENES = (FERRY, KILN, CHOIR, BRIDGE, MARKET)
