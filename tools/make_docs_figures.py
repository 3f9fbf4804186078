"""Draw the pictures of the documentation with the model ``en-fast``: docs/figures.

    python tools/make_docs_figures.py                   # the paper's first figure: trees as SVG
    python tools/make_docs_figures.py --screenshots     # and what disco2.render shows; needs Chromium

Two sentences share an entity; the upward pass composes both, the downward pass goes to the coreferent
mentions, which are others with "He" in the place of "She". A test compares the SVG files with what this
tool draws.
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import disco2
from disco2.drawing.layout import asset_text, chain_class
from disco2.drawing.trees import draw_trees
from disco2.files import write_text
from disco2.inference.pipeline import Pipeline

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
FIRST = "Bob gave Tina the burger."
STORY = (
    "Maria opened a small cafe in the harbour because she had always wanted to work for herself. However, "
    "the winter was quiet. Few people came after dark. In May the ferry started again, and the cafe was full "
    "every morning."
)


def figures(pipeline: Pipeline) -> dict[str, str]:
    """The name of each SVG file and its content."""
    she = pipeline.view(pipeline.classify(FIRST, "She was hungry."))
    he = pipeline.view(pipeline.classify(FIRST, "He was hungry."))
    return {
        "upward.svg": show_pass(draw_trees(she), "up"),
        "downward.svg": show_pass(draw_trees(she), "down", chain=0),
        "downward-he.svg": show_pass(draw_trees(he), "down", chain=0),
    }


# What names a chain, and the class that it has while the downward pass goes to that chain's mentions.
CHOSEN = {
    "data-way": "d2-way",
    "data-read": "d2-read",
    "data-mention": "d2-goal",
    "data-mark": "d2-chosen",
    "data-link": "d2-chosen",
}


def show_pass(svg: str, direction: str, *, chain: int | None = None) -> str:
    """The drawing with its style inside and a finished pass, as a page shows it by setting classes."""
    ElementTree.register_namespace("", "http://www.w3.org/2000/svg")
    root = ElementTree.fromstring(svg)  # noqa: S314  ours
    for part in root.iter():
        classes = part.get("class", "").split()
        if direction == "up" and part.get("data-height"):
            classes.append("d2-reached")
        classes += [
            name for attribute, name in CHOSEN.items() if f"c{chain}" in part.get(attribute, "").split()
        ]
        if classes:
            part.set("class", " ".join(dict.fromkeys(classes)))
    root.set("data-pass", direction)
    if chain is not None:
        root.set("data-chain", f"c{chain}")
        root.set("class", f"d2-trees {chain_class(chain)}")
    style = ElementTree.Element("style")
    style.text = standalone_style()
    style.tail = "\n"
    root.insert(2, style)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def standalone_style() -> str:
    """The style sheet with a plain value before each named colour, for viewers without CSS variables."""
    css = asset_text("trees.css")
    light = dict(re.findall(r"(--d2-[\w-]+): light-dark\((#[0-9a-f]{6}), ", css))
    light |= dict.fromkeys(("--d2-chain", "--d2-chosen"), light["--d2-chain-0"])  # chains have letters, too
    return re.sub(
        r"(?<=[\s{;])([a-z][a-z-]*): var\((--d2-[\w-]+)\);",
        lambda found: f"{found[1]}: {light[found[2]]}; {found[0]}" if found[2] in light else found[0],
        css,
    )


def take_screenshots(pipeline: Pipeline) -> None:
    """render.png: the arcs of a text; why.png: the same page after a click on an arc."""
    from PIL import Image  # comes with the extra plots
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        for name, text in (("render.png", STORY), ("why.png", f"{FIRST} She was hungry.")):
            page = browser.new_page(viewport={"width": 1100, "height": 300})
            page.set_content(disco2.render(pipeline(text), pipeline=pipeline))
            if name == "why.png":
                page.get_by_role("group", name="The text").get_by_role("button").first.click()
            page.screenshot(path=FOLDER / name, full_page=True)
            Image.open(FOLDER / name).convert("RGB").quantize(64).save(FOLDER / name, optimize=True)
        browser.close()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    pipeline = disco2.load("en-fast")
    for name, svg in figures(pipeline).items():
        write_text(FOLDER / name, [svg])
    if "--screenshots" in sys.argv:
        take_screenshots(disco2.load())


if __name__ == "__main__":
    main()
