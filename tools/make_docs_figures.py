"""Draw the pictures of the documentation with the model ``en-fast``: docs/figures.

    python tools/make_docs_figures.py                   # the paper's first figure: trees as SVG
    python tools/make_docs_figures.py --screenshots     # and what disco2.render shows; needs Chromium

Two sentences share an entity; the upward pass composes both, the downward pass goes to the coreferent
mentions, which are others with "He" in the place of "She". A test compares the SVG files with what this
tool draws.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import disco2
from disco2.drawing.layout import PassState
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
    to_entity = PassState("down", chain=0)
    return {
        "upward.svg": draw_trees(she, standalone=True, state=PassState("up")) + "\n",
        "downward.svg": draw_trees(she, standalone=True, state=to_entity) + "\n",
        "downward-he.svg": draw_trees(he, standalone=True, state=to_entity) + "\n",
    }


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
        take_screenshots(pipeline)


if __name__ == "__main__":
    main()
