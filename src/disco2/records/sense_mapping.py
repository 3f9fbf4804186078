"""PDTB 2 senses in PDTB 3's terms, and back.

Senses that PDTB 3 only renamed, split or merged follow that change (Webber et al., 2019, The Penn Discourse
Treebank 3.0 Annotation Manual) as we know it; the table has not been checked line by line against it.
Much of the corpus was annotated anew, so a mapping of labels only gives the usual case. Where there was more
than one choice, or none, these are ours:

From 2 to 3
- ``Pragmatic cause`` may be ``Cause+Belief`` or ``Cause+SpeechAct``: the former, since its one subtype gives
  the evidence for a claim.
- ``Condition`` with any subtype: PDTB 2 did not say which argument holds the condition; it is taken to be the
  one after the connective, ``Arg2``, as in 94% of GUM's conditions.
- ``Pragmatic contrast`` and ``Pragmatic concession`` have no heirs: the nearest senses are ``Contrast`` and
  ``Concession+SpeechAct``.
- ``Restatement`` without a subtype may be ``Level-of-detail`` or ``Equivalence``: the former, which is seven
  times as frequent in GUM.
- ``Alternative`` without a subtype may be ``Disjunction`` or ``Substitution``: two of its three subtypes are
  the former.

From 3 to 2
- ``Cause+Belief`` and ``Cause+SpeechAct`` are both ``Pragmatic cause``; its one subtype, Justification, only
  fits where Arg2 is the reason.
- ``Condition`` loses its subtype: PDTB 2's subtypes (hypothetical, factual past...) say something else.
- ``Negative-condition`` ("unless") was ``Alternative.Disjunctive``.
- ``Purpose`` was ``Cause`` where it was annotated at all ("so that" as ``Result``).
- ``Similarity`` was ``Conjunction``.
- ``Disjunction`` loses its subtype; both kinds of ``Substitution`` were ``Chosen alternative``.
- ``Manner`` is new: it has no sense in PDTB 2.
"""

from __future__ import annotations

from disco2.records.senses import inventory

_2_TO_3 = {
    "Temporal.Synchrony": "Temporal.Synchronous",
    "Contingency.Pragmatic cause": "Contingency.Cause+Belief",
    "Contingency.Pragmatic cause.Justification": "Contingency.Cause+Belief.Reason+Belief",
    "Contingency.Condition.Hypothetical": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Condition.General": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Condition.Unreal present": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Condition.Unreal past": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Condition.Factual present": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Condition.Factual past": "Contingency.Condition.Arg2-as-cond",
    "Contingency.Pragmatic condition": "Contingency.Condition+SpeechAct",
    "Contingency.Pragmatic condition.Relevance": "Contingency.Condition+SpeechAct",
    "Contingency.Pragmatic condition.Implicit assertion": "Contingency.Condition+SpeechAct",
    "Comparison.Contrast.Juxtaposition": "Comparison.Contrast",
    "Comparison.Contrast.Opposition": "Comparison.Contrast",
    "Comparison.Pragmatic contrast": "Comparison.Contrast",
    "Comparison.Concession.Expectation": "Comparison.Concession.Arg1-as-denier",
    "Comparison.Concession.Contra-expectation": "Comparison.Concession.Arg2-as-denier",
    "Comparison.Pragmatic concession": "Comparison.Concession+SpeechAct.Arg2-as-denier+SpeechAct",
    "Expansion.Instantiation": "Expansion.Instantiation.Arg2-as-instance",
    "Expansion.Restatement": "Expansion.Level-of-detail",
    "Expansion.Restatement.Specification": "Expansion.Level-of-detail.Arg2-as-detail",
    "Expansion.Restatement.Generalization": "Expansion.Level-of-detail.Arg1-as-detail",
    "Expansion.Restatement.Equivalence": "Expansion.Equivalence",
    "Expansion.Alternative": "Expansion.Disjunction",
    "Expansion.Alternative.Conjunctive": "Expansion.Disjunction",
    "Expansion.Alternative.Disjunctive": "Expansion.Disjunction",
    "Expansion.Alternative.Chosen alternative": "Expansion.Substitution.Arg2-as-subst",
    "Expansion.Exception": "Expansion.Exception.Arg2-as-excpt",
    "Expansion.List": "Expansion.Conjunction",
}

_3_TO_2 = {
    "Temporal.Synchronous": "Temporal.Synchrony",
    "Contingency.Cause.NegResult": "Contingency.Cause",
    "Contingency.Cause+Belief": "Contingency.Pragmatic cause",
    "Contingency.Cause+Belief.Reason+Belief": "Contingency.Pragmatic cause.Justification",
    "Contingency.Cause+Belief.Result+Belief": "Contingency.Pragmatic cause",
    "Contingency.Cause+SpeechAct": "Contingency.Pragmatic cause",
    "Contingency.Cause+SpeechAct.Reason+SpeechAct": "Contingency.Pragmatic cause.Justification",
    "Contingency.Cause+SpeechAct.Result+SpeechAct": "Contingency.Pragmatic cause",
    "Contingency.Condition.Arg1-as-cond": "Contingency.Condition",
    "Contingency.Condition.Arg2-as-cond": "Contingency.Condition",
    "Contingency.Condition+SpeechAct": "Contingency.Pragmatic condition",
    "Contingency.Negative-condition": "Expansion.Alternative.Disjunctive",
    "Contingency.Negative-condition.Arg1-as-negCond": "Expansion.Alternative.Disjunctive",
    "Contingency.Negative-condition.Arg2-as-negCond": "Expansion.Alternative.Disjunctive",
    "Contingency.Negative-condition+SpeechAct": "Expansion.Alternative.Disjunctive",
    "Contingency.Purpose": "Contingency.Cause",
    "Contingency.Purpose.Arg1-as-goal": "Contingency.Cause",
    "Contingency.Purpose.Arg2-as-goal": "Contingency.Cause.Result",
    "Comparison.Concession.Arg1-as-denier": "Comparison.Concession.Expectation",
    "Comparison.Concession.Arg2-as-denier": "Comparison.Concession.Contra-expectation",
    "Comparison.Concession+SpeechAct": "Comparison.Pragmatic concession",
    "Comparison.Concession+SpeechAct.Arg2-as-denier+SpeechAct": "Comparison.Pragmatic concession",
    "Comparison.Similarity": "Expansion.Conjunction",
    "Expansion.Disjunction": "Expansion.Alternative",
    "Expansion.Equivalence": "Expansion.Restatement.Equivalence",
    "Expansion.Exception.Arg1-as-excpt": "Expansion.Exception",
    "Expansion.Exception.Arg2-as-excpt": "Expansion.Exception",
    "Expansion.Instantiation.Arg1-as-instance": "Expansion.Instantiation",
    "Expansion.Instantiation.Arg2-as-instance": "Expansion.Instantiation",
    "Expansion.Level-of-detail": "Expansion.Restatement",
    "Expansion.Level-of-detail.Arg1-as-detail": "Expansion.Restatement.Generalization",
    "Expansion.Level-of-detail.Arg2-as-detail": "Expansion.Restatement.Specification",
    "Expansion.Substitution": "Expansion.Alternative.Chosen alternative",
    "Expansion.Substitution.Arg1-as-subst": "Expansion.Alternative.Chosen alternative",
    "Expansion.Substitution.Arg2-as-subst": "Expansion.Alternative.Chosen alternative",
}


def senses_2_to_3(sense: str) -> str | None:
    """The PDTB 3 sense of a canonical PDTB 2 sense of any level; None for a name PDTB 2 does not have."""
    if sense not in inventory("pdtb2").all_senses:
        return None
    return _2_TO_3.get(sense, sense)


def senses_3_to_2(sense: str) -> str | None:
    """The PDTB 2 sense of a canonical PDTB 3 sense of any level; None where PDTB 2 has nothing like it."""
    if sense not in inventory("pdtb3").all_senses or sense.startswith("Expansion.Manner"):
        return None
    return _3_TO_2.get(sense, sense)


def in_pdtb3(sense: str) -> str:
    """A sense in the names of PDTB 3 where it is one of PDTB 2 alone; any other stays as it is."""
    if sense in inventory("pdtb3").all_senses:
        return sense
    return senses_2_to_3(sense) or sense
