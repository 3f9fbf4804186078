"""The style sheets and scripts of the drawing, by name, in the order in which a page must load them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

WEB = Path(__file__).with_name("web")

STYLES = ("trees.css", "relations.css")
SCRIPTS = (
    "elements.js",
    "offsets.js",
    "senses.js",
    "arcs.js",
    "running_text.js",
    "legend.js",
    "arguments.js",
    "probabilities.js",
    "score_parts.js",
    "tree_shape.js",
    "node_inspector.js",
    "tree_view.js",
    "tree_controls.js",
    "exports.js",
    "detail.js",
    "comparison.js",
    "relations.js",  # the last: it starts itself where a page carries its data
)
ASSETS = STYLES + SCRIPTS


@cache
def asset_text(name: str) -> str:
    """The text of one of ``ASSETS``."""
    if name not in ASSETS:
        raise KeyError(name)
    return (WEB / name).read_text(encoding="utf-8")
