"""All examinations, one after the other, so that a listing can show each section when it is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from disco2.interfaces.doctor.annotators import annotators
from disco2.interfaces.doctor.arithmetic import arithmetic
from disco2.interfaces.doctor.extras import extras
from disco2.interfaces.doctor.findings import Finding
from disco2.interfaces.doctor.model import model
from disco2.interfaces.doctor.places import places
from disco2.interfaces.doctor.self_test import SelfTest
from disco2.interfaces.doctor.server_test import server
from disco2.interfaces.doctor.surroundings import surroundings
from disco2.interfaces.doctor.training_test import training

SELF_TEST = "self-test"


def examination(folder: Path, *, quick: bool = False) -> dict[str, Callable[[], list[Finding]]]:
    """By the name of each section, what carries it out. ``quick`` leaves the self-test out."""
    examinations: dict[str, Callable[[], list[Finding]]] = {
        "installation": surroundings,
        "extras": extras,
        "arithmetic": arithmetic,
        "model": lambda: model(folder),
        "annotators": lambda: annotators(folder),
        "places": places,
    }
    if not quick:
        examinations[SELF_TEST] = lambda: _self_test(folder)
    return examinations


def _self_test(folder: Path) -> list[Finding]:
    test = SelfTest(folder)
    found = test.findings()
    return [*found, *training(), *server(test.pipeline)]
