"""spaCy's pipeline for English as GUM annotates it: sentence starts, tags, dependencies.

spaCy is imported here: import this module only where a pipeline is made.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from spacy.language import BaseDefaults, Language
from spacy.util import load_config
from thinc.api import Config, use_ops

from disco2.annotation.english.tokenizer_rules import gum_tokenizer
from disco2.annotation.english.word_vectors_for_spacy import SpacyWordVectors
from disco2.vectors import WordVectors
from disco2.vectors.shipped import read_shipped

CONFIG_FILE = "config.cfg"
# What spaCy would like to read besides the components. The vocabulary would be a list of all words seen in
# training; the tokenizer's rules are code.
NOT_STORED = ("vocab", "tokenizer", "meta", "config")


class GumEnglish(Language):  # type: ignore[no-untyped-call]  # spaCy's __init_subclass__
    """English without spaCy's own rules, which take long to compile and which nobody asks here."""

    lang = "en"

    class Defaults(BaseDefaults):
        tokenizer_exceptions: dict[str, list[dict[Any, Any]]] = {}  # noqa: RUF012  as spaCy declares it
        prefixes = ()
        suffixes = ()
        infixes = ()


def make_pipeline(config: dict[str, Any], *, vectors: WordVectors | None = None) -> Language:
    """An untrained pipeline with GUM's tokens and the shipped word vectors, or these, where they were read.

    Its matrices are multiplied by NumPy, which is faster than the library that spaCy prefers.
    """
    with warnings.catch_warnings(), use_ops("numpy", use_blis=False):
        warnings.simplefilter("ignore")
        pipeline = GumEnglish.from_config(config)
    pipeline.tokenizer = gum_tokenizer(pipeline.vocab)
    pipeline.vocab.vectors = SpacyWordVectors(
        pipeline.vocab.strings, vectors if vectors is not None else read_shipped()
    )
    return pipeline


def read_pipeline(folder: Path, *, vectors: WordVectors | None = None) -> Language:
    """A trained pipeline from a folder with its configuration and all its components."""
    pipeline = make_pipeline(load_config(folder / CONFIG_FILE), vectors=vectors)
    pipeline.from_disk(folder, exclude=NOT_STORED)
    for name in pipeline.pipe_names:
        for label in getattr(pipeline.get_pipe(name), "labels", ()):
            pipeline.vocab.strings.add(label)
    return pipeline


def write_config(pipeline: Language, folder: Path) -> None:
    """Write the shape of a pipeline, without the settings of a training that spaCy's own command would do."""
    kept = {section: pipeline.config[section] for section in ("nlp", "components")}
    Config(kept).to_disk(folder / CONFIG_FILE)


def write_component(pipeline: Language, name: str, folder: Path) -> None:
    """Write the weights of one component, and nothing of the texts it was trained on."""
    component: Any = pipeline.get_pipe(name)
    component.to_disk(folder / name, exclude=["vocab"])
