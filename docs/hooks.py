"""What MkDocs takes from the package itself: the JSON Schema, to be downloaded."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

SCHEMA = "src/disco2/inference/predictions.schema.json"


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    root = Path(config.config_file_path).parent
    files.append(File.generated(config, "reference/predictions.schema.json", abs_src_path=str(root / SCHEMA)))
    return files
