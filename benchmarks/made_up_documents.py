"""Made-up documents in any number: the same for everybody, since document n depends on ``SEED`` and n alone.

    python -m benchmarks.made_up_documents FOLDER [--documents 100000]

Three to six sentences of some 17 words in one to three paragraphs, about people who are mentioned again by
name, surname, trade or pronoun. A sentence takes as long as one of real text.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SEED = "made-up documents, first edition"
DOCUMENTS = 100_000
A_FOLDER = 100  # documents
SENTENCES = (3, 6)

# One list a paragraph; of what is done to something, past and infinitive.
_WORDS = """
women: Ann, Tina, Mary, Clara, Ruth, Olga, Susan, Helen, Nina, Julia

men: Bob, Max, Peter, Ivan, Paul, Tom, Victor, Henry, Carl, Simon

trades: baker, teacher, lawyer, painter, doctor, farmer, minister, clerk, engineer, nurse, captain,
gardener, judge, reporter, carpenter, banker, singer, librarian, driver

things: house, car, boat, letter, contract, book, garden, bridge, report, machine, painting, shop,
school, plan, meal, train, ticket, picture, song, story, company, road, library, river, budget, market,
law, hospital, journey, question, answer, window, tax, harvest, election, village, museum, festival,
kitchen, factory, ship, table

kinds: old, new, small, long, expensive, quiet, famous, empty, broken, narrow, wooden, public, heavy,
strange, local, early, difficult, cheap, bright, forgotten, annual

done: sold/sell, bought/buy, repaired/repair, painted/paint, visited/visit, forgot/forget,
described/describe, lost/lose, found/find, left/leave, opened/open, closed/close, praised/praise,
studied/study, kept/keep, changed/change, planned/plan, saw/see, needed/need, finished/finish

passive: repaired, sold, painted, closed, opened, described, found, praised, planned

states: was hungry, was late again, had no money, stayed at home, laughed, was proud of it, went to bed
early, did not answer, felt much better, was not sure, lost patience, slept badly

said: said, thought, hoped, believed, wrote, feared, explained, remembered, knew

when: last year, in the spring, on Monday, after the war, every morning, for two weeks, in 1987, before
noon, during the summer, at the end of the month, three days later, for the first time

openings: However, For example, Then, In addition, As a result, Meanwhile, Instead

inside: because, although, while, when, after, before, so that, as if, since, until
"""
_LISTS = {
    name: words.replace("\n", " ").split(", ")
    for name, _, words in (paragraph.partition(": ") for paragraph in _WORDS.strip().split("\n\n"))
}


@dataclass(frozen=True)
class _Person:
    name: str
    surname: str
    trade: str
    pronoun: str
    possessive: str


def made_up_word(chance: random.Random) -> str:
    """A random name that is in no vocabulary."""
    return "".join(chance.choice("bdfgklmnprst") + chance.choice("aeiou") for _ in range(4)).capitalize()


def made_up_document(number: int) -> str:
    """The text of document ``number``, which ends with a line break."""
    chance = random.Random(f"{SEED}: {number}")  # noqa: S311  no secret
    teller = _Teller(chance)
    count = chance.randint(*SENTENCES)
    pieces: list[str] = []
    for place in range(1, count + 1):
        pieces.append(teller.sentence(first=place == 1))
        ends = place < count and (chance.random() < 0.2 or (place == 3 and count > 4))
        pieces.append("\n" if place == count else "\n\n" if ends else " ")
    return "".join(pieces)


def write_documents(folder: Path, count: int, *, parts: int = 10) -> Iterator[int]:
    """Writes documents 0 to ``count - 1``; yields the number of bytes of each.

    They lie in parts of nearly the same size, and in folders in these, in the order of their numbers.
    """
    made = set[Path]()
    for number in range(count):
        path = folder / f"{number * parts // count:02d}/{number // A_FOLDER:05d}/{number:08d}.txt"
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        content = made_up_document(number).encode()
        path.write_bytes(content)
        yield len(content)


class _Teller:
    """Makes the sentences of one document, with its own people and places."""

    def __init__(self, chance: random.Random) -> None:
        self.chance = chance
        self.town = made_up_word(chance)
        self.people = [self._person() for _ in range(chance.randint(2, 3))]
        self.last: _Person | None = None

    def sentence(self, *, first: bool = False) -> str:
        chance = self.chance
        opening = self._opening() if not first and chance.random() < 0.15 else ""
        kind = chance.random()
        if kind < 0.15:
            main = f"{self._who()} {self._one('states')}"
        elif kind < 0.30:
            by = f" by {self._who(pronoun=False)}" if chance.random() < 0.6 else ""
            main = f"{self._what()} was {self._one('passive')}{by} {self._one('when')}"
        elif kind < 0.50:
            main = f"{self._who()} {self._one('said')} that {self._clause()}"
        else:
            main = self._clause()
        more = "".join(self._more() for _ in range(chance.choice((0, 1, 1, 2, 2))))
        said = f"{opening}{main}{more}."
        return said[0].upper() + said[1:]

    def _one(self, of: str) -> str:
        return self.chance.choice(_LISTS[of])

    def _opening(self) -> str:
        word = self._one("openings")
        return f"{word} " if word == "Then" else f"{word}, "

    def _more(self) -> str:
        kind = self.chance.random()
        if kind < 0.55:
            return f" {self._one('inside')} {self._clause()}"
        if kind < 0.80:
            return f", and {self._clause()}"
        return f" in order to {self._one('done').partition('/')[2]} {self._what()} of {self.town}"

    def _clause(self) -> str:
        kind = self.chance.random()
        if kind < 0.2:
            return f"{self._who()} {self._one('states')}"
        who, did, what = self._who(), self._one("done").partition("/")[0], self._what()
        if kind < 0.45:
            return f"{who} {did} {what} {self._one('when')}"
        if kind < 0.65:
            return f"{who} {did} {what} near {self._what()}"
        return f"{who} {did} {what}"

    def _who(self, *, pronoun: bool = True) -> str:
        """One of the people: who was spoken of last is often a pronoun."""
        chance = self.chance
        if pronoun and self.last is not None and chance.random() < 0.45:
            return self.last.pronoun
        others = [person for person in self.people if person is not self.last]
        self.last = person = chance.choice(others)
        return chance.choice(
            (
                f"{person.name} {person.surname}",
                person.name,
                person.surname,
                f"the {person.trade}",
                f"the {person.trade} from {self.town}",
            )
        )

    def _what(self) -> str:
        chance = self.chance
        owner = self.last.possessive if self.last is not None and chance.random() < 0.2 else ""
        kind = f"{self._one('kinds')} " if chance.random() < 0.5 else ""
        return f"{owner or chance.choice(('the', 'the', 'this'))} {kind}{self._one('things')}"

    def _person(self) -> _Person:
        woman = self.chance.random() < 0.5
        return _Person(
            self._one("women" if woman else "men"),
            made_up_word(self.chance),
            self._one("trades"),
            "she" if woman else "he",
            "her" if woman else "his",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    options = parser.parse_args()
    total = sum(write_documents(options.folder, options.documents))
    print(f"{options.documents:,} documents, {total:,} bytes, seed {SEED!r}: {options.folder}")


if __name__ == "__main__":
    main()
