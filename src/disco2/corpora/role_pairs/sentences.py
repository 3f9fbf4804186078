"""The sentences of the role-pair corpus, as trees: who gave what to whom, and who was in need of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from disco2.corpora.role_pairs.headed_trees import HEAD, ROOT, Node
from disco2.corpora.role_pairs.words import (
    DAYS,
    DEGREES,
    MANNERS,
    MOMENTS,
    PLACES,
    TROUBLED,
    WANTED,
    Kind,
    Thing,
    Verb,
)

GIVER = "giver"
RECIPIENT = "recipient"
OBJECT = "object"
PERSON = "person"  # the pronoun of the second sentence: the giver or the recipient


def leaf(tag: str, word: str, relation: str, *, entity: str = "") -> Node:
    return Node(tag, relation, word=word, entity=entity)


def phrase(label: str, relation: str, *children: Node, entity: str = "") -> Node:
    return Node(label, relation, children, entity=entity)


@dataclass(frozen=True)
class Event:
    """A transfer: who, to whom, what, and how it is told."""

    giver: str
    recipient: str
    thing: Thing
    adjective: str  # "" for none
    verb: Verb


@dataclass(frozen=True)
class Pronouns:
    subject: str
    object: str
    possessive: str


SHE = Pronouns("she", "her", "her")
HE = Pronouns("he", "him", "his")


def event_sentence(event: Event, *, gives: bool, random: Random) -> Node:
    """Who gave what to whom, in one of the ways to say it, perhaps with a time, a place or a manner."""
    subject, verb_phrase = random.choice(_frames(event, gives=gives))(event)
    before, after = _adjuncts(random)
    manner = random.choice(MANNERS) if random.random() < 0.15 else ""
    middle = [phrase("ADVP", "advmod", leaf("RB", manner, HEAD))] if manner else []
    end = [after] if after is not None else []
    verb, *complements = verb_phrase.children
    if complements[-1].label == "VP":  # was quietly handed ... at the station
        participle = phrase("VP", HEAD, *complements[-1].children, *end)
        return _sentence([*before, *subject, phrase("VP", HEAD, verb, *middle, participle)])
    return _sentence([*before, *subject, *middle, phrase("VP", HEAD, verb, *complements, *end)])


def need_sentence(kind: Kind, thing: Thing, pronouns: Pronouns, *, random: Random) -> Node:
    """Who is in need, in one of the ways to say it; the pronoun may be subject, object or possessive."""
    makers = [_was, _was, _felt, _nobody_more, _wanted]
    makers += [_lacked] if kind.lacks else []
    makers += [_had_not] if kind.undone else []
    makers += [_belonging] if kind.belongings else []
    makers += [_troubled] if kind.troubles else []
    clause = random.choice(makers)(kind, thing, pronouns, random)
    before = _fronted(_day("That", "day")) if random.random() < 0.15 else []
    return _sentence([*before, *clause])


Clause = list[Node]
Frame = Callable[[Event], tuple[list[Node], Node]]  # what precedes the verb phrase, and the verb phrase


def _frames(event: Event, *, gives: bool) -> Sequence[Frame]:
    if not gives:
        return [_takes_from, _takes_from, _from_takes] + [_is_taken] * event.verb.passive
    if event.verb.double:
        return [_gives_double, _gives_to, _is_given_double, _is_given_to]
    return [_gives_to, _is_given_to]


def _gives_double(event: Event) -> tuple[list[Node], Node]:
    recipient = _name(event.recipient, "iobj", RECIPIENT)
    return [_name(event.giver, "nsubj", GIVER)], _active(event, recipient, _thing(event, "obj"))


def _gives_to(event: Event) -> tuple[list[Node], Node]:
    recipient = _with_preposition("to", _name(event.recipient, HEAD, RECIPIENT), "obl")
    return [_name(event.giver, "nsubj", GIVER)], _active(event, _thing(event, "obj"), recipient)


def _is_given_double(event: Event) -> tuple[list[Node], Node]:
    giver = _with_preposition("by", _name(event.giver, HEAD, GIVER), "obl:agent")
    subject = _name(event.recipient, "nsubj:pass", RECIPIENT)
    return [subject], _passive(event, _thing(event, "obj"), giver, plural=False)


def _is_given_to(event: Event) -> tuple[list[Node], Node]:
    recipient = _with_preposition("to", _name(event.recipient, HEAD, RECIPIENT), "obl")
    giver = _with_preposition("by", _name(event.giver, HEAD, GIVER), "obl:agent")
    return [_thing(event, "nsubj:pass")], _passive(event, recipient, giver, plural=event.thing.plural)


def _takes_from(event: Event) -> tuple[list[Node], Node]:
    giver = _with_preposition("from", _name(event.giver, HEAD, GIVER), "obl")
    return [_name(event.recipient, "nsubj", RECIPIENT)], _active(event, _thing(event, "obj"), giver)


def _from_takes(event: Event) -> tuple[list[Node], Node]:
    giver = _with_preposition("from", _name(event.giver, HEAD, GIVER), "obl")
    subject = [giver, leaf(",", ",", "punct"), _name(event.recipient, "nsubj", RECIPIENT)]
    return subject, _active(event, _thing(event, "obj"))


def _is_taken(event: Event) -> tuple[list[Node], Node]:
    giver = _with_preposition("from", _name(event.giver, HEAD, GIVER), "obl")
    recipient = _with_preposition("by", _name(event.recipient, HEAD, RECIPIENT), "obl:agent")
    return [_thing(event, "nsubj:pass")], _passive(event, giver, recipient, plural=event.thing.plural)


def _active(event: Event, *complements: Node) -> Node:
    return phrase("VP", HEAD, leaf("VBD", event.verb.past, HEAD), *complements)


def _passive(event: Event, *complements: Node, plural: bool) -> Node:
    participle = phrase("VP", HEAD, leaf("VBN", event.verb.participle, HEAD), *complements)
    return phrase("VP", HEAD, leaf("VBD", "were" if plural else "was", "aux:pass"), participle)


def _name(word: str, relation: str, entity: str) -> Node:
    return phrase("NP", relation, leaf("NNP", word, HEAD), entity=entity)


def _thing(event: Event, relation: str) -> Node:
    adjective = [leaf("JJ", event.adjective, "amod")] if event.adjective else []
    return phrase("NP", relation, leaf("DT", "the", "det"), *adjective, _noun(event.thing), entity=OBJECT)


def _noun(thing: Thing) -> Node:
    return leaf("NNS" if thing.plural else "NN", thing.word, HEAD)


def _with_preposition(word: str, complement: Node, relation: str) -> Node:
    return phrase("PP", relation, leaf("TO" if word == "to" else "IN", word, "case"), complement)


def _adjuncts(random: Random) -> tuple[list[Node], Node | None]:
    """A time or place before the subject or at the end, or neither."""
    chance = random.random()
    if chance < 0.5:
        return [], None
    preposition, place = random.choice(PLACES)
    moment, meal = random.choice(MOMENTS)
    somewhere = phrase("NP", HEAD, leaf("DT", "the", "det"), leaf("NN", place, HEAD))
    choices = [
        _with_preposition(preposition, somewhere, "obl"),
        _with_preposition(moment, phrase("NP", HEAD, leaf("NN", meal, HEAD)), "obl"),
    ]
    if chance < 0.75:
        return [], random.choice(choices)
    yesterday = phrase("NP", "obl:tmod", leaf("NN", "yesterday", HEAD))
    choices += [yesterday, _day(*random.choice(DAYS))]
    return _fronted(random.choice(choices)), None


def _day(determiner: str, noun: str) -> Node:
    first = leaf("JJ", determiner, "amod") if determiner == "Last" else leaf("DT", determiner, "det")
    return phrase("NP", "obl:tmod", first, leaf("NN", noun, HEAD))


def _fronted(adjunct: Node) -> list[Node]:
    return [adjunct, leaf(",", ",", "punct")]


def _was(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    verb = leaf("VBD", "was", "cop")
    return [_subject(pronouns), phrase("VP", HEAD, verb, _state(kind, random, HEAD))]


def _felt(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    verb = leaf("VBD", "felt", HEAD)
    return [_subject(pronouns), phrase("VP", HEAD, verb, _state(kind, random, "xcomp"))]


def _nobody_more(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    compared = phrase("S", HEAD, _subject(pronouns), phrase("VP", HEAD, leaf("VBD", "was", HEAD)))
    state = phrase("ADJP", HEAD, leaf("RBR", "more", "advmod"), leaf("JJ", random.choice(kind.states), HEAD))
    than = phrase("SBAR", "advcl", leaf("IN", "than", "mark"), compared)
    verb_phrase = phrase("VP", HEAD, leaf("VBD", "was", "cop"), phrase("ADJP", HEAD, state, than))
    return [phrase("NP", "nsubj", leaf("NN", "nobody", HEAD)), verb_phrase]


def _wanted(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    it = phrase("NP", "obj", leaf("PRP", "them" if thing.plural else "it", HEAD), entity=OBJECT)
    badly = phrase("ADVP", "advmod", leaf("RB", "badly", HEAD))
    return [_subject(pronouns), phrase("VP", HEAD, leaf("VBD", random.choice(WANTED), HEAD), it, badly)]


def _lacked(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    infinitive = phrase("VP", HEAD, leaf("VB", random.choice(kind.lacks), HEAD))
    clause = phrase("S", HEAD, phrase("VP", HEAD, leaf("TO", "to", "mark"), infinitive))
    nothing = phrase("NP", HEAD, leaf("NN", "nothing", HEAD))
    lack = phrase("NP", "obj", nothing, phrase("SBAR", "acl", clause))
    return [_subject(pronouns), phrase("VP", HEAD, leaf("VBD", "had", HEAD), lack)]


def _had_not(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    participle, time = random.choice(kind.undone)
    all_day = phrase("NP", "obl:tmod", leaf("DT", "all", "det"), leaf("NN", time, HEAD))
    inner = phrase("VP", HEAD, leaf("VBN", participle, HEAD), all_day)
    return [
        _subject(pronouns),
        phrase("VP", HEAD, leaf("VBD", "had", "aux"), leaf("RB", "not", "advmod"), inner),
    ]


def _belonging(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    belonging, state = random.choice(kind.belongings)
    owner = leaf("PRP$", pronouns.possessive, "nmod:poss", entity=PERSON)
    verb = leaf("VBD", "were" if belonging.plural else "was", "cop")
    adjective = phrase("ADJP", HEAD, leaf("JJ", state, HEAD))
    return [phrase("NP", "nsubj", owner, _noun(belonging)), phrase("VP", HEAD, verb, adjective)]


def _troubled(kind: Kind, thing: Thing, pronouns: Pronouns, random: Random) -> Clause:
    determiner, trouble = random.choice(kind.troubles)
    first = [leaf("DT", determiner, "det")] if determiner else []
    her = phrase("NP", "obj", leaf("PRP", pronouns.object, HEAD), entity=PERSON)
    return [
        phrase("NP", "nsubj", *first, _noun(trouble)),
        phrase("VP", HEAD, leaf("VBD", random.choice(TROUBLED), HEAD), her),
    ]


def _subject(pronouns: Pronouns) -> Node:
    return phrase("NP", "nsubj", leaf("PRP", pronouns.subject, HEAD), entity=PERSON)


def _state(kind: Kind, random: Random, relation: str) -> Node:
    state = random.choice(kind.states + kind.extremes)
    graded = state in kind.states and random.random() < 0.4
    degree = [leaf("RB", random.choice(DEGREES), "advmod")] if graded else []
    return phrase("ADJP", relation, *degree, leaf("JJ", state, HEAD))


def _sentence(children: list[Node]) -> Node:
    """The clause with its full stop; the first word gets a capital."""
    return phrase("S", ROOT, *_capitalised(children), leaf(".", ".", "punct"))


def _capitalised(children: list[Node]) -> list[Node]:
    path = [children[0]]
    while path[-1].children:
        path.append(path[-1].children[0])
    last = path.pop()
    changed = Node(last.label, last.relation, word=last.word[:1].upper() + last.word[1:], entity=last.entity)
    while path:
        parent = path.pop()
        changed = Node(parent.label, parent.relation, (changed, *parent.children[1:]), entity=parent.entity)
    return [changed, *children[1:]]
