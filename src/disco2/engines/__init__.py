"""Tasks on several processes of this machine or of a Dask cluster."""

from disco2.engines.engine import DaskEngine, Engine, LocalEngine, Outcome, Session, Task

__all__ = ["DaskEngine", "Engine", "LocalEngine", "Outcome", "Session", "Task"]
