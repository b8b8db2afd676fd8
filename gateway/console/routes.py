"""Every route of the console's API: a module a subject, with a tuple `ROUTES`."""

from __future__ import annotations

from typing import Final

from gateway.console import (
    account_routes,
    catalog,
    commands,
    copies,
    functions,
    imports,
    migrations,
    people,
    proxy,
    queue,
    row_changes,
    rows,
    session_routes,
    settings_page,
    sight,
    snippets,
    sql,
    transfers,
    why,
)
from gateway.console.call import ConsoleRoute

ROUTES: Final[tuple[ConsoleRoute, ...]] = (
    *session_routes.ROUTES,
    *proxy.ROUTES,
    *catalog.ROUTES,
    *rows.ROUTES,
    *row_changes.ROUTES,
    *transfers.ROUTES,
    *imports.ROUTES,
    *why.ROUTES,
    *functions.ROUTES,
    *queue.ROUTES,
    *sight.ROUTES,
    *commands.ROUTES,
    *account_routes.ROUTES,
    *copies.ROUTES,
    *sql.ROUTES,
    *snippets.ROUTES,
    *migrations.ROUTES,
    *people.ROUTES,
    *settings_page.ROUTES,
)
