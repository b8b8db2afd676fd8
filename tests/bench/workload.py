"""Kinds of requests, each asked by visitors that differ and by one that always asks the same, and the limit of each."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import jwt
import orjson

from tests.bench import original
from tests.bench.crowd import Visitor, crowd
from tests.bench.load import Call
from tests.bench.site import CALL, EMBED, LIST, NOTES, OBJECT, ONE, SEARCH, UNORDERED

REQUESTS: Final = 24_000  # different ones: more than a round asks for, or what came before would come again
BULK: Final = 1_000  # rows of a bulk insert
BULKS: Final = 50  # different ones of these
LIST_COLUMNS: Final = (
    "id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes"
)
NOTE: Final = {"title": "text", "body": "text", "tags": "text[]", "details": "jsonb"}
SINGLE: Final = "single article"
CLEAR: Final = "truncate public.bench_notes restart identity"
WORDS: Final = (("sharps", "Sharps"), ("training", "Training"), ("audits", "Audits"), ("shipping", "DOT"))


@dataclass(frozen=True)
class Kind:
    """A kind of request. `ask` makes one of a number, by a visitor; `limit` are queries of the original."""

    name: str
    ask: Callable[[str, Mapping[str, str], int], Call]
    limit: Sequence[str]
    goal: float | None = None
    role: str = "anon"
    """Of the visitors' tokens: who reads articles is no editor, for whom a policy asks a function."""
    method: str = "GET"
    path: str = "/blog_posts"
    head: str = ""
    """What a script of pgbench begins with."""
    clear: str = ""
    requests: int = REQUESTS

    def same(self, base: str, keys: Mapping[str, Any]) -> list[Call]:
        """One visitor's, who asks for the same few things over and over."""
        visitor = crowd(keys, self.role, 1)[0]
        return [self.ask(base, visitor.headers, 11 + number) for number in range(1 if self.method == "GET" else 8)]

    def differing(self, base: str, visitors: Sequence[Visitor], turn: int = 0) -> list[Call]:
        """Of visitors that differ; no two are alike, nor are those of two turns."""
        numbers = list(range(turn * self.requests, (turn + 1) * self.requests))
        random.Random(turn).shuffle(numbers)
        return [self.ask(base, visitors[at % len(visitors)].headers, number) for at, number in enumerate(numbers)]

    def scripts(self, visitors: Sequence[Visitor]) -> list[str]:
        """The limit, as pgbench runs it."""
        found = []
        for visitor, sql in zip(visitors, self.limit, strict=False):
            token = visitor.headers["authorization"].removeprefix("Bearer ")
            claims = jwt.decode(token, options={"verify_signature": False})
            sent = {name: value for name, value in visitor.headers.items() if name != "cookie"}
            asked = original.Asked(
                self.role, original.as_json(claims), self.method, self.path, original.as_json(sent), sql
            )
            found.append(self.head + original.script(asked))
        return found


def _get(target: str, status: int = 200, **more: str) -> Callable[[str, Mapping[str, str], int], Call]:
    def ask(base: str, headers: Mapping[str, str], number: int) -> Call:
        return Call.of(base + target.format(number), headers={"accept": "application/json", **headers, **more},
                       status=status)  # fmt: skip

    return ask


def _post(target: str, body: Callable[[int], object], status: int) -> Callable[[str, Mapping[str, str], int], Call]:
    def ask(base: str, headers: Mapping[str, str], number: int) -> Call:
        sent = {"accept": "*/*", **headers, "content-type": "application/json"}
        return Call.of(base + target, "POST", sent, orjson.dumps(body(number)), status)

    return ask


def _search(base: str, headers: Mapping[str, str], number: int) -> Call:
    word, tag = WORDS[number % len(WORDS)]
    target = f"{SEARCH.format(word, tag)}&title=neq.{number}"
    sent = {"accept": "application/json", **headers, "prefer": "count=exact"}
    return Call.of(base + target, headers=sent, status=206)


def _one(base: str, headers: Mapping[str, str], number: int) -> Call:
    slug = 10 * (number % 100) + 1 + number % 9  # one that is published
    return Call.of(base + ONE.format(slug), headers={**headers, "accept": OBJECT})


def _note(number: int) -> dict[str, object]:
    return {"title": f"Note {number}", "body": f"Some words, number {number}", "tags": ["a", "b"],
            "details": {"n": number}}  # fmt: skip


def _notes(number: int) -> list[dict[str, object]]:
    return [_note(number * BULK + each) for each in range(BULK)]


def _searched(word: str, tag: str) -> str:
    table = "public.blog_posts"
    found = (
        f"where {table}.published = true and ({table}.title ilike '%{word}%' or {table}.excerpt ilike '%{word}%')"
        f" and {table}.tags @> '{{{tag}}}' and {table}.title <> '7'"
    )
    return original.read(LIST_COLUMNS, table, f"{found} order by published_at desc limit 10 offset 0", found)


_LISTED: Final = "where published = true and published_at < '2027-01-01T00:00:00.000007'"
_EMBEDDED: Final = original.read(
    "blog_posts.id, blog_posts.title, coalesce(bench_comments_1.bench_comments_1, '[]') as bench_comments",
    "public.blog_posts",
    "left join lateral (select json_agg(bench_comments_1)::jsonb as bench_comments_1 from"
    " (select bench_comments_1.id, bench_comments_1.body from public.bench_comments bench_comments_1"
    " where bench_comments_1.post_id = blog_posts.id) bench_comments_1) bench_comments_1 on true"
    f" {_LISTED} order by published_at desc limit 10 offset 0",
)
KINDS: Final = (
    Kind(
        "list, exact count",
        _get(LIST + "&published_at=lt.2027-01-01T00:00:00.{:06d}", 206, prefer="count=exact"),
        (original.read(LIST_COLUMNS, "public.blog_posts", f"{_LISTED} order by published_at desc limit 10 offset 0",
                       _LISTED),),
        0.9,
    ),
    Kind(
        "list, exact count, no index",
        _get(UNORDERED + "&published_at=lt.2027-01-01T00:00:00.{:06d}", 206, prefer="count=exact"),
        (original.read(LIST_COLUMNS, "public.bench_posts", f"{_LISTED} order by published_at desc limit 10 offset 0",
                       _LISTED),),
        0.9,
        path="/bench_posts",
    ),
    Kind(
        SINGLE,
        _one,
        (original.single("blog_posts.*", "public.blog_posts", "where slug = 'post-' || :n and published = true"),),
        1.2,
        head="\\set n 10 * random(0, 99) + random(1, 9)\n",
    ),
    Kind("search, exact count", _search, [_searched(*pair) for pair in WORDS], 0.58),
    Kind(
        "insert", _post(NOTES, _note, 201),
        (original.insert("public.bench_notes", NOTE, original.as_json(_note(7))),),
        1.6, role="authenticated", method="POST", path="/bench_notes", clear=CLEAR,
    ),
    Kind(
        f"insert of {BULK} rows",
        _post(NOTES + "?columns=" + ",".join(f"%22{name}%22" for name in NOTE), _notes, 201),
        (original.insert("public.bench_notes", NOTE, original.as_json(_notes(7))),),
        role="authenticated", method="POST", path="/bench_notes", clear=CLEAR, requests=BULKS,
    ),
    Kind("list with an embed", _get(EMBED + "&published_at=lt.2027-01-01T00:00:00.{:06d}"), (_EMBEDDED,)),
    Kind(
        "call of a function", _post(CALL, lambda number: {"many": 5 + number % 8}, 200),
        (original.call("public.bench_latest", "many := 8", "id, title, slug"),),
        role="authenticated", method="POST", path="/rpc/bench_latest",
    ),
)  # fmt: skip
