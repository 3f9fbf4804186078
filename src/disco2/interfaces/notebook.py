"""Drawings of relations: ``disco2.render``, similar to spaCy's displacy.

    disco2.render(doc, pipeline=nlp)                    # a spaCy document that the component has seen
    disco2.render(disco2.load()(text), pipeline=nlp)    # what a pipeline of disco2's own answers

In a notebook the drawing is shown; elsewhere the result is a self-contained HTML page:
``Path("relations.html").write_text(disco2.render(doc, pipeline=nlp), encoding="utf-8")``.
"""

from __future__ import annotations

from collections.abc import Sequence
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

MOST_VIEWS = 25  # default number of relations whose trees are in a page: some 90 kB each

# In a notebook each drawing is a page in a frame of its own, so that several leave each other alone.
_FRAME = (
    '<iframe class="disco2" title="Discourse relations" srcdoc="{page}" width="100%" height="420" '
    'style="border: 0; display: block"></iframe>'
)
# The frame is as high as its page. It may not see its element; then it scrolls.
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
    answered about one text. ``pipeline`` is the one that it is from; a spaCy document can be drawn without
    it, but then without trees. Trees and the parts of scores are drawn for the first ``views`` relations.
    ``jupyter`` overrules the search for a notebook.
    """
    from spacy.tokens import Doc
    from spacy.util import is_in_jupyter

    if isinstance(what, Doc):
        page = _page_of_doc(what, pipeline, views)
    else:
        page = _page_of_answers([what] if isinstance(what, Prediction) else what, pipeline, views)
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
    from disco2.interfaces.spacy_component import stored
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

    said = stored(doc)
    if said is None:
        hint = 'Put it through a pipeline with the component: nlp.add_pipe("disco2")'
        raise InputError("There are no relations on this document.", hint=hint)
    ours = [one for _, one in getattr(pipeline, "components", ()) if isinstance(one, Disco2Pipe)]
    found = next((views for one in ours if (views := one.views(doc, limit=most)) is not None), None)
    note = ""
    if not ours:
        note = "For trees give the pipeline with the component disco2: disco2.render(doc, pipeline=nlp)."
    elif found is None:
        note = "There are no trees: the document was changed, or its relations are from another pipeline."
    return _page({**said, "document": "doc", "text": doc.text}, found, note=note)


def _page_of_answers(predictions: object, pipeline: object, most: int) -> str:
    if not isinstance(predictions, Sequence) or not all(isinstance(one, Prediction) for one in predictions):
        hint = "Give one spaCy document, or what a pipeline answered about one text."
        raise InputError(f"This can't be drawn: {type(predictions).__name__}.", hint=hint)
    if not isinstance(pipeline, Pipeline):
        hint = "Write disco2.render(relations, pipeline=nlp), where nlp = disco2.load()."
        raise InputError("The pipeline that gave these answers is needed to draw them.", hint=hint)
    documents = {id(one.source.document): one.source.document for one in predictions if one.source}
    if len(documents) != 1 or any(one.source is None or any(one.origins) for one in predictions):
        hint = "Give what nlp(text) answered, before it was stored; a pair of texts can't be drawn."
        raise InputError("These are not the answers about one text.", hint=hint)
    result = text_result(pipeline, next(iter(documents.values())), predictions)
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
