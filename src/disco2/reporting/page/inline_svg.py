"""An SVG document of ours -> an element of an HTML page.

Several drawings on one page must not share ids, and a page that names nothing outside itself needs no XML
namespaces: HTML knows SVG without them.
"""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

DROPPED = {"metadata", "style"}  # the style is the page's: here it would hold for the whole page
_REFERENCE = re.compile(r"url\(#([^)]+)\)")


def inline_svg(document: str, *, prefix: str, title: str, description: str) -> Markup:
    """The drawing with ``prefix`` before all its ids, and with words for those who can't see it."""
    root = ElementTree.fromstring(document)  # noqa: S314  not from outside: we have just drawn it
    for element in list(root.iter()):
        for child in [child for child in element if _local(child.tag) in DROPPED]:
            element.remove(child)
    for element in root.iter():
        element.tag = _local(element.tag)
        attributes = {
            _local(name): _prefixed(_local(name), value, prefix) for name, value in element.attrib.items()
        }
        element.attrib.clear()
        element.attrib.update(attributes)
        # Matplotlib breaks lines between its elements; they are not to be seen.
        if element.tag != "text" and element.text and not element.text.strip():
            element.text = None
        element.tail = None
    for name in ("width", "height", "version"):  # the page says how wide it is; the viewBox keeps its shape
        root.attrib.pop(name, None)
    root.attrib |= {"role": "img", "aria-labelledby": f"{prefix}_title {prefix}_desc"}
    for place, (tag, text) in enumerate((("title", title), ("desc", description))):
        words = ElementTree.Element(tag, {"id": f"{prefix}_{tag}"})
        words.text = text
        root.insert(place, words)
    return Markup(ElementTree.tostring(root, encoding="unicode"))  # noqa: S704  the serialiser escapes


def _local(name: str) -> str:
    """A name without its namespace: ``xlink:href`` is ``href``."""
    return name.rpartition("}")[2]


def _prefixed(name: str, value: str, prefix: str) -> str:
    if name == "id":
        return f"{prefix}_{value}"
    if name == "href" and value.startswith("#"):
        return f"#{prefix}_{value[1:]}"
    return _REFERENCE.sub(lambda found: f"url(#{prefix}_{found[1]})", value)
