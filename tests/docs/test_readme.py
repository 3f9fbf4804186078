"""The README shows what its first command prints."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys

from tests.conftest import ROOT

NUMBER = re.compile(r"\d+\.\d+(?=%)")


def test_the_first_example_prints_what_is_shown() -> None:
    block = re.search(
        r"```\n\$ (disco2 .*)\n((?:.*\n)+?)```", (ROOT / "README.md").read_text(encoding="utf-8")
    )
    assert block is not None
    command, shown = block[1], block[2]
    arguments = shlex.split(command)[1:]
    run = subprocess.run(
        [sys.executable, "-m", "disco2", *arguments], capture_output=True, text=True, check=True
    )
    assert NUMBER.sub("#", run.stdout.strip()) == NUMBER.sub("#", shown.strip())
    for printed, written in zip(NUMBER.findall(run.stdout), NUMBER.findall(shown), strict=True):
        assert abs(float(printed) - float(written)) < 1  # processors differ in the last digits


def test_linked_files_exist() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []
