"""Relations as pictures: argument trees as SVG (``trees``), and a self-contained HTML page."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from disco2.drawing.layout import SCRIPTS, STYLES, asset_text
from disco2.drawing.trees import draw_trees
from disco2.files import filled
from disco2.inference.view import RelationView

TEMPLATE = Path(__file__).parent / "templates" / "relations.html"
# Characters by which JSON could end the element around it, or a line of a script.
_ESCAPES = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}
_SURROGATE = re.compile("[\ud800-\udfff]")


def relations_html(result: dict[str, Any], views: Sequence[RelationView] | None) -> str:
    """The page of a result as ``disco2 predict --json`` prints it.

    ``views`` are those of its first relations, in their order; relations without one are shown without trees.
    With None there are no trees at all.
    """
    drawn = None
    if views is not None:
        drawn = [{"view": view.to_json(), "svg": draw_trees(view)} for view in views]
    data = json.dumps(
        {"result": result, "views": drawn}, ensure_ascii=False, allow_nan=False, separators=(",", ":")
    )
    senses = ", ".join(relation["sense"] for relation in result["relations"])
    return filled(
        TEMPLATE,
        title="Discourse relations",
        styles=[asset_text(name) for name in STYLES],
        scripts=[asset_text(name) for name in SCRIPTS],
        plain=f"This page draws with a script. Relations in order: {senses or 'none'}.",
        data=_SURROGATE.sub("\ufffd", data).translate(_ESCAPES),  # no text in it can break out of it
    )
