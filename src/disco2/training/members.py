"""The members of an ensemble, trained one after another on the same examples with seeds of their own.

Those that read the surface features alone come last and have a rate of their own: with the small steps that
suit beta beside a composition it would not arrive in as many passes.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from disco2.data.batch import Example
from disco2.model import ModelSettings, Parameters, initial_parameters
from disco2.model.arrays import Floats
from disco2.model.ensemble import stacked
from disco2.model.settings import MOST_MEMBERS
from disco2.model.surface_members import folded
from disco2.training.checkpoint import Checkpoint
from disco2.training.development import Development
from disco2.training.history import Epoch, History, Progress
from disco2.training.loop import train
from disco2.training.loss import LOSSES
from disco2.training.settings import TrainingSettings


def member_seeds(seed: int, members: int) -> list[int]:
    """A model alone has the seed itself; ensembles with different seeds share no seed of a member."""
    return [seed] if members == 1 else [seed * MOST_MEMBERS + member for member in range(members)]


def train_members(
    model: ModelSettings,
    vectors: Floats,
    examples: Sequence[Example],
    development: Development,
    settings: TrainingSettings,
    *,
    labels: int,
    features: int,
    progress: Progress = lambda epoch: None,
    checkpoint: Checkpoint | None = None,
) -> tuple[Parameters, list[History]]:
    """Parameters, and a history for each member; with several members the parameters are stacked.

    Surface members have a history too, but their parameters are folded into those of the others. Each member
    has a folder of its own in that of the ``checkpoint``.
    """
    alone = replace(model, members=1, surface_members=0)
    trained: list[Parameters] = []
    histories: list[History] = []
    for member, seed in enumerate(member_seeds(settings.seed, model.all_members)):
        place = checkpoint.inside(f"member-{member}") if checkpoint and model.all_members > 1 else checkpoint
        one, how = alone, replace(settings, seed=seed)
        if member >= model.members:
            one, how = replace(alone, kind="surface"), replace(how, rate_features=settings.rate_surface)
        parameters, history = train(
            one,
            initial_parameters(one, labels=labels, features=features, seed=seed),
            vectors,
            examples,
            development,
            how,
            progress=progress,
            checkpoint=place,
        )
        trained.append(parameters)
        histories.append(history)
    members, surface = trained[: model.members], trained[model.members :]
    if surface:
        members = folded(members, surface)
    return members[0] if model.members == 1 else stacked(members), histories


def remove_states(folder: Path) -> None:
    """Remove the states that ``train_members`` and ``fit_encoder`` left in a folder, and nothing else."""
    for stage in (folder / "stages").glob("*.safetensors"):
        stage.unlink()
    with suppress(OSError):  # it is not there, or holds what somebody else put there
        (folder / "stages").rmdir()
    for member in folder.glob("member-*"):
        if member.name.removeprefix("member-").isdecimal():
            Checkpoint(member).remove()
    Checkpoint(folder).remove()


def history_of_ensemble(
    model: ModelSettings,
    parameters: Parameters,
    vectors: Floats,
    development: Development,
    settings: TrainingSettings,
    histories: Sequence[History],
) -> History:
    """The passes of all members, and as the best one the ensemble itself on the development part.

    Its number is the latest pass that a member kept, its training loss the mean of the members'.
    """
    kept = [history.best for history in histories if history.best]
    verdict = development.judge(model, parameters, vectors, LOSSES[settings.loss])
    best = Epoch(
        number=max((epoch.number for epoch in kept), default=0),
        loss=sum(epoch.loss for epoch in kept) / max(len(kept), 1),
        development_loss=verdict.loss,
        score=verdict.score,
    )
    epochs = [epoch for history in histories for epoch in history.epochs]
    return History(epochs, best, sum(history.seconds for history in histories))
