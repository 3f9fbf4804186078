"""The model card: what a person should know before using a model."""

from __future__ import annotations

from typing import Any

from disco2.bundle.layout import Manifest

UNKNOWN = "not recorded"


def model_card(manifest: Manifest) -> str:
    """The card as Markdown, from what the manifest records."""
    data, figures = manifest.data, manifest.figures
    lines = [
        "# A disco2 model for implicit discourse relations",
        "",
        f"Model: {manifest.model['kind']}, K = {manifest.model['K']}, written by disco2 {manifest.version}.",
        "",
        "## Data",
        "",
        f"- Corpus: {data.get('corpus', UNKNOWN)}",
        f"- Training relations: {data.get('training_relations', UNKNOWN)}",
        f"- Development relations: {data.get('development_relations', UNKNOWN)}",
        f"- Protocol: {data.get('protocol', UNKNOWN)}",
        f"- Word vectors: {data.get('vectors', UNKNOWN)}",
        f"- Licence: {data.get('licence', UNKNOWN)}",
        "",
        "## Labels",
        "",
        *(f"- {label}" for label in manifest.labels),
        "",
        "## Figures",
        "",
        *(f"- {name.replace('_', ' ')}: {_figure(value)}" for name, value in figures.items()),
        "" if figures else "None recorded.\n",
        "## Limits",
        "",
        "- The arguments must be given; the model does not look for them.",
        "- It chooses among the labels above and never answers that there is no relation.",
        "- Expect such accuracy on text like its training data, and less on other text.",
        "",
    ]
    return "\n".join(lines)


def _figure(value: Any) -> str:
    return f"{value:.4f}" if isinstance(value, float) else str(value)
