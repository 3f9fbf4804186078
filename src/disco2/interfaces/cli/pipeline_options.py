"""Options that choose who annotates a text and which model judges it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from disco2.annotation.annotator import Annotators
from disco2.inference.loading import load
from disco2.inference.pipeline import Pipeline
from disco2.interfaces.cli.annotator_options import AnnotatorOptions
from disco2.interfaces.cli.grouped_options import takes
from disco2.interfaces.cli.options import Model
from disco2.interfaces.cli.prior_option import PriorOption
from disco2.model.prior import Shares


@dataclass(frozen=True)
class PipelineOptions(AnnotatorOptions):
    """The same, the model, and the shares of senses that are expected."""

    model: Model = None
    prior: PriorOption = None

    @property
    def shares(self) -> Shares | None:
        """What --prior says."""
        return None if self.prior is None else self.prior.shares

    @contextmanager
    def loaded(self, *, annotators: bool = True) -> Iterator[Pipeline]:
        """The pipeline; programs that it started end with it. A document that has its layers needs none."""
        if not annotators:
            yield load(self.model, annotators=Annotators([]), prior=self.shares)
            return
        with self.open() as chosen:
            yield load(self.model, annotators=chosen, prior=self.shares)


takes_pipeline = takes(PipelineOptions, "pipeline")
