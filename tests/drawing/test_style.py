"""The colours are legible, and the states of the contract have a look."""

from __future__ import annotations

import re

import pytest

from disco2.drawing.layout import COLOURS, asset_text

CSS = asset_text("trees.css")
Theme = dict[str, str]


def themes() -> dict[str, Theme]:
    """The colours by name, light and dark."""
    found = re.findall(r"--d2-([\w-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);", CSS)
    return {
        "light": {name: light for name, light, _ in found},
        "dark": {name: dark for name, _, dark in found},
    }


def luminance(colour: str) -> float:
    """As WCAG defines it."""
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def test_every_colour_that_is_used_has_a_value_in_both_themes() -> None:
    used = set(re.findall(r"var\(--d2-([\w-]+)\)", CSS))
    assert used <= themes()["light"].keys() | {"chain", "chosen"}


@pytest.mark.parametrize("name", ["light", "dark"])
def test_contrast(name: str) -> None:
    theme = themes()[name]
    ground = theme["ground"]
    for text in ("ink", "soft"):
        assert contrast(theme[text], ground) >= 4.5
    for line in ("line", "accent", *(f"chain-{number}" for number in range(COLOURS))):
        assert contrast(theme[line], ground) >= 3, line
    for number in range(COLOURS):
        assert contrast(theme["on-chain"], theme[f"chain-{number}"]) >= 4.5  # letters on badges


def test_the_sheet_holds_for_trees_alone_and_names_nothing_outside() -> None:
    rules = re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL)
    for selectors in re.findall(r"([^{}]+)\{", rules):
        if "@" not in selectors:
            for selector in re.split(r",\s*\n", selectors):
                assert selector.strip().startswith(".d2-trees"), selector
    assert "url(" not in rules
    assert "@import" not in rules
    assert "<" not in CSS
