"""A cache against a list that does the same, and what sizes count."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gateway.lru_cache import ENTRY, Caches, LruCache, size_of
from gateway.rest.types import Action


class _Model:
    """A cache as a list, the least recently used first."""

    def __init__(self, most_bytes: int, most_entries: int | None) -> None:
        self.most_bytes, self.most_entries = most_bytes, most_entries
        self.kept: list[tuple[str, object, int]] = []

    def get(self, key: str) -> object:
        for entry in self.kept:
            if entry[0] == key:
                self.kept.remove(entry)
                self.kept.append(entry)
                return entry[1]
        return None

    def put(self, key: str, value: object, size: int) -> None:
        if size * 8 > self.most_bytes:
            return
        self.kept = [entry for entry in self.kept if entry[0] != key]
        self.kept.append((key, value, size))
        while sum(entry[2] for entry in self.kept) > self.most_bytes or (
            self.most_entries is not None and len(self.kept) > self.most_entries
        ):
            del self.kept[0]


_STEPS = st.lists(
    st.tuples(st.sampled_from(["put", "put", "get", "clear"]), st.sampled_from("abcdefghij"), st.integers(0, 12)),
    max_size=80,
)


@given(_STEPS, st.sampled_from([80, 88, 40]), st.sampled_from([None, 1, 3]))
@example([("put", "a", 10), ("put", "b", 11)], 80, None)
@example([("put", key, 10) for key in "abcdefgh"] + [("put", "i", 0), ("put", "j", 1)], 80, None)
def test_a_cache_keeps_what_a_list_would(steps: list[tuple[str, str, int]], most: int, entries: int | None) -> None:
    cache: LruCache[str, object] = LruCache(most, entries)
    model = _Model(most, entries)
    for number, (step, key, size) in enumerate(steps):
        if step == "put":
            cache.put(key, number, size)
            model.put(key, number, size)
        elif step == "get":
            assert cache.get(key) == model.get(key)
        elif size == 0:
            cache.clear()
            model.kept.clear()
        assert cache.bytes == sum(entry[2] for entry in model.kept)
        assert len(cache) == len(model.kept)
    assert [cache.get(key) for key, _, _ in model.kept] == [value for _, value, _ in model.kept]


@dataclass
class _Thing:
    text: str


class _Slotted:
    __slots__ = ("absent", "text")

    def __init__(self, text: str) -> None:
        self.text = text


@pytest.mark.parametrize(
    "hold",
    [lambda text: text, lambda text: [text], lambda text: (text,), lambda text: {text}, lambda text: frozenset({text}),
     lambda text: {text: 1}, lambda text: {1: text}, lambda text: [text, None, True], _Thing, _Slotted,
     lambda text: [[{"a": (_Thing(text),)}]]],
)  # fmt: skip
def test_a_size_counts_what_is_held_once_wherever_it_is(hold: Callable[[str], object]) -> None:
    text = "x" * 100_000
    assert ENTRY + 100_000 < size_of(hold(text)) < ENTRY + 102_000
    assert size_of(hold(text), text, hold(text)) < 104_000, "the same one"
    assert size_of(hold(text), shared=(str,)) < 2_000
    assert size_of(hold(text), "y" * 100_000) > 200_000


def test_what_all_share_costs_nothing() -> None:
    for value in (None, True, int, len, size_of, Action.READ):
        assert size_of(value) == ENTRY
    assert size_of() == ENTRY == 200


def test_all_caches_are_emptied_and_switched_off_together() -> None:
    for enabled in (True, False):
        caches = Caches(enabled)
        made = [caches.make(name, 10_000) for name in ("one", "two")]
        for each in made:
            each.put("key", "value", 10)
            assert each.get("key") == ("value" if enabled else None)
        caches.invalidate()
        assert [each.get("key") for each in made] == [None, None]
