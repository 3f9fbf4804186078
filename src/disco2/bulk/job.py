"""What everything in the output depends on beside the documents; and names that follow from both."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators
from disco2.annotation.cache import fingerprint
from disco2.bulk.parquet_shard import pyarrow
from disco2.bulk.settings import PARQUET, BulkSettings
from disco2.bundle.manifest import digest
from disco2.errors import InputError
from disco2.inference.pipeline import Pipeline
from disco2.inference.results import SCHEMA
from disco2.parser.parser import shipped_digest
from disco2.version import VERSION

DIGITS = 32  # of a shard's name


@dataclass(frozen=True, slots=True)
class Job:
    """The same job on the same documents writes the same bytes."""

    settings: BulkSettings
    model: str  # the digest of its bundle
    annotators: str  # their names, which tell weights apart
    makers: str  # hash of their weights, code, and what computes for them
    packages: dict[str, str]
    parser: str  # hash of the parser that finds connectives and clauses
    prior: Mapping[str, float] | str | None = (
        None  # of labels, where a user expects others than those of training
    )

    @classmethod
    def of(
        cls,
        settings: BulkSettings,
        *,
        model: str,
        annotators: Annotators,
        prior: Mapping[str, float] | str | None = None,
    ) -> Job:
        """The job of these; nothing but what must be is loaded for it. MissingExtraError for a format."""
        makers = fingerprint(annotators, ALL_LAYERS)
        return cls(
            settings,
            model=model,
            annotators=annotators.name,
            makers=sha256(makers.encode()).hexdigest() if makers else "",
            packages=_packages(settings),
            parser=shipped_digest(),
            prior=prior,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "disco2": VERSION,
            "schema": SCHEMA,
            "model": self.model,
            "annotators": self.annotators,
            "makers": self.makers,
            "packages": self.packages,
            "parser": self.parser,
            "prior": self.prior,
            **asdict(self.settings),
            "kinds": list(self.settings.kinds),  # as JSON gives it back
        }

    @property
    def digest(self) -> str:
        return digest(self.to_json())

    def shard_key(self, documents: Iterable[tuple[bytes, str]]) -> str:
        """The name of a shard, from the names of its documents and what tells their contents apart."""
        total = sha256(self.digest.encode())
        for name, identity in documents:
            for part in (name, identity.encode("utf-8", "surrogateescape")):
                total.update(b"%d\n" % len(part))
                total.update(part)
        return total.hexdigest()[:DIGITS]

    def check_worker(self, pipeline: Pipeline) -> None:
        """Raise InputError where a worker has not what the job was planned with."""
        found = {
            "model": (pipeline.info.digest, self.model),
            "parser": (pipeline.parser.digest, self.parser),
            "annotators": (pipeline.annotators.name, self.annotators),
            "packages": (str(_packages(self.settings)), str(self.packages)),
        }
        for name, (here, planned) in found.items():
            if here != planned:
                raise InputError(
                    f"A worker has other {name} than the command: {here}, not {planned}.",
                    hint="Give all machines the same installation and the same model.",
                )


def _packages(settings: BulkSettings) -> dict[str, str]:
    """Versions of packages on which last digits or bytes depend."""
    found = {name: _version(name) for name in ("numba", "numpy", "spacy", "thinc")}
    if settings.format == PARQUET:
        found["pyarrow"] = str(pyarrow().__version__)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
