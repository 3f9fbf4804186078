"""The command: its options, and what it says where it can't serve."""

from __future__ import annotations

import builtins
import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from disco2.interfaces.cli.options import AnnotatorOptions
from disco2.interfaces.server import running
from disco2.interfaces.server.settings import Limits
from tests.inference.small_pipeline import small_pipeline
from tests.interfaces.conftest import Run
from tests.interfaces.stand_in import stand_in


@pytest.fixture
def ran(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Instead of serving, what it was told to serve is noted."""
    calls: list[dict[str, Any]] = []

    def note(app: object, bound: socket.socket, **options: Any) -> None:
        calls.append({"app": app, "address": bound.getsockname(), **options})
        options["started"]()

    monkeypatch.setattr(running, "run", note)
    monkeypatch.setattr(AnnotatorOptions, "open", stand_in)
    monkeypatch.setattr("disco2.interfaces.server.log_lines.write_log", lambda **_: None)
    monkeypatch.setattr("gc.freeze", lambda: None)
    return calls


def test_it_serves_this_machine_alone(run: Run, ran: list[dict[str, Any]], small_bundle: Path) -> None:
    code, out, err = run("serve", "--model", small_bundle, "--port", 0)
    assert code == 0, err
    host, port = ran[0]["address"]
    assert host == "127.0.0.1"
    assert out == ""
    assert err == f"disco2 serves small at http://127.0.0.1:{port}/\n"
    assert ran[0]["limits"] == Limits()


def test_it_serves_with_a_prior(run: Run, ran: list[dict[str, Any]], small_bundle: Path) -> None:
    from starlette.testclient import TestClient

    code, _, err = run("serve", "--model", small_bundle, "--port", 0, "--prior", "NoRel=0.9")
    assert code == 0, err
    with TestClient(ran[0]["app"], base_url="http://127.0.0.1") as client:
        assert client.get("/v1/model").json()["model"]["prior"] == {"NoRel": 0.9}
        body = {"text": "Bob left. Prices rose.", "norel": True}
        found = client.post("/v1/relations", json=body).json()["relations"][0]
    (wanted,) = small_pipeline()(body["text"], norel=True, prior={"NoRel": 0.9})
    assert found["probabilities"] == pytest.approx(wanted.probabilities, abs=1e-5)


def test_it_warns_where_everybody_can_ask(run: Run, ran: list[dict[str, Any]], small_bundle: Path) -> None:
    everywhere = ("--host", "0.0.0.0", "--port", 0)  # noqa: S104
    _, _, err = run("serve", "--model", small_bundle, *everywhere)
    assert "warning: everybody" in err
    _, _, err = run("serve", "--model", small_bundle, *everywhere, "--api-key", "s3cret")
    assert "warning" not in err
    assert "s3cret" not in err


def test_a_port_in_use_is_told_at_once(run: Run, ran: list[dict[str, Any]]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        code, _, err = run("serve", "--model", "nowhere", "--port", taken.getsockname()[1])
    assert code == 2
    assert "Another program uses this port" in err
    assert not ran


@pytest.mark.parametrize("host", ["no such host", "256.1.1.1", "a..b", "", "8.8.8.8", "x" * 300, "a\u0000b"])
def test_hosts_that_are_none(run: Run, ran: list[dict[str, Any]], host: str) -> None:
    code, _, err = run("serve", "--host", host, "--port", 0)
    assert code == 2
    assert err.startswith("error: ")
    assert not ran


def test_a_reserved_port(run: Run, ran: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: socket.socket, address: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(socket, "socket", type("Refusing", (socket.socket,), {"bind": refuse}))
    code, _, err = run("serve", "--port", 80)
    assert code == 2
    assert "reserved for the system" in err


@pytest.mark.parametrize(
    "options",
    [
        ("--port", "65536"),
        ("--port", "-1"),
        ("--max-body", "0"),
        ("--time-limit", "0"),
        ("--time-limit", "inf"),
        ("--queue", "0"),
        ("--cors-origin", "example.org"),
        ("--api-key", "two words"),
        ("--api-key", ""),
    ],
)
def test_options_that_make_no_sense(run: Run, ran: list[dict[str, Any]], options: tuple[str, str]) -> None:
    code, _, err = run("serve", *options)
    assert code == 2
    assert err
    assert "two words" not in err
    assert not ran


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "prometheus_client"])
def test_a_missing_extra_is_named(run: Run, monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any, **named: Any) -> Any:
        if name.split(".")[0] == package:
            raise ModuleNotFoundError(name=package)
        return real(name, *rest, **named)

    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setattr(builtins, "__import__", without)
    code, _, err = run("serve", "--port", 0)
    assert code == 2
    assert package in err
    assert "disco2[serve]" in err


def test_the_key_is_never_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISCO2_API_KEY", "s3cret")
    code, out, err = run("serve", "--help")
    assert code == 0
    assert "DISCO2_API_KEY" in out
    assert "s3cret" not in out + err


def test_the_key_of_the_environment_counts(
    run: Run, ran: list[dict[str, Any]], small_bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from starlette.testclient import TestClient

    monkeypatch.setenv("DISCO2_API_KEY", "s3cret")
    run("serve", "--model", small_bundle, "--port", 0)
    client = TestClient(ran[0]["app"])
    assert client.get("/v1/model").status_code == 401
    assert client.get("/v1/model", headers={"Authorization": "Bearer s3cret"}).status_code == 200


def test_addresses_of_both_kinds() -> None:
    with running.bind("localhost", 0) as bound:
        assert running.url_of(bound).startswith("http://127.0.0.1:")
    if socket.has_ipv6:
        try:
            bound = running.bind("::1", 0)
        except Exception:
            pytest.skip("this machine has no IPv6")
        with bound:
            assert running.url_of(bound).startswith("http://[::1]:")
