"""The engine on Dask: on a cluster whose scheduler the user names, or on one of its own on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from disco2.engines.deaths import Deaths
from disco2.engines.engine import Died, Notice, Session, Work
from disco2.errors import MissingExtraError


@dataclass(frozen=True)
class DaskEngine:
    """``scheduler``: its address. Without one, a scheduler and so many workers are started on this machine.

    ``patience``: so many seconds a scheduler may be gone before the session gives up.
    """

    workers: int
    scheduler: str = ""
    patience: float = 300.0

    @staticmethod
    def check_installed() -> None:
        """Raise MissingExtraError where Dask is not there; a command asks before it touches anything."""
        if find_spec("distributed") is None:
            raise MissingExtraError("distributed", "cluster", "The engine dask")

    @contextmanager
    def session(
        self,
        work: Work,
        *,
        attempts: int = 3,
        notice: Notice = lambda text: None,
        died: Died = lambda task, how: None,
    ) -> Iterator[Session]:
        self.check_installed()
        from disco2.engines.dask.address import check_address
        from disco2.engines.dask.cluster import own_cluster
        from disco2.engines.dask.loop import running_loop
        from disco2.engines.dask.quiet import quiet
        from disco2.engines.dask.session import DaskSession

        deaths = Deaths(attempts=attempts, notice=notice, died=died)
        if self.scheduler:
            check_address(self.scheduler)
        with ExitStack() as stack:
            stack.enter_context(quiet())
            loop = stack.enter_context(running_loop())
            own = None if self.scheduler else stack.enter_context(own_cluster(self.workers, loop))
            address = own.address if own is not None else self.scheduler
            session = DaskSession(address, work, deaths, notice, loop=loop, patience=self.patience, own=own)
            try:
                yield session
            except BaseException:
                session.close(quickly=True)
                raise
            session.close()
