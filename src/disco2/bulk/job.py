"""Everything that the output depends on besides the documents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from hashlib import sha256
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

from disco2.annotation.annotator import ALL_LAYERS, Annotators
from disco2.annotation.cache import fingerprint
from disco2.bundle.folder import digest
from disco2.errors import InputError, MissingExtraError
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.exports import BRAT, CONLL16, DISRPT
from disco2.inference.pipeline import Pipeline
from disco2.inference.plain_text import check_encoding
from disco2.inference.prediction import SCHEMA, RelationChoice, check_min_probability
from disco2.parser.parser import DiscourseParser
from disco2.settings import Settings, setting
from disco2.version import VERSION

JSONL, PARQUET, CSV = "jsonl", "parquet", "csv"
ARCHIVES = (CONLL16, DISRPT, BRAT)  # formats of other programs: a shard is a zip file with a folder in it
FORMATS = (JSONL, PARQUET, CSV, *ARCHIVES)
SHARD_DOCUMENTS = 500  # some seconds of work
MOST_BYTES = 5_000_000  # a very long novel
MOST_SECONDS = 900.0  # several times what MOST_BYTES take
KEY_DIGITS = 32  # of a shard's name


@dataclass(frozen=True, kw_only=True)
class BulkSettings(Settings):
    """What is written, how it is split into shards, and the limits of one document."""

    format: str = setting(JSONL, "Format of the shards.", choices=FORMATS)
    paragraphs: str = setting("blank", "What ends a paragraph.", choices=tuple(PARAGRAPH_BREAKS))
    kinds: tuple[str, ...] = setting(RelationChoice().kinds, "Kinds of relations.")
    between_only: bool = setting(False, "Only relations of two sentences.")
    min_probability: float = setting(0.0, "Least probability of a relation.")
    explain: bool = setting(False, "Split each score into its terms.")
    encoding: str = setting("utf-8", "Encoding of the documents.")
    shard_documents: int = setting(SHARD_DOCUMENTS, "Short documents of a shard, on average.", minimum=1)
    most_bytes: int = setting(MOST_BYTES, "Largest document, in bytes.", minimum=1)
    most_seconds: float = setting(MOST_SECONDS, "Most seconds for a document.", minimum=0.1)
    most_memory: int = setting(0, "Most megabytes of a worker process; 0: no limit.", minimum=0)

    def __post_init__(self) -> None:
        super().__post_init__()
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
    packages: dict[str, str]  # versions of those on which last digits or bytes depend
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
        here = replace(
            self,
            model=pipeline.info.digest,
            annotators=pipeline.annotators.name,
            packages=_packages(self.settings),
            parser=pipeline.parser.digest,
        )
        if other := [one.name for one in fields(Job) if getattr(here, one.name) != getattr(self, one.name)]:
            what = f"A worker has other {' and '.join(other)} than the command."
            raise InputError(what, hint="Give all machines the same installation and the same model.")


def _packages(settings: BulkSettings) -> dict[str, str]:
    names = ("numba", "numpy", "spacy", "thinc")
    found = {name: version(name) if find_spec(name) else "" for name in names}
    return found | ({"pyarrow": str(import_pyarrow().__version__)} if settings.format == PARQUET else {})


def import_pyarrow() -> Any:
    """The package; MissingExtraError if it is not installed."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("pyarrow", "parquet", "Parquet") from None
    return pyarrow
