"""Made-up pairs with labels that their words decide."""

from __future__ import annotations

NAMES = ("Bob", "Tina", "Ann", "Max", "Eve")
_TEMPLATES = (
    ("{a} stayed at home.", "It rained all day.", "because"),
    ("{a} ate the soup.", "She was hungry.", "because"),
    ("{a} likes tea.", "{b} prefers coffee.", "but"),
    ("{a} is tall.", "{b} is short.", "but"),
)


def made_up_pairs(count: int) -> tuple[list[tuple[str, str]], list[str]]:
    """Pairs and their labels; up to twenty of them are different."""
    pairs, labels = [], []
    for number in range(count):
        first, second, label = _TEMPLATES[number % 4]
        a, b = NAMES[number % 5], NAMES[(number + 1) % 5]
        pairs.append((first.format(a=a), second.format(b=b)))
        labels.append(label)
    return pairs, labels
