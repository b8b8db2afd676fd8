"""SQL has one room in auth, and is put together in one way."""

from __future__ import annotations

import ast
import importlib
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gateway.database import SyncConnection
from gateway.database.sql import StatementTemplate, bind, parameter, sql
from gateway.database.sql import template as template_of
from gateway.database.statement import Statement
from tests.fixtures.db import Server, clone

AUTH = Path(__file__).parents[3] / "gateway" / "auth"
STATEMENT = re.compile(
    r"^\s*(select\b|insert\s+into\b|update\s+\S+\s+set\b|delete\s+from\b|with\s+\w+\s+as\b)|\bfrom\s+(auth|gateway)\.",
    re.IGNORECASE,
)


def modules() -> Iterator[tuple[str, ast.Module]]:
    for path in sorted(AUTH.rglob("*.py")):
        yield str(path.relative_to(AUTH)), ast.parse(path.read_text())


def texts(tree: ast.AST) -> Iterator[str]:
    """Every string constant of a module but its docstrings."""
    notes = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in notes:
            yield node.value


@pytest.mark.parametrize(
    ("text", "is_sql"),
    [
        ("select 1", True),
        ("SELECT from auth.users where id = $1", True),
        ("insert into auth.users values (1)", True),
        ("update auth.users set id = $1", True),
        ("delete from auth.users", True),
        ("with taken as (delete from auth.users returning *)", True),
        (" order by 1) from gateway.throttle", True),
        ("update the address", False),
        ("Please select a factor", False),
    ],
)
def test_sql_is_told_from_words(text: str, is_sql: bool) -> None:
    assert bool(STATEMENT.search(text)) == is_sql


def test_sql_stands_in_the_store_alone() -> None:
    strangers = {name for name, tree in modules() if any(STATEMENT.search(text) for text in texts(tree))}
    assert {name for name in strangers if not name.startswith("store/")} == set()
    assert "store/one_time_tokens.py" in strangers, "the search finds what is there"


def test_no_module_makes_a_statement_of_text() -> None:
    makers = {
        name
        for name, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Statement"
    }
    assert makers == set()


def test_no_module_of_the_store_reads_those_above_it() -> None:
    for name, tree in modules():
        if name.startswith("store/"):
            used = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module}
            above = {each for each in used if each.startswith("gateway.auth.")} - {"gateway.auth.types"}
            assert all(each.startswith("gateway.auth.store") for each in above), name


def test_a_template_takes_exactly_its_values() -> None:
    made = template_of(sql("select ", parameter("a"), ", ", parameter("b"), ", ", parameter("a")))
    assert made.fill(b="2", a=None) == template_of(sql("select ", parameter("a"), ", ", parameter("b"), ", $1")).fill(
        a=None, b="2"
    )
    assert made.fill(a="1", b="2").params == ("1", "2")
    with pytest.raises(KeyError):
        made.fill(a="1")
    with pytest.raises(TypeError):
        made.fill(a="1", b="2", c="3")


def test_a_template_holds_no_value() -> None:
    with pytest.raises(TypeError):
        template_of(sql("select ", bind("secret")))


def made_at_import() -> dict[str, str]:
    """The text of every statement and template that a module of the store holds, by where it stands."""
    found = {}
    for path in sorted((AUTH / "store").glob("[a-z]*.py")):
        module = importlib.import_module(f"gateway.auth.store.{path.stem}")
        for name, value in vars(module).items():
            several = value if isinstance(value, tuple) else (value,)
            for index, each in enumerate(several):
                if isinstance(each, Statement | StatementTemplate):
                    found[f"{path.stem}.{name}[{index}]"] = each.text
    return found


def test_postgres_takes_every_statement_of_the_store(server: Server, template: str) -> None:
    """Those too that are met once a day, such as the clean-up."""
    texts_of_store, name = made_at_import(), f"store_{os.getpid()}"
    assert len(texts_of_store) > 60
    with server.admin() as admin:
        admin.script(clone(name, template))
    with SyncConnection(server.database(name)) as connection:
        for where, text in texts_of_store.items():
            try:
                connection.script(f"prepare every as {text}; deallocate every")
            except Exception as error:
                error.add_note(where)
                raise
    with server.admin() as admin:
        admin.script(f'drop database "{name}" with (force)')
