"""The paper's own settings, and in words where a configuration differs from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from disco2.experiments.configuration import Configuration, assignments

# The same as examples/paper.toml, which users have.
PAPERS_SETTINGS: Mapping[str, Any] = {
    "vectors.source": "word2vec",
    "model.K": 50,
    "model.pairs": "sum",
    "training.averaging": 0.0,
    "training.warm_start": 3,
    "training.rate_upward": 0.01,
    "training.rate_downward": 0.01,
    "training.rate_features": 0.01,
    "training.rate_classification": 0.01,
    "training.rate_entities": 0.01,
    "training.lambda_upward": 0.02,
    "training.lambda_downward": 0.02,
    "training.lambda_features": 0.0002,
    "training.lambda_classification": 0.002,
    "training.lambda_entities": 0.002,
}
PAIRS = {
    "mean": "mention pairs averaged",
    "link-mean": "mention pairs averaged over each chain",
    "root": "mention pairs divided by the root of their number",
}
# No part of what a model is: which one of a table it is, what it is asked, and its luck.
ASIDE = ("task.", "model.kind", "model.features", "training.seed")
# In these two, examples/paper.toml is not as printed; ``said_differences`` speaks of them.
NOT_AS_PRINTED = ("model.initialisation", "training.stop_by")
STEPS = ("training.rate_", "training.lambda_")


def differences(configuration: Configuration) -> list[str]:
    """Where settings differ from the paper's own, each in a few words; the rest by name and value."""
    papers = assignments(Configuration().changed(PAPERS_SETTINGS))
    different = {
        name: value
        for name, value in assignments(configuration).items()
        if value != papers[name] and not name.startswith((*ASIDE, *NOT_AS_PRINTED))
    }
    found = list(_in_words(configuration, different))
    told = ("vectors.source", "model.K", "model.pairs", "training.averaging", "training.warm_start", *STEPS)
    return found + [f"{name} = {value}" for name, value in different.items() if not name.startswith(told)]


def said_differences(configuration: Configuration) -> str:
    """One sentence, for the words of a table."""
    more = []
    if configuration.model.initialisation == "random":
        more.append("the low-rank factors start at small random numbers")
    if configuration.training.stop_by != "score":
        more.append("training stops by the development loss")
    also = " and ".join(more)
    if found := ", ".join(differences(configuration)):
        return f"Not as in the paper (examples/paper.toml has its settings): {found}{also and '; ' + also}."
    return f"The settings are the paper's (examples/paper.toml){also and ', but ' + also}."


def _in_words(configuration: Configuration, different: Mapping[str, Any]) -> Iterator[str]:
    model, training = configuration.model, configuration.training
    source = {"word2vec": "", "shipped": "GloVe"}.get(configuration.vectors.source, "word vectors of a file")
    if source:
        yield f"{source} in {model.K} dimensions"
    elif "model.K" in different:
        yield f"{model.K} dimensions"
    if model.pairs in PAIRS:
        yield PAIRS[model.pairs]
    if training.averaging:
        yield "a running mean of the parameters"
    if "training.warm_start" in different:
        passes = f"{training.warm_start} passes of" if training.warm_start else "no"
        yield f"{passes} warm start"
    own = [
        what
        for what in ("rate", "regulariser")
        if _of(training, what, "entities") != _of(training, what, "classification")
    ]
    if own:
        yield f"B with a {' and a '.join(own)} of its own"
    if any(name.startswith(STEPS) for name in different):
        yield "other learning rates and regularisers"


def _of(training: Any, what: str, group: str) -> float:
    values: dict[str, float] = training.rates() if what == "rate" else training.regularisers()
    return values[group]
