"""The page's files: one HTML page for every address, and hashed assets beside it that a browser may keep for ever."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import Final

from gateway.http.messages import Response

FOLDER: Final = Path(__file__).parent / "page"
_ASSET: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,200}")
_KINDS: Final = {
    ".js": b"text/javascript; charset=utf-8",
    ".css": b"text/css; charset=utf-8",
    ".svg": b"image/svg+xml",
    ".png": b"image/png",
    ".ico": b"image/x-icon",
    ".woff2": b"font/woff2",
    ".json": b"application/json",
    ".map": b"application/json",
}
# Styles alone may stand in the page: grids place their rows so, and the editor brings its own. Blobs are downloads.
POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:;"
    " font-src 'self'; media-src 'self' blob:; connect-src 'self'; worker-src 'self'; frame-src 'self' blob:;"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS: Final = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
)


async def page_file(method: str, path: str, folder: Path = FOLDER) -> Response:
    """The answer to a path behind `/_console` that is none of the API's."""
    if method not in ("GET", "HEAD"):
        return Response(405, [*_HEADERS, (b"allow", b"GET, HEAD"), (b"cache-control", b"no-store")])
    return await asyncio.to_thread(_read, path, folder)


def _read(path: str, folder: Path) -> Response:
    asset = path.removeprefix("/assets/")
    if asset != path:
        if not _ASSET.fullmatch(asset):
            return _text(404, "There is no such file.")
        try:
            body = (folder / "assets" / asset).read_bytes()
        except OSError:
            return _text(404, "There is no such file.")
        kind = _KINDS.get(Path(asset).suffix, b"application/octet-stream")
        kept = (b"cache-control", b"public, max-age=31536000, immutable")
        return Response(200, [*_HEADERS, (b"content-type", kind), kept], body)
    for name in ("console.html", "index.html"):
        if (folder / name).is_file():
            body = (folder / name).read_bytes()
            kind = b"text/html; charset=utf-8"
            return Response(200, [*_HEADERS, (b"content-type", kind), (b"cache-control", b"no-cache")], body)
    return _text(503, "The console's page is not built: run `make build` (its API answers all the same).")


def _text(status: int, sentence: str) -> Response:
    kind = (b"content-type", b"text/plain; charset=utf-8")
    return Response(status, [*_HEADERS, kind, (b"cache-control", b"no-store")], f"{sentence}\n".encode())
