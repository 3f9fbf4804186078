"""Keys, other web pages, headers, and the files of the page."""

from __future__ import annotations

import hmac

import pytest
from starlette.testclient import TestClient

from disco2.errors import SettingsError
from disco2.interfaces.server import api_key, page_files
from disco2.interfaces.server.settings import Limits, ServerSettings
from tests.interfaces.server.conftest import Serve
from tests.interfaces.server.test_refusals import check_error

BODY = {"text": "It rained."}


@pytest.mark.parametrize("key", ["s3cret", "schlüssel", "ключ", "a:b=/+"])
@pytest.mark.parametrize("encoding", ["utf-8", "latin-1"])
def test_the_key_opens(serve: Serve, key: str, encoding: str) -> None:
    client = serve(api_key=key)
    if encoding == "latin-1" and key == "ключ":
        pytest.skip("Latin-1 has no such letters")
    right = {b"Authorization": b"Bearer " + key.encode(encoding)}
    assert client.post("/v1/relations", json=BODY, headers=right).status_code == 200
    assert client.get("/v1/model", headers=right).status_code == 200
    assert client.get("/metrics", headers=right).status_code == 200


@pytest.mark.parametrize(
    "given", ["", "s3cret", "Bearer", "Bearer ", "Bearer s3cre", "Bearer s3crett", "Basic s3cret"]
)
def test_no_other_key_opens(serve: Serve, given: str) -> None:
    client = serve(api_key="s3cret")
    headers = {"Authorization": given} if given else {}
    for method, path in (
        ("POST", "/v1/relations"),
        ("POST", "/v1/views"),
        ("GET", "/v1/model"),
        ("GET", "/metrics"),
    ):
        answer = client.request(method, path, headers=headers)
        check_error(answer, 401)
        assert answer.headers["www-authenticate"] == "Bearer"
    check_error(client.get("/v1/nowhere", headers=headers), 401)
    assert client.get("/healthz").status_code == 200
    assert client.get("/").status_code == 200
    assert client.get("/openapi.json").status_code == 200


def test_keys_are_compared_in_constant_time(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []

    def compare(given: bytes, wanted: bytes) -> bool:
        compared.append((given, wanted))
        return hmac.compare_digest(given, wanted)

    class Watched:
        compare_digest = staticmethod(compare)

    monkeypatch.setattr(api_key, "hmac", Watched)
    client = serve(api_key="s3cret")
    for key in ("s", "s3cret"):
        client.get("/v1/model", headers={"Authorization": f"Bearer {key}"})
    assert len(compared) >= 2
    assert {len(one) for pair in compared for one in pair} == {32}  # of one length, whatever the keys


def test_a_large_body_without_the_key_is_not_read(serve: Serve) -> None:
    client = serve(api_key="s3cret", limits=Limits(body_bytes=10))
    check_error(client.post("/v1/relations", json=BODY), 401)


def test_settings_that_make_no_sense() -> None:
    for key in ("a b", "a\n", " ", "\x7f", "\udcff", "k" * 5_000):
        with pytest.raises(SettingsError) as caught:
            ServerSettings(api_key=key)
        assert repr(key) not in str(caught.value)
    for origin in ("example.org", "https://example.org/", "https://a b", "", "file://x"):
        with pytest.raises(SettingsError):
            ServerSettings(cors_origins=(origin,))
    for seconds in (0, float("inf"), float("nan")):
        with pytest.raises(SettingsError):
            Limits(seconds=seconds)
    assert "s3cret" not in repr(ServerSettings(api_key="s3cret"))


def test_other_pages_may_not_ask(client: TestClient) -> None:
    origin = {"Origin": "https://example.org"}
    answer = client.post("/v1/relations", json=BODY, headers=origin)
    assert not [name for name in answer.headers if name.startswith("access-control")]
    check_error(
        client.options("/v1/relations", headers=origin | {"Access-Control-Request-Method": "POST"}), 405
    )


def test_pages_of_an_origin_that_was_named_may(serve: Serve) -> None:
    client = serve(api_key="s3cret", cors_origins=("https://example.org",))
    asked = {
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization,content-type",
    }
    before = client.options("/v1/relations", headers={"Origin": "https://example.org", **asked})
    assert before.status_code == 200
    assert before.headers["access-control-allow-origin"] == "https://example.org"
    other = client.options("/v1/relations", headers={"Origin": "https://example.com", **asked})
    assert "access-control-allow-origin" not in other.headers
    answer = client.get("/v1/model", headers={"Origin": "https://example.org"})
    check_error(answer, 401)
    assert (
        answer.headers["access-control-allow-origin"] == "https://example.org"
    )  # so that the page can read it
    assert "access-control-allow-credentials" not in answer.headers


def test_headers_that_protect(client: TestClient) -> None:
    for answer in (client.post("/v1/relations", json=BODY), client.get("/nowhere"), client.get("/v1/model")):
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers


def test_the_page(client: TestClient) -> None:
    answer = client.get("/")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["content-security-policy"] == page_files.POLICY
    assert answer.headers["cache-control"] == "no-cache"
    assert client.head("/").content == b""


def test_files_of_the_page_are_sent_once(client: TestClient) -> None:
    kinds = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
    for name, folder in page_files.ASSETS.items():
        assert (folder / name).is_file()
        first = client.get(f"/assets/{name}")
        assert first.status_code == 200
        assert first.headers["content-type"].startswith(kinds[(folder / name).suffix])
        again = client.get(
            f"/assets/{name}", headers={"If-None-Match": f'"other", W/{first.headers["etag"]}'}
        )
        assert again.status_code == 304
        assert again.content == b""
        assert client.get(f"/assets/{name}", headers={"If-None-Match": '"other"'}).status_code == 200
    check_error(client.get("/assets/index.html"), 404)


def test_a_file_that_is_missing(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    name, folder = next(iter(page_files.ASSETS.items()))
    monkeypatch.setitem(page_files.ASSETS, name, folder / "nowhere")
    check_error(client.get(f"/assets/{name}"), 404)
