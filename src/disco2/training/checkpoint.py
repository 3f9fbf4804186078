"""The whole state of a training after a pass, as one file: what was interrupted goes on to the same end.

The file is in the safetensors format. Its metadata hold the numbers that are no arrays as JSON, and a hash of
everything, so that a damaged file is known for one.
"""

from __future__ import annotations

import hashlib
import json
import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from disco2.files import write_bytes
from disco2.model.parameters import Parameters
from disco2.training.history import Epoch, History

log = logging.getLogger(__name__)

FILE = "training.safetensors"


@dataclass(frozen=True, slots=True)
class TrainingState:
    """All that later passes depend on, and all that training returns at the end."""

    parameters: Parameters
    squares: Parameters  # AdaGrad's sums
    mean: Parameters  # the running mean; empty where none is kept
    best: Parameters
    steps: int  # of the running mean
    history: History
    generator: Mapping[str, Any]  # the state of the generator that orders the batches
    dropout: Mapping[str, Any]  # the state of the generator of masks; empty where there is no dropout
    finished: bool


_ARRAYS = ("parameters", "squares", "mean", "best")


class Checkpoint:
    """A place where a training leaves its state; making one touches no file.

    States are saved no more often than ``every_seconds``; with 0 after every pass. Finished ones stay, so
    that of several trainings in folders of their own the finished ones need not be repeated; ``remove`` them
    when their results are safe. ``note`` is told what becomes of a state that is found there (without it,
    the log is), and ``kept`` the last pass of every state that is safe.
    """

    def __init__(
        self,
        folder: Path,
        *,
        every_seconds: float = 5.0,
        note: Callable[[str], None] | None = None,
        kept: Callable[[int], None] = lambda passes: None,
    ) -> None:
        self.folder = folder
        self._every_seconds = every_seconds
        self._note = note
        self._kept = kept
        self._file = folder / FILE
        self._last = time.monotonic()

    def inside(self, name: str) -> Checkpoint:
        """One like this in a folder of this one, as for one of several trainings."""
        return Checkpoint(
            self.folder / name, every_seconds=self._every_seconds, note=self._note, kept=self._kept
        )

    def is_due(self) -> bool:
        """Whether enough time has gone by since the last state was saved."""
        return time.monotonic() - self._last >= self._every_seconds

    def save(self, state: TrainingState, *, identity: str) -> None:
        """Replace the state that is there. ``identity`` says which training it belongs to."""
        arrays = {
            f"{group}.{name}": np.ascontiguousarray(value)
            for group in _ARRAYS
            for name, value in getattr(state, group).items()
        }
        best = state.history.best
        facts = json.dumps(
            {
                "identity": identity,
                "steps": state.steps,
                "epochs": [asdict(epoch) for epoch in state.history.epochs],
                "seconds": state.history.seconds,
                "best_number": best.number if best else 0,
                "generator": state.generator,
                "dropout": state.dropout,
                "finished": state.finished,
            }
        )
        content = save(arrays, metadata={"facts": facts, "hash": _hash(facts, arrays)})
        write_bytes(self._file, content)
        self._last = time.monotonic()
        self._kept(len(state.history.epochs))

    def load(self, *, identity: str) -> TrainingState | None:
        """The saved state of this very training; None where there is none, or a damaged one."""
        try:
            with safe_open(self._file, framework="numpy") as file:
                metadata = file.metadata() or {}
                arrays = {name: np.array(file.get_tensor(name)) for name in file.keys()}  # noqa: SIM118
        except FileNotFoundError:
            return None
        except (OSError, SafetensorError, ValueError, TypeError) as error:
            self._say(f"{self._file}: the saved training can't be read and is ignored: {error}")
            return None
        facts = metadata.get("facts", "")
        if metadata.get("hash") != _hash(facts, arrays):
            self._say(f"{self._file}: the saved training is damaged and is ignored")
            return None
        content = json.loads(facts)
        if content["identity"] != identity:
            self._say(f"{self._file}: the saved training is another one and is ignored", level=logging.INFO)
            return None
        passes = len(content["epochs"])
        last = ", the last one" if content["finished"] else ""
        self._say(f"going on after pass {passes}{last} ({self.folder.name})", level=logging.INFO)
        self._kept(passes)
        return _state(content, arrays)

    def remove(self) -> None:
        """Take the state away, and its folder if nothing else is in it."""
        for file in (*self.folder.glob(f".{FILE}-*"), self._file):
            file.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _say(self, words: str, *, level: int = logging.WARNING) -> None:
        if self._note:
            self._note(words)
        else:
            log.log(level, "%s", words)


def _state(content: dict[str, Any], arrays: Parameters) -> TrainingState:
    groups: dict[str, Parameters] = {group: {} for group in _ARRAYS}
    for name, value in arrays.items():
        group, _, parameter = name.partition(".")
        groups[group][parameter] = value
    epochs = [Epoch(**epoch) for epoch in content["epochs"]]
    history = History(epochs, seconds=content.get("seconds", 0.0))
    if content["best_number"]:
        history.best = history.epochs[content["best_number"] - 1]
    return TrainingState(
        **groups,
        steps=content["steps"],
        history=history,
        generator=content["generator"],
        dropout=content["dropout"],
        finished=content["finished"],
    )


def _hash(facts: str, arrays: Parameters) -> str:
    found = hashlib.blake2b(facts.encode())
    for name in sorted(arrays):
        value = arrays[name]
        found.update(f"{name} {value.dtype.str} {value.shape}".encode())
        found.update(value.tobytes())
    return found.hexdigest()
