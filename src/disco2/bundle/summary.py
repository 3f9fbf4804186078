"""Model cards, and a summary of each shipped model."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from disco2.data import WITHOUT_SENSE
from disco2.shipped import DEFAULT, MODELS, find_model, shipped_names

if TYPE_CHECKING:
    from disco2.bundle.folder import Manifest

FACTS = {  # in a card -> in the manifest's data
    "Corpus": "corpus",
    "Training relations": "training_relations",
    "Development relations": "development_relations",
    "Protocol": "protocol",
    "Word vectors": "vectors",
    "Licence": "licence",
}


def model_card(manifest: Manifest) -> str:
    """The card as Markdown, from what the manifest records."""
    data, figures, counts = manifest.data, manifest.figures, manifest.label_counts
    made = data.get("automatic_layers")
    layers = f"{', '.join(made)} by {data.get('annotators')}" if made else "the corpus's own"
    lines = [
        "# A disco2 model for implicit discourse relations",
        "",
        f"Model: {_model(manifest)}, written by disco2 {manifest.version}.",
        "",
        "## Data",
        "",
        *(f"- {what}: {data.get(name, 'not recorded')}" for what, name in FACTS.items()),
        *(f"  - {texts}" for texts in data.get("licences_of_texts", ())),
        *(f"- {note}" for note in data.get("notes", ())),
        f"- Layers: {layers}",
        *(
            f"- Further training relations: {one['training_relations']} of {one['corpus']} "
            f"'{one.get('name', '')}' (part {one['part']}, protocol {one['protocol']}), "
            f"weight {one['weight']:g}; licence: {one['licence']}"
            for one in data.get("further", ())
        ),
        "",
        "## Labels",
        "",
        *(
            f"- {label}: {counts[label]} training relations" if label in counts else f"- {label}"
            for label in manifest.labels
        ),
        "",
        "## Figures",
        "",
        *(
            f"- {name.replace('_', ' ')}: {f'{value:.4f}' if isinstance(value, float) else value}"
            for name, value in figures.items()
        ),
        "" if figures else "None recorded.\n",
        "## Limits",
        "",
        *(f"- {limit}" for limit in _limits(manifest)),
        "",
    ]
    return "\n".join(lines)


def _model(manifest: Manifest) -> str:
    if manifest.is_encoder:
        bits = "8-bit weights" if manifest.configuration.get("encoder", {}).get("int8") else "32-bit weights"
        features = " with surface features" if manifest.model.get("features") else ""
        pieces = f"at most {manifest.model['pieces']} word pieces a pair"
        return f"a fine-tuned transformer encoder{features}, {bits}, {pieces}"
    said = f"{manifest.model['kind']}, K = {manifest.model['K']}"
    members, surface = manifest.model.get("members", 1), manifest.model.get("surface_members", 0)
    if members + surface == 1:
        return said
    of_features = f", and {surface} of surface features alone," if surface else ""
    return f"{said}, {members} members{of_features} with seeds of their own whose scores are averaged"


def _limits(manifest: Manifest) -> list[str]:
    choice = "The arguments must be given, and it never answers that there is no relation."
    if others := [label for label in manifest.labels if label in WITHOUT_SENSE]:
        choice = (
            f"In running text it judges neighbouring sentences and may answer {' or '.join(others)}; for "
            "arguments that are given it chooses among the senses."
        )
    known = "It was trained on pairs without a connective; of pairs that have one it knows nothing."
    if manifest.is_encoder:
        features = ", and surface features of their clauses" if manifest.model.get("features") else ""
        known = f"It reads two texts{features}; it does not know who is who in them."
        if manifest.model.get("entity_size"):
            known = f"It reads two texts, the roles of people and things that both mention{features}."
    return [
        choice,
        known,
        "Rare senses are hardly ever its answer: see the figures by sense of `disco2 evaluate`.",
        "Expect such accuracy on text like its training data, and less on other text.",
    ]


NOTES = "models.toml"
_MEASURED = re.compile(r"test accuracy, (.+) \((\d+)\)")  # figures of a manifest: on what, how many relations


@dataclass(frozen=True, slots=True)
class Accuracy:
    """The share of right answers on the test part."""

    measured_on: str
    relations: int
    accuracy: float

    @property
    def measure(self) -> str:
        """The same for models that were measured alike."""
        return f"{self.measured_on} ({self.relations})"


@dataclass(frozen=True, slots=True)
class ModelSummary:
    """A shipped model: everything but ``what`` and ``sentences_a_second`` is from its folder and manifest."""

    name: str
    what: str
    default: bool
    kind: str
    labels: list[str]
    bytes: int  # of its folder; word vectors and annotators that models share are apart
    sentences_a_second: float | None  # from raw text, on one core; None if it was not measured
    corpus: str  # several with commas between them
    training_relations: int
    automatic_layers: bool
    licence: str
    accuracy: list[Accuracy]
    digest: str


def summarise_shipped() -> list[ModelSummary]:
    """All shipped models, the default first."""
    notes = read_notes()
    return [_summarise(name, notes.get(name, {})) for name in shipped_names()]


def read_notes() -> dict[str, dict[str, Any]]:
    """The content of ``models.toml``, by the names of models."""
    return tomllib.loads((MODELS / NOTES).read_text(encoding="utf-8"))


def _summarise(name: str, notes: dict[str, Any]) -> ModelSummary:
    from disco2.bundle.folder import read_manifest  # late: it imports this module for the card

    folder = find_model(name)
    manifest = read_manifest(folder)
    data = manifest.data
    corpora = [data, *data.get("further", ())]
    measured = ((_MEASURED.fullmatch(figure), value) for figure, value in manifest.figures.items())
    return ModelSummary(
        name=name,
        what=notes.get("what", ""),
        default=name == DEFAULT,
        kind=str(manifest.model.get("kind", "")),
        labels=manifest.labels,
        bytes=sum(file.stat().st_size for file in folder.iterdir()),
        sentences_a_second=notes.get("sentences_a_second"),
        corpus=", ".join(dict.fromkeys(str(one.get("corpus", "")) for one in corpora)),
        training_relations=sum(int(one.get("training_relations", 0)) for one in corpora),
        automatic_layers=bool(data.get("automatic_layers")),
        licence=str(data.get("licence", "not recorded")),
        accuracy=[Accuracy(found[1], int(found[2]), value) for found, value in measured if found],
        digest=str(manifest.to_json()["digest"]),
    )
