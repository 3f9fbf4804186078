"""How fast is it? Every figure beside its floor or a reference, in one run.

    python -m benchmarks [--quick] [--gum DIR] [--json FILE]

Ratios are the figures: product and reference run in the same process and the same minute, in turns, best of
several repeats. Rates and memory are for orientation. One thread, float32, K = 50, training in batches of 64,
scoring in batches of 1,024. With DISCO2_COMPILED=0 in the environment the NumPy kernels are measured.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.speed.encoder import measure_encoder
from benchmarks.speed.measure import Row, Run, as_json, describe_machine, say, sentence, table
from benchmarks.speed.model import (
    FIRST_STEP,
    FLOOR,
    MIDWAY,
    ONE_PASS,
    RECURSIVE,
    SCORING,
    STEP,
    measure_scoring,
    measure_training,
)
from benchmarks.speed.whole import measure_cold_start, measure_loading, measure_reading
from disco2.errors import Disco2Error, InputError
from disco2.files import check_file_place, write_text
from disco2.threads import limit_this_process
from tests.numba_cache import use_cache_of_this_source

Measure = Callable[[Run], list[Row]]

QUICK: tuple[Measure, ...] = (
    measure_training,  # beside its matrix products, the recursive implementation
    measure_scoring,  # beside its matrix products
)
FURTHER: tuple[Measure, ...] = (
    measure_reading,  # GUM; beside a bare split of its files
    measure_loading,  # the shipped model; beside reading and hashing its bytes
    measure_encoder,  # of the default model; beside 32 bits, PyTorch, its matrix products
    measure_cold_start,  # import and first prediction; beside Python, NumPy, spaCy alone
)

# The ratios at the top of the JSON file: the row, and what it stands beside.
KEYS = {
    "training_to_floor": (STEP, FLOOR),
    "scoring_to_floor": (SCORING, FLOOR),
    "training_to_recursive": (FIRST_STEP, RECURSIVE),
    "training_to_recursive_midway": (MIDWAY, RECURSIVE),
    "training_to_recursive_one_pass": (MIDWAY, ONE_PASS),
}


def measure(run: Run) -> dict[str, Any]:
    """All rows, and the ratios of ``KEYS``."""
    rows: list[Row] = []
    for measurement in QUICK if run.quick else QUICK + FURTHER:
        say(measurement.__name__.replace("_", " "))
        rows += measurement(run)
    by_name = {row.name: row for row in rows}
    return {
        **{key: by_name[name].ratio(beside) for key, (name, beside) in KEYS.items()},
        "machine": describe_machine(),
        "settings": run.settings,
        "rows": [as_json(row) for row in rows],
        "table": table(rows),
    }


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="only the ratios of steps, within a minute")
    parser.add_argument("--gum", type=Path, metavar="DIR", help="a checkout of GUM, to be measured as well")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there")
    given = parser.parse_args(arguments)
    limit_this_process(everything=True)
    use_cache_of_this_source()  # so that what is measured is what stands here
    run = Run(quick=given.quick, gum_folder=given.gum)
    try:
        _check(given)
        found = measure(run)
        print(sentence(found["machine"]))
        print(f"\n{found.pop('table')}\n")
        print("\n".join(f"{key}: {found[key]:.3g}" for key in KEYS))
        if given.json:
            write_text(given.json, [json.dumps(found, indent=2), "\n"])
    except Disco2Error as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


def _check(given: argparse.Namespace) -> None:
    """Raise InputError for a path that can't be used, before the long work."""
    if given.json:
        check_file_place(given.json)
    if given.gum and not (given.gum / "rst" / "gdtb").is_dir():
        raise InputError(
            "There is no GUM corpus.",
            where=str(given.gum),
            hint="Give the folder of a checkout of the GUM repository, or leave out --gum.",
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
