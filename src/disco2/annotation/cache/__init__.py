"""Layers that were made once are kept, so that the same text need not be annotated again.

The cache is one SQLite file in the user's cache folder. It holds the user's texts, so nobody
else may read it. Whatever is wrong with it, annotating goes on without it.
"""

from disco2.annotation.cache.cached import CachedAnnotators
from disco2.annotation.cache.place import cache_file
from disco2.annotation.cache.store import LayerStore
from disco2.annotation.cache.summary import CacheSummary, cache_summary, clear_cache

__all__ = ["CacheSummary", "CachedAnnotators", "LayerStore", "cache_file", "cache_summary", "clear_cache"]
