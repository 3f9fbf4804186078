"""A driver in a process of its own, to be interrupted or killed: ``driver DIARY ENGINE [ADDRESS]``."""

from __future__ import annotations

import sys
from pathlib import Path

from disco2.engines import DaskEngine, Engine, LocalEngine, Task
from tests.engines.works import Diary, Squares


def main() -> None:
    path, name, *address = sys.argv[1:]
    engine: Engine = LocalEngine(1) if name == "local" else DaskEngine(1, *address)
    try:
        with engine.session(Squares(Diary(Path(path)), seconds=0.5)) as session:
            for outcome in session.run(Task(str(number), number) for number in range(10_000)):
                print(outcome.result, flush=True)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
