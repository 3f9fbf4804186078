"""The sentences of the role-pair corpus, as trees: who gave what to whom, and who was in need of it.

A sentence is built as one tree that holds both phrases and, by marked heads, dependencies.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from disco2.corpora.role_words import (
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

HEAD = "head"
ROOT = "root"
_GLUED = frozenset({",", "."})
_UNIVERSAL = {
    "DT": "DET",
    "IN": "ADP",
    "JJ": "ADJ",
    "NN": "NOUN",
    "NNP": "PROPN",
    "NNS": "NOUN",
    "PRP": "PRON",
    "PRP$": "PRON",
    "RB": "ADV",
    "RBR": "ADV",
    "TO": "ADP",
    "VB": "VERB",
    "VBD": "VERB",
    "VBN": "VERB",
    ",": "PUNCT",
    ".": "PUNCT",
}


@dataclass(frozen=True)
class Node:
    """A phrase with children, or a tag with a word.

    ``relation`` is the dependency from the head of the parent's head child to this node's head; the head
    child itself has ``HEAD``, the top node ``ROOT``. ``entity`` names whom the node speaks of.
    """

    label: str
    relation: str
    children: tuple[Node, ...] = ()
    word: str = ""
    entity: str = ""


@dataclass(frozen=True)
class FlatSentence:
    """A tree, read off: ``heads`` count from 0, -1 for the root; ``mentions`` are (start, end, entity)."""

    words: tuple[str, ...]
    tags: tuple[str, ...]
    heads: tuple[int, ...]
    relations: tuple[str, ...]
    brackets: str
    mentions: tuple[tuple[int, int, str], ...]

    @property
    def text(self) -> str:
        pieces = [word if word in _GLUED else f" {word}" for word in self.words]
        return "".join(pieces).strip()

    def conllu_lines(self) -> list[str]:
        """The ten columns of each token."""
        lines = []
        for token, (word, tag) in enumerate(zip(self.words, self.tags, strict=True)):
            relation = self.relations[token]
            glued = token + 1 < len(self.words) and self.words[token + 1] in _GLUED
            columns = (
                str(token + 1),
                word,
                "_",
                _universal_tag(word, tag, relation),
                tag,
                "_",
                str(self.heads[token] + 1),
                relation,
                "_",
                "SpaceAfter=No" if glued else "_",
            )
            lines.append("\t".join(columns))
        return lines


def flatten(tree: Node) -> FlatSentence:
    """Read words, phrases and dependencies off a tree, without recursion."""
    nodes: list[Node] = []
    parents: list[int] = []
    spans: list[list[int]] = []
    words: list[str] = []
    tags: list[str] = []
    pieces: list[str] = []
    leaf_of: dict[int, int] = {}
    waiting: list[tuple[Node | None, int]] = [(tree, -1)]  # (None, i) closes phrase i
    while waiting:
        node, parent = waiting.pop()
        if node is None:
            pieces.append(")")
            spans[parent][1] = len(words)
            continue
        index = len(nodes)
        nodes.append(node)
        parents.append(parent)
        spans.append([len(words), len(words) + 1])
        if node.children:
            pieces.append(f" ({node.label}")
            waiting.append((None, index))
            waiting.extend((child, index) for child in reversed(node.children))
        else:
            pieces.append(f" ({node.label} {node.word})")
            leaf_of[index] = len(words)
            words.append(node.word)
            tags.append(node.label)
    for index in range(len(nodes) - 1, 0, -1):  # children come after their parents
        if nodes[index].relation == HEAD:
            leaf_of[parents[index]] = leaf_of[index]
    heads = [-1] * len(words)
    relations = [ROOT] * len(words)
    for index in range(1, len(nodes)):
        if nodes[index].relation != HEAD:
            heads[leaf_of[index]] = leaf_of[parents[index]]
            relations[leaf_of[index]] = nodes[index].relation
    mentions = [
        (start, end, node.entity) for node, (start, end) in zip(nodes, spans, strict=True) if node.entity
    ]
    return FlatSentence(
        tuple(words), tuple(tags), tuple(heads), tuple(relations), "".join(pieces).strip(), tuple(mentions)
    )


def _universal_tag(word: str, tag: str, relation: str) -> str:
    """UD's tag for the few words that occur here."""
    if word.lower() in ("nobody", "nothing"):
        return "PRON"
    if word == "not":
        return "PART"
    if relation == "mark":
        return "PART" if tag == "TO" else "SCONJ"
    if relation == "aux" or word in ("was", "were"):
        return "AUX"
    return _UNIVERSAL[tag]


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
