"""Discourse relations as features: tell the genres of GUM apart, five-fold, beside a bag of words.

    python examples/genres.py GUM_FOLDER        # a few minutes

A document becomes the share of each kind and sense among its relations (`Explicit Contingency.Cause`,
`EntRel EntRel` ...). The model `en-fast` was trained on relations of GUM, but has never seen a genre.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer

import disco2
from disco2.corpora.gum import read_gum


def discourse_features(relations: list[disco2.Prediction]) -> dict[str, float]:
    """The share of each kind and sense among the relations of a text."""
    counts = Counter(f"{one.kind} {one.sense}" for one in relations)
    return {name: count / len(relations) for name, count in counts.items()}


def texts(documents: list[tuple[str, dict[str, float]]]) -> list[str]:
    return [text for text, _ in documents]


def shares(documents: list[tuple[str, dict[str, float]]]) -> list[dict[str, float]]:
    return [features for _, features in documents]


def main(folder: Path) -> None:
    corpus = read_gum(folder)
    nlp = disco2.load("en-fast")
    names = list(corpus.documents)
    found = nlp.pipe(corpus.documents[name].text for name in names)
    X = [
        (corpus.documents[name].text, discourse_features(one)) for name, one in zip(names, found, strict=True)
    ]
    y = [name.split("_")[1] for name in names]  # GUM_academic_art

    words = make_pipeline(FunctionTransformer(texts), TfidfVectorizer(sublinear_tf=True, min_df=2))
    relations = make_pipeline(FunctionTransformer(shares), DictVectorizer(sparse=False))
    folds = StratifiedKFold(5, shuffle=True, random_state=1)
    most, count = Counter(y).most_common(1)[0]
    print(f"{len(y)} documents, {len(set(y))} genres, most common: {most} {count / len(y):.1%}")
    for name, features in (
        ("bag of words (TF-IDF)", words),
        ("discourse relations", relations),
        ("both", make_union(words, relations)),
    ):
        accuracy = cross_val_score(
            make_pipeline(features, LogisticRegression(C=100, max_iter=5000)), X, y, cv=folds
        )
        print(f"{name:22} {accuracy.mean():.1%} ± {accuracy.std():.1%}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
