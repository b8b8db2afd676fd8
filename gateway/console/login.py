"""The console's login at the database: a role of its own that is no superuser and cannot become one.

Whatever the console's connection may do, SQL of its page may do too, for any role it takes on is given back by
`reset role`. So its sessions are asked what they could become before anything is run on them.
"""

from __future__ import annotations

from gateway.console.errors import ConsoleError
from gateway.database import NO_SCOPE, Database
from gateway.database.poolers import Urls
from gateway.database.statement import Statement

ROLE = "gateway_console"
_REACHES = Statement(
    "select string_agg(rolname, ', ') from pg_roles where (rolsuper or rolname in ('pg_execute_server_program',"
    " 'pg_write_server_files', 'pg_read_server_files')) and pg_has_role(session_user, oid, 'member')"
)


class ConsoleLogin:
    """The pool of a worker, made when it is first asked for."""

    def __init__(self, urls: Urls) -> None:
        self._url = urls.console
        self._database: Database | None = None

    @property
    def url(self) -> str:
        """For a connection of one's own. Raises ConsoleError 503."""
        if not self._url:
            raise ConsoleError(
                503, "no_login", "The console has no login at this database.",
                hint=f"Let the role {ROLE} log in and set GATEWAY_CONSOLE_DATABASE_URL to its address.",
            )  # fmt: skip
        return self._url

    async def database(self) -> Database:
        """Raises ConsoleError 503 where there is no login, or one that is, or may become, a superuser."""
        if self._database is None:
            made = Database(self.url, unprivileged=True, size=4, core=1, application_name="gateway console")
            reaches = (await made.run(NO_SCOPE, _REACHES)).value
            if reaches is not None:
                await made.close()
                raise ConsoleError(
                    503, "login_too_mighty", f"The console's login may become {reaches.decode()}, and so could its SQL."
                )
            if self._database is None:
                self._database = made
        return self._database

    async def close(self) -> None:
        if self._database is not None:
            await self._database.close()
