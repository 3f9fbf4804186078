"""The model of a component, wherever it is: shipped, in a folder, or in the bytes of a saved pipeline."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from disco2.annotation.annotator import Annotator
from disco2.bundle.manifest import EVERY_FILE, unverified_bytes
from disco2.errors import BundleError
from disco2.inference.loading import load, model_digest
from disco2.inference.pipeline import Pipeline
from disco2.shipped import MANIFEST, find_model, is_shipped, shipped_names
from disco2.version import VERSION

CONFIGURATION, FOLDER = "cfg.json", "bundle"
FILES = (MANIFEST, *EVERY_FILE)


@dataclass(frozen=True)
class ModelSource:
    """A model as ``disco2.load`` takes it, or files in memory."""

    model: str | None = None
    files: dict[str, bytes] | None = None
    name: str = ""  # what the model was called before it was copied

    @property
    def is_shipped(self) -> bool:
        return self.files is None and is_shipped(find_model(self.model))

    def open(self, annotators: Annotator) -> Pipeline:
        """The model as a pipeline, verified; BundleError where it is missing or damaged."""
        if self.files is None:
            pipeline = load(self.model, annotators=annotators)
        else:
            with TemporaryDirectory() as scratch:
                for name, content in self.files.items():
                    (Path(scratch) / name).write_bytes(content)
                pipeline = load(Path(scratch), annotators=annotators)
        if self.name:
            pipeline.info = replace(pipeline.info, name=self.name)
        return pipeline

    def digest(self) -> str:
        """What tells the model from others, read off its manifest alone."""
        if self.files is None:
            return model_digest(self.model)
        return str(json.loads(self.files[MANIFEST])["digest"])

    def content(self) -> dict[str, bytes]:
        """The files of a model that does not ship."""
        if self.files is not None or self.is_shipped:
            return self.files or {}
        return read_files(find_model(self.model))

    def description(self, *, name: str) -> dict[str, Any]:
        """What a saved pipeline says about it."""
        kind = "shipped" if self.is_shipped else "own"
        return {"model": kind, "name": name, "digest": self.digest(), "disco2": VERSION}


def read_files(folder: Path) -> dict[str, bytes]:
    """The files of a model, those that are there."""
    try:
        found = {name: unverified_bytes(folder, name) for name in FILES}
    except OSError as error:
        raise BundleError(f"The model can't be read: {error}.", where=str(folder)) from error
    return {name: content for name, content in found.items() if content is not None}


def saved_source(said: Any, files: Any, *, where: str) -> ModelSource:
    """The model of a saved pipeline; BundleError where it is not the one it was saved with."""
    kind = said.get("model") if isinstance(said, dict) else None
    if kind not in ("shipped", "own"):
        raise BundleError("The saved pipeline does not say which model it has.", where=where, hint=_AGAIN)
    # No other name may reach the disk; and of a number, bytes() would make as many.
    found = {name: files.get(name) for name in FILES} if isinstance(files, dict) else {}
    known = {name: content for name, content in found.items() if isinstance(content, bytes)}
    if kind == "own" and MANIFEST not in known:
        raise BundleError("The saved pipeline has lost its model.", where=where, hint=_AGAIN)
    wanted = said.get("digest")
    if kind == "own":
        source = ModelSource(files=known, name=str(said.get("name", "")))
    else:  # by its digest: the default may have been another one then
        source = ModelSource(next((name for name in shipped_names() if _is(name, wanted)), None))
    try:
        digest = source.digest()
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BundleError("The model of the saved pipeline is damaged.", where=where, hint=_AGAIN) from error
    if digest != wanted:
        raise BundleError(
            f"The pipeline was saved with the model '{said.get('name')}' of disco2 {said.get('disco2')}, and "
            "what is there now is another one.",
            where=where,
            hint=f"Install disco2 {said.get('disco2')}, or add the component anew with the model of today.",
        )
    return source


def _is(name: str, digest: object) -> bool:
    """Whether that shipped model has the digest; a damaged one has none."""
    with suppress(BundleError):
        return model_digest(name) == digest
    return False


_AGAIN = "Save the pipeline again with nlp.to_disk."
