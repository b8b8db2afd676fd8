"""Articles, sitemap and feed as search engines get them: whole, safe, and from the database of now."""

from __future__ import annotations

import gzip
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest

from gateway.database import SyncConnection
from tests.fixtures.db import Server, clone
from tests.fixtures.server import ROOT, LiveGateway, start_gateway

# one worker runs them all, with one server

SITE = "https://www.site.example"
EVIL = "</script><script>alert(1)</script>"


class Tags(HTMLParser):
    """Every start tag of a page, and the text of scripts by id or type."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, str] = {}
        self._open = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.found.append((tag, given))
        self._open = str(given.get("id") or given.get("data-seo") or "") if tag in ("script", "title") else ""

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts[self._open] = self.texts.get(self._open, "") + data

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def seo(self) -> dict[str, dict[str, str | None]]:
        keys = [given["data-seo"] for _, given in self.found if "data-seo" in given]
        assert len(keys) == len(set(keys)), "a tag is there twice"
        return {str(given["data-seo"]): given for _, given in self.found if "data-seo" in given}


@pytest.fixture(scope="module")
def press(server: Server, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveGateway]:
    """A gateway with the site as it was built, under another address."""
    if not (ROOT / "web/dist/templates").is_dir():
        pytest.fail("the site is not built, or by an older version: run `make build`")
    name = f"press_{template}"
    with server.admin() as admin:
        admin.script(clone(name, template))
    running = start_gateway(server.database(name), tmp_path_factory.mktemp("press"), extra={"GATEWAY_PUBLIC_URL": SITE})
    # It says its public address, which leads nowhere here.
    yield replace(running, url=f"http://127.0.0.1:{running.note['port']}")
    running.stop()
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')


def write(gateway: LiveGateway, slug: str, **more: Any) -> None:
    post = {
        "title": "What goes in the red bag",
        "slug": slug,
        "excerpt": "A short guide.",
        "content": "<h2>Start here</h2><p>Only <strong>regulated</strong> waste.</p>",
        "tags": ["OSHA", 'Sharps & "more"'],
        "published": True,
        "published_at": "2026-03-04T12:00:00+00:00",
        "reading_time_minutes": 7,
        **more,
    }
    columns = ", ".join(post)
    with SyncConnection(gateway.database_url) as connection:
        connection.rows(
            f"insert into public.blog_posts ({columns})"
            f" select {columns} from jsonb_populate_record(null::public.blog_posts, $1::jsonb)",
            json.dumps(post),
        )


def get(gateway: LiveGateway, path: str, **headers: str) -> httpx.Response:
    return httpx.get(gateway.url + path, headers=headers, trust_env=False, timeout=30)


def test_an_article_s_first_response_holds_all_of_it(press: LiveGateway) -> None:
    write(press, "whole")
    response = get(press, "/insights/whole")
    assert response.status_code == 200
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    page = response.text
    text = '<h2 id="on-start-here">Start here</h2><p>Only <strong>regulated</strong> waste.</p>'
    assert f'<div class="article-body">{text}</div>' in page
    assert 'aria-label="Main"' in page and "<footer" in page and "Loading articles..." not in page
    assert "March 4, 2026" in page and "7 min read" in page
    assert "data-prerendered" not in page


def test_the_head_describes_the_article_once(press: LiveGateway) -> None:
    write(press, "head", meta_title="Red bags", meta_description='Say "red"', featured_image_url="/img/bag.jpg")
    tags = Tags(get(press, "/insights/head").text)
    seo = tags.seo()
    assert tags.texts["title"] == "Red bags | United Medical Waste"
    assert seo["name:description"]["content"] == 'Say "red"'
    assert seo["link:canonical"]["href"] == f"{SITE}/insights/head"
    assert seo["property:og:url"]["content"] == f"{SITE}/insights/head"
    assert seo["property:og:image"]["content"] == f"{SITE}/img/bag.jpg"
    assert seo["property:og:type"]["content"] == "article"
    assert "noindex" not in str(seo["name:robots"]["content"])
    data = json.loads(tags.texts["jsonld:0"])
    assert (data["@type"], data["headline"]) == ("Article", "What goes in the red bag")
    assert data["mainEntityOfPage"] == f"{SITE}/insights/head"


def test_the_browser_gets_the_article_with_the_page(press: LiveGateway) -> None:
    write(press, "data")
    data = json.loads(Tags(get(press, "/insights/data").text).texts["post-data"])
    assert (data["slug"], data["published"], data["reading_time_minutes"]) == ("data", True, 7)


def test_nothing_an_author_writes_runs(press: LiveGateway) -> None:
    write(
        press,
        "evil",
        title=EVIL,
        excerpt=f'" onload="x {EVIL}',
        content=f'<p onclick="x()">Hi{EVIL}<a href="javascript:x()">a</a><img src="data:x" onerror="x()"></p>',
        tags=[EVIL[:50]],
        author_name=EVIL,
        meta_description=EVIL,
    )
    tags = Tags(get(press, "/insights/evil").text)
    scripts = [given for tag, given in tags.found if tag == "script"]
    assert all("src" in given or given.get("type") in ("application/json", "application/ld+json") for given in scripts)
    assert not any(name.startswith("on") for _, given in tags.found for name in given)
    assert not any(str(given.get("href")).startswith("javascript") for _, given in tags.found)
    assert json.loads(tags.texts["post-data"])["title"] == EVIL
    assert json.loads(tags.texts["jsonld:0"])["headline"] == EVIL


def test_an_article_takes_over_no_id_of_its_page(press: LiveGateway) -> None:
    ids = ("post-data", "root", "main", "newsletter")
    content = "".join(f'<p id="{id}">{{"slug": "spoofed"}}</p><a href="#{id}">{id}</a>' for id in ids)
    write(press, "spoofed", content=content)
    page = get(press, "/insights/spoofed").text
    tags = Tags(page)
    for id in ids:
        assert not [tag for tag, given in tags.found if given.get("id") == id and tag in ("p", "a")]
        assert f'<p id="on-{id}">' in page and f'href="#on-{id}"' in page
    assert json.loads(tags.texts["post-data"])["slug"] == "spoofed"


@pytest.mark.parametrize("slug", ["nowhere", "a%2Fb", "%00", "%ff", "a'b", "x" * 500])
def test_an_unknown_article_is_404_on_the_site_s_page(press: LiveGateway, slug: str) -> None:
    response = get(press, f"/insights/{slug}")
    assert response.status_code == 404
    assert "noindex" in response.text or "not found page" in response.text


def test_a_draft_is_not_found(press: LiveGateway) -> None:
    write(press, "draft", published=False, published_at=None)
    assert get(press, "/insights/draft").status_code == 404


def test_an_earlier_slug_leads_to_the_present_one(press: LiveGateway) -> None:
    write(press, "old-name")
    with SyncConnection(press.database_url) as connection:
        connection.script("update public.blog_posts set slug = 'new-name' where slug = 'old-name'")
    response = get(press, "/insights/old-name?utm=1")
    assert (response.status_code, response.headers["location"]) == (301, "/insights/new-name?utm=1")


def test_an_unchanged_article_is_not_sent_again(press: LiveGateway) -> None:
    write(press, "same")
    tag = get(press, "/insights/same").headers["etag"]
    assert get(press, "/insights/same", **{"if-none-match": tag}).status_code == 304
    with SyncConnection(press.database_url) as connection:
        connection.script("update public.blog_posts set title = 'Changed' where slug = 'same'")
    assert get(press, "/insights/same", **{"if-none-match": tag}).status_code == 200


def test_a_page_is_compressed_for_readers_that_take_it(press: LiveGateway) -> None:
    write(press, "small")
    with httpx.stream("GET", f"{press.url}/insights/small", headers={"accept-encoding": "gzip"}) as response:
        raw = b"".join(response.iter_raw())
    assert b"Start here" in gzip.decompress(raw)
    assert get(press, "/insights/small", **{"accept-encoding": "identity"}).headers.get("content-encoding") is None


# --- the list -------------------------------------------------------------------------------------------------------


def links(page: str) -> dict[str, str]:
    """Address of every link by its name."""
    found = re.findall(r"<a ([^>]*)>(.*?)</a>", page)
    named = [
        (re.search('aria-label="([^"]*)"', given), re.search('href="([^"]*)"', given), text) for given, text in found
    ]
    return {(name[1] if name else unescape(text)): unescape(address[1]) for name, address, text in named if address}


def write_many(gateway: LiveGateway, tag: str, count: int, **more: Any) -> None:
    for number in range(count):
        moment = f"2019-01-01T00:{number:02}:00+00:00"
        write(gateway, f"{tag}-{number:02}", title=f"{tag} number {number:02}", tags=[tag], published_at=moment, **more)


def test_the_list_s_first_response_holds_the_first_page(press: LiveGateway) -> None:
    write_many(press, "listed", 12)
    response = get(press, "/insights?tag=listed")
    assert (response.status_code, response.headers["content-type"]) == (200, "text/html; charset=utf-8")
    page = response.text
    assert "Showing 10 of 12 articles in &quot;listed&quot; (page 1 of 2)" in page
    found = links(page)
    assert [name for name in found if name.startswith("listed number")] == [
        f"listed number {n:02}" for n in range(11, 1, -1)
    ]
    assert found["listed number 11"] == "/insights/listed-11"
    assert found["Page 2"] == found["Next page"] == "/insights?tag=listed&page=2"
    assert "Previous page" not in found
    assert found["listed"] == "/insights"  # chosen again, a topic is given up
    assert "Jan 1, 2019" in page and "7 min read" in page and "A short guide." in page
    assert "Loading articles..." not in page and "data-prerendered" not in page


def test_the_pages_of_the_list_lead_on(press: LiveGateway) -> None:
    write_many(press, "paged", 45)
    found = links(get(press, "/insights?tag=paged&page=3").text)
    assert [name for name in found if name.startswith("Page ")] == ["Page 1", "Page 2", "Page 3", "Page 4", "Page 5"]
    assert (found["Page 1"], found["Previous page"]) == ("/insights?tag=paged", "/insights?tag=paged&page=2")
    behind = Tags(get(press, "/insights?tag=paged&page=99").text)
    assert json.loads(behind.texts["list-data"])["state"] == {"search": "", "tag": "paged", "page": 1}
    assert behind.seo()["link:canonical"]["href"] == f"{SITE}/insights?tag=paged"


def test_the_list_s_head_describes_it_once(press: LiveGateway) -> None:
    write_many(press, "headed", 11)
    tags = Tags(get(press, "/insights?tag=headed&page=2").text)
    seo = tags.seo()
    assert seo["link:canonical"]["href"] == f"{SITE}/insights?tag=headed&page=2"
    assert "noindex" not in str(seo["name:robots"]["content"])
    data = json.loads(tags.texts["jsonld:0"])
    assert data["@type"] == "CollectionPage"
    assert [item["url"] for item in data["mainEntity"]["itemListElement"]] == [f"{SITE}/insights/headed-00"]
    searched = Tags(get(press, "/insights?search=headed").text).seo()
    assert "noindex" in str(searched["name:robots"]["content"])
    assert "link:canonical" not in searched  # as the browser says it: a page to be left out has no address of its own


@pytest.mark.parametrize("sign", [*"\"',()%_\\*{}[.:;&+#?/<é😀", "</script>"])
def test_the_list_finds_what_any_sign_says(press: LiveGateway, sign: str) -> None:
    slug = f"sign-{'-'.join(str(ord(one)) for one in sign)}"
    write(press, slug, title=f"zqsign a{sign}b", tags=[f"zqtag{sign}x"])
    for query in ({"search": f"ZQsign a{sign}B"}, {"tag": f"zqtag{sign}x"}):
        tags = Tags(get(press, f"/insights?{urlencode(query)}").text)
        data = json.loads(tags.texts["list-data"])
        assert [post["slug"] for post in data["list"]["posts"]] == [slug]
        assert data["list"]["count"] == 1
        field = next(given for tag, given in tags.found if tag == "input" and given["type"] == "search")
        assert field["value"] == query.get("search", "")


@pytest.mark.parametrize("words", ["eq.zqwords", "not.is.zqwords", "in.(zqwords)", "zqwords.ilike.*"])
def test_a_search_that_reads_like_a_filter_is_words(press: LiveGateway, words: str) -> None:
    slug = f"words-{words.count('.')}-{len(words)}"
    write(press, slug, title=words, tags=[words])
    for query in ({"search": words}, {"tag": words}):
        data = json.loads(Tags(get(press, f"/insights?{urlencode(query)}").text).texts["list-data"])
        assert [post["slug"] for post in data["list"]["posts"]] == [slug]


def test_the_topics_are_those_of_all_articles_the_most_used_first(press: LiveGateway) -> None:
    most = 1000  # rows of an answer of the tables API
    with SyncConnection(press.database_url) as connection:
        connection.script(
            "insert into public.blog_posts (title, slug, tags, published, published_at)"
            f" select 'Old', 'old-' || n, array[case when n > {most} then 'zqearly' else 'zqlate' end], true,"
            f" timestamptz '2001-01-01' - n * interval '1 minute' from generate_series(1, {most + 1}) as n"
        )
        try:
            data = json.loads(Tags(get(press, "/insights").text).texts["list-data"])
        finally:
            connection.script("delete from public.blog_posts where slug like 'old-%' and title = 'Old'")
    assert data["tags"][0] == "zqlate" and data["tags"].count("zqearly") == 1


def test_a_search_without_a_script_keeps_the_topic(press: LiveGateway) -> None:
    tags = Tags(get(press, "/insights?tag=some+topic").text)
    assert [given["value"] for _, given in tags.found if given.get("name") == "tag"] == ["some topic"]


def test_drafts_are_not_listed(press: LiveGateway) -> None:
    write(press, "unlisted", title="zqunlisted", published=False, published_at=None)
    page = get(press, "/insights?search=zqunlisted").text
    assert "No articles found" in page and "/insights/unlisted" not in page
    assert links(page)["Clear Filters"] == "/insights"


def test_nothing_in_the_list_runs(press: LiveGateway) -> None:
    write(press, "listed-evil", title=f"zqevil {EVIL}", excerpt=EVIL, tags=[EVIL[:50]], author_name=EVIL)
    tags = Tags(get(press, f"/insights?{urlencode({'search': 'zqevil ' + EVIL})}").text)
    scripts = [given for tag, given in tags.found if tag == "script"]
    assert all("src" in given or given.get("type") in ("application/json", "application/ld+json") for given in scripts)
    assert json.loads(tags.texts["list-data"])["list"]["posts"][0]["title"] == f"zqevil {EVIL}"


@pytest.mark.parametrize(
    "query", ["page=0", "page=x", "page=-1", "page=1e3", "search=%00", "tag=%ff", "page=999999999"]
)
def test_an_odd_address_shows_the_first_page(press: LiveGateway, query: str) -> None:
    response = get(press, f"/insights?{query}")
    assert response.status_code == 200
    assert json.loads(Tags(response.text).texts["list-data"])["state"]["page"] == 1


def test_an_unchanged_list_is_not_sent_again(press: LiveGateway) -> None:
    tag = get(press, "/insights?search=zqnothing").headers["etag"]
    assert get(press, "/insights?search=zqnothing", **{"if-none-match": tag}).status_code == 304


# --- sitemap and feed -----------------------------------------------------------------------------------------------


def test_the_sitemap_holds_the_site_s_pages_and_every_article(press: LiveGateway) -> None:
    write(press, "mapped & found".replace(" ", "-"))
    response = get(press, "/sitemap.xml")
    assert response.headers["content-type"] == "application/xml; charset=utf-8"
    places = [element.text for element in ET.fromstring(response.text).iter() if element.tag.endswith("}loc")]
    assert f"{SITE}/quote" in places
    assert f"{SITE}/insights/mapped-%26-found" in places
    assert f"{SITE}/insights/draft" not in places


def test_the_feed_is_well_formed_and_newest_first(press: LiveGateway) -> None:
    write(press, "fed-old", published_at="2026-05-01T00:00:00+00:00")
    write(press, "fed-new", published_at="2026-06-01T00:00:00+00:00", title="A & B", content="<p>x &amp; y</p>")
    response = get(press, "/feed.xml")
    assert response.headers["content-type"] == "application/atom+xml; charset=utf-8"
    atom = {"a": "http://www.w3.org/2005/Atom"}
    entries = ET.fromstring(response.text).findall("a:entry", atom)
    links = [entry.find("a:link", atom).attrib["href"] for entry in entries]  # type: ignore[union-attr]
    assert links.index(f"{SITE}/insights/fed-new") < links.index(f"{SITE}/insights/fed-old")
    newest = entries[links.index(f"{SITE}/insights/fed-new")]
    assert newest.findtext("a:title", namespaces=atom) == "A & B"
    assert newest.findtext("a:content", namespaces=atom) == "<p>x &amp; y</p>"


def test_a_failing_page_function_leaves_the_plain_application(gateways: Any, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "app-shell.html").write_text("plain application")
    (site / "404.html").write_text("not found page")
    (site / "routes.json").write_text(json.dumps({"dynamic": ["/insights/:slug"]}))
    running = gateways(extra={"SITE_DIR": str(site)})  # without the page that the function fills
    write(running, "shown")
    response = get(running, "/insights/shown")
    assert (response.status_code, response.text) == (200, "plain application")


def test_a_database_that_lacks_the_function_leaves_the_list_to_the_browser(gateways: Any) -> None:
    """Such as of a version before: pages are as they were built, and the tables answer the browser."""
    running = gateways()
    with SyncConnection(running.database_url) as connection:
        connection.script("drop function public.list_articles(text, text, integer, integer)")
    write(running, "shown")
    response = get(running, "/insights")
    assert (response.status_code, response.text) == (200, (ROOT / "web/dist/insights.html").read_text())
    asked = get(running, "/rest/v1/blog_posts?select=slug", apikey=running.publishable_key)
    assert asked.json() == [{"slug": "shown"}]


def test_a_backslash_in_an_article_is_kept(press: LiveGateway) -> None:
    write(press, "slashed", title=r"C:\1 \g<0>", content=r"<p>C:\1 \g</p>")
    page = get(press, "/insights/slashed").text
    assert r"C:\1 \g&lt;0&gt;</h1>" in page and r"<p>C:\1 \g</p>" in page
    assert json.loads(Tags(page).texts["post-data"])["title"] == r"C:\1 \g<0>"


# --- the public address ---------------------------------------------------------------------------------------------


def test_a_built_site_moves_to_another_domain_by_a_setting(press: LiveGateway) -> None:
    built = json.loads((ROOT / "web/dist/routes.json").read_text())["origin"]
    write(press, "addressed")
    for path in (
        "/",
        "/quote",
        "/insights",
        "/insights/addressed",
        "/robots.txt",
        "/sitemap.xml",
        "/feed.xml",
        "/none",
    ):
        for encoding in ("gzip", "identity"):
            response = get(press, path, **{"accept-encoding": encoding})
            assert built not in response.text, path
            assert SITE in response.text, path
    seo = Tags(get(press, "/quote").text).seo()
    assert seo["link:canonical"]["href"] == seo["property:og:url"]["content"] == f"{SITE}/quote"
    assert f'"SITE_URL":"{SITE}"' in get(press, "/env.js").text  # what the browser writes into the head itself


def test_an_addressed_page_is_not_sent_again(press: LiveGateway) -> None:
    tag = get(press, "/quote").headers["etag"]
    again = get(press, "/quote", **{"if-none-match": tag})
    assert (again.status_code, again.headers["etag"]) == (304, tag)
    assert get(press, "/none", **{"if-none-match": "*"}).status_code == 404
