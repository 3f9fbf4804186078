"""The best settings as a file that --config reads."""

from __future__ import annotations

from pathlib import Path

from disco2.experiments.configuration import commented_toml
from disco2.experiments.tuning.trials import COMPLETE, PRUNED
from disco2.experiments.tuning.tune import Tuned
from disco2.files import write_text


def best_toml(tuned: Tuned) -> str:
    """All settings with comments, behind a note on where they come from."""
    best, seeds = tuned.best, tuned.seeds
    judged = "the dev part" if tuned.development == "dev" else "a random share of the training relations"
    varied = ", ".join(f"{name} {value:.4g}" for name, value in best.values.items())
    note = [
        f"Tuned on {tuned.corpus} (protocol {tuned.protocol}), judged on {judged}.",
        f"Development {tuned.score_name} {100 * (best.score or 0):.2f}%, mean of the seeds"
        f" {seeds[0]} to {seeds[-1]}: trial {best.number}.",
        f"{tuned.count(COMPLETE, PRUNED)} trials in the space '{tuned.space.name}', {tuned.count(PRUNED)} of"
        f" them pruned; study {tuned.study}.",
        f"Varied: {varied}.",
    ]
    return "".join(f"# {line}\n" for line in note) + "\n" + commented_toml(tuned.configuration)


def write_best(tuned: Tuned, path: Path) -> None:
    write_text(path, [best_toml(tuned)])
