"""Imports run one way: no cycles among the gateway's modules, and each library has one room."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# Import packages and the folder that each is in.
PACKAGES = {"gateway": ROOT, "functions_runner": ROOT / "functions" / "runner"}


def modules() -> dict[str, Path]:
    found = {}
    for package, folder in PACKAGES.items():
        for path in (folder / package).rglob("*.py"):
            parts = path.relative_to(folder).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def load_time_imports(path: Path) -> set[str]:
    """Modules imported at load time: not within functions and not under TYPE_CHECKING."""
    names: set[str] = set()

    def visit(body: list[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.Import):
                names.update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                names.add(node.module)
                names.update(f"{node.module}.{alias.name}" for alias in node.names)
            elif isinstance(node, ast.If) and "TYPE_CHECKING" not in ast.dump(node.test):
                visit(node.body)
                visit(node.orelse)
            elif isinstance(node, ast.Try | ast.With):
                visit(node.body)

    visit(ast.parse(path.read_text()).body)
    return names


def all_imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
    return names


def test_no_module_imports_itself_through_others() -> None:
    graph = {name: load_time_imports(path) & MODULES.keys() for name, path in MODULES.items()}
    done: set[str] = set()

    def walk(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " → ".join((*trail[trail.index(name) :], name))
        if name in done:
            return
        for target in sorted(graph[name] - {name}):
            walk(target, (*trail, name))
        done.add(name)

    for name in sorted(graph):
        walk(name, ())


# From the bottom: a room imports those below it and its own; rooms of one row know nothing of each other.
LAYERS = (
    ("errors", "lru_cache", "claims", "encryption", "migrations", "system"),
    ("http",),
    ("database",),
    ("settings",),
    ("catalog", "identity"),
    ("middleware", "server"),
    ("rest", "auth", "functions", "storage", "realtime", "site", "mail"),
    ("operations", "projects"),
    ("jobs",),
    ("worker",),
    ("app",),
    ("console",),
    ("admin",),
    ("testing",),
    ("cli",),
    ("__main__",),
)
FLOOR = {room: floor for floor, row in enumerate(LAYERS) for room in row}


def room_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if parts[0] == "gateway" and len(parts) > 1 else None


def test_a_room_imports_only_rooms_below_it() -> None:
    upward = [
        f"{name} imports {used}"
        for name, path in MODULES.items()
        if (room := room_of(name)) is not None
        for used in all_imports(path)
        if (other := room_of(used)) not in (None, room) and FLOOR[other] >= FLOOR[room]
    ]
    assert not upward


@pytest.mark.parametrize(
    ("library", "rooms"),
    [
        ("psycopg", {"gateway.database", "gateway.jobs"}),
    ],
)
def test_a_library_has_one_room(library: str, rooms: set[str]) -> None:
    users = {
        name
        for name, path in MODULES.items()
        if any(used == library or used.startswith(library + ".") for used in all_imports(path))
    }
    strangers = {user for user in users if not any(user == room or user.startswith(room + ".") for room in rooms)}
    assert not strangers


def test_functions_deploy_without_the_gateway() -> None:
    for name, path in MODULES.items():
        if name.startswith("functions_runner"):
            assert not any(used.split(".")[0] == "gateway" for used in load_time_imports(path)), name


# Class names that stand for two things. A name may be here while its modules are read apart from each other.
TWO_THINGS = {
    "Body": "what a writing request sends: rows to the tables API, a file to storage",
    "Caller": "who asks storage, and who is replayed by the recorder",
    "Column": "of the catalogue, and of a request",
    "Connection": "to Postgres, of a migration, and to a function's process",
    "Grant": "a privilege of the database, and leave to see one object of storage",
    "Parameter": "of a routine, and of a query's shape",
    "Prepared": "a request that is planned, and a statement that Postgres has prepared",
}


def test_a_class_name_stands_for_one_thing() -> None:
    """Names that begin with an underscore are their module's own."""
    homes: dict[str, list[str]] = {}
    for name, path in MODULES.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if name.startswith("gateway") and isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(name)
    twice = {name: found for name, found in homes.items() if len(found) > 1}
    assert {name: found for name, found in twice.items() if name not in TWO_THINGS} == {}
    assert not [name for name, found in twice.items() if any(home.startswith("gateway.auth.") for home in found)]
