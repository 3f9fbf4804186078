"""The words of the role-pair corpus: names, verbs of transfer, things, and states in which one needs them.

Names and verbs are listed by part, so that no name or verb of the test part is ever seen in training. Every
word is in the vocabulary of the shipped vectors: nothing hinges on a word that a model can't see.
"""

from __future__ import annotations

from dataclasses import dataclass

PARTS = ("train", "dev", "test")


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FEMALE_NAMES = {
    "train": _words(
        "Tina Anna Mary Linda Susan Karen Nancy Laura Sarah Emily Julia Helen Maria Alice Emma Rachel "
        "Rebecca Jane Lucy Amy Barbara Deborah Monica Catherine"
    ),
    "dev": _words("Carol Diana Ellen Sandra Teresa Martha Nicole Olivia Paula Sophie Andrea Claire"),
    "test": _words(
        "Angela Brenda Cynthia Donna Elizabeth Jennifer Kathleen Melissa Patricia Sharon Vanessa Wendy"
    ),
}
MALE_NAMES = {
    "train": _words(
        "Bob John Peter David Paul Kevin Brian Steven Thomas Daniel George Michael Robert Richard Joseph "
        "Simon Andrew Martin Henry Edward Walter Arthur Patrick Philip"
    ),
    "dev": _words("Adam Carl Eric Frank Gary Jason Keith Oscar Ralph Samuel Victor Douglas"),
    "test": _words(
        "Alan Charles Dennis Gerald Harold Jeffrey Kenneth Larry Nicholas Raymond Stephen Timothy"
    ),
}


@dataclass(frozen=True)
class Verb:
    """A verb of transfer. ``double``: takes two objects; ``kinds``: of things it goes with, if not all."""

    past: str
    participle: str
    double: bool = False
    passive: bool = True
    kinds: tuple[str, ...] = ()


_SMALL = ("food", "clothing", "money", "medicine", "book", "tool", "light", "gift")

# The subject gives, the other participant gets.
GIVING = {
    "train": (
        Verb("gave", "given", double=True),
        Verb("handed", "handed", double=True),
        Verb("sold", "sold", double=True),
        Verb("sent", "sent", double=True),
        Verb("passed", "passed", double=True),
        Verb("brought", "brought", double=True),
        Verb("threw", "thrown", double=True, kinds=_SMALL),
        Verb("served", "served", double=True, kinds=("food", "drink")),
        Verb("mailed", "mailed", double=True, kinds=("clothing", "money", "medicine", "book", "gift")),
        Verb("donated", "donated"),
        Verb("carried", "carried"),
    ),
    "dev": (
        Verb("lent", "lent", double=True, kinds=("clothing", "money", "book", "tool", "light")),
        Verb("tossed", "tossed", double=True, kinds=_SMALL),
        Verb("fed", "fed", double=True, kinds=("food",)),
        Verb("delivered", "delivered"),
        Verb("supplied", "supplied"),
    ),
    "test": (
        Verb("offered", "offered", double=True),
        Verb("loaned", "loaned", double=True, kinds=("clothing", "money", "book", "tool", "light")),
        Verb("slipped", "slipped", double=True, kinds=_SMALL),
        Verb("shipped", "shipped", double=True),
        Verb("returned", "returned"),
    ),
}

# The subject gets, the other participant, who is named after "from", gives or loses.
TAKING = {
    "train": (
        Verb("got", "got", passive=False),
        Verb("received", "received"),
        Verb("took", "taken"),
        Verb("bought", "bought"),
        Verb("stole", "stolen"),
        Verb("grabbed", "grabbed"),
        Verb("collected", "collected"),
        Verb("accepted", "accepted"),
    ),
    "dev": (
        Verb("obtained", "obtained"),
        Verb("snatched", "snatched"),
        Verb("ordered", "ordered"),
        Verb("seized", "seized"),
    ),
    "test": (
        Verb("borrowed", "borrowed"),
        Verb("fetched", "fetched"),
        Verb("purchased", "purchased"),
        Verb("acquired", "acquired"),
    ),
}


@dataclass(frozen=True)
class Thing:
    word: str
    plural: bool = False


@dataclass(frozen=True)
class Kind:
    """Things of one kind, and what may be said of somebody who needs one of them."""

    things: tuple[Thing, ...]
    adjectives: tuple[str, ...]  # of the thing
    states: tuple[str, ...]  # "She was very hungry.", "Nobody was more hungry than she was."
    extremes: tuple[str, ...] = ()  # "She was starving.": no degrees
    lacks: tuple[str, ...] = ()  # "She had nothing to eat."
    undone: tuple[tuple[str, str], ...] = ()  # "She had not eaten all day."
    belongings: tuple[tuple[Thing, str], ...] = ()  # "Her stomach was empty."
    troubles: tuple[tuple[str, Thing], ...] = ()  # "The hunger bothered her.": "the" or nothing, noun


def _things(words: str, *, plural: str = "") -> tuple[Thing, ...]:
    return tuple(Thing(word) for word in words.split()) + tuple(
        Thing(word, plural=True) for word in plural.split()
    )


KINDS = {
    "food": Kind(
        things=_things(
            "burger sandwich pizza soup bread apple cake pie banana salad steak cheese chicken",
            plural="noodles cookies",
        ),
        adjectives=("last", "fresh", "warm", "big"),
        states=("hungry",),
        extremes=("starving",),
        lacks=("eat", "cook"),
        undone=(("eaten", "day"), ("eaten", "night")),
        belongings=((Thing("stomach"), "empty"), (Thing("belly"), "empty"), (Thing("fridge"), "empty")),
        troubles=(("", Thing("hunger")), ("the", Thing("hunger"))),
    ),
    "drink": Kind(
        things=_things("water juice tea lemonade beer milk coffee soda wine cider"),
        adjectives=("last", "fresh", "cool", "cold"),
        states=("thirsty",),
        extremes=("dehydrated",),
        lacks=("drink",),
        belongings=((Thing("throat"), "dry"), (Thing("mouth"), "dry"), (Thing("lips", plural=True), "dry")),
        troubles=(("", Thing("thirst")), ("the", Thing("thirst"))),
    ),
    "clothing": Kind(
        things=_things("coat sweater scarf jacket blanket hat", plural="gloves boots socks"),
        adjectives=("old", "warm", "thick", "new"),
        states=("cold", "chilly"),
        extremes=("freezing",),
        lacks=("wear",),
        belongings=((Thing("hands", plural=True), "cold"), (Thing("feet", plural=True), "cold")),
        troubles=(("the", Thing("cold")), ("the", Thing("wind"))),
    ),
    "money": Kind(
        things=_things("money cash check", plural="coins savings dollars"),
        adjectives=("remaining",),
        states=("poor",),
        extremes=("broke", "penniless", "bankrupt"),
        lacks=("spend",),
        belongings=((Thing("wallet"), "empty"), (Thing("pockets", plural=True), "empty")),
        troubles=(("", Thing("poverty")), ("the", Thing("debts", plural=True))),
    ),
    "medicine": Kind(
        things=_things("medicine aspirin", plural="pills tablets bandages"),
        adjectives=("last", "strong", "expensive"),
        states=("sick", "ill", "unwell"),
        undone=(("slept", "night"),),
        belongings=((Thing("head"), "sore"), (Thing("throat"), "sore")),
        troubles=(("the", Thing("pain")), ("the", Thing("fever"))),
    ),
    "book": Kind(
        things=_things("book novel magazine newspaper comic", plural="stories poems"),
        adjectives=("old", "new", "funny"),
        states=("bored", "curious"),
        lacks=("read",),
        belongings=((Thing("shelf"), "empty"),),
        troubles=(("", Thing("boredom")), ("the", Thing("silence"))),
    ),
    "tool": Kind(
        things=_things("hammer ladder saw shovel drill rake knife", plural="scissors nails"),
        adjectives=("old", "new", "good", "heavy"),
        states=("helpless",),
        extremes=("stuck",),
        lacks=("use",),
        undone=(("worked", "day"),),
        belongings=((Thing("tools", plural=True), "broken"), (Thing("equipment"), "broken")),
    ),
    "light": Kind(
        things=_things("lamp candle flashlight lantern torch", plural="matches"),
        adjectives=("old", "new", "bright", "small"),
        states=("afraid", "scared"),
        belongings=((Thing("room"), "dark"), (Thing("house"), "dark"), (Thing("cabin"), "dark")),
        troubles=(("the", Thing("darkness")), ("the", Thing("dark"))),
    ),
    "gift": Kind(
        things=_things("puppy kitten doll balloon toy guitar", plural="flowers roses"),
        adjectives=("little", "pretty", "lovely"),
        states=("sad", "lonely", "unhappy"),
        undone=(("smiled", "day"),),
        belongings=((Thing("heart"), "heavy"), (Thing("heart"), "broken")),
        troubles=(("the", Thing("loneliness")), ("the", Thing("sadness"))),
    ),
}

DEGREES = ("very", "quite", "really", "terribly")
TROUBLED = ("bothered", "troubled", "worried")
WANTED = ("needed", "wanted")
MANNERS = ("quietly", "quickly", "gladly", "finally", "suddenly")
PLACES = (
    ("at", "station"),
    ("in", "park"),
    ("in", "kitchen"),
    ("near", "school"),
    ("at", "market"),
    ("outside", "office"),
)
MOMENTS = (("after", "lunch"), ("before", "dinner"), ("after", "work"), ("after", "school"), ("at", "noon"))
DAYS = (("That", "morning"), ("That", "evening"), ("Last", "week"), ("Last", "night"))
