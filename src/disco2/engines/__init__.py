"""Tasks that many processes do side by side, here or on many machines; any of them may die meanwhile."""

from disco2.engines.dask.engine import DaskEngine
from disco2.engines.engine import Engine, Outcome, Session, Task, outcomes_of
from disco2.engines.local import LocalEngine

__all__ = ["DaskEngine", "Engine", "LocalEngine", "Outcome", "Session", "Task", "outcomes_of"]
