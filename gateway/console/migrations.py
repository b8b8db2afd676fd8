"""Changes of the schema as files: shown, written to `supabase/migrations`, run, and noted in the ledger as the official
CLI notes them. They run as the owner of the project's tables, by the console's own login."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import ConsoleError, bad_request
from gateway.database import DatabaseError, SyncConnection
from gateway.http.messages import Response
from gateway.projects import ledger
from gateway.projects.apply import StatementFailed, execute
from gateway.projects.folder import Project
from gateway.projects.login import AUTHOR
from gateway.projects.statements import split
from gateway.system.file_faults import explain

_OURS: Final = re.compile(r"(?:begin|start\s+transaction|commit|end)\b", re.IGNORECASE)


async def listed(call: ConsoleCall) -> Response:
    """The ledger and the files, side by side."""
    url = call.door.login.url
    await call.database()
    project = _project(call)
    return answer_json(await asyncio.to_thread(_list, url, project))


def _list(url: str, project: Project | None) -> dict[str, Any]:
    with SyncConnection(url, "gateway console") as connection:
        applied = ledger.names(connection)
    files = {file.version: file for file in project.migrations().files} if project is not None else {}
    rows = [
        {
            "version": version,
            "name": files[version].name if version in files else applied.get(version, ""),
            "file": files[version].path.name if version in files else None,
            "applied": version in applied,
        }
        for version in sorted({*files, *applied})
    ]
    return {"folder": str(project.migrations_folder) if project is not None else None, "migrations": rows}


async def make(call: ConsoleCall) -> Response:
    """`{"name", "sql", "run"}`: the file's text; with `run` it is written, run and noted."""
    content = await call.json()
    slug = re.sub(r"[^A-Za-z0-9_-]+", "_", text_of(content, "name").strip()).strip("_")[:100]
    sql = text_of(content, "sql").strip()
    if not slug or not sql or "\0" in sql:
        raise bad_request("a migration has a name of letters or digits, and SQL")
    text = sql if sql.endswith(";") else f"{sql};"
    project, version = _project(call), f"{datetime.now(UTC):%Y%m%d%H%M%S}"
    name = f"{version}_{slug}.sql"
    if content.get("run") is not True:
        return answer_json({"file": f"supabase/migrations/{name}", "sql": f"{text}\n", "ran": False})
    if project is None:
        raise ConsoleError(
            409, "no_folder", "There is no folder supabase/migrations to write to.",
            hint="Save the text as a migration where your project is, or run it on the SQL page.",
            more={"file": name, "sql": f"{text}\n"},
        )  # fmt: skip
    url = call.door.login.url
    await call.database()
    try:
        path = await asyncio.to_thread(_write, project, version, slug, text)
        call.note(file=path.name, sql=text)
        try:
            await asyncio.to_thread(_run, url, path, slug, text)
        except BaseException:
            path.unlink(missing_ok=True)  # what did not run is no migration
            raise
    except OSError as error:
        raise ConsoleError(409, "no_folder", f"The file cannot be written: {explain(error)}") from None
    call.gateway.cache.reload_soon()
    return answer_json({"file": f"supabase/migrations/{path.name}", "sql": f"{text}\n", "ran": True})


def _project(call: ConsoleCall) -> Project | None:
    root = call.settings.project_dir
    return Project(root) if root is not None and (root / "supabase").is_dir() else None


def _write(project: Project, version: str, slug: str, text: str) -> Path:
    """A file with a version that nobody has, after all others."""
    folder = project.migrations_folder
    folder.mkdir(parents=True, exist_ok=True)
    known = [file.version for file in project.migrations().files if len(file.version) == 14]
    at = datetime.strptime(version, "%Y%m%d%H%M%S")
    while known and f"{at:%Y%m%d%H%M%S}" <= max(known):
        at = max(at, _time(max(known))) + timedelta(seconds=1)
    path = folder / f"{at:%Y%m%d%H%M%S}_{slug}.sql"
    with path.open("x", encoding="utf-8") as file:
        file.write(f"{text}\n")
    return path


def _time(version: str) -> datetime:
    try:
        return datetime.strptime(version, "%Y%m%d%H%M%S")
    except ValueError:
        return datetime.max.replace(microsecond=0) - timedelta(days=1)


def _run(url: str, path: Path, name: str, text: str) -> None:
    """All statements and the ledger's row in one transaction. Raises ConsoleError."""
    statements = split(text)
    with SyncConnection(url, "gateway console") as connection:
        ((may,),) = connection.rows(
            "select exists (select from pg_roles where rolname = $1 and pg_has_role(session_user, oid, 'member'))",
            AUTHOR,
        )
        if may != "t":
            raise ConsoleError(
                409, "no_author", f"The console may not become {AUTHOR}, who would own what the migration makes.",
                hint="Save the text as a migration and run `gateway migration up`.", more={"sql": text},
            )  # fmt: skip
        connection.script(f'set role {AUTHOR}; set search_path = "$user", public, extensions')
        number = 0
        try:
            ledger.ensure(connection)
            with connection.transaction():
                for at, statement in enumerate(statements):
                    number = at
                    if not _OURS.match(statement.words):
                        execute(connection, statement)
                connection.script(f"reset role; set role {AUTHOR}")
                ledger.add(connection, path.name.partition("_")[0], name, [each.text for each in statements])
        except DatabaseError as error:
            failed = StatementFailed(path.name, number, statements[number], error, 0)
            start = text.find(statements[number].text)
            position = start + error.position if error.position is not None and start >= 0 else None
            more = {"sqlstate": error.sqlstate, "position": position, "line": failed.line}
            raise ConsoleError(400, "sql", error.message, hint=error.hint, details=str(failed), more=more) from error


ROUTES: Final = (
    ConsoleRoute("GET", "/migrations", listed),
    ConsoleRoute("POST", "/migrations", make),
)
