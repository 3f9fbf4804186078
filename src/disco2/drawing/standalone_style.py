"""The style sheet of the trees, to be put inside an SVG."""

from __future__ import annotations

import re
from functools import cache

from disco2.drawing.assets import asset_text

_NAMED_COLOUR = re.compile(r"(?<=[\s{;])([a-z][a-z-]*): var\((--d2-[\w-]+)\);")
_LIGHT_COLOUR = re.compile(r"(--d2-[\w-]+): light-dark\((#[0-9a-f]{6}), ")


@cache
def standalone_style() -> str:
    """Before each colour that has a name there is its plain value, for viewers that know no such names."""
    css = asset_text("trees.css")
    light = dict(_LIGHT_COLOUR.findall(css))
    light |= dict.fromkeys(("--d2-chain", "--d2-chosen"), light["--d2-chain-0"])  # letters tell chains apart
    return _NAMED_COLOUR.sub(
        lambda found: f"{found[1]}: {light[found[2]]}; {found[0]}" if found[2] in light else found[0], css
    )
