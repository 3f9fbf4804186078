"""The page and its files, from a fixed list of names."""

from __future__ import annotations

from hashlib import sha256
from http import HTTPStatus
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

from disco2.drawing.layout import ASSETS as DRAWING_ASSETS
from disco2.drawing.layout import WEB
from disco2.interfaces.server.refusal import Refusal

_PAGE = Path(__file__).with_name("page")
INDEX = _PAGE / "index.html"
PAGE_ASSETS = (
    "favicon.svg",
    "page.css",
    "appearance.js",
    "examples.js",
    "requests.js",
    "address.js",
    "page.js",
)
ASSETS = dict.fromkeys(PAGE_ASSETS, _PAGE) | dict.fromkeys(DRAWING_ASSETS, WEB)
_MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
}
# Nothing from elsewhere, nothing inline: a text can't make the page do anything.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


async def page(request: Request) -> Response:
    """The page itself."""
    return _file(request, INDEX, {"Content-Security-Policy": POLICY})


async def asset(request: Request) -> Response:
    """One of its files."""
    folder = ASSETS.get(request.path_params["name"])
    if folder is None:
        raise _no_file()
    return _file(request, folder / request.path_params["name"], {})


def _file(request: Request, path: Path, headers: dict[str, str]) -> Response:
    """The file, or a word that it has not changed since the browser got it."""
    try:
        content = path.read_bytes()
    except OSError:
        raise _no_file() from None
    tag = f'"{sha256(content).hexdigest()[:32]}"'
    headers |= {"ETag": tag, "Cache-Control": "no-cache"}
    known = [one.strip().removeprefix("W/") for one in request.headers.get("if-none-match", "").split(",")]
    if tag in known or "*" in known:
        return Response(status_code=HTTPStatus.NOT_MODIFIED, headers=headers)
    return Response(content, headers=headers, media_type=_MEDIA_TYPES[path.suffix])


def _no_file() -> Refusal:
    return Refusal(HTTPStatus.NOT_FOUND, "The page has no such file.")
