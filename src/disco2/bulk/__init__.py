"""Relations of a whole corpus: files in shards, shards on many workers, a folder that says what is in it."""

from disco2.bulk.run import BulkSummary, predict_files
from disco2.bulk.settings import FORMATS, BulkSettings
from disco2.bulk.standing import Standing

__all__ = ["FORMATS", "BulkSettings", "BulkSummary", "Standing", "predict_files"]
