"""Serving the built site: clean addresses, compressed files, redirects, a 404 that is one."""

from __future__ import annotations

import asyncio
import gzip
import json
import os
import shutil
from pathlib import Path

import httpx
import pytest

from gateway.http.messages import Request, Response
from gateway.identity.keyring import KeyRing
from gateway.middleware.security_headers import of_pages
from gateway.settings import Settings
from gateway.site.built_files import WHOLE
from gateway.site.service import Site
from gateway.worker.services import site as site_service

PAGE = "<!doctype html><title>{}</title>" + "x" * 3000


@pytest.fixture
def built(tmp_path: Path) -> Path:
    root = tmp_path / "dist"
    (root / "assets").mkdir(parents=True)
    (root / ".vite").mkdir()
    (root / ".vite" / "manifest.json").write_text("{}")
    for name in ("index", "quote", "app-shell", "404"):
        (root / f"{name}.html").write_text(PAGE.format(name))
        (root / f"{name}.html.gz").write_bytes(gzip.compress(PAGE.format(name).encode()))
    (root / "assets" / "index-abc123.js").write_text("export {}")
    (root / "sw.js").write_text("// worker")
    routes = {
        "static": {"/": "index.html", "/quote": "quote.html"},
        "dynamic": ["/insights/:slug", "/admin/blog"],
        "redirects": {"/blog": "/insights", "/blog/:slug": "/insights/:slug"},
    }
    (root / "routes.json").write_text(json.dumps(routes))
    return root


def site(built: Path, pages: dict[str, str] | None = None, answer: Response | None = None, **more: str) -> Site:
    async def call(name: str, request: Request) -> Response:
        assert answer is not None
        return answer

    settings = Settings.load({}, data_dir=built.parent, site_dir=built, site_pages=pages or {}, **more)
    return Site(settings, KeyRing.load(settings), call)


def get(app: Site, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    async def main() -> httpx.Response:
        transport = httpx.ASGITransport(app=app)
        async with httpx.AsyncClient(transport=transport, base_url="http://site") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(main())


def title(response: httpx.Response) -> str:
    return response.text.partition("<title>")[2].partition("</title>")[0]


@pytest.mark.parametrize(
    ("path", "status", "shown"),
    [
        ("/", 200, "index"),
        ("/quote", 200, "quote"),
        ("/insights/any-article", 200, "app-shell"),
        ("/admin/blog", 200, "app-shell"),
        ("/nothing", 404, "404"),
        ("/insights/a/b", 404, "404"),
        ("/assets/gone.js", 404, "404"),
        ("/.vite/manifest.json", 404, "404"),
        ("/routes.json", 404, "404"),
        ("/../keys.json", 404, "404"),
        ("/%2e%2e/keys.json", 404, "404"),
    ],
)
def test_an_address_shows_its_page(built: Path, path: str, status: int, shown: str) -> None:
    response = get(site(built), path)
    assert (response.status_code, title(response)) == (status, shown)
    assert response.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    ("path", "target"),
    [
        ("/blog", "/insights"),
        ("/blog/a-slug", "/insights/a-slug"),
        ("/blog?page=2", "/insights?page=2"),
        ("/quote/", "/quote"),
        ("/quote/?a=1", "/quote?a=1"),
        ("//evil.example/", "/evil.example"),
        ("/blog/%0d%0aset-cookie:a", "/insights/%0D%0Aset-cookie:a"),
    ],
)
def test_an_old_address_redirects_within_the_site(built: Path, path: str, target: str) -> None:
    response = get(site(built), "http://site" + path)
    assert (response.status_code, response.headers["location"]) == (301, target)


def test_pages_travel_compressed_and_are_revalidated(built: Path) -> None:
    app = site(built)
    first = get(app, "/quote", **{"accept-encoding": "gzip"})
    assert first.headers["content-encoding"] == "gzip"
    assert "accept-encoding" in first.headers["vary"].lower()
    assert title(first) == "quote"
    again = get(app, "/quote", **{"if-none-match": first.headers["etag"], "accept-encoding": "gzip"})
    assert (again.status_code, again.content) == (304, b"")


def test_a_404_is_never_answered_from_a_validator(built: Path) -> None:
    app = site(built)
    etag = get(app, "/404.html").headers["etag"]
    assert get(app, "/nothing", **{"if-none-match": etag}).status_code == 404


@pytest.mark.parametrize("method", ["GET", "HEAD"])
@pytest.mark.parametrize("path", ["/", "/quote.html", "/assets/index-abc123.js", "/nothing", "/og.png", "/gone.js"])
def test_a_file_is_answered_as_servestatic_would(built: Path, path: str, method: str) -> None:
    (built / "og.png").write_bytes(b"p" * (WHOLE + 1))
    (built / "gone.js").write_text("export {}")
    app, plain = site(built), site(built)
    for one in (app, plain):
        assert get(one, "/").status_code == 200
    etag = get(plain, path).headers.get("etag", "")
    plain._built = {}
    (built / "gone.js").unlink()
    (built / "gone.js.gz").unlink(missing_ok=True)
    asked: list[dict[str, str]] = [
        {}, {"accept-encoding": "gzip"}, {"accept-encoding": "br, gzip;q=0"}, {"accept-encoding": "*"},
        {"if-none-match": etag}, {"if-none-match": '"other"', "if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"},
        {"if-modified-since": "Fri, 01 Jan 2100 00:00:00 GMT"}, {"range": "bytes=2-5"}, {"range": "bytes=x"},
        {"range": "bytes=9999999-"}, {"if-none-match": etag, "range": "bytes=2-5"},
    ]  # fmt: skip
    for headers in asked:
        answers = []
        for one in (app, plain):
            try:
                found = get(one, path, method, **{"accept-encoding": "identity", **headers})
                about = {name: value for name, value in found.headers.items() if name != "content-length"}
                answers.append((found.status_code, about, found.content))
            except FileNotFoundError:
                answers.append((0, {}, b""))
        assert answers[0] == answers[1], headers


def test_a_file_comes_from_a_thread_where_a_disk_is_to_be_waited_for(
    built: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = site(built)
    assert title(get(app, "/quote")) == "quote"

    def waits(*_: object) -> int:
        raise BlockingIOError

    monkeypatch.setattr(os, "preadv", waits)
    assert get(app, "/quote").text == PAGE.format("quote")


def test_hashed_files_are_kept_for_ever(built: Path) -> None:
    assert "immutable" in get(site(built), "/assets/index-abc123.js").headers["cache-control"]
    assert get(site(built), "/sw.js").headers["cache-control"] == "no-cache"


def test_every_page_carries_the_security_headers(built: Path) -> None:
    service = site_service(site(built), Settings.load({}, data_dir=built.parent))
    headers = {name.decode(): value.decode() for name, value in service.headers}
    assert "script-src 'self';" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["x-frame-options"] == "DENY"


def test_the_tag_manager_is_allowed_only_when_configured() -> None:
    assert "googletagmanager" not in dict(of_pages(Settings()))[b"content-security-policy"].decode()
    assert "googletagmanager" in dict(of_pages(Settings(gtm_id="GTM-X")))[b"content-security-policy"].decode()


def test_promise_37_the_environment_script_names_the_publishable_key_and_no_secret(built: Path) -> None:
    app = site(built)
    keys = KeyRing.load(Settings.load({}, data_dir=built.parent))
    text = get(app, "/env.js").text
    assert keys.publishable_key in text
    assert keys.secret_key not in text and keys.service_role_jwt not in text


def test_a_page_function_answers_for_its_address(built: Path) -> None:
    answer = Response(200, [(b"content-type", b"text/html")], b"<title>rendered</title>")
    app = site(built, {"/insights/:slug": "render"}, answer)
    assert title(get(app, "/insights/a")) == "rendered"
    assert title(get(app, "/quote")) == "quote"


def test_the_plain_page_is_shown_when_the_page_function_fails(built: Path) -> None:
    app = site(built, {"/insights/:slug": "render"}, Response(503, [], b"{}"))
    response = get(app, "/insights/a")
    assert (response.status_code, title(response)) == (200, "app-shell")


def test_other_methods_are_refused(built: Path) -> None:
    assert get(site(built), "/quote", "POST").status_code == 405


def test_a_site_that_is_not_built_says_so(tmp_path: Path) -> None:
    response = get(site(tmp_path / "absent"), "/")
    assert response.status_code == 404 and "not built" in response.text


def test_a_newer_build_is_served_without_a_restart(built: Path) -> None:
    app = site(built)
    assert title(get(app, "/quote")) == "quote"
    newer = built.with_name("newer")
    shutil.copytree(built, newer)
    (newer / "quote.html").write_text(PAGE.format("a longer title than before"))
    (newer / "quote.html.gz").unlink()
    (newer / "about.html").write_text(PAGE.format("about"))
    routes = json.loads((newer / "routes.json").read_text())
    (newer / "routes.json").write_text(
        json.dumps({**routes, "static": {**routes["static"], "/about": "about.html"}, "redirects": {"/old": "/about"}})
    )
    assert title(get(app, "/quote")) == "quote"
    built.rename(built.with_name("older"))
    newer.rename(built)

    response = get(app, "/quote")
    assert title(response) == "a longer title than before"
    assert int(response.headers["content-length"]) == len(response.content)
    assert title(get(app, "/about")) == "about"
    assert get(app, "/old").headers["location"] == "/about"
    assert get(app, "/blog").status_code == 404


def test_a_first_build_is_served_without_a_restart(built: Path) -> None:
    later = built.with_name("later")
    built.rename(later)
    app = site(built)
    assert get(app, "/").status_code == 404
    later.rename(built)
    assert title(get(app, "/")) == "index"


# --- the public address ---------------------------------------------------------------------------------------------

BUILT = "https://built.example"
MOVED = "https://moved.example"


@pytest.fixture
def addressed(built: Path) -> Path:
    """A site of which some files name the address that they were built for."""
    for name in ("quote.html", "404.html", "robots.txt"):
        (built / name).write_text(f"<title>{name}</title>{BUILT}/quote {BUILT}.other {'x' * 3000}")
    routes = json.loads((built / "routes.json").read_text())
    routes |= {"origin": BUILT, "addressed": ["quote.html", "404.html", "robots.txt"]}
    (built / "routes.json").write_text(json.dumps(routes))
    return built


@pytest.mark.parametrize("encoding", ["identity", "gzip, br"])
@pytest.mark.parametrize(
    ("path", "status", "kind"),
    [("/quote", 200, "text/html"), ("/nothing", 404, "text/html"), ("/robots.txt", 200, "text/plain")],
)
def test_files_name_the_public_address(addressed: Path, path: str, status: int, kind: str, encoding: str) -> None:
    app = site(addressed, public_url=f"{MOVED}/")
    response = get(app, path, **{"accept-encoding": encoding})
    assert (response.status_code, response.headers["content-type"]) == (status, f"{kind}; charset=utf-8")
    assert f"{MOVED}/quote {BUILT}.other " in response.text and f"{BUILT}/" not in response.text
    assert (response.headers.get("content-encoding") == "gzip") == ("gzip" in encoding)
    assert response.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("public", ["", BUILT], ids=["none", "the built one"])
def test_without_another_public_address_files_are_served_as_built(addressed: Path, public: str) -> None:
    app = site(addressed, public_url=public)
    assert BUILT in get(app, "/robots.txt").text
    assert get(app, "/").headers["content-encoding"] == "gzip"


def test_an_addressed_file_is_not_sent_again_and_a_404_is_one(addressed: Path) -> None:
    app = site(addressed, public_url=MOVED)
    tag = get(app, "/quote").headers["etag"]
    assert get(app, "/quote", **{"if-none-match": tag}).status_code == 304
    assert get(site(addressed, public_url=f"{MOVED}:1"), "/quote", **{"if-none-match": tag}).status_code == 200
    assert get(app, "/nothing", **{"if-none-match": tag}).status_code == 404
    head = get(app, "/quote", "HEAD")
    assert (head.status_code, head.headers["etag"]) == (200, tag)


def test_a_newer_build_is_read_again(addressed: Path) -> None:
    app = site(addressed, public_url=MOVED)
    assert "quote.html" in get(app, "/quote").text
    (addressed / "quote.html").write_text(f"<title>newer</title>{BUILT}")
    newer = addressed / "routes.json.new"
    newer.write_text((addressed / "routes.json").read_text())
    newer.replace(addressed / "routes.json")
    assert get(app, "/quote").text == f"<title>newer</title>{MOVED}"


def test_the_browser_is_told_the_public_address(addressed: Path) -> None:
    assert f'"SITE_URL":"{MOVED}"' in get(site(addressed, public_url=f"{MOVED}/"), "/env.js").text
    assert '"SITE_URL":""' in get(site(addressed), "/env.js").text
