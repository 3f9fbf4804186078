"""Where a study is kept: a SQLite file, or a database server that several machines reach."""

from __future__ import annotations

import platform
import re
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import optuna
import sqlalchemy
from optuna.storages import RDBStorage
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from disco2.errors import MissingExtraError, SettingsError

HEARTBEAT = 5  # seconds between the signs of life of a trial
SILENCE = 30  # seconds without one, after which its process counts as dead
PATIENCE = 60  # seconds that a process waits for others to be done with a SQLite file
ATTEMPTS_TO_OPEN = 5
EXAMPLES = "Write, for example, sqlite:///tune.db or postgresql://user@host/database."

Callback = Callable[[optuna.Study, optuna.trial.FrozenTrial], None]


def open_storage(address: str, *, when_dead: Callback | None = None) -> RDBStorage:
    """The storage at an address, made where there is none.

    ``when_dead`` is called for each trial whose process has died, after that has been noted.
    """
    url = _url(address)
    file = _file(url, address)
    options: dict[str, Any] = {"pool_pre_ping": True}
    if file is not None:
        _make_folder(file, address)
        options["connect_args"] = {"timeout": PATIENCE, "isolation_level": None}
    elif url.get_backend_name() == "postgresql":
        options["connect_args"] = {"connect_timeout": 10}
    with reported(address):
        storage = _opened(url, options, when_dead)
    if file is not None:
        _share_file(storage.engine)
    return storage


def _opened(url: URL, options: dict[str, Any], when_dead: Callback | None) -> RDBStorage:
    """Optuna's storage. Where another process makes the tables at the same moment, try again."""
    for attempts_left in reversed(range(ATTEMPTS_TO_OPEN)):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)  # heartbeats are one
                return RDBStorage(
                    url.render_as_string(hide_password=False),
                    engine_kwargs=options,
                    heartbeat_interval=HEARTBEAT,
                    grace_period=SILENCE,
                    heartbeat_stale_trial_callback=when_dead,
                )
        except SQLAlchemyError as error:
            made_twice = any(words in str(error).lower() for words in ("already exists", "unique constraint"))
            if not made_twice or not attempts_left:
                raise
            time.sleep(1.0)
    raise AssertionError("not reached")


def _share_file(engine: sqlalchemy.Engine) -> None:
    """Let several processes work on one SQLite file, fast and without harm to each other.

    Left to itself, SQLite does not lock what is read for a change to come: two processes could take the same
    trial. With a log of changes (WAL) a commit need not wait for the disk; a loss of power then costs the
    last commits at most, and a killed process nothing.
    """

    def connected(connection: Any, record: Any) -> None:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("PRAGMA synchronous=NORMAL")

    sqlalchemy.event.listen(engine, "connect", connected)
    sqlalchemy.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    engine.dispose()  # the connections so far are without all this


@contextmanager
def reported(address: str) -> Iterator[None]:
    """Turn what the storage says into an error of ours."""
    try:
        yield
    except (SQLAlchemyError, optuna.exceptions.StorageInternalError) as error:
        raise SettingsError(
            f"The storage can't be used: {_reason(error)}.",
            where=shown(address),
            hint="Check the address, and that a server runs there or the file can be written.",
        ) from error
    except RuntimeError as error:
        if "table schema" not in str(error):
            raise
        raise SettingsError(f"{error}", where=shown(address), hint="Or choose another --storage.") from error


def shown(address: str) -> str:
    """An address for people: without its password."""
    return re.sub(r"(://[^:/@]*):[^/]*@", r"\1:***@", address)


def absolute(address: str) -> str:
    """The same address for a process that stands in another folder."""
    url = _url(address)
    file = _file(url, address)
    return address if file is None else url.set(database=str(file.absolute())).render_as_string()


def check_there(address: str) -> None:
    """Raise SettingsError where the file of a storage is missing, and don't make it."""
    file = _file(_url(address), address)
    if file is not None and not file.exists():
        raise not_seen(address)


def not_seen(address: str) -> SettingsError:
    """What a worker says that was sent to a study and does not find it."""
    return SettingsError(
        f"A worker on {platform.node()} does not see the study there.",
        where=shown(address),
        hint="A SQLite file is for workers on one machine. For several: --storage postgresql://USER@HOST/DATABASE",
    )


def _url(address: str) -> URL:
    try:
        url = make_url(address)
    except (ArgumentError, ValueError):
        raise SettingsError("This is no address of a storage.", where=shown(address), hint=EXAMPLES) from None
    if url.drivername in ("postgresql", "postgres"):
        url = url.set(drivername="postgresql+psycopg")  # the driver that the extra brings
    try:
        url.get_dialect().import_dbapi()
    except ModuleNotFoundError as error:
        raise _missing_driver(address, error.name or "") from None
    except ArgumentError:
        raise SettingsError(
            f"There is no kind of storage '{url.drivername}'.", where=shown(address), hint=EXAMPLES
        ) from None
    return url


def _missing_driver(address: str, module: str) -> Exception:
    if module == "psycopg":
        return MissingExtraError("psycopg", "postgresql", "A study on a PostgreSQL server")
    return SettingsError(
        f"This kind of storage needs the package '{module}', which is not installed.",
        where=shown(address),
        hint=f"Install it, or use another kind. {EXAMPLES}",
    )


def _file(url: URL, address: str) -> Path | None:
    """The file of a SQLite storage; None for a server."""
    if url.get_backend_name() != "sqlite":
        return None
    name = url.database or ""
    if name in ("", ":memory:") or name.startswith("file:"):
        raise SettingsError(
            "A study is kept in a file, so that it can go on and be shared.", where=address, hint=EXAMPLES
        )
    return Path(name)


def _make_folder(file: Path, address: str) -> None:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(
            f"Its folder can't be made: {error.strerror or error}.",
            where=address,
            hint="Choose another place.",
        ) from error


def _reason(error: BaseException) -> str:
    """The database's own words, in one line and without SQLAlchemy's."""
    cause = error.__cause__ if isinstance(error, optuna.exceptions.StorageInternalError) else error
    words = str(getattr(cause, "orig", None) or cause)
    return " ".join(words.split()).rstrip(".?")
