"""What a user can choose about a run over a corpus. All of it is part of what makes two runs the same."""

from __future__ import annotations

from dataclasses import dataclass

from disco2.errors import InputError
from disco2.inference.candidates import PARAGRAPH_BREAKS
from disco2.inference.exports import BRAT, CONLL16, DISRPT
from disco2.inference.plain_text import check_encoding
from disco2.inference.prediction import RelationChoice

JSONL, PARQUET, CSV = "jsonl", "parquet", "csv"
ARCHIVES = (CONLL16, DISRPT, BRAT)  # forms of other programs: a shard is a zip file with a folder in it
FORMATS = (JSONL, PARQUET, CSV, *ARCHIVES)
SHARD_DOCUMENTS = 500  # some seconds of work
MOST_BYTES = 5_000_000  # a very long novel


@dataclass(frozen=True, slots=True, kw_only=True)
class BulkSettings:
    """What is written, and how it is cut into shards."""

    format: str = JSONL
    paragraphs: str = "blank"
    kinds: tuple[str, ...] = RelationChoice().kinds
    between_only: bool = False
    explain: bool = False
    encoding: str = "utf-8"
    shard_documents: int = SHARD_DOCUMENTS  # on average, where they are short
    most_bytes: int = MOST_BYTES  # of one document

    def __post_init__(self) -> None:
        if self.format not in FORMATS:
            raise InputError(f"There is no format '{self.format}'.", hint=f"Choose {', '.join(FORMATS)}.")
        if self.paragraphs not in PARAGRAPH_BREAKS:
            raise InputError(
                f"There are no paragraphs '{self.paragraphs}'.",
                hint=f"Use one of: {', '.join(PARAGRAPH_BREAKS)}.",
            )
        if self.shard_documents < 1:
            raise InputError(f"A shard can't have {self.shard_documents} documents.", hint="Give 1 or more.")
        if self.most_bytes < 1:
            raise InputError(
                f"A document can't have at most {self.most_bytes} bytes.", hint="Give 1 or more."
            )
        check_encoding(self.encoding)

    @property
    def ending(self) -> str:
        """That of a shard's file."""
        return "zip" if self.format in ARCHIVES else self.format

    @property
    def choice(self) -> RelationChoice:
        """Which relations are written."""
        return RelationChoice(self.kinds, self.between_only)
