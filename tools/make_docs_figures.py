"""Draw the paper's first figure with the model that ships: docs/figures/*.svg.

    python tools/make_docs_figures.py

Two sentences share an entity; the upward pass composes both, the downward pass goes to the coreferent
mentions, which are others with "He" in the place of "She". A test holds the files to what this tool draws.
"""

from __future__ import annotations

from pathlib import Path

import disco2
from disco2.drawing.layout import PassState
from disco2.drawing.trees import draw_trees
from disco2.files import write_text
from disco2.inference.pipeline import Pipeline

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "figures"
FIRST = "Bob gave Tina the burger."


def figures(pipeline: Pipeline) -> dict[str, str]:
    """The name of each file and what is in it."""
    she = pipeline.view(pipeline.classify(FIRST, "She was hungry."))
    he = pipeline.view(pipeline.classify(FIRST, "He was hungry."))
    to_entity = PassState("down", chain=0)
    return {
        "upward.svg": draw_trees(she, standalone=True, state=PassState("up")) + "\n",
        "downward.svg": draw_trees(she, standalone=True, state=to_entity) + "\n",
        "downward-he.svg": draw_trees(he, standalone=True, state=to_entity) + "\n",
    }


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, svg in figures(disco2.load("en-fast")).items():
        write_text(FOLDER / name, [svg])


if __name__ == "__main__":
    main()
