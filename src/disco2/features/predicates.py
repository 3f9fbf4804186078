"""What is predicated in each argument: tense, negation, subject, auxiliaries, modifiers, kinds of dependents.

The predicate of an argument is its first head with a tag of a verb, or its first head where none is a verb:
in Universal Dependencies the head of *she was hungry* is *hungry*. Only its dependents within the argument
count. Tags may be those of the Penn Treebank or of TreeTagger's English tagset (VVD, VHZ, PP).
"""

from __future__ import annotations

from dataclasses import dataclass

from disco2.features.argument_heads import argument_heads
from disco2.features.tags import tag_of
from disco2.features.word_pairs import stem
from disco2.records import Argument, Document, Instance

_MODALS = frozenset(
    ["can", "could", "may", "might", "must", "shall", "should", "will", "would", "'ll", "'d", "ca", "wo"]
)
_NEGATIONS = frozenset(
    ["not", "n't", "no", "never", "none", "nothing", "nobody", "neither", "nor", "without", "hardly"]
)
_PAST_AUXILIARIES = frozenset(["was", "were", "had", "did"])
_PRESENT_AUXILIARIES = frozenset(["is", "are", "am", "'s", "'re", "'m", "have", "has", "do", "does"])
_PAST_TAGS = frozenset({"VBD", "VVD", "VHD"})
_PRESENT_TAGS = frozenset({"VBZ", "VBP", "VVZ", "VVP", "VHZ", "VHP"})
_BASE_TAGS = frozenset({"VB", "VV", "VH"})
# Subjects with these tags are named; all others are nouns. PP is TreeTagger's personal pronoun.
_PRONOUN_TAGS = ("PRP", "PP", "DT", "EX", "W")

_MODIFIERS = frozenset({"advmod", "discourse", "mark", "cc"})
# Which of these a predicate has, taken together, tells kinds of clauses apart.
_FRAME = frozenset({"nsubj", "obj", "iobj", "obl", "xcomp", "ccomp", "expl", "vocative"})
_FRAME |= {"cop", "aux", "advmod", "mark", "discourse", "conj"}
_NEGATED = {
    (False, False): "neither argument",
    (True, False): "only arg1",
    (False, True): "only arg2",
    (True, True): "both arguments",
}


@dataclass(frozen=True, slots=True)
class _Predicate:
    stem: str
    tag: str
    tense: str
    negated: bool
    subject: str  # a pronoun in quotes, "noun" or "none"
    auxiliaries: tuple[str, ...]
    modifiers: tuple[str, ...]
    labels: frozenset[str]  # of its dependents, without subtypes


def predicate_features(instance: Instance) -> set[str]:
    """What holds for the predicate of each argument, and for the two together.

    An argument without dependencies has no predicate; without tags nothing is said of tense, subject and tag.
    """
    doc, relation = instance.document, instance.relation
    first, second = _predicate(doc, relation.arg1), _predicate(doc, relation.arg2)
    found: set[str] = set()
    for side, predicate in (("arg1", first), ("arg2", second)):
        if predicate is not None:
            found.update(f"{side} {fact}" for fact in _facts(predicate))
    if first is None or second is None:
        return found

    if first.tag and second.tag:
        found.add(f"tenses: {first.tense}, {second.tense}")
        found.add(f"subjects: {first.subject}, {second.subject}")
        found.add(f"predicate tags: {first.tag}, {second.tag}")
        if first.subject == second.subject and first.subject not in ("noun", "none"):
            found.add("same pronoun as subject")
    found.add(f"negated: {_NEGATED[first.negated, second.negated]}")
    if first.stem == second.stem:
        found.add("same predicate")
    return found


def _facts(predicate: _Predicate) -> list[str]:
    facts = [f"dependent: {label}" for label in predicate.labels]
    facts.append(f"frame: {' '.join(sorted(predicate.labels & _FRAME)) or 'none'}")
    facts.extend(f"auxiliary: '{word}'" for word in predicate.auxiliaries)
    facts.extend(f"modifier: '{word}'" for word in predicate.modifiers)
    if predicate.negated:
        facts.append("negated")
    if predicate.tag:
        facts.append(f"tense: {predicate.tense}")
        facts.append(f"subject: {predicate.subject}")
    return facts


def _predicate(doc: Document, argument: Argument) -> _Predicate | None:
    heads = argument_heads(doc, argument)
    if not heads:
        return None
    head = next((head for head in heads if head.tag.startswith("V")), heads[0])
    sentence = head.sentence

    def form(position: int) -> str:
        return doc.tokens[sentence.start + position].text.lower()

    dependents = [(position, form(position), label) for position, label in head.dependents()]
    auxiliaries = tuple(word for _, word, label in dependents if label.startswith("aux") or label == "cop")
    infinitive = any(word == "to" and label in ("mark", "aux") for _, word, label in dependents)
    subjects = [position for position, _, label in dependents if "subj" in label]
    subject = "none"
    if subjects:
        pronoun = tag_of(doc, sentence, subjects[0]).startswith(_PRONOUN_TAGS)
        subject = f"'{form(subjects[0])}'" if pronoun else "noun"
    return _Predicate(
        stem=stem(form(head.position)),
        tag=head.tag,
        tense="infinitive" if infinitive else _tense(head.tag, auxiliaries),
        negated=any(word in _NEGATIONS for _, word, _ in dependents),
        subject=subject,
        auxiliaries=auxiliaries,
        modifiers=tuple(word for _, word, label in dependents if label in _MODIFIERS),
        labels=frozenset(label.partition(":")[0] for _, _, label in dependents),
    )


def _tense(tag: str, auxiliaries: tuple[str, ...]) -> str:
    """Modals first, then past over present, so that *had been* is past; forms without tense by their tag."""
    if not _MODALS.isdisjoint(auxiliaries):
        return "modal"
    if tag in _PAST_TAGS or not _PAST_AUXILIARIES.isdisjoint(auxiliaries):
        return "past"
    if tag in _PRESENT_TAGS or not _PRESENT_AUXILIARIES.isdisjoint(auxiliaries):
        return "present"
    if not tag.startswith("V"):
        return "no verb"
    if tag.endswith("G"):
        return "gerund"
    if tag.endswith("N"):
        return "participle"
    return "base" if tag in _BASE_TAGS else "none"
