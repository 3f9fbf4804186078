"""Duplicates and balance."""

from __future__ import annotations

from collections import Counter

from disco2.mining.run import quotas, select


def records(**counts: int) -> list[dict[str, str]]:
    """So many pairs of each connective, all of one sense."""
    return [
        {"arg1": f"It was {name}.", "arg2": f"There were {number}.", "label": "Sense", "connective": name}
        for name, count in counts.items()
        for number in range(count)
    ]


def test_duplicates_go() -> None:
    made = records(but=3)
    again = {**made[0], "arg1": made[0]["arg1"].upper(), "label": "Other"}
    assert list(select(lambda: [*made, again, *made])) == made


def test_connectives_by_square_roots() -> None:
    assert quotas({("S", "but"): 900, ("S", "yet"): 100}, 100) == {("S", "but"): 75, ("S", "yet"): 25}
    assert quotas({("S", "but"): 900, ("S", "yet"): 4}, 100) == {("S", "but"): 96, ("S", "yet"): 4}
    assert quotas({("S", "but"): 30, ("T", "so"): 5}, 100) == {("S", "but"): 30, ("T", "so"): 5}
    assert sum(quotas({("S", str(number)): 9 for number in range(20)}, 7).values()) == 7


def test_the_order_does_not_matter() -> None:
    made = records(but=400, yet=50)
    kept = list(select(lambda: made, per_sense=60))
    assert Counter(record["connective"] for record in kept) == {"but": 44, "yet": 16}
    shuffled = made[::-1]
    again = list(select(lambda: shuffled, per_sense=60))
    assert sorted(map(str, again)) == sorted(map(str, kept))
