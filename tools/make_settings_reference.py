"""Write docs/reference/settings.md: every setting with its default, as ``--print-config`` has it.

python tools/make_settings_reference.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from disco2.corpora.tasks import DataSettings
from disco2.experiments.configuration import Configuration, commented_toml
from disco2.training.encoder import StagePlan

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "settings.md"
OPENING = """\
# Settings

The settings of `disco2 train`, `tune` and `experiment`. `disco2 train --print-config` prints all of them as a
TOML file. Pass a file with some of them with `--config my.toml`, and a single one with `--set model.K=50`.
Later values override earlier ones: defaults, then the file, then options such as `--kind` and `--set`.
"""
DATA = """\
Several corpora in one training: a table `[[data]]` for each, in the configuration of `disco2 train`. The
first is the main corpus, unless `--corpus` names it: it has the labels, the dev and the test part. The others
add training relations whose labels are among these; `task.labels` may name labels of theirs. A relation of
theirs that shares a sentence of eight or more words with the dev or test part of any of the corpora is left
out, and counted. [DiscoGeM](../how-to/discogem.md#with-another-corpus) has an example.
"""
STAGE = """\
The training of an encoder in stages: a table `[[stage]]` for each. Its `data` name tables of `[[data]]` and
`own`, the training part of the main corpus. Without one, there is one stage with everything.
`examples/english.toml` has three.
"""
SECTIONS = {
    "task": "The labels and the split.",
    "vectors": "Where word vectors come from.",
    "features": "The surface features.",
    "model": "The decision function.",
    "training": "How it learns.",
    "encoder": "How an encoder is fine-tuned, where `model.kind` is `encoder`.",
    "entities": "How its entity term is fitted, where `model.entity_size` is not 0.",
}


_TABLE = ["| setting | default | what it is |", "| --- | --- | --- |"]


def settings_page() -> str:
    lines = [OPENING.rstrip("\n")]
    for section, rows in _sections(commented_toml(Configuration())):
        lines += ["", f"## {section}", "", SECTIONS[section], ""]
        lines += _TABLE
        lines += [
            f"| `{section}.{name}` | `{default}` | {_cell(comment)} |" for name, default, comment in rows
        ]
    for name, said, table in (("data", DATA, DataSettings), ("stage", STAGE, StagePlan)):
        lines += ["", f"## {name}", "", said, *_TABLE]
        lines += [
            f"| `{name}.{one.name}` | `{json.dumps(one.default)}` | {_cell(one.metadata['doc'])} |"
            for one in fields(table)
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
