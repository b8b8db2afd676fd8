"""Which function a call means."""

from __future__ import annotations

from dataclasses import replace

import pytest

from gateway.catalog.model import Name, SchemaCache
from gateway.errors import ApiError
from gateway.rest.parse.media import JSON, decode_media_type
from gateway.rest.planner.call import choose_routine

TEXT = decode_media_type("text/plain")


def _name(name: str) -> Name:
    return Name("public", name)


@pytest.mark.parametrize("keys", [["a"], ["a", "b"], ["b", "a"]])
def test_optional_arguments_may_be_left_out(cache: SchemaCache, keys: list[str]) -> None:
    assert choose_routine(cache, _name("add"), keys, JSON, True).name.name == "add"


def test_overloads_are_told_apart_by_names(cache: SchemaCache) -> None:
    assert choose_routine(cache, _name("twice"), ["z"], JSON, False).parameters[0].name == "z"
    with pytest.raises(ApiError) as caught:
        choose_routine(cache, _name("twice"), ["a"], JSON, False)
    assert (caught.value.status, caught.value.code) == (300, "PGRST203")
    assert caught.value.message == (
        "Could not choose the best candidate function between: public.twice(a => integer), public.twice(a => text)"
    )


def test_a_whole_body_is_for_posts_of_its_type(cache: SchemaCache) -> None:
    assert choose_routine(cache, _name("whole"), ["anything"], JSON, True).name.name == "whole"
    for content, posted in ((JSON, False), (TEXT, True)):
        with pytest.raises(ApiError, match="PGRST202"):
            choose_routine(cache, _name("whole"), [], content, posted)


def test_what_takes_nothing_is_given_nothing(cache: SchemaCache) -> None:
    bare = replace(cache.routines[_name("add")][0], name=_name("bare"), parameters=())
    known = replace(cache, routines={**cache.routines, bare.name: (bare,)})
    for content, posted in ((JSON, False), (JSON, True), (TEXT, False)):
        assert choose_routine(known, bare.name, [], content, posted) is bare
        with pytest.raises(ApiError, match="PGRST202"):
            choose_routine(known, bare.name, ["a"], content, posted)
    with pytest.raises(ApiError, match="PGRST202"):
        choose_routine(known, bare.name, [], TEXT, True)  # a text is given


MISSING = [
    ("nope", [], JSON, False, "public.nope without parameters", "without parameters", None),
    ("adds", ["b", "a"], JSON, False, "public.adds(a, b)", "with parameters a, b",
     "Perhaps you meant to call the function public.add"),
    ("add", ["a", "bb"], JSON, True, "public.add(a, bb)",
     "with parameters a, bb or with a single unnamed json/jsonb parameter",
     "Perhaps you meant to call the function public.add(a, b)"),
    ("nope", ["a"], JSON, False, "public.nope(a)", "with parameter a", None),
    ("add", ["zzzzzzzz"], JSON, False, "public.add(zzzzzzzz)", "with parameter zzzzzzzz", None),
    ("add", [], TEXT, True, "public.add", "with a single unnamed text parameter", None),
]  # fmt: skip


@pytest.mark.parametrize(("name", "keys", "content", "posted", "shown", "searched", "hint"), MISSING)
def test_a_missing_function_is_described(
    cache: SchemaCache, name: str, keys: list[str], content: object, posted: bool, shown: str, searched: str,
    hint: str | None,
) -> None:  # fmt: skip
    with pytest.raises(ApiError) as caught:
        choose_routine(cache, _name(name), keys, content, posted)  # type: ignore[arg-type]
    error = caught.value
    assert (error.status, error.code, error.hint) == (404, "PGRST202", hint)
    assert error.message == f"Could not find the function {shown} in the schema cache"
    assert error.details == (
        f"Searched for the function public.{name} {searched}, but no matches were found in the schema cache."
    )
