"""The model of a component, wherever it is: shipped, in a folder, or in the bytes of a saved pipeline."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from disco2.annotation.annotator import Annotator
from disco2.bundle.layout import HASHED, MANIFEST
from disco2.bundle.load import read_manifest
from disco2.bundle.reading import unverified_bytes
from disco2.errors import BundleError
from disco2.inference.loading import SHIPPED, load
from disco2.inference.pipeline import Pipeline
from disco2.version import VERSION

CONFIGURATION, FOLDER = "cfg.json", "bundle"
FILES = (MANIFEST, *HASHED)


@dataclass(frozen=True)
class ModelSource:
    """A folder, or files in memory; with neither, the model that ships with the package."""

    folder: Path | None = None
    files: dict[str, bytes] | None = None
    name: str = ""  # what the model was called before it was copied

    @property
    def is_shipped(self) -> bool:
        return self.folder is None and self.files is None

    def open(self, annotators: Annotator) -> Pipeline:
        """The model as a pipeline, verified; BundleError where it is missing or damaged."""
        if self.files is None:
            pipeline = load(self.folder, annotators=annotators)
        else:
            with TemporaryDirectory() as scratch:
                for name, content in self.files.items():
                    (Path(scratch) / name).write_bytes(content)
                pipeline = load(scratch, annotators=annotators)
        if self.name:
            pipeline.info = replace(pipeline.info, name=self.name)
        return pipeline

    def digest(self) -> str:
        """What tells the model from others, read off its manifest alone."""
        if self.files is None:
            return str(read_manifest(SHIPPED if self.folder is None else self.folder).to_json()["digest"])
        return str(json.loads(self.files[MANIFEST])["digest"])

    def content(self) -> dict[str, bytes]:
        """The files of a model that is not the shipped one."""
        if self.files is not None or self.folder is None:
            return self.files or {}
        try:
            found = {name: unverified_bytes(self.folder, name) for name in FILES}
            return {name: content for name, content in found.items() if content is not None}
        except OSError as error:
            raise BundleError(f"The model can't be read: {error}.", where=str(self.folder)) from error

    def description(self, *, name: str) -> dict[str, Any]:
        """What a saved pipeline says about it."""
        kind = "shipped" if self.is_shipped else "own"
        return {"model": kind, "name": name, "digest": self.digest(), "disco2": VERSION}


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
    source = ModelSource(files=known, name=str(said.get("name", ""))) if kind == "own" else ModelSource()
    try:
        digest = source.digest()
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise BundleError("The model of the saved pipeline is damaged.", where=where, hint=_AGAIN) from error
    if digest != said.get("digest"):
        raise BundleError(
            f"The pipeline was saved with the model '{said.get('name')}' of disco2 {said.get('disco2')}, and "
            "what is there now is another one.",
            where=where,
            hint=f"Install disco2 {said.get('disco2')}, or add the component anew with the model of today.",
        )
    return source


_AGAIN = "Save the pipeline again with nlp.to_disk."
