"""Options that choose who annotates a text and which model judges it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from disco2.annotation.annotator import Annotators
from disco2.inference.loading import load
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.cli.annotator_options import AnnotatorOptions
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.options import path_option


@dataclass(frozen=True)
class PipelineOptions(AnnotatorOptions):
    """The same, and the model."""

    bundle: Annotated[
        Path | None, path_option(help="Folder of a trained model. Default: the English one that ships.")
    ] = None

    @contextmanager
    def loaded(self, *, annotators: bool = True) -> Iterator[Pipeline]:
        """The pipeline; programs that it started end with it. A document that has its layers needs none."""
        if not annotators:
            yield load(self.bundle, annotators=Annotators([]))
            return
        with self.open() as chosen:
            yield load(self.bundle, annotators=chosen)


takes_pipeline = takes(PipelineOptions, "pipeline")
