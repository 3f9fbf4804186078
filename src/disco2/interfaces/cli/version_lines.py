"""What disco2 --version prints: the program, its default model, and what they run on.

It reads the model's manifest and nothing else, without the packages that load a model: it has to be quick,
and to work where they are what is broken.
"""

from __future__ import annotations

import hashlib
import json
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from disco2.shipped import DEFAULT, MANIFEST, MODELS
from disco2.version import VERSION

SHORT = 8  # digits of a hash that tell models apart

_DAMAGED = "damaged ({}); see: disco2 doctor"


def version_lines(folder: Path = MODELS / DEFAULT) -> list[str]:
    """The program's version, the model's, its annotators', and those of what they run on."""
    return [f"disco2 {VERSION}", *_model_lines(folder), f"running on: {_surroundings()}"]


def _model_lines(folder: Path) -> list[str]:
    try:
        content = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        recorded = content.pop("digest")
        found = manifest_digest(content)
        if recorded != found:
            return [f"model: {_DAMAGED.format('its manifest is not what it was')}"]
        data = content.get("data", {})
        return [
            f"model: {data.get('name') or folder.resolve().name}, digest {found[:SHORT]}, "
            f"format {content['format']}, {len(content['labels'])} labels, trained on {data['corpus']} "
            f"({data['training_relations']} relations) by disco2 {content['version']}",
            f"annotators: {data.get('annotators') or 'not recorded'}",
        ]
    except FileNotFoundError:
        return ["model: missing; see: disco2 doctor"]
    except OSError as error:
        return [f"model: unreadable ({error.strerror}); see: disco2 doctor"]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return [f"model: {_DAMAGED.format('its manifest makes no sense')}"]


def manifest_digest(content: dict[str, Any]) -> str:
    """The same as ``bundle.layout.digest``, which comes with everything that a bundle needs."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()


def _surroundings() -> str:
    packages = [f"{name} {_version(name)}" for name in ("numpy", "spacy")]
    system = f"{platform.system()} {platform.machine()}"
    return f"{', '.join([f'Python {platform.python_version()}', *packages])}, {system}"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "missing"
