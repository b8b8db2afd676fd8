"""Saved queries, as files: `supabase/snippets/*.sql` of the project, where git keeps them, else in the data folder."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from gateway.console.call import ConsoleCall, ConsoleRoute, answer_json, text_of
from gateway.console.errors import bad_request, not_found
from gateway.http.messages import Response
from gateway.settings import Settings
from gateway.system.file_faults import explain

_NAME: Final = re.compile(r"[^\W_][\w ().,+-]{0,99}")
MOST: Final = 2000
LONGEST: Final = 1_000_000


def folder_of(settings: Settings) -> Path:
    if settings.project_dir is not None:
        return settings.project_dir / "supabase" / "snippets"
    return settings.data_dir / "snippets"


def _path(call: ConsoleCall) -> Path:
    name = call.path["name"]
    if not _NAME.fullmatch(name) or name.endswith((".", " ")):
        raise bad_request("a name has letters, digits, blanks and ().,+-_, a hundred at most")
    return folder_of(call.settings) / f"{name}.sql"


async def listed(call: ConsoleCall) -> Response:
    return answer_json({"snippets": await asyncio.to_thread(_list, folder_of(call.settings))})


def _list(folder: Path) -> list[dict[str, Any]]:
    found = []
    for path in sorted(folder.glob("*.sql"))[:MOST]:
        if _NAME.fullmatch(path.stem) and path.is_file():
            changed = datetime.fromtimestamp(path.stat().st_mtime, UTC).isoformat()
            found.append({"name": path.stem, "changed_at": changed})
    return found


async def read(call: ConsoleCall) -> Response:
    path = _path(call)
    try:
        text = await asyncio.to_thread(path.read_text, "utf-8", "replace")
    except OSError:
        raise not_found("there is no such snippet") from None
    return answer_json({"name": path.stem, "sql": text})


async def write(call: ConsoleCall) -> Response:
    path, text = _path(call), text_of(await call.json(), "sql")
    if len(text) > LONGEST:
        raise bad_request("the text is too long")

    def put() -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")

    try:
        await asyncio.to_thread(put)
    except OSError as error:
        raise bad_request(f"the snippet cannot be written: {explain(error)}") from None
    return answer_json({"name": path.stem, "sql": text})


async def remove(call: ConsoleCall) -> Response:
    path = _path(call)
    try:
        await asyncio.to_thread(path.unlink)
    except OSError:
        raise not_found("there is no such snippet") from None
    return answer_json({})


ROUTES: Final = (
    ConsoleRoute("GET", "/snippets", listed),
    ConsoleRoute("GET", "/snippets/{name:segment}", read),
    ConsoleRoute("PUT", "/snippets/{name:segment}", write),
    ConsoleRoute("DELETE", "/snippets/{name:segment}", remove),
)
