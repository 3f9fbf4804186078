"""What a user wants to know before choosing among the shipped models."""

from __future__ import annotations

import re
import tomllib
from dataclasses import asdict, dataclass
from typing import Any

from disco2.bundle.manifest import read_manifest
from disco2.errors import BundleError
from disco2.shipped import DEFAULT, MODELS, find_model, shipped_names

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
    sentences_a_second: float | None  # from raw text, on one core; None where nobody has measured
    corpus: str  # several with commas between them
    training_relations: int
    automatic_layers: bool
    licence: str
    accuracy: list[Accuracy]
    digest: str

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def summarise_shipped() -> list[ModelSummary]:
    """All shipped models, the default first."""
    notes = read_notes()
    return [_summarise(name, notes.get(name, {})) for name in shipped_names()]


def read_notes() -> dict[str, dict[str, Any]]:
    """The content of ``models.toml``, by the names of models."""
    file = MODELS / NOTES
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BundleError(
            f"The notes on the shipped models can't be read: {error}.",
            where=str(file),
            hint="Install disco2 again.",
        ) from error


def _summarise(name: str, notes: dict[str, Any]) -> ModelSummary:
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
