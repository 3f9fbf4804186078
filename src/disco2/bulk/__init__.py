"""Relations of a whole corpus: files in shards, shards on many workers, a folder that says what is in it."""

from disco2.bulk.folder import ERRORS
from disco2.bulk.job import Job
from disco2.bulk.run import BulkSummary, predict_files
from disco2.bulk.settings import FORMATS, JSONL, MOST_BYTES, SHARD_DOCUMENTS, BulkSettings
from disco2.bulk.standing import Standing as BulkProgress

__all__ = [
    "ERRORS",
    "FORMATS",
    "JSONL",
    "MOST_BYTES",
    "SHARD_DOCUMENTS",
    "BulkProgress",
    "BulkSettings",
    "BulkSummary",
    "Job",
    "predict_files",
]
