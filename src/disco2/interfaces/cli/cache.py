"""disco2 cache: what is kept of annotated texts, and a way to be rid of it."""

from __future__ import annotations

from disco2.annotation.cache import CacheSummary, cache_summary, clear_cache
from disco2.interfaces.cli.console import print_json, results
from disco2.interfaces.cli.options import AsJson


def cache_info(as_json: AsJson = False) -> None:
    """Where the cache is and how much it holds: texts that were annotated for training, with their layers."""
    found = cache_summary()
    if as_json:
        print_json(
            {
                "path": str(found.path),
                "documents": found.documents,
                "bytes": found.bytes,
                "most_bytes": found.most_bytes,
                "trouble": found.trouble,
            }
        )
        return
    results.print(_described(found), markup=False)
    if found.trouble:
        results.print(f"It can't be read: {found.trouble}. Remove it with: disco2 cache clear", markup=False)


def cache_clear() -> None:
    """Remove the cache; the next command that needs layers makes them again."""
    results.print(f"removed: {_described(clear_cache())}", markup=False)


def _described(found: CacheSummary) -> str:
    size, most = found.bytes / 1e6, found.most_bytes / 1e6
    return f"{found.path}: {found.documents} documents, {size:.1f} of at most {most:.0f} MB"
