"""Write docs/reference/settings.md: every setting with its default, as ``--print-config`` has it.

python tools/make_settings_reference.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from disco2.experiments.configuration import Configuration, commented_toml

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "settings.md"
OPENING = """\
# Settings

What `disco2 train`, `tune` and `experiment` can be told. `disco2 train --print-config` prints all of it as a
TOML file; a file with some of them is given with `--config my.toml`, a single one with `--set model.K=50`.
What is told later wins: defaults, then the file, then options such as `--model` and `--set`.
"""
SECTIONS = {
    "task": "What is to be told apart.",
    "vectors": "Where word vectors come from.",
    "features": "Which surface features there are.",
    "model": "The decision function.",
    "training": "How it learns.",
}


def settings_page() -> str:
    lines = [OPENING.rstrip("\n")]
    for section, rows in _sections(commented_toml(Configuration())):
        lines += ["", f"## {section}", "", SECTIONS[section], ""]
        lines += ["| setting | default | what it is |", "| --- | --- | --- |"]
        lines += [
            f"| `{section}.{name}` | `{default}` | {_cell(comment)} |" for name, default, comment in rows
        ]
    return "\n".join(lines) + "\n"


def _sections(toml: str) -> Iterator[tuple[str, list[tuple[str, str, str]]]]:
    for block in re.split(r"^\[(?=\w+\]$)", toml, flags=re.MULTILINE)[1:]:
        section, _, body = block.partition("]\n")
        rows = re.findall(r"^# (.*)\n(\w+) = (.*)$", body, flags=re.MULTILINE)
        yield section, [(name, default, comment) for comment, name, default in rows]


def _cell(comment: str) -> str:
    return comment.replace("|", "\\|").replace("<", "&lt;")


if __name__ == "__main__":
    PAGE.write_text(settings_page(), encoding="utf-8")
