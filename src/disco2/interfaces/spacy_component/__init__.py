"""The spaCy component: ``nlp.add_pipe("disco2")`` gives documents ``doc._.discourse_relations``.

    import spacy

    nlp = spacy.load("en_core_web_sm")  # or spacy.blank("en")
    nlp.add_pipe("disco2")
    doc = nlp("Bob gave Tina the burger. She was hungry.")
    for relation in doc._.discourse_relations:
        print(relation.sense, relation.probability, relation.arg1, relation.arg2, relation.entities)

Tokens, sentences, tags and dependencies are the pipeline's own; constituents are benepar's, and chains those
of span groups ``coref_clusters_...`` or of coreferee, where the pipeline has them. What it lacks is made by
the built-in English annotators on the document's own tokens, so it works on a blank pipeline, too. Nothing
else of a document is changed: those of a blank pipeline still have no sentences of their own.

spaCy imports this module whenever a pipeline is made, so it imports next to nothing.
"""

# No postponed annotations here: spaCy checks settings against the types it finds at run time.
from typing import TYPE_CHECKING, Any

from spacy.language import Language
from spacy.tokens import Doc

if TYPE_CHECKING:
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe

FACTORY = "disco2"
EXTENSION = "discourse_relations"
DEFAULTS: dict[str, Any] = {
    "model": None,  # the name of a shipped model, or the folder of another; the default one where None
    "paragraphs": "blank",  # end at a blank line, at every "line" end, or at "none"
    "coref_prefix": "coref_clusters",  # span groups called coref_clusters_1 and so on are chains
    "constituents": "auto",  # benepar's where there are some; or "built-in", or "benepar" alone
    "kinds": "",  # of relations, such as "Explicit,Implicit"; all but NoRel where empty
    "between_only": False,  # neighbouring sentences alone: no search for connectives and clauses
}


def _discourse_relations(doc: Doc) -> list[Any]:
    from disco2.interfaces.spacy_component.relations import relations_of

    return list(relations_of(doc))


if not Doc.has_extension(EXTENSION):
    Doc.set_extension(EXTENSION, getter=_discourse_relations)


@Language.factory(
    FACTORY, default_config=DEFAULTS, assigns=[f"doc._.{EXTENSION}"], requires=[], retokenizes=False
)
def make_disco2(
    nlp: Language,
    name: str,
    model: str | None,
    paragraphs: str,
    coref_prefix: str,
    constituents: str,
    kinds: str,
    between_only: bool,
) -> "Disco2Pipe":
    """The component for a pipeline; settings that make no sense raise SettingsError.

    The model is loaded when the first document comes, so that a pipeline that was saved with a model of its
    own needs the ``model`` it once came from no more.
    """
    from disco2.interfaces.spacy_component.pipe import Disco2Pipe, Disco2Settings, check_language

    check_language(nlp, model=model)
    settings = Disco2Settings(
        paragraphs=paragraphs,
        coref_prefix=coref_prefix,
        constituents=constituents,
        kinds=kinds,
        between_only=between_only,
    )
    meta = nlp.meta
    return Disco2Pipe(
        name, settings, model=model, pipeline=f"spaCy {meta['lang']}_{meta['name']} {meta['version']}"
    )
