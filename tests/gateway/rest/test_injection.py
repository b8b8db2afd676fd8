"""No name and no value of a request reaches SQL unquoted or unbound."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import quote_plus

import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from gateway.catalog.model import SchemaCache
from gateway.database.statement import Statement
from gateway.errors import ApiError
from gateway.settings import Settings
from tests.gateway.rest.planning import Planner

MARK = "zq7"  # in no constant of the source

CORPUS = [
    f"{MARK}; drop table posts; --",
    f"{MARK}' or '1'='1",
    f'{MARK}" or ""="',
    f'{MARK}""; delete from posts; --',
    f"{MARK}') union select 1; --",
    f"{MARK}$1",
    f"$$ {MARK} $$",
    f"{MARK}\\",
    f"{MARK}\\'; --",
    f"E'{MARK}'",
    f"/* {MARK} */",
    f"{MARK}\n--\n",
    f"{MARK}\u2019 \u02bc or 1=1",
    f"{MARK}%27%22",
    f"{MARK}::text)",
    f"{MARK}(select 1)",
    f"U&\"{MARK}\" uescape '!'",
    f"{MARK}\x1f\x7f",
    f'"{MARK}"."a"',
    f"{MARK}->>'a'",
]

CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_IDENTIFIER = re.compile(r'"(?:[^"]|"")*"')
_PLACEHOLDER = re.compile(r"\$\d+")
_LITERALS = frozenset(
    {"", "[]", "\n", ",", "0", "-1", "response.headers", "response.status", "pgrst.inserted", "type", "features",
     "FeatureCollection"}
)  # fmt: skip


def _check(statement: Statement) -> None:
    """What is left of the text without quoted names and placeholders is the source's own."""
    left = _IDENTIFIER.sub(" ", statement.text)
    assert '"' not in left
    assert MARK not in left.lower()
    for constant in re.findall(r"'([^']*)'", left):
        assert constant in _LITERALS
    numbers = [int(number[1:]) for number in _PLACEHOLDER.findall(left)]
    assert set(numbers) == set(range(1, len(statement.params) + 1))
    assert re.fullmatch(r"[a-z0-9_ .,()\[\]=<>!~@&|*+:$'\n-]*", _PLACEHOLDER.sub("$", left))


def _quoted(name: str) -> str:
    """A name as the grammar quotes it."""
    return '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _query(**parameters: str) -> str:
    return "&".join(f"{quote_plus(key)}={quote_plus(value)}" for key, value in parameters.items())


# Where a name may stand, and where a value may: each makes (method, target, body) of a text.
Maker = Callable[[str], tuple[str, str, bytes]]
NAMES: dict[str, Maker] = {
    "a column": lambda n: ("GET", f"/posts?{_query(select=_quoted(n))}", b""),
    "an alias": lambda n: ("GET", f"/posts?{_query(select=_quoted(n) + ':id')}", b""),
    "a json key": lambda n: ("GET", f"/posts?{_query(select='meta->' + _quoted(n))}", b""),
    "a json key of an order": lambda n: ("GET", f"/posts?{_query(order='meta->>' + _quoted(n))}", b""),
    "a filtered column": lambda n: ("GET", f"/posts?{_query(**{_quoted(n): 'eq.1'})}", b""),
    "a filtered json key": lambda n: ("GET", f"/posts?{_query(**{'meta->>' + _quoted(n): 'eq.1'})}", b""),
    "a column in a tree": lambda n: ("GET", f"/posts?{_query(**{'or': f'({_quoted(n)}.eq.1)'})}", b""),
    "an ordered column": lambda n: ("GET", f"/posts?{_query(order=_quoted(n) + '.desc')}", b""),
    "an embed's alias": lambda n: ("GET", f"/posts?{_query(select=_quoted(n) + ':comments(id)')}", b""),
    "a spread column": lambda n: ("GET", f"/posts?{_query(select='...comments(' + _quoted(n) + ')')}", b""),
    "an aggregate's alias": lambda n: ("GET", f"/posts?{_query(select=_quoted(n) + ':id.sum()')}", b""),
    "a conflict target": lambda n: ("POST", f"/comments?{_query(on_conflict=_quoted(n))}", b'{"id":1}'),
    "a returned column": lambda n: ("DELETE", f"/comments?{_query(select=_quoted(n))}", b""),
}  # fmt: skip
VALUES: dict[str, Maker] = {
    "a filter": lambda v: ("GET", f"/posts?{_query(title='eq.' + v)}", b""),
    "a pattern": lambda v: ("GET", f"/posts?{_query(title='ilike(any).' + v)}", b""),
    "a search": lambda v: ("GET", f"/posts?{_query(title='wfts(english).' + v)}", b""),
    "a list": lambda v: ("GET", f"/posts?{_query(title='in.(' + _quoted(v) + ')')}", b""),
    "a tree": lambda v: ("GET", f"/posts?{_query(**{'and': f'(title.eq.{_quoted(v)},id.is.null)'})}", b""),
    "a distinction": lambda v: ("GET", f"/posts?{_query(title='isdistinct.' + v)}", b""),
    "a limit": lambda v: ("GET", f"/posts?select=comments(id)&{_query(**{'comments.limit': v})}", b""),
    "an argument": lambda v: ("GET", f"/rpc/add?{_query(a='=' + v)}", b""),
    "a variadic argument": lambda v: ("GET", f"/rpc/sum_of?{_query(items='=' + v)}", b""),
    "a body": lambda v: ("POST", "/comments", json.dumps({"body": v}).encode()),
    "a body under a filter": lambda v: ("PATCH", "/comments?id=eq.1", json.dumps({"body": v}).encode()),
    "a whole body": lambda v: ("POST", "/rpc/whole", json.dumps({"v": v}).encode()),
}  # fmt: skip

_TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=12)
_MARKED = st.builds(lambda before, after: f"{before}{MARK}{after}", _TEXT, _TEXT)
_SETTINGS = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)


@pytest.fixture(scope="module")
def _allowed() -> Settings:
    return Settings(db_max_rows=None, rest_prefix="", db_aggregates_enabled=True)


@pytest.fixture
def planner(cache: SchemaCache, _allowed: Settings) -> Planner:
    return Planner(cache, _allowed)


def _headers(method: str) -> dict[str, str]:
    if method == "GET":
        return {}
    return {"Prefer": "return=representation,resolution=merge-duplicates"}


def _check_or_refused(planner: Planner, place: str, text: str) -> None:
    """A name with control characters is no name."""
    method, target, body = (NAMES.get(place) or VALUES[place])(text)
    if place in NAMES and CONTROL.search(text):
        with pytest.raises(ApiError, match="PGRST100"):
            planner.statement(method, target, body, _headers(method))
    else:
        _check(planner.statement(method, target, body, _headers(method)))


@pytest.mark.parametrize("place", NAMES)
@given(name=_MARKED)
@example(name=f'{MARK}"; drop table posts; --')
@_SETTINGS
def test_promise_08_a_name_is_quoted(planner: Planner, place: str, name: str) -> None:
    _check_or_refused(planner, place, name)


@pytest.mark.parametrize("place", VALUES)
@given(value=_MARKED)
@example(value=f"{MARK}'; drop table posts; --")
@_SETTINGS
def test_promise_08_a_value_is_bound(planner: Planner, place: str, value: str) -> None:
    method, target, body = VALUES[place](value)
    statement = planner.statement(method, target, body, _headers(method))
    _check(statement)
    if place in ("a filter", "a tree", "an argument"):
        assert statement.params[0] == (f"={value}" if place == "an argument" else value)


@pytest.mark.parametrize("text", CORPUS, ids=range(len(CORPUS)))
@pytest.mark.parametrize("place", [*NAMES, *VALUES])
def test_known_attacks_are_texts_like_any_other(planner: Planner, place: str, text: str) -> None:
    _check_or_refused(planner, place, text)


_NAME = st.one_of(_MARKED, st.sampled_from(CORPUS)).map(_quoted)
_FIELD = st.one_of(st.sampled_from(["id", "title"]), _NAME, st.builds("meta->>{}".format, _NAME))
_ITEM = st.one_of(_FIELD, st.builds("{}:{}".format, _NAME, _FIELD), st.builds("{}:comments({})".format, _NAME, _FIELD))
_CONDITION = st.builds("{}.{}.{}".format, _FIELD, st.sampled_from(["eq", "not.gt", "ilike"]), _NAME)
_PARAMETER = st.one_of(
    st.tuples(st.just("select"), st.lists(_ITEM, min_size=1, max_size=3).map(",".join)),
    st.tuples(st.just("order"), st.builds("{}.desc".format, _FIELD)),
    st.tuples(
        st.sampled_from(["or", "not.and"]),
        st.lists(_CONDITION, min_size=1, max_size=3).map(lambda them: f"({','.join(them)})"),
    ),
    st.tuples(_FIELD, st.builds("eq.{}".format, _MARKED)),
)


@given(parameters=st.lists(_PARAMETER, min_size=1, max_size=3) | st.lists(st.tuples(_TEXT, _TEXT), max_size=4))
@_SETTINGS
def test_promise_08_any_query_string_is_refused_or_safe(planner: Planner, parameters: list[tuple[str, str]]) -> None:
    query = "&".join(f"{quote_plus(key)}={quote_plus(value)}" for key, value in parameters)
    try:
        statement = planner.statement("GET", f"/posts?{query}")
    except ApiError:
        return
    _check(statement)


@pytest.mark.parametrize("field", ["search", "title", "meta->>a", "nope"])
@given(config=st.text(st.sampled_from("abzq7_$ é"), max_size=12))
@_SETTINGS
def test_promise_08_a_search_configuration_is_bound(planner: Planner, field: str, config: str) -> None:
    for word in ("fts", "plfts", "phfts", "wfts"):
        search = f"{word}({config}{MARK}).{MARK}"
        asked = _query(**{field: search, "or": f"({field}.{search})"})
        statement = planner.statement("GET", f"/posts?{asked}")
        _check(statement)
        assert f"{config}{MARK}".strip() in statement.params


@given(cast=st.text(st.sampled_from("abzq7_$ é"), min_size=1, max_size=12))
@_SETTINGS
def test_a_cast_names_a_type_and_nothing_else(planner: Planner, cast: str) -> None:
    assume(cast.strip())
    try:
        statement = planner.statement("GET", f"/posts?{_query(select=f'id::{cast}{MARK}')}")
    except ApiError:
        return
    _check(statement)


@pytest.mark.parametrize("cast", ["int(", "int;", "int--", "int[]", "numeric(3)", 'int"', "int'", "a.b"])
def test_a_cast_outside_the_grammar_is_refused(planner: Planner, cast: str) -> None:
    with pytest.raises(ApiError, match="PGRST100"):
        planner.statement("GET", f"/posts?{_query(select=f'id::{cast}')}")
