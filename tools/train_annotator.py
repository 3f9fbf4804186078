"""Train the built-in English annotator on GUM, or measure annotators against GUM's gold layers.

    python -m tools.train_annotator --gum DIR --output DIR [--only syntax,constituents,coreference]
    python -m tools.train_annotator --gum DIR --evaluate [--part dev|test] [--spacy NAME]

Training the constituents needs PyTorch (extra ``train``). Everything random is fixed.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, AnnotatorChoice, Annotators, Layer, Layers
from disco2.annotation.english.annotators import COMPONENTS, english_annotators
from disco2.corpora.catalogue import read_corpus, with_automatic_layers
from disco2.data import Corpus, Document, Relation, RelationKind
from disco2.data.tree import MentionIndexes, aligned_pairs
from disco2.experiments.parser import documents_of
from disco2.files import HIDDEN_LIST, check_folder_place
from tools.annotator.constituents import compare_trees, train_constituents
from tools.annotator.coreference import coreference_scores, train_coreference
from tools.annotator.scores import BracketEvaluation, Score, syntax_scores
from tools.annotator.syntax import parsed_text, train_syntax

# The sample on which the paper's parser was measured.
SAMPLE, LONGEST = 600, 60
SYNTAX = frozenset({Layer.TAGS, Layer.DEPENDENCIES})


def train_annotators(
    corpus: Corpus, folder: Path, *, components: Collection[str] = tuple(COMPONENTS)
) -> None:
    """Train the components in order, over gold tokens, and score each on the automatic layers before it.

    Coreference also learns from those. The parser learns from gold tags, which its training disturbs: the
    tagger's own on its training part are too good to be true. A component that is not trained is taken from
    ``folder``, where it must be already.
    """
    for component in components:
        check_folder_place(folder / component, HIDDEN_LIST, force=True)
    training, development = documents_of(corpus, "train"), documents_of(corpus, "dev")
    if "syntax" in components:
        train_syntax(training, development, folder / "syntax")
    if not {"constituents", "coreference"} & set(components):
        return
    parsed, parsed_development = _annotated(folder, SYNTAX, training, development)
    if "constituents" in components:
        train_constituents(training, parsed_development, folder / "constituents")
    if "coreference" in components:
        parts = _annotated(folder, frozenset({Layer.CONSTITUENTS}), parsed, parsed_development)
        train_coreference(*parts, folder / "coreference")


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
        syntax = syntax_scores(
            [parsed_text(document) for document in documents.values()],
            [parsed_text(document) for document in automatic.documents.values()],
        )
        found[name] = {
            "syntax": asdict(syntax),
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


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    options.add_argument("--gum", type=Path, required=True, help="folder of a checkout of GUM")
    options.add_argument("--output", type=Path, help="folder to train the components into")
    options.add_argument("--only", default=",".join(COMPONENTS), help="components; the others must be there")
    options.add_argument("--evaluate", action="store_true", help="measure, and print JSON")
    options.add_argument("--part", choices=("train", "dev", "test"), default="dev")
    options.add_argument("--spacy", default="", help="measure an installed spaCy pipeline")
    given = options.parse_args()
    components = [name for name in COMPONENTS if name in given.only.split(",")]
    if given.evaluate == bool(given.output) or len(components) != len(given.only.split(",")):
        options.error(f"give --output or --evaluate; --only names some of: {', '.join(COMPONENTS)}")
    corpus = read_corpus("gum", given.gum)
    if given.output:
        train_annotators(corpus, given.output, components=components)
        return
    with AnnotatorChoice(spacy=given.spacy).open() as annotators:
        print(json.dumps(annotator_quality(corpus, annotators, part=given.part), indent=2))


if __name__ == "__main__":
    main()
