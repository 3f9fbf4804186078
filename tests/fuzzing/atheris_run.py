"""The coverage-guided fuzzer: ``python -m tests.fuzzing.atheris_run TARGET [FOLDER] [-runs=N ...]``.

FOLDER keeps the inputs that took new branches, from which the next run continues; default: a temporary one.
All options that begin with a dash are libFuzzer's: ``-runs=100000``, ``-max_total_time=80``. After a fault it
writes the input to ``crash-...`` in the current folder (``-artifact_prefix=FOLDER/`` changes that), and ends
with exit code 77. Give such a file in place of FOLDER to try it again.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path


def main() -> None:
    import atheris

    # What a reader calls elsewhere says little about an input, and numba compiles no instrumented code.
    readers = ["annotation", "bundle", "corpora", "data", "inference", "settings", "vectors"]
    readers.append("model.encoder_model")
    with atheris.instrument_imports(include=[f"disco2.{name}" for name in readers]):
        from tests.fuzzing.target import all_targets, hold

        targets = all_targets()
    program, name, *rest = sys.argv
    if name not in targets:
        raise SystemExit(f"There is no target {name}. There are: {', '.join(targets)}")
    target = targets[name]
    with tempfile.TemporaryDirectory(prefix="disco2-fuzzing-") as seeds:
        for number, seed in enumerate(target.seeds):
            Path(seeds, f"seed-{number:02}").write_bytes(seed)
        flags = [one for one in rest if one.startswith("-")]
        places = [one for one in rest if not one.startswith("-")] or [tempfile.mkdtemp()]
        corpus = [] if Path(places[0]).is_file() else [seeds]
        atheris.Setup(
            [program, "-timeout=120", "-rss_limit_mb=2048", *flags, *places, *corpus],
            lambda content: hold(target, content),
        )
        atheris.Fuzz()


if __name__ == "__main__":
    main()
