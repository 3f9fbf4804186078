"""Addresses that can't be used, each with a clear word."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("optuna")

from optuna.storages import RDBStorage
from sqlalchemy.exc import OperationalError

from disco2.errors import MissingExtraError, SettingsError
from disco2.experiments.tuning.storage import open_storage, shown
from disco2.experiments.tuning.tune import check_storage


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tune.db", "no address"),
        ("sqlite://", "kept in a file"),
        ("sqlite:///:memory:", "kept in a file"),
        ("pigeon://tower", "no kind of storage 'pigeon'"),
        ("sqlite:///{folder}", "can't be used"),
        ("sqlite:///{text}", "not a database"),
        ("sqlite:///{text}/below/study.db", "folder can't be made"),
        ("postgresql://me:secret@host:port/study", "no address"),
    ],
)
def test_an_address_that_can_not_be_used_is_refused(tmp_path: Path, address: str, message: str) -> None:
    (tmp_path / "text").write_text("no database\n" * 100)
    place = address.format(folder=tmp_path, text=tmp_path / "text")
    with pytest.raises(SettingsError, match=message) as refused:
        check_storage(place)
    assert "secret" not in str(refused.value)


def test_a_server_that_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("psycopg")
    with pytest.raises(SettingsError, match="can't be used") as refused:
        check_storage("postgresql://me:secret@127.0.0.1:1/study")
    assert "secret" not in str(refused.value)


def test_a_missing_driver_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "psycopg", None)
    with pytest.raises(MissingExtraError, match=r"disco2\[postgresql\]"):
        check_storage("postgresql://host/study")


def test_folders_are_made(tmp_path: Path) -> None:
    check_storage(f"sqlite:///{tmp_path / 'a' / 'b' / 'study.db'}")
    assert (tmp_path / "a" / "b" / "study.db").is_file()


def test_tables_that_another_process_makes_at_the_same_moment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []

    def beaten_once(url: str, **options: Any) -> RDBStorage:
        opened.append(url)
        if len(opened) == 1:
            raise OperationalError("CREATE TABLE studies", {}, Exception("table studies already exists"))
        return RDBStorage(url, **options)

    monkeypatch.setattr("disco2.experiments.tuning.storage.RDBStorage", beaten_once)
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    check_storage(f"sqlite:///{tmp_path / 'study.db'}")
    assert len(opened) == 2


def test_a_storage_of_another_optuna_is_refused(tmp_path: Path) -> None:
    open_storage(f"sqlite:///{tmp_path / 'study.db'}").engine.dispose()
    with sqlite3.connect(tmp_path / "study.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = 'v9.9.9'")
    with pytest.raises(SettingsError, match="no longer compatible"):
        check_storage(f"sqlite:///{tmp_path / 'study.db'}")


def test_passwords_are_not_shown() -> None:
    assert shown("postgresql://me:se:cr@et@host/x") == "postgresql://me:***@host/x"
    assert shown("postgresql+psycopg://me@host:5432/x") == "postgresql+psycopg://me@host:5432/x"
    assert shown("sqlite:///a/b:c@d.db") == "sqlite:///a/b:c@d.db"
