"""Connectives in sentences that were written for this test, and words that only look like them."""

from __future__ import annotations

import time

import pytest

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators
from disco2.data import Document, RelationKind
from disco2.inference.pipeline import annotate_texts
from disco2.parser.parser import DiscourseParser, ParsedRelation

# The text, its connective (dots for a gap), and the senses of level 2 that are right.
CONNECTIVES = [
    ("We stayed at home because the road was flooded.", "because", "Cause"),
    ("Since you are late, we will start without you.", "Since", "Cause"),
    ("The shop opened in May. However, nobody came.", "However", "Concession Contrast"),
    ("The bridge is closed. Therefore, all buses go through the old town.", "Therefore", "Cause"),
    ("Many birds leave in autumn. For example, the swallows fly to Africa.", "For example", "Instantiation"),
    ("If it rains tomorrow, the match will be cancelled.", "If", "Condition"),
    ("Although the soup was cold, she finished it.", "Although", "Concession Contrast"),
    ("He washed the dishes before he went to bed.", "before", "Asynchronous"),
    ("After the guests had left, we opened the windows.", "After", "Asynchronous"),
    ("The lights went out while I was reading.", "while", "Synchronous"),
    ("When the bell rang, the children ran outside.", "When", "Synchronous Asynchronous"),
    ("The old engine was loud, but the new one is quiet.", "but", "Concession Contrast"),
    ("She speaks Polish and he speaks Greek.", "and", "Conjunction Contrast Level-of-detail Cause"),
    ("You can take the train or you can rent a car.", "or", "Disjunction"),
    ("The ladder broke, so we called the neighbours.", "so", "Cause"),
    ("I wrote the number down so that I would not forget it.", "so that", "Purpose"),
    ("He saved money in order to buy a boat.", "in order", "Purpose"),
    ("Unless the pump is repaired, the cellar will flood.", "Unless", "Negative-condition Condition"),
    ("We waited until the rain stopped.", "until", "Asynchronous"),
    ("Once the glue is dry, you can paint the box.", "Once", "Asynchronous Synchronous Condition"),
    ("The museum is small. Nevertheless, it has a fine collection.", "Nevertheless", "Concession Contrast"),
    ("The first test failed. Then the team changed the valve.", "Then", "Asynchronous"),
    ("He did not call a doctor. Instead, he drank some tea.", "Instead", "Substitution"),
    ("The roof leaks. Moreover, two windows are broken.", "Moreover", "Conjunction"),
    ("It was snowing. As a result, the flight was delayed.", "As a result", "Cause"),
    ("The recipe is simple. In other words, anyone can cook it.", "In other words", "Equivalence"),
    ("Even if the price falls, they will not sell the house.", "Even if", "Concession"),
    ("Even though he was tired, he walked the whole way.", "Even though", "Concession Contrast"),
    ("She lost weight by running every morning.", "by", "Manner"),
    ("If you open the gate, then the dog will run away.", "If ... then", "Condition"),
    ("Either the cable is broken or the socket is dead.", "Either ... or", "Disjunction"),
    ("The tea was not only cheap but also very good.", "not only ... but also", "Conjunction"),
    ("The north is dry, whereas the south gets a lot of rain.", "whereas", "Contrast Concession"),
    ("He left the room without saying goodbye.", "without", "Manner Conjunction Concession Contrast"),
    ("As soon as the ice melts, the boats return.", "As soon as", "Asynchronous Synchronous"),
    ("The garden is lovely, though it needs some work.", "though", "Concession Contrast"),
    ("She took the bus instead of driving her own car.", "instead of", "Substitution"),
    ("The water was cold. Still, they went for a swim.", "Still", "Concession Contrast"),
    ("The contract ended in June. Thus, he was free to leave.", "Thus", "Cause"),
    (
        "The hall was full. On the other hand, few people bought anything.",
        "On the other hand",
        "Contrast Concession",
    ),
]
# The text, and the word in it that links no clauses.
LOOK_ALIKES = [
    ("Nobody has seen the cat since Monday.", "since"),
    ("She is as tall as her brother.", "as"),
    ("We bought bread and butter at the market.", "and"),
    ("The letter was written by a lawyer.", "by"),
    ("He once lived in a small village.", "once"),
    ("This cake is for the children.", "for"),
    ("We met in the hall after lunch.", "after"),
    ("The shop closes before noon.", "before"),
    ("Would you like tea or coffee?", "or"),
    ("The soup was so hot.", "so"),
    ("He works as a teacher.", "as"),
    ("The keys are in the drawer with the pens.", "with"),
    ("Everyone but Tom was invited.", "but"),
    ("She stayed for a while.", "while"),
    ("The office is open until six.", "until"),
    ("The man with the red hat waved.", "with"),
    ("I asked when the train would leave.", "when"),
    ("They are still asleep.", "still"),
    ("I do not know if he is at home.", "if"),
    ("The road from the lake to the farm is steep.", "from"),
]


@pytest.fixture(scope="module")
def annotators() -> Annotators:
    return AnnotatorChoice().open(layers=ALL_LAYERS)


@pytest.fixture(scope="module")
def parser() -> DiscourseParser:
    return DiscourseParser.load()


def read(annotators: Annotators, texts: list[str]) -> list[Document]:
    return annotate_texts(annotators, [(str(number), text) for number, text in enumerate(texts)])


def written(document: Document, relation: ParsedRelation) -> str:
    pieces = [document.tokens[relation.connective[0]].text] if relation.connective else []
    for before, token in zip(relation.connective, relation.connective[1:], strict=False):
        pieces.append(" " if token == before + 1 else " ... ")
        pieces.append(document.tokens[token].text)
    return "".join(pieces)


def test_connectives_are_found_with_their_senses(annotators: Annotators, parser: DiscourseParser) -> None:
    wrong = []
    for document, (text, connective, senses) in zip(
        read(annotators, [text for text, _, _ in CONNECTIVES]), CONNECTIVES, strict=True
    ):
        found = {written(document, one): one.sense.split(".")[1] for one in parser.parse(document)}
        if found.get(connective) not in senses.split():
            wrong.append((text, found))
    assert len(CONNECTIVES) == 40
    assert len(wrong) <= 4, wrong


def test_words_that_look_like_connectives_are_none(annotators: Annotators, parser: DiscourseParser) -> None:
    wrong = []
    for document, (text, word) in zip(
        read(annotators, [text for text, _ in LOOK_ALIKES]), LOOK_ALIKES, strict=True
    ):
        if any(word in written(document, one).lower().split() for one in parser.parse(document)):
            wrong.append(text)
    assert len(LOOK_ALIKES) == 20
    assert len(wrong) <= 2, wrong


CLEAR = (
    "However",
    "Therefore",
    "For example",
    "As a result",
    "In contrast",
    "Nevertheless",
    "Instead",
    "In other words",
)
FRAMES = (
    "The river rose all night. {name}, the town and the mill stayed dry and nobody was hurt.",
    "He sold the house. {name}, he kept the garden.",
    "The tests were slow. {name} the team changed nothing.",
    "Some plants need little water.\n\n{name}, a cactus can live for months without rain.",
    "PRICES ROSE IN MAY. {upper}, SALES FELL.",
    "The soup was cold; {lower}, we ate it.",
    "- The old law was strict.\n- {name}, many people broke it.",
)


def test_clear_connectives_are_found_and_never_taken_for_a_conjunction(
    annotators: Annotators, parser: DiscourseParser
) -> None:
    for name in CLEAR:
        assert "Expansion.Conjunction" not in parser.listed.senses[name.lower()]
    texts = [
        (name.lower(), frame.format(name=name, upper=name.upper(), lower=name.lower()))
        for name in CLEAR
        for frame in FRAMES
    ]
    for document, (name, text) in zip(read(annotators, [text for _, text in texts]), texts, strict=True):
        senses = {one.name: one.sense for one in parser.parse(document) if one.connective}
        assert name in senses, text
        assert senses[name] != "Expansion.Conjunction", text


# The text, its connective with a gap, Arg1 and Arg2.
WITH_GAPS = [
    (
        "If you open the gate, then the dog will run away.",
        "If ... then",
        "the dog will run away .",
        "you open the gate ,",
    ),
    ("If it rains then we stay at home.", "If ... then", "we stay at home .", "it rains"),
    (
        "Either the cable is broken or the socket is dead.",
        "Either ... or",
        "the cable is broken",
        "the socket is dead .",
    ),
    ("You can either call us or write a letter.", "either ... or", "You can call us", "write a letter ."),
    (
        "On the one hand, the flat is cheap; on the other hand, it is far from the station.",
        "On the one hand ... on the other hand",
        "the flat is cheap ;",
        ", it is far from the station .",
    ),
    (
        "On the one hand the coat is warm, but on the other hand it is very heavy.",
        "On the one hand ... on the other hand",
        "the coat is warm ,",
        "but it is very heavy .",
    ),
    (
        "He not only lost his keys but also forgot his phone.",
        "not only ... but also",
        "He lost his keys",
        "forgot his phone .",
    ),
    ("She neither called nor wrote to us.", "neither ... nor", "She called", "wrote to us ."),
]


def test_connectives_with_gaps_have_whole_arguments(annotators: Annotators, parser: DiscourseParser) -> None:
    wrong = []
    for document, (text, connective, arg1, arg2) in zip(
        read(annotators, [text for text, *_ in WITH_GAPS]), WITH_GAPS, strict=True
    ):
        found = {written(document, one): one for one in parser.parse(document)}
        one = found.get(connective)
        if one is None or [" ".join(document.words(part)) for part in (one.arg1, one.arg2)] != [arg1, arg2]:
            wrong.append((text, one))
    assert len(wrong) <= 1, wrong


def test_connectives_with_gaps_join_parts_of_their_own_sentence(
    annotators: Annotators, parser: DiscourseParser
) -> None:
    (document,) = read(
        annotators, ["The coat is old. On the one hand it is warm, on the other hand it is heavy."]
    )
    (one,) = (one for one in parser.parse(document) if one.kind == RelationKind.EXPLICIT)
    assert " ".join(document.words(one.arg1)) == "it is warm ,"
    assert " ".join(document.words(one.arg2)) == "it is heavy ."


def test_arguments_lie_where_they_should(annotators: Annotators, parser: DiscourseParser) -> None:
    (document,) = read(annotators, ["If it rains, we will stay at home. But the weather looks good."])
    first, second = (one for one in parser.parse(document) if one.kind == RelationKind.EXPLICIT)
    assert " ".join(document.words(first.arg2)) == "it rains ,"
    assert " ".join(document.words(first.arg1)) == "we will stay at home ."
    assert " ".join(document.words(second.arg1)) == "If it rains , we will stay at home ."
    assert " ".join(document.words(second.arg2)) == "the weather looks good ."


@pytest.mark.parametrize(
    "text",
    [
        "However",
        "But.",
        "and " * 1000,
        "because if when " * 300,
        "IT RAINED AND WE LEFT BECAUSE THE ROOF LEAKED.",
        "we left because the roof leaked",
        '"He said, "She said, "But I know because you told me so."""',
        "- and\n- or\n- but\n\n# If\n\n1. because",
        "((((((( because )))))))",
        ", . ; : and ! ?",
    ],
)
def test_odd_text_has_a_clear_result_in_bounded_time(
    text: str, annotators: Annotators, parser: DiscourseParser
) -> None:
    (document,) = read(annotators, [text])
    begin = time.process_time()
    relations = parser.parse(document)
    assert time.process_time() - begin < 10
    for one in relations:
        assert one.arg1
        assert one.arg2
        assert not set(one.arg1) & set(one.arg2)
        assert not set(one.connective) & {*one.arg1, *one.arg2}
        assert 0 <= one.probability <= 1
        assert 0 <= one.sense_probability <= 1 + 1e-9


def test_a_missing_full_stop_changes_nothing(annotators: Annotators, parser: DiscourseParser) -> None:
    for text in ("We left because the roof leaked.", "we left because the roof leaked"):
        (document,) = read(annotators, [text])
        assert [one.name for one in parser.parse(document)] == ["because"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("I asked when the train would leave.", []),
        ("Nobody knows when the shop opens.", []),
        ("Everyone but Tom was invited.", []),
        ("Nobody told everyone but Tom.", []),
        ("Everyone came, but Tom left early.", ["but"]),
        ("I tried everything but nothing worked.", ["but"]),
        ("We asked for help when the car broke down.", ["when"]),
        ("We left when it rained.", ["when"]),
    ],
)
def test_object_clauses_and_exceptions_are_no_relations(
    text: str, found: list[str], annotators: Annotators, parser: DiscourseParser
) -> None:
    (document,) = read(annotators, [text])
    assert [one.name for one in parser.parse(document)] == found
