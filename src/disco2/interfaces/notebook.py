"""Drawings of relations: ``disco2.render(doc)``, similar to spaCy's displacy.

    disco2.render(doc)                                  # a spaCy document that the component has seen
    disco2.render(disco2.load()(text), pipeline=nlp)    # what a pipeline of disco2's own answers

In a notebook the drawing is shown; elsewhere the result is a self-contained HTML page:
``Path("relations.html").write_text(disco2.render(doc), encoding="utf-8")``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.inference.prediction import Prediction, text_result

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

    from disco2.inference.view import RelationView
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

MOST_VIEWS = 25  # default number of relations whose trees are in a page: some 90 kB each

# In a notebook each drawing is a page in a frame of its own, so that several leave each other alone.
_FRAME = (
    '<iframe class="disco2" title="Discourse relations" srcdoc="{page}" width="100%" height="420" '
    'style="border: 0; display: block"></iframe>'
)
# The frame is as high as its page. It may not see its element where a notebook shuts it off; then it scrolls.
_FIT = """<script>
(function () {
  var frame = window.frameElement;
  if (!frame) return;
  var page = document.documentElement;
  function fit() { frame.style.height = Math.ceil(page.getBoundingClientRect().height) + 'px'; }
  new ResizeObserver(fit).observe(page);
  window.addEventListener('load', fit);
})();
</script>
"""


def render(
    what: Doc | Prediction | Sequence[Prediction],
    *,
    pipeline: Pipeline | Language | None = None,
    jupyter: bool | None = None,
    views: int = MOST_VIEWS,
) -> str | None:
    """Draw the relations of one text: shown in a notebook, else returned as a page of HTML.

    ``what`` is a spaCy document that the component ``disco2`` has seen, or what a pipeline of disco2's own
    answered about one text; the latter needs that ``pipeline``. Trees and the parts of scores are drawn for
    the first ``views`` relations, by the component that saw the document; where that is gone, as it may be
    for documents from disk, give a spaCy pipeline that has it as ``pipeline``. ``jupyter`` overrules the
    search for a notebook.
    """
    if views < 0:
        raise InputError(f"There can't be {views} views.", hint="Give 0 or more.")
    from spacy.tokens import Doc
    from spacy.util import is_in_jupyter

    draw: Callable[..., str] = _page_of_doc if isinstance(what, Doc) else _page_of_answers
    page = draw(what, pipeline, views)
    if not (is_in_jupyter() if jupyter is None else jupyter):
        return page
    display = import_module("IPython.display")
    display.display(display.HTML(framed(page)))
    return None


def framed(page: str) -> str:
    """The page in a frame that fits its height to it."""
    before, _, behind = page.rpartition("</body>")
    return _FRAME.format(page=escape(f"{before}{_FIT}</body>{behind}"))


def _page_of_doc(doc: Doc, pipeline: object, most: int) -> str:
    from disco2.interfaces.spacy_component import result_of, stored
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

    said = stored(doc)
    if said is None:
        raise InputError(
            "There are no relations on this document.",
            hint='Put it through a pipeline with the component: nlp.add_pipe("disco2")',
        )
    candidates = list(Disco2Pipe.living) if pipeline is None else _components(pipeline)
    component = next((one for one in candidates if one.could_have_made(said)), None)
    found = component.views(doc, limit=most) if component is not None else None
    note = ""
    if component is None:
        note = (
            "The trees are not here: the pipeline that found these relations is gone, or has other settings. "
            'Give one that has the component "disco2": disco2.render(doc, pipeline=nlp).'
        )
    elif found is None:
        note = "The trees are not here: the document was changed since its relations were found."
    return _page(result_of(doc), found, note=note)


def _page_of_answers(what: object, pipeline: object, most: int) -> str:
    predictions = [what] if isinstance(what, Prediction) else what
    if not isinstance(predictions, Sequence) or not all(isinstance(one, Prediction) for one in predictions):
        raise InputError(
            f"This can't be drawn: {type(what).__name__}.",
            hint="Give one spaCy document, or what a pipeline answered about one text.",
        )
    if not isinstance(pipeline, Pipeline):
        raise InputError(
            "The pipeline that gave these answers is needed to draw them.",
            hint="Write disco2.render(relations, pipeline=nlp), where nlp = disco2.load().",
        )
    sources = [one.source for one in predictions]
    if not predictions:
        raise InputError("There is no relation to draw.", hint="Give a text of two sentences or more.")
    first = sources[0]
    if first is None or any(one is None or one.document is not first.document for one in sources):
        raise InputError(
            "These answers are not of one text, or no longer know it.",
            hint="Give what the pipeline answered about one text, before it was stored.",
        )
    if any(any(one.origins) for one in predictions):
        raise InputError(
            "An answer about a given pair can't be drawn.", hint="Draw that about a text of both: nlp(text)."
        )
    result = text_result(pipeline, first.document, predictions)
    return _page(result, [pipeline.view(one) for one in predictions[:most]])


def _page(result: dict[str, Any], views: Sequence[RelationView] | None, *, note: str = "") -> str:
    from disco2.drawing import relations_html

    page = relations_html(result, views)
    if views is not None and len(views) < len(result["relations"]):
        note = (
            f"Trees are here for the first {len(views)} of {len(result['relations'])} relations; "
            "disco2.render(..., views=N) asks for more."
        )
    shown = f'</main>\n<p class="d2-relations d2-note">{escape(note)}</p>'
    return page.replace("</main>", shown, 1) if note else page


def _components(pipeline: object) -> list[Disco2Pipe]:
    """Those of a spaCy pipeline that are ours, whatever they are called; at least one."""
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

    found = [one for _, one in getattr(pipeline, "components", ()) if isinstance(one, Disco2Pipe)]
    if not found:
        raise InputError(
            "This pipeline has no component disco2.",
            hint='Add it with nlp.add_pipe("disco2"), or leave it out.',
        )
    return found
