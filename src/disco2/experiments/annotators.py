"""Train the built-in annotators on a corpus with all gold layers, and measure any annotators against it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators, Layer, Layers
from disco2.annotation.english.annotators import COMPONENTS, english_annotators
from disco2.corpora.catalogue import with_automatic_layers
from disco2.data import Corpus, Document, Relation, RelationKind
from disco2.data.tree import MentionIndexes, aligned_pairs
from disco2.errors import CorpusError
from disco2.evaluation.coreference import Score
from disco2.evaluation.layers import BracketEvaluation, syntax_scores
from disco2.files import FORCE, HIDDEN_LIST, check_folder_place, other_files
from disco2.training.annotators.constituents import compare_trees, train_constituents
from disco2.training.annotators.coreference import coreference_scores, train_coreference
from disco2.training.annotators.syntax import parsed_text, train_syntax

# The sample on which the paper's parser was measured: see `trees` below.
SAMPLE, LONGEST = 600, 60
SYNTAX = frozenset({Layer.TAGS, Layer.DEPENDENCIES})


def train_annotators(
    corpus: Corpus,
    folder: Path,
    *,
    components: Collection[str] = tuple(COMPONENTS),
    seed: int = 1,
    progress: Callable[[str], None] = lambda line: None,
    force: bool = False,
) -> None:
    """Train the components in order, over gold tokens, and score each on the automatic layers before it.

    Coreference also learns from those. The parser learns from gold tags, which its training disturbs: the
    tagger's own on its training part are too good to be true. A component that is not trained is taken from
    ``folder``, where it must be already. ``files.check_folder_place`` says what else may be there.
    """
    _check_target(folder, components, force=force)
    training, development = documents_of(corpus, "train"), documents_of(corpus, "dev")

    def options(component: str) -> dict[str, Any]:
        return {"seed": seed, "progress": lambda line: progress(f"{component}: {line}"), "force": force}

    if "syntax" in components:
        train_syntax(training, development, folder / "syntax", **options("syntax"))
    if not {"constituents", "coreference"} & set(components):
        return
    parsed, parsed_development = _annotated(folder, SYNTAX, training, development)
    if "constituents" in components:
        train_constituents(training, parsed_development, folder / "constituents", **options("constituents"))
    if "coreference" in components:
        parts = _annotated(folder, COMPONENTS["constituents"], parsed, parsed_development)
        train_coreference(*parts, folder / "coreference", **options("coreference"))


def _check_target(folder: Path, components: Collection[str], *, force: bool) -> None:
    """Refuse to replace anything but components, before any work is done."""
    names = {file.name for file in folder.iterdir()} if folder.is_dir() else set()
    scratch = tuple(f".{name}-" for name in COMPONENTS)  # of killed commands
    others = {name for name in names.difference(COMPONENTS) if not name.startswith(scratch)}
    if others and not force:
        raise other_files(folder, others, hint=FORCE)
    for component in components:
        check_folder_place(folder / component, HIDDEN_LIST, force=force)


def _annotated(
    folder: Path, layers: Layers, training: Sequence[Document], development: Sequence[Document]
) -> tuple[list[Document], list[Document]]:
    """Both parts with layers from the components in a folder."""
    annotators = Annotators(english_annotators(folder, layers=layers))
    return annotators.annotate(training, layers=layers), annotators.annotate(development, layers=layers)


def annotator_quality(corpus: Corpus, annotators: Annotators, *, part: str) -> dict[str, Any]:
    """Every figure of annotators against the gold layers of one part.

    ``raw_text`` is with everything automatic; ``gold_tokens`` keeps the corpus's tokens and sentences, and
    each layer is made on the automatic ones before it.
    """
    documents = {document.id: document for document in documents_of(corpus, part)}
    relations = tuple(one for one in corpus.relations if one.document in documents)
    chosen = replace(corpus, documents=documents, relations=relations)
    on_raw = with_automatic_layers(chosen, annotators, ALL_LAYERS)
    on_gold = with_automatic_layers(chosen, annotators, ALL_LAYERS - {Layer.TOKENS})
    kept = {relation.id for relation in on_raw.relations}
    found: dict[str, Any] = {"annotators": annotators.name, "part": part, "documents": len(documents)}
    for name, automatic in (("raw_text", on_raw), ("gold_tokens", on_gold)):
        found[name] = {
            "syntax": asdict(
                syntax_scores(
                    [parsed_text(document) for document in documents.values()],
                    [parsed_text(document) for document in automatic.documents.values()],
                )
            ),
            "coreference": coreference_quality(
                documents,
                automatic.documents,
                [relation for relation in relations if relation.id in kept],
                [relation for relation in automatic.relations if relation.id in kept],
            ),
        }
    trees = list(documents.values()), list(on_gold.documents.values())
    found["gold_tokens"]["trees"] = {
        "all": _brackets(compare_trees(*trees)),
        "sample": _brackets(compare_trees(*trees, most=SAMPLE, longest=LONGEST)),
    }
    return found


def documents_of(corpus: Corpus, part: str) -> list[Document]:
    """The documents of one part of a corpus, in its order."""
    found = [document for name, document in corpus.documents.items() if corpus.parts.get(name) == part]
    if not found:
        raise CorpusError(f"The corpus has no part '{part}'.", where=corpus.name)
    return found


def _brackets(figures: BracketEvaluation) -> dict[str, Any]:
    return {
        "labelled_f1": figures.labelled.f1,
        "labelled_precision": figures.labelled.precision,
        "labelled_recall": figures.labelled.recall,
        "unlabelled_f1": figures.unlabelled.f1,
        "sentences": figures.sentences,
        "exact": figures.exact,
    }


def coreference_quality(
    gold: Mapping[str, Document],
    automatic: Mapping[str, Document],
    relations: Sequence[Relation],
    automatic_relations: Sequence[Relation],
) -> dict[str, Any]:
    """Compare the mentions of documents with the same ids and texts, on the implicit relations among them.

    ``automatic_relations`` are the same relations, in the same order, on the automatic documents' tokens.
    """
    places, automatic_places = MentionIndexes(), MentionIndexes()
    heads: list[tuple[set[Any], set[Any]]] = []  # pairs of mentions, gold and found, by their heads
    for relation, other in zip(relations, automatic_relations, strict=True):
        if relation.kind is RelationKind.IMPLICIT:
            right, found = gold[relation.document], automatic[relation.document]
            gold_pairs = aligned_pairs(right, relation, places.of(right))
            heads.append((gold_pairs, aligned_pairs(found, other, automatic_places.of(found))))
    chains = coreference_scores(list(gold.values()), [automatic[name] for name in gold])
    common = sum(len(right & found) for right, found in heads)
    wanted, given = (sum(map(len, sides)) for sides in zip(*heads, strict=True)) if heads else (0, 0)
    pairs = Score(common, wanted, common, given)
    shares = {
        "gold": [bool(right) for right, _ in heads],
        "automatic": [bool(found) for _, found in heads],
        "both": [bool(right and found) for right, found in heads],
    }
    measures = ("mentions", "muc", "b_cubed", "ceaf")
    return {
        "chains": {**{name: _figures(getattr(chains, name)) for name in measures}, "mean": chains.mean},
        "aligned_pairs": {**_figures(pairs), "gold": wanted, "automatic": given},
        "relations": len(heads),
        "shared_entities": {name: sum(some) / len(some) if some else 0.0 for name, some in shares.items()},
    }


def _figures(score: Score) -> dict[str, float]:
    return {"precision": score.precision, "recall": score.recall, "f1": score.f1}
