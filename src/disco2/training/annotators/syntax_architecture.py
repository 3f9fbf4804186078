"""The shape of the pipeline that is trained for tokens, tags and dependencies, as spaCy's configuration."""

from __future__ import annotations

from typing import Any

WIDTH = 96


def pipeline_config(*, width: int = WIDTH) -> dict[str, Any]:
    """Sentence starts have a small encoder of their own; tags and dependencies share a larger one.

    Both encoders are convolutions over hashed words, prefixes, suffixes and shapes (Miranda et al. 2022) and
    the shipped word vectors.
    """
    return {
        "nlp": {"lang": "en", "pipeline": ["senter", "tok2vec", "tagger", "parser"]},
        "components": {
            "senter": {"factory": "senter", "model": _labels(_sentence_encoder())},
            "tok2vec": {"factory": "tok2vec", "model": _encoder(width)},
            "tagger": {"factory": "tagger", "model": _labels(_listener(width))},
            "parser": {"factory": "parser", "model": _transitions(width), "min_action_freq": 10},
        },
    }


def _encoder(width: int) -> dict[str, Any]:
    attributes = {"NORM": 5000, "PREFIX": 1000, "SUFFIX": 2500, "SHAPE": 2500}
    return _convolutions(attributes, width=width, depth=4)


def _sentence_encoder() -> dict[str, Any]:
    attributes = {"NORM": 2000, "PREFIX": 1000, "SUFFIX": 1000, "SHAPE": 1000, "SPACY": 50}
    return _convolutions(attributes, width=32, depth=3)


def _convolutions(attributes: dict[str, int], *, width: int, depth: int) -> dict[str, Any]:
    """``attributes``: what is hashed, and into how many rows."""
    return {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": width,
            "attrs": list(attributes),
            "rows": list(attributes.values()),
            "include_static_vectors": True,
        },
        "encode": {
            "@architectures": "spacy.MaxoutWindowEncoder.v2",
            "width": width,
            "depth": depth,
            "window_size": 1,
            "maxout_pieces": 3,
        },
    }


def _listener(width: int) -> dict[str, Any]:
    return {"@architectures": "spacy.Tok2VecListener.v1", "width": width}


def _labels(encoder: dict[str, Any]) -> dict[str, Any]:
    return {"@architectures": "spacy.Tagger.v2", "tok2vec": encoder}


def _transitions(width: int) -> dict[str, Any]:
    return {
        "@architectures": "spacy.TransitionBasedParser.v2",
        "state_type": "parser",
        "extra_state_tokens": False,
        "hidden_width": width,
        "maxout_pieces": 2,
        "use_upper": True,
        "tok2vec": _listener(width),
    }
