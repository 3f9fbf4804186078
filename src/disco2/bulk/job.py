"""Everything that the output depends on besides the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators
from disco2.annotation.cache import fingerprint
from disco2.bundle.manifest import digest
from disco2.errors import InputError, MissingExtraError
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.exports import BRAT, CONLL16, DISRPT
from disco2.inference.pipeline import Pipeline
from disco2.inference.plain_text import check_encoding
from disco2.inference.prediction import SCHEMA, RelationChoice, check_min_probability
from disco2.parser.parser import DiscourseParser
from disco2.version import VERSION

JSONL, PARQUET, CSV = "jsonl", "parquet", "csv"
ARCHIVES = (CONLL16, DISRPT, BRAT)  # formats of other programs: a shard is a zip file with a folder in it
FORMATS = (JSONL, PARQUET, CSV, *ARCHIVES)
SHARD_DOCUMENTS = 500  # some seconds of work
MOST_BYTES = 5_000_000  # a very long novel
MOST_SECONDS = 900  # several times what MOST_BYTES take
KEY_DIGITS = 32  # of a shard's name


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkSettings:
    """What is written, how it is split into shards, and the limits of one document."""

    format: str = JSONL
    paragraphs: str = "blank"
    kinds: tuple[str, ...] = RelationChoice().kinds
    between_only: bool = False
    min_probability: float = 0.0
    explain: bool = False
    encoding: str = "utf-8"
    shard_documents: int = SHARD_DOCUMENTS  # on average, if they are short
    most_bytes: int = MOST_BYTES
    most_seconds: float = MOST_SECONDS
    most_memory: int = 0  # megabytes of a worker process; 0: no limit

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise InputError(f"Unknown format '{self.format}'.", hint=f"Choose one of: {', '.join(FORMATS)}.")
        if self.paragraphs not in PARAGRAPH_BREAKS:
            raise InputError(
                f"Unknown paragraph mode '{self.paragraphs}'.",
                hint=f"Choose one of: {', '.join(PARAGRAPH_BREAKS)}.",
            )
        least = {"shard_documents": 1, "most_bytes": 1, "most_seconds": 0.1, "most_memory": 0}
        for name, number in least.items():
            if not getattr(self, name) >= number:
                option = f"--{name.replace('_', '-')}"
                raise InputError(f"{option} is {getattr(self, name)}.", hint=f"Give {number} or more.")
        check_min_probability(self.min_probability)
        check_encoding(self.encoding)

    @property
    def suffix(self) -> str:
        """The suffix of a shard's file, without its dot."""
        return "zip" if self.format in ARCHIVES else self.format

    @property
    def choice(self) -> RelationChoice:
        """Which relations are written."""
        return RelationChoice(self.kinds, self.between_only, self.min_probability)


@dataclass(frozen=True, slots=True)
class Job:
    """The same job on the same documents writes the same bytes."""

    settings: BulkSettings
    model: str  # digest of its bundle
    annotators: str  # their names, which include their weights
    makers: str  # hash of their weights and code
    packages: dict[str, str]
    parser: str  # hash of the discourse parser
    prior: Mapping[str, float] | str | None = None  # of labels, if the user expects others than in training

    @classmethod
    def of(
        cls,
        settings: BulkSettings,
        *,
        model: str,
        annotators: Annotators,
        prior: Mapping[str, float] | str | None = None,
    ) -> Job:
        """The job of these settings; MissingExtraError if the format's package is not installed."""
        makers = fingerprint(annotators, ALL_LAYERS)
        return cls(
            settings,
            model=model,
            annotators=annotators.name,
            makers=sha256(makers.encode()).hexdigest() if makers else "",
            packages=_packages(settings),
            parser=DiscourseParser.load().digest,
            prior=prior,
        )

    def to_json(self) -> dict[str, Any]:
        content = asdict(self)
        settings = content.pop("settings") | {"kinds": list(self.settings.kinds)}  # as JSON gives it back
        return {"disco2": VERSION, "schema": SCHEMA, **content, **settings}

    def shard_key(self, documents: Iterable[tuple[bytes, str]]) -> str:
        """The name of a shard: a hash of the job and of its documents' names and contents."""
        total = sha256(digest(self.to_json()).encode())
        for name, identity in documents:
            for part in (name, identity.encode("utf-8", "surrogateescape")):
                total.update(b"%d\n" % len(part))
                total.update(part)
        return total.hexdigest()[:KEY_DIGITS]

    def check_worker(self, pipeline: Pipeline) -> None:
        """Raise InputError if a worker has another model or other packages than the job."""
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


def import_pyarrow() -> Any:
    """The package; MissingExtraError if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Parquet") from None
    return pyarrow


def _packages(settings: BulkSettings) -> dict[str, str]:
    """Versions of packages on which last digits or bytes depend."""
    found = {name: _version(name) for name in ("numba", "numpy", "spacy", "thinc")}
    if settings.format == PARQUET:
        found["pyarrow"] = str(import_pyarrow().__version__)
    return found


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""
