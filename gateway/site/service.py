"""The built site: static files as they were compressed at build time, page routes, redirects and the 404 page.

The site's own `routes.json` says which address is which file; nothing here knows a page by name. Addresses of
`site_pages` are rendered by functions and fall back to the plain application when the function fails.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, MutableMapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import orjson
from servestatic.asgi import FileServerASGI, ServeStaticASGI
from servestatic.responders import StaticFile

from gateway.http.messages import Receive, Request, Response, Scope, Send, respond
from gateway.identity.keyring import KeyRing
from gateway.settings import Settings
from gateway.site.built_files import BuiltFile
from gateway.site.public_address import AddressedFiles

log = logging.getLogger("gateway.site")

IMMUTABLE_PREFIX: Final = "/assets/"
PageCall = Callable[[str, Request], Awaitable[Response]]

_NO_CACHE = (b"cache-control", b"no-cache")
_UNREAD: Final[tuple[int, int] | None] = (-1, -1)  # a build that there cannot be


class Site:
    """Serves one folder of built files."""

    def __init__(self, settings: Settings, keys: KeyRing, call: PageCall) -> None:
        """`call(name, request)` runs a page function."""
        self._root = settings.site_dir.resolve()
        self._call = call
        self._settings = settings
        self._keys = keys
        self._pages = [(_pattern(path), name) for path, name in settings.site_pages.items()]
        self._build = _UNREAD

    async def start(self) -> None:
        """Look through the files: not on the event loop, and while others wait for the database."""
        await asyncio.to_thread(self._follow_build)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path: str = scope["path"]
        if self._settings.project_dir is not None and not self._root.is_dir():
            await respond(scope, send, _nothing_here())
            return
        if scope["method"] not in ("GET", "HEAD"):
            await respond(scope, send, _text(405, "Method not allowed", (b"allow", b"GET, HEAD")))
            return
        if path == "/env.js":
            await respond(scope, send, env_script(self._settings, self._keys))
            return
        if path.startswith("/_internal/"):
            await respond(scope, send, _text(404, "Not found"))
            return
        self._follow_build()
        # A page function asks for the site's own file by this header, or it would call itself.
        plain = any(name == b"x-site-plain" for name, _ in scope["headers"])
        for pattern, name in self._pages:
            if not plain and pattern.fullmatch(path) and await self._render(name, scope, send):
                return
        addressed = self._addressed.find(self._static.get(path, path[1:]))
        if addressed is not None:
            await respond(scope, send, addressed.answer(scope["headers"]))
            return
        if path in self._files.files:
            whole = await self._whole(path, scope)
            if whole is not None:
                await respond(scope, send, whole)
            else:
                await self._files(scope, receive, send)
            return
        query = scope["query_string"].decode("latin-1")
        suffix = f"?{query}" if query else ""
        if len(path) > 1 and path.endswith("/"):
            await respond(scope, send, _redirect("/" + path.strip("/") + suffix))
            return
        for pattern, target in self._redirects:
            found = pattern.fullmatch(path)
            if found is not None:
                await respond(scope, send, _redirect(_fill(target, found) + suffix))
                return
        known = any(pattern.fullmatch(path) for pattern in self._dynamic)
        await self._page("app-shell.html" if known else "404.html", 200 if known else 404, scope, receive, send)

    async def _render(self, name: str, scope: Scope, send: Send) -> bool:
        """Answer with a page function; False when it failed and the plain application should take over."""
        request = Request(
            scope["method"],
            scope.get("raw_path", scope["path"].encode()).decode("latin-1"),
            scope["query_string"].decode("latin-1"),
            list(scope["headers"]),
        )
        response = await self._call(name, request)
        if response.status >= 500:
            log.error("page function %s answered %d; serving the plain page", name, response.status)
            return False
        await respond(scope, send, response)
        return True

    async def _page(self, name: str, status: int, scope: Scope, receive: Receive, send: Send) -> None:
        """One of the site's own pages under another status."""
        addressed = self._addressed.find(name)
        if addressed is not None:
            await respond(scope, send, addressed.answer(scope["headers"], status))
            return
        whole = await self._whole("/" + name, scope, status)
        if whole is not None:
            await respond(scope, send, whole)
            return
        file = self._files.files.get("/" + name)
        if file is None:
            await respond(
                scope, send, _text(404, "The site is not built yet: run `make run`, or `npm run build` in web/")
            )
            return

        async def with_status(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start" and message["status"] == 200:
                message["status"] = status
            await send(message)

        # Validators of the file are not those of the address: a 404 must not become a 304.
        headers = [(key, value) for key, value in scope["headers"] if not key.startswith(b"if-") and key != b"range"]
        await FileServerASGI(file)({**scope, "headers": headers}, receive, with_status)

    async def _whole(self, path: str, scope: Scope, status: int = 200) -> Response | None:
        """A file that is sent whole; None where there is none, or more is asked of it."""
        file = self._built.get(path)
        return await file.answer(scope["headers"], status) if file is not None and scope["method"] == "GET" else None

    # --- loading -------------------------------------------------------------------------------------------------

    def _find_build(self) -> tuple[int, int] | None:
        """What tells one build from the next, None while there is none."""
        try:
            found = (self._root / "routes.json").stat()
        except FileNotFoundError:
            return None
        return found.st_mtime_ns, found.st_ino

    def _follow_build(self) -> None:
        """Sizes and names are remembered; a newer build, which takes the folder's place as a whole, has others."""
        build, before = self._find_build(), self._build
        if before is _UNREAD or (build is not None and build != before):
            self._load()
            self._build = build
            if before is not _UNREAD:
                log.info("serving a newer build of the site")

    def _load(self) -> None:
        routes = self._load_routes()
        self._dynamic = [_pattern(path) for path in routes["dynamic"]]
        self._redirects = [(_pattern(path), target) for path, target in routes["redirects"].items()]
        self._static: dict[str, str] = routes["static"]
        self._files = self._load_files(self._static)
        self._built = {url: BuiltFile(file) for url, file in self._files.files.items() if isinstance(file, StaticFile)}
        public = self._settings.public_url.rstrip("/")
        self._addressed = AddressedFiles(self._root, routes["origin"], public, routes["addressed"])

    def _load_routes(self) -> dict[str, Any]:
        try:
            content: dict[str, Any] = json.loads((self._root / "routes.json").read_text())
        except FileNotFoundError:
            content = {}
        return {"static": {}, "dynamic": [], "redirects": {}, "origin": "", "addressed": [], **content}

    def _load_files(self, static: dict[str, str]) -> ServeStaticASGI:
        files = ServeStaticASGI(
            None,
            root=None,
            allow_all_origins=False,
            max_age=0,
            immutable_file_test=lambda _path, url: url.startswith(IMMUTABLE_PREFIX),
            add_headers_function=_cache_headers,
            # Python's own table lacks it, and some systems' do.
            mimetypes={".webmanifest": "application/manifest+json"},
        )
        if self._root.is_dir():
            hidden = {self._root / "routes.json"}
            for path in sorted(self._root.rglob("*")):
                relative = path.relative_to(self._root)
                if (
                    path.is_file()
                    and path not in hidden
                    and not relative.parts[0].startswith(".")
                    and not _variant(path)
                ):
                    files.add_file_to_dictionary("/" + relative.as_posix(), str(path))
            for url, name in static.items():
                files.add_file_to_dictionary(url, str(self._root / name))
        return files


def env_script(settings: Settings, keys: KeyRing) -> Response:
    """`/env.js`: what the site must know of the gateway that serves it; the publishable key is public."""
    values = {
        "SUPABASE_URL": "",
        "SUPABASE_PUBLISHABLE_KEY": keys.publishable_key,
        "GTM_ID": settings.gtm_id,
        "SITE_URL": settings.public_url.rstrip("/"),
    }
    body = b"window.__ENV__ = " + orjson.dumps(values) + b";\n"
    return Response(200, [(b"content-type", b"text/javascript; charset=utf-8"), _NO_CACHE], body)


def _pattern(path: str) -> re.Pattern[str]:
    """`/news/:slug` as a pattern.

    >>> bool(_pattern('/news/:slug').fullmatch('/news/a-b')), bool(_pattern('/a').fullmatch('/a/b'))
    (True, False)
    """
    parts = [f"(?P<{part[1:]}>[^/]+)" if part.startswith(":") else re.escape(part) for part in path.split("/")]
    return re.compile("/".join(parts))


def _fill(target: str, found: re.Match[str]) -> str:
    return re.sub(r":(\w+)", lambda name: found[name[1]], target)


def _variant(path: Path) -> bool:
    """Whether a file is the compressed form of the one beside it; those are found by the file itself."""
    return path.suffix in (".br", ".gz", ".zst") and path.with_suffix("").exists()


def _cache_headers(headers: Any, _path: str, url: str) -> None:
    if not url.startswith(IMMUTABLE_PREFIX):
        headers["Cache-Control"] = "no-cache"


def _nothing_here() -> Response:
    """What hosted projects answer, which have no site of their own."""
    return Response(404, [(b"content-type", b"application/json")], orjson.dumps({"error": "requested path is invalid"}))


def _text(status: int, text: str, *headers: tuple[bytes, bytes]) -> Response:
    return Response(status, [(b"content-type", b"text/plain; charset=utf-8"), *headers], text.encode())


def _redirect(location: str) -> Response:
    safe = quote(location, safe="/:?&=%#+,;@!$'()*~")
    return Response(301, [(b"location", safe.encode()), _NO_CACHE])
