"""The role claim's path: RFC 9535 as the contract narrows it, and the grammar before it."""

from __future__ import annotations

import random
from typing import Any

import pytest

from gateway.claims import json_path as jsonpath
from gateway.claims.json_path import PathError
from gateway.claims.role_claim import parse

CLAIMS: dict[str, Any] = {
    "role": "plain",
    "app": {"role": "inner", "roles": ["guest", "ed_anna", "x_ed"], "n": 5, "nothing": None},
    "https://x.test/role": ["first", "second"],
    "people": [{"name": "a", "age": 30}, {"name": "b", "age": 40, "admin": True}, {"name": "c"}],
    "Größe": "tall",
}


@pytest.mark.parametrize(
    ("path", "role"),
    [
        ("$.role", "plain"),
        ("$ .role", "plain"),
        ("$.app.role", "inner"),
        ("$ [ 'app' ] [ \"role\" ]", "inner"),
        ("$.Größe", "tall"),
        ('$["https://x.test/role"][0]', "first"),
        ("$['https://x.test/role'][-1]", "second"),
        ("$['https://x.test/role'][2]", None),
        ("$['https://x.test/role'][1:]", "second"),
        ("$['https://x.test/role'][::-1]", "second"),
        ("$['https://x.test/role'][::0]", None),
        ("$['https://x.test/role'][1, 0]", "second"),
        ("$['no', 'role']", "plain"),
        ("$.none", None),
        ("$.app.n", "5"),
        ("$.people[2]", '{"name":"c"}'),
        ("$.app.nothing", "null"),
        ("$.app.roles", '["guest","ed_anna","x_ed"]'),
        ("$.app.*", "inner"),
        ("$.*", "plain"),
        ("$..role", "plain"),
        ("$.app..role", "inner"),
        ("$..[0]", "guest"),
        ("$..roles[*]", "guest"),
        ("$..*", "plain"),
        ("$.app.roles[?search(@, '^ed_')]", "ed_anna"),
        ('$.app.roles[?search(@,"_ed$")]', "x_ed"),
        ("$.app.roles[?search(@, 'a.')]", "ed_anna"),
        ("$.app.roles[?!search(@, 'e')]", None),
        ("$.app.roles[?(@ == 'x_ed')]", "x_ed"),
        ("$.app.roles[?@ != 'guest' && @ < 'f']", "ed_anna"),
        ("$.app.roles[?@ == 'nobody' || @ == $.app.roles[2]]", "x_ed"),
        ("$.people[?@.age > 30].name", "b"),
        ("$.people[?@.age >= 30 && !(@.admin)].name", "a"),
        ("$.people[?!@.age].name", "c"),
        ("$.people[?@.admin == true].name", "b"),
        ("$.people[?@.age == 4e1].name", "b"),
        ("$.people[?@.none == @.nothing].name", "a"),
        ("$.people[?@.age == null].name", None),
        ("$.people[?$.app.n == 5].name", "a"),
        ("$.people[?@['name'] == 'b' ] .name", "b"),
        ("$.app[?@ == 5]", "5"),
        ("$[?@.role].role", "inner"),
        ("$['\\u0072ole']", "plain"),
    ],
)
def test_a_path_leads_to_the_first_result(path: str, role: str | None) -> None:
    read = parse(path)
    assert (read.find(CLAIMS), read.is_old) == (role, False)


def test_true_is_no_number() -> None:
    assert parse("$.a[?@ == 1]").find({"a": [True, 1.0]}) == "1.0"
    assert parse("$.a[?@ == true]").find({"a": [1, True]}) == "true"
    assert parse("$.a[?@ < 2]").find({"a": [False, "1", 1]}) == "1"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (".role", "$.role"),
        (".app.role", "$.app.role"),
        ('."https://x.test/role"[0]', '$["https://x.test/role"][0]'),
        ('.app.roles[?(@ == "ed_anna")]', '$.app.roles[?(@ == "ed_anna")]'),
        ('.app.roles[?(@ != "guest")]', '$.app.roles[?(@ != "guest")]'),
        ('.app.roles[?(@ ^== "ed")]', '$.app.roles[?search(@, "^ed")]'),
        ('.app.roles[?(@ ==^ "ed")]', '$.app.roles[?search(@, "ed$")]'),
        ('.app.roles[?(@ *== "_an")]', '$.app.roles[?search(@, "_an")]'),
    ],
)
def test_the_old_grammar_means_what_the_new_one_does(old: str, new: str) -> None:
    before, after = parse(old), parse(new)
    assert (before.is_old, after.is_old) == (True, False)
    assert before.find(CLAIMS) == after.find(CLAIMS) is not None


@pytest.mark.parametrize(
    "path",
    [
        "", "role", "$role", "$.", "$..", "$.1a", "$.a-b", "$[", "$[]", "$['a'", "$[01]", "$[-0]", "$[1 2]",
        "$[?]", "$[?1]", "$[?'a']", "$[?@.a ==]", "$[?@.* == 1]", "$[?@..a == 1]", "$[?(@.a]", "$[?length(@) == 1]",
        "$[?count(@.*) > 1]", "$[?match(@, 'a')]", "$[?value(@) == 1]", "$[?search(@, 'a') == true]", "$[?search(@)]",
        "$[?search(@, '(')]", "$[?search(@, @.a)]", "$[?@ = 1]", "$.a ", "$.role x", "$['\\x']", "$['\\\"']",
        ".a[?(@ ~ 'x')]",
        ".a[?(@ == \"x\")].b", "$" + "[?(" * 60 + "@" + ")]" * 60,
    ],
)  # fmt: skip
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(ValueError, match="failed to parse role-claim-key value") as refused:
        parse(path)
    assert "line 1, column" in str(refused.value)


def test_reading_ends_whatever_the_text_is() -> None:
    dice = random.Random(1)
    pieces = ["$", "@", ".", "..", "[", "]", "(", ")", "?", "*", "'a'", '"b"', "a", "1", "-1", ":", ",", " ", "==", "<",
              "&&", "||", "!", "search", "true", "null", "\\", "'"]  # fmt: skip
    taken = 0
    for _ in range(20_000):
        text = "$" + "".join(dice.choice(pieces) for _ in range(dice.randint(0, 12)))
        try:
            path = jsonpath.parse(text)
        except PathError as error:
            assert 1 <= error.column <= len(text) + 1
        else:
            path.find(CLAIMS)
            taken += 1
    assert taken > 50


def test_a_deep_document_is_searched_through() -> None:
    deep: Any = "end"
    for _ in range(5000):
        deep = [deep]
    assert parse("$..[?@ == 'end']").find({"a": deep}) == "end"


def test_the_first_of_several_results_counts_whatever_they_are() -> None:
    assert parse("$.people[*].age").find(CLAIMS) == "30"


@pytest.mark.parametrize(("path", "column"), [("", 1), ("role", 1), (".app!x", 5), ('.app["role"', 5)])
def test_a_path_that_cannot_be_read_names_the_column_at_which_it_ends(path: str, column: int) -> None:
    with pytest.raises(ValueError, match=rf"\(line 1, column {column}\)$"):
        parse(path)
