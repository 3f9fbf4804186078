"""The same counts for compiled code, which does each step itself: run uncompiled, its steps are Python's."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest

from tests.conftest import ROOT

for package in ("numba", "scipy"):
    pytest.importorskip(package)

AT_MOST = 2.02
DOUBLED = {
    "pairs": [{"pairs": pairs, "words": 15, "mentions": 5} for pairs in (4, 8)],
    "words": [{"words": words, "mentions": 10} for words in (125, 250)],
    "mentions": [{"words": 100, "mentions": mentions} for mentions in (50, 100)],
    "chains": [{"words": 100, "mentions": mentions, "chains": mentions} for mentions in (50, 100)],
}
# In a process of its own, since numba asks once whether it is to compile.
COUNT = """
import json, sys
import numpy as np
from disco2.data.batch import collate
from disco2.model import ModelSettings
from disco2.model.compiled import CompiledComposer
from disco2.model.network import backward, forward
from tests.model.test_cost import K, a_model
from tests.operations import array_work, python_steps
from tests.shapes import shaped_examples

settings = ModelSettings(K=K)

def training_step(parameters, vectors, batch):
    done = forward(settings, parameters, vectors, batch, composer=CompiledComposer())
    backward(settings, parameters, batch, done, np.ones_like(done.scores))

found = {}
for doubled, sizes in json.loads(sys.argv[1]).items():
    for shape in ("balanced", "rightward"):
        counts = found[f"{doubled}, {shape}"] = []
        for size in sizes:
            given = (*a_model(), collate(shaped_examples(shape=shape, **size)))
            steps = python_steps(lambda: training_step(*given))
            counts.append([steps, array_work(training_step, *given).products])
print(json.dumps(found))
"""


def test_steps_and_products() -> None:
    done = subprocess.run(
        [sys.executable, "-c", COUNT, json.dumps(DOUBLED)],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert len(found) == len(DOUBLED) * 2
    for name, counts in found.items():
        for small, large in pairwise(counts):
            assert large[0] <= AT_MOST * small[0], (name, counts)
            assert large[1] <= AT_MOST * small[1], (name, counts)
            assert small[1] > 0
