"""Paths off the hot path are found by their segments, whatever is in these."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from gateway.http.routing import Routes

SEGMENT = st.one_of(
    st.sampled_from(
        ["live", "mails", "html", "", ".", "..", "a/b", "live\n", "%2F", "%0A", "{id}", "?", "#", "é", "\0"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=5),
)
TABLE = Routes(
    {"/live": "live", "/mails/{id:segment}": "mail", "/mails/{id:segment}/html": "html", "/all/{rest:path}": "all"}
)


def expected(segments: list[str]) -> str | None:
    match segments:
        case ["live"]:
            return "live"
        case ["mails", _]:
            return "mail"
        case ["mails", _, "html"]:
            return "html"
        case ["all", _, *_]:
            return "all"
    return None


@given(
    st.one_of(st.lists(SEGMENT, max_size=4), st.builds(lambda rest: ["mails", *rest], st.lists(SEGMENT, max_size=2)))
)
@example(["live\n"])
@example(["live", ""])
@example(["mails", ""])
@example(["mails", "a/html"])
@example(["all", "a\nb"])
def test_a_row_is_found_by_whole_segments(segments: list[str]) -> None:
    found = TABLE.find(segments)
    assert (found[0] if found else None) == expected(segments)
    if found and "id" in found[1]:
        assert found[1]["id"] == segments[1]
