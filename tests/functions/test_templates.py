"""What functions render out of the site's templates is what the site's own components draw, to the last attribute.

The components are bundled as the build does it. They draw some hundred articles and lists made of texts that mean
something in HTML, addresses or templates; functions fill the templates of the same bundle with the same articles.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from types import ModuleType
from typing import Any

import pytest

from functions.shared.articles import Selection
from functions.shared.html import clean
from functions.shared.outline import with_names
from functions.shared.page_shell import Site, read_site
from functions.shared.templates import TemplateInvalid, parse
from tests.fixtures.server import ROOT

SIGNS = [
    *"\"'<>&/\\?#%+=;:,.()[]{}*~!@$^|`_- éß漢😀\u2028\xa0",
    *("{{text title}}", "{{end}}", "</script>", "<b>", "&amp;", "]]>", "%41", "javascript:", "\ue000text:title\ue001"),
    "United Medical Waste",
]
WORDS = ["sharps", "OSHA", "Dental", "State", "winter", "SHARPS needle", "other", "Kelvin", "RCRA"]


def load(name: str) -> ModuleType:
    path = ROOT / "functions" / name / "main.py"
    spec = importlib.util.spec_from_file_location(name.replace("-", "_"), path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


render_insight, render_insights = load("render-insight"), load("render-insights")


# --- articles and lists that differ in everything ---------------------------------------------------------------------


def some_text(chance: random.Random, longest: int = 12) -> str:
    return "".join(chance.choice([*SIGNS, *WORDS]) for _ in range(chance.randint(1, longest))).strip() or "x"


def some_sections(chance: random.Random) -> str:
    def section() -> str:
        link = f'<a href="https://{chance.choice(["a.example", "b.example/x?y=1&z=2"])}">{some_text(chance, 3)}</a>'
        return f"<h{chance.randint(2, 3)}>{some_text(chance, 4)}</h2><p>{link}</p>"

    return "".join(section() for _ in range(chance.randint(0, 4)))


def some_article(chance: random.Random) -> dict[str, Any]:
    def maybe(text: str) -> str | None:
        return chance.choice([text, text, "", None])

    day = f"20{chance.randint(10, 40)}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
    return {
        "id": f"id-{chance.random()}",
        "title": some_text(chance),
        "slug": f"a{some_text(chance)}",  # "." and ".." are no address of their own
        "excerpt": maybe(some_text(chance)),
        "content": f"<h2 id=main>{some_text(chance)}</h2><p>{some_text(chance)}</p>" + some_sections(chance),
        "featured_image_url": maybe(chance.choice(["/og/a.png?x=1&y=2", "https://images.example/a'b\".png"])),
        "author_name": some_text(chance),
        "published_at": f"{day}T12:00:00+00:00",
        "updated_at": "2026-03-05T12:00:00+00:00",
        "tags": list({some_text(chance, 3) for _ in range(chance.randint(0, 4))}),
        "reading_time_minutes": chance.randint(1, 99),
        "meta_title": maybe(some_text(chance)),
        "meta_description": maybe(some_text(chance)),
        "published": True,
    }


def some_list(chance: random.Random, page: int, last: int) -> dict[str, Any]:
    posts = [some_article(chance) for _ in range(chance.randint(1, 3))] if last else []
    tags = list({some_text(chance, 3) for _ in range(chance.randint(0, 15))})
    tag = chance.choice(["", some_text(chance, 3), *tags[-1:]])
    search = chance.choice(["", some_text(chance)])
    state = {"search": search, "tag": tag, "page": page}
    return {"state": state, "posts": posts, "count": max(0, last * 10 - chance.randint(0, 9)), "tags": tags}


CHANCE = random.Random(1871)
ARTICLES = [some_article(CHANCE) for _ in range(150)]
# Every page of every number of pages up to twelve, and no article at all.
LISTS = [some_list(CHANCE, page, last) for last in range(13) for page in range(1, max(last, 1) + 1)]


# --- HTML as a browser sees it --------------------------------------------------------------------------------------


class Seen(HTMLParser):
    """Tags with their attributes in any order, texts, and JSON as what it says; comments are nothing."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.nodes: list[Any] = []
        self._json = False
        self.feed(markup)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._json = tag == "script"
        self.nodes.append((tag, sorted((name, value or "") for name, value in attrs)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        self._json = False
        self.nodes.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._json:
            self.nodes.append(json.loads(data))
        elif self.nodes and isinstance(self.nodes[-1], str) and self.nodes[-1].startswith("="):
            self.nodes[-1] += data
        else:
            self.nodes.append(f"={data}")


@dataclass
class Drawn:
    """What the components drew of ARTICLES and LISTS, and the templates of the same bundle."""

    site: Site
    templates: dict[str, dict[str, str]]
    articles: list[dict[str, str]]
    lists: list[dict[str, str]]


@pytest.fixture(scope="module")
def drawn(tmp_path_factory: pytest.TempPathFactory) -> Drawn:
    web, out = ROOT / "web", tmp_path_factory.mktemp("bundle")
    command = ["node_modules/.bin/vite", "build", "--ssr", "src/entry-comparison.tsx", "--outDir", str(out)]
    built = subprocess.run([*command, "--logLevel", "error"], cwd=web, capture_output=True, text=True)
    assert built.returncode == 0, built.stderr
    (out / "package.json").write_text('{"type": "module"}')
    pages = {
        "articles": [{"article": one, "content": with_names(clean(one["content"]))} for one in ARTICLES],
        "lists": LISTS,
    }
    done = subprocess.run(
        ["node", str(ROOT / "tests/functions/js/draw-pages.mjs"), str(out / "entry-comparison.js")],
        input=json.dumps(pages),
        env={**os.environ, "TZ": "UTC", "NODE_ENV": "production"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    templates = {one["name"]: one for one in found["templates"]}
    return Drawn(read_site(json.dumps(found["facts"])), templates, found["articles"], found["lists"])


def same(template: dict[str, str], values: dict[str, Any], component: dict[str, str]) -> bool:
    return all(
        Seen(parse(template[part]).fill(values)).nodes == without_hints(Seen(component[part]).nodes)
        for part in ("head", "body")
    )


def without_hints(nodes: list[Any]) -> list[Any]:
    """React's own hints for pictures, which the templates leave out."""
    return [node for node in nodes if not (isinstance(node, tuple) and ("as", "image") in node[1])]


def articles(drawn: Drawn) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    for article, component in zip(ARTICLES, drawn.articles, strict=True):
        yield render_insight.values(drawn.site, article), component


def lists(drawn: Drawn) -> Iterator[tuple[dict[str, Any], dict[str, str]]]:
    for one, component in zip(LISTS, drawn.lists, strict=True):
        shown = Selection(**one["state"])
        yield render_insights.values(drawn.site, shown, one["posts"], one["count"], one["tags"]), component


PAGES = {"article": articles, "articles": lists}


@pytest.mark.parametrize("name", PAGES)
def test_a_filled_template_is_what_the_components_draw(drawn: Drawn, name: str) -> None:
    template = drawn.templates[name]
    for values, component in PAGES[name](drawn):
        for part in ("head", "body"):
            expected = without_hints(Seen(component[part]).nodes)
            assert Seen(parse(template[part]).fill(values)).nodes == expected
        assert Seen(parse(template["data"]).fill(values)).nodes[1] == values["data"]


@pytest.mark.parametrize("name", PAGES)
def test_the_comparison_notices_any_slot_that_is_left_out(drawn: Drawn, name: str) -> None:
    template = drawn.templates[name]
    pages = list(PAGES[name](drawn))
    CHANCE.shuffle(pages)
    slots = list(re.finditer(r"\{\{(?!if|else|each|end)[^}]*\}\}", template["body"]))
    assert len(slots) > 8
    for slot in slots:
        without = {**template, "body": template["body"][: slot.start()] + "-" + template["body"][slot.end() :]}
        assert any(not same(without, values, component) for values, component in pages), slot[0]


def test_an_article_borrows_no_look_of_the_site() -> None:
    text = '<p class="fixed ql-align-center inset-0">One</p><p class="fixed">Two</p>'
    assert clean(text) == '<p class="ql-align-center">One</p><p>Two</p>'


def test_no_function_holds_markup_of_the_site() -> None:
    """What a page looks like is said once, by the components; a mail has its own styles."""
    for path in (ROOT / "functions").glob("*/*.py"):
        assert not re.search(r"""class=\\?["']|className""", path.read_text()), path


# --- the notation ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["{{if a}}", "{{each a}}x", "{{end}}", "{{else}}", "{{if a}}{{else}}{{else}}{{end}}", "{{each a}}{{else}}{{end}}",
     "{{nothing a}}"],
)  # fmt: skip
def test_a_template_that_is_not_built_as_expected_is_refused(text: str) -> None:
    with pytest.raises(TemplateInvalid):
        parse(text)


@pytest.mark.parametrize(
    ("text", "values"),
    [("{{text a}}", {}), ("{{text a.b}}", {"a": "x"}), ("{{html a}}", {"a": "<p>nobody sanitized this</p>"})],
    ids=["a value that is not there", "a way into a text", "markup of unknown origin"],
)
def test_a_value_that_does_not_fit_is_refused(text: str, values: dict[str, Any]) -> None:
    with pytest.raises(TemplateInvalid):
        parse(text).fill(values)


WRITTEN: list[tuple[str, Any, str]] = [
    ("{{text a}}", "<&\"'>", "&lt;&amp;&quot;&#x27;&gt;"),
    ("{{text a}}", "{{text b}}", "{{text b}}"),
    ("{{url a}}", "https://x.example/'", "https://x.example/&#x27;"),
    ("{{url a}}", "/og/a.png", "/og/a.png"),
    ("{{url a}}", "//elsewhere.example/a.png", ""),
    ("{{url a}}", "javascript:alert(1)", ""),
    ("{{segment a}}", "a/b?c'", "a%2Fb%3Fc&#x27;"),
    ("{{query a}}", "a b&c=d", "a+b%26c%3Dd"),
    ("{{json a}}", {"b": "</script>"}, '{"b":"\\u003c/script\\u003e"}'),
    ("{{html a}}", clean("<p onclick=x>a</p>"), "<p>a</p>"),
    ("{{each a 2}}{{text .}},{{end}}", ["x", "y", "z"], "x,y,"),
    ("{{if a}}x{{end}}", [], ""),
]


@pytest.mark.parametrize(("text", "value", "written"), WRITTEN)
def test_a_value_is_written_as_its_kind_wants_it(text: str, value: Any, written: str) -> None:
    assert parse(text).fill({"a": value}) == written
