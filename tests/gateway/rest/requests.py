"""Requests by chance, for properties: from the grammar, with its corners, and broken in small ways.

The tables are those of tests/gateway/rest/conftest.py. `pairs` gives two requests that are alike but for values or for
one small change, so that equal keys are frequent and near misses are, too.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import quote

from hypothesis import strategies as st

from gateway.http.messages import Request


@dataclass(frozen=True)
class Asked:
    """A request as its parts: decoded parameters, headers and a body."""

    method: str
    path: str
    parameters: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    def request(self) -> Request:
        query = "&".join([f"{quote(key, safe='')}={quote(value, safe='')}" for key, value in self.parameters])
        raw = [(name.encode(), value.encode("latin-1", "replace")) for name, value in self.headers]
        return Request(self.method, self.path, query, raw, self.body)


NAMES = st.sampled_from(
    [
        "id",
        "title",
        "meta",
        "tags",
        "body",
        "author_id",
        "name",
        "tone",
        "or",
        "not",
        "is",
        '"a.b"',
        '"x,y"',
        "a-b",
        "é",
    ]
)
CONTROLS = [chr(code) for code in (*range(0x20), 0x7F)]
ODD = st.sampled_from([*'",.()\\{}:!*&=;%+-> \t', *CONTROLS, "->", "->>", "::", "...", "is.null", "eq.", "and(", "%01"])
VALUES = st.one_of(
    st.sampled_from(
        ["1", "2", "x", "", "true", "false", "null", "*a*", "{1,2}", "(1,2)", '"q"', "a,b", "a b", "\u00e9"]
    ),
    st.lists(st.one_of(st.characters(codec="utf-8"), ODD), max_size=6).map("".join),
)
QUOTED = VALUES.map(lambda text: '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"')
FIELDS = st.one_of(
    NAMES, st.builds("meta{}{}".format, st.sampled_from(["->", "->>"]), st.sampled_from(["a", "0", "-1", '"k"']))
)
WORDS = st.sampled_from(
    ["eq", "neq", "gt", "gte", "lt", "lte", "like", "ilike", "match", "imatch", "isdistinct", "cs", "cd", "ov", "sl",
     "sr", "nxr", "nxl", "adj", "fts", "plfts", "phfts", "wfts", "eq(any)", "like(all)", "gt(any)", "fts(english)",
     "wfts(german)"]
)  # fmt: skip
NEGATED = st.sampled_from(["", "", "not."])
LISTS = st.lists(st.one_of(VALUES, QUOTED), max_size=4).map(lambda items: f"({','.join(items)})")
IS = st.sampled_from(["is.null", "is.NOT_NULL", "is.true", "is.unknown"])
OPERATIONS = st.one_of(
    st.builds("{}{}.{}".format, NEGATED, WORDS, VALUES),
    st.builds("{}in.{}".format, NEGATED, LISTS),
    st.builds("{}{}".format, NEGATED, IS),
)
MEMBERS = st.one_of(
    st.builds("{}.{}{}.{}".format, FIELDS, NEGATED, WORDS, st.one_of(QUOTED, st.sampled_from(["1", "x", "{1,2}", ""]))),
    st.builds("{}.{}in.{}".format, FIELDS, NEGATED, LISTS),
    st.builds("{}.{}".format, FIELDS, IS),
)
TREES = st.recursive(
    st.lists(MEMBERS, min_size=1, max_size=3).map(lambda them: f"({','.join(them)})"),
    lambda inner: st.builds("({}{}{})".format, NEGATED, st.sampled_from(["and", "or"]), inner),
    max_leaves=3,
)
ITEMS = st.one_of(
    FIELDS,
    st.builds("{}:{}".format, st.sampled_from(["n", "m", '"a b"']), FIELDS),
    st.builds("{}::{}".format, FIELDS, st.sampled_from(["text", "int"])),
    st.sampled_from(["*", "count()", "id.sum()", "comments(id,body)", "c:comments(*)", "labels!inner(name)",
                     "...comments(body)", "authors!posts_author_id_fkey(name)", "comments()"]),
)  # fmt: skip
SELECTS = st.builds(
    "{}{}".format, st.lists(ITEMS, min_size=1, max_size=4).map(",".join), st.sampled_from(["", "", ")x", ")"])
)
ORDERS = st.lists(
    st.builds("{}{}{}".format, FIELDS, st.sampled_from(["", ".asc", ".desc"]), st.sampled_from(["", ".nullsfirst"])),
    min_size=1, max_size=3,
).map(",".join)  # fmt: skip
FILTERS = st.tuples(st.one_of(FIELDS, st.sampled_from(["comments.body", "c.id"])), OPERATIONS)
PARAMETERS = st.one_of(
    FILTERS,
    FILTERS,
    st.tuples(st.sampled_from(["or", "and", "not.or", "comments.or"]), TREES),
    st.tuples(st.just("select"), SELECTS),
    st.tuples(st.sampled_from(["order", "comments.order"]), ORDERS),
    st.tuples(st.sampled_from(["limit", "offset", "comments.limit", "comments.offset"]), st.sampled_from("0123x")),
    st.tuples(st.sampled_from(["columns", "on_conflict"]), st.sampled_from(["id", "id,body", "body'x", '"id"', "id,"])),
)
ARGUMENTS = st.tuples(
    st.sampled_from(["a", "b", "z", "items", "q"]), st.sampled_from(["1", "2", "eq.1", "is.x", "in.(1)"])
)
BODIES = st.sampled_from(
    [b'{"id":1}', b'{"id":2}', b'{"id":1,"body":"x"}', b'{"body":"y","id":3}', b'[{"id":1},{"id":2}]', b"[]", b"{}",
     b"{", b'{"a":1}', b'{"a":1,"b":2}', b'{"q":"x"}']
)  # fmt: skip
HEADERS = st.lists(
    st.one_of(
        st.tuples(
            st.just("prefer"),
            st.sampled_from(
                ["count=exact", "return=representation", "return=minimal", "return=headers-only", "handling=strict, x",
                 "resolution=merge-duplicates", "resolution=ignore-duplicates", "missing=default", "tx=rollback",
                 "count=planned,return=representation", "max-affected=1,handling=strict", "timezone=UTC", "\x01",
                 "x\x1f"]
            ),
        ),
        st.tuples(
            st.just("accept"),
            st.sampled_from(
                ["application/json", "text/csv", "application/vnd.pgrst.object+json", "*/*", "image/png",
                 "application/vnd.pgrst.array+json;nulls=stripped", "text/csv;q=0.1,application/json", ",", "\x01"]
            ),
        ),
        st.tuples(st.just("range"), st.sampled_from(["0-1", "1-", "x"])),
        st.tuples(
            st.just("content-type"),
            st.sampled_from(["application/json", "text/csv", "application/x-www-form-urlencoded"]),
        ),
    ),
    max_size=2,
)  # fmt: skip
PLACES = st.sampled_from(
    [("GET", "/posts"), ("GET", "/posts"), ("HEAD", "/posts"), ("GET", "/comments"), ("POST", "/comments"),
     ("PATCH", "/comments"), ("DELETE", "/comments"), ("PUT", "/comments"), ("GET", "/rpc/add"), ("POST", "/rpc/add"),
     ("GET", "/rpc/found"), ("GET", "/rpc/sum_of"), ("POST", "/rpc/whole"), ("HEAD", "/rpc/found")]
)  # fmt: skip


@st.composite
def requests(draw: st.DrawFn) -> Asked:
    method, path = draw(PLACES)
    kinds = st.one_of(PARAMETERS, ARGUMENTS) if "rpc" in path else PARAMETERS
    return Asked(
        method,
        path,
        tuple(draw(st.lists(kinds, max_size=4))),
        tuple(draw(HEADERS)),
        draw(BODIES) if method not in ("GET", "HEAD", "DELETE") else b"",
    )


def _changed(draw: st.DrawFn, text: str) -> str:
    """A text with one thing put in, taken out or put in another's place."""
    at = draw(st.integers(0, len(text)))
    end = min(len(text), at + draw(st.integers(0, 2)))
    return text[:at] + draw(st.one_of(st.just(""), ODD, VALUES)) + text[end:]


def _valued(draw: st.DrawFn, template: str) -> str:
    """A template with values in its places."""
    filled = template.replace("{}", draw(VALUES)).replace("{q}", draw(QUOTED)).replace("{q2}", draw(QUOTED))
    return filled.replace("{l}", draw(LISTS))


# What has a value, with a place for it.
TEMPLATES = st.one_of(
    st.tuples(st.just("or"), st.sampled_from(["(id.eq.{q},title.like.{q2})", "(id.in.({q}),not.and(title.neq.{q2}))"])),
    st.tuples(FIELDS, st.builds("{}{}.{{}}".format, NEGATED, WORDS)),
    st.tuples(FIELDS, st.builds("{}in.{{l}}".format, NEGATED)),
    st.tuples(st.sampled_from(["comments.limit", "offset"]), st.just("{}")),
)


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Asked, Asked]:
    """Two requests: alike but for their values, or for one change of one part."""
    one = draw(requests())
    parameters = list(one.parameters)
    change = draw(
        st.sampled_from(["values", "values", "text", "key", "merge", "split", "swap", "drop", "head", "body", "method"])
    )
    other = one
    at = draw(st.integers(0, max(0, len(parameters) - 1)))
    if change == "values":
        key, template = draw(TEMPLATES)
        one = replace(one, parameters=(*parameters, (key, _valued(draw, template))))
        parameters.append((key, _valued(draw, template)))
    elif change == "head":
        other = replace(one, headers=tuple(draw(HEADERS)))
    elif change == "body" and one.body:
        other = replace(one, body=draw(BODIES))
    elif change == "method":
        method, path = draw(PLACES)
        other = replace(one, method=method, path=path)
    elif parameters:
        key, value = parameters[at]
        if change == "text":
            parameters[at] = (key, _changed(draw, value))
        elif change == "key":
            parameters[at] = (_changed(draw, key), value)
        elif change == "drop":
            del parameters[at]
        elif change == "swap":
            parameters.reverse()
        elif change == "split" and len(parameters) > 1:  # a parameter hides in the one before it
            (before, text), (name, rest) = parameters[at - 1], parameters[at]
            separator = draw(st.sampled_from([*CONTROLS, "&", ";", ",", "."]))
            parameters[at - 1 : at + 1] = [(before, separator.join([text, name, rest]))]
        elif change == "merge":
            parameters.insert(at, draw(PARAMETERS))
    return one, replace(other, parameters=tuple(parameters))
