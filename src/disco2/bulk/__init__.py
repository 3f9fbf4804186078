"""Relations of a whole corpus: files in shards, shards on many workers, a folder with a manifest."""

from disco2.bulk.job import (
    FORMATS,
    JSONL,
    MOST_BYTES,
    MOST_SECONDS,
    SHARD_DOCUMENTS,
    BulkSettings,
    Job,
)
from disco2.bulk.output import ERRORS
from disco2.bulk.run import BulkProgress, predict_files

__all__ = [
    "ERRORS",
    "FORMATS",
    "JSONL",
    "MOST_BYTES",
    "MOST_SECONDS",
    "SHARD_DOCUMENTS",
    "BulkProgress",
    "BulkSettings",
    "Job",
    "predict_files",
]
