"""Settings: one typed row per variable, read once from the environment over a TOML file.

Names follow the originals where they have one (`PGRST_*`, `GOTRUE_*`). `Settings.load` reports every fault together
as `SettingsError`. Nothing else reads the environment. A TOML file (`GATEWAY_CONFIG`, default `.gateway.toml`) holds
the same names at its top level, in either case.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, get_type_hints

from gateway.http.unix_client import address_of
from gateway.settings.application import ApplicationSettings
from gateway.settings.auth import AuthSettings
from gateway.settings.console import ConsoleSettings
from gateway.settings.database import DatabaseSettings
from gateway.settings.mail import MailSettings
from gateway.settings.operations import OperationsSettings, parse_days
from gateway.settings.realtime import RealtimeSettings
from gateway.settings.rows import ConfigFault, FileFault, SettingsError, from_file, parse_row
from gateway.settings.server import ServerSettings
from gateway.settings.services import ServiceSettings
from gateway.settings.storage import StorageSettings
from gateway.settings.tables import TableSettings

FAMILIES: Final = (
    "PGRST_APP_SETTINGS_", "GOTRUE_EXTERNAL_", "GOTRUE_MAILER_SUBJECTS_", "GOTRUE_MAILER_TEMPLATES_",
)  # fmt: skip
"""What the variables begin with whose name goes on with a name."""
_KIND_DAYS: Final = re.compile(r"GATEWAY_([A-Z][A-Z0-9_]*)_DAYS")


@dataclass(frozen=True)
class Settings(
    # The last base gives the first fields: the documentation lists them in this order from below.
    ApplicationSettings,
    MailSettings,
    AuthSettings,
    TableSettings,
    RealtimeSettings,
    StorageSettings,
    ServiceSettings,
    ConsoleSettings,
    OperationsSettings,
    DatabaseSettings,
    ServerSettings,
):
    """All rows."""

    @property
    def api_url(self) -> str:
        """Base URL without a trailing slash."""
        return (self.public_url or f"http://{self.host}:{self.port}").rstrip("/")

    @property
    def local_url(self) -> str:
        """Base URL on this machine, past any proxy."""
        if self.unix_socket:
            return address_of(self.unix_socket)
        host = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self.host, self.host)
        return f"http://{f'[{host}]' if ':' in host and host[0] != '[' else host}:{self.port}"

    @property
    def db_writers(self) -> int:
        """Connections that the tables' writes may have; who allows few for the rest has few to spare."""
        return min(self.db_pool_writes, 2 * self.db_pool)

    @property
    def filter_demanded(self) -> bool:
        """Whether a write may not change every row of a table."""
        return bool(self.rest_prefix) if self.require_filter is None else self.require_filter

    @classmethod
    def load(
        cls,
        environ: Mapping[str, str] | None = None,
        base: Mapping[str, str] = MappingProxyType({}),
        config: Path | None = None,
        /,
        **overrides: Any,
    ) -> Settings:
        """Settings from the environment over the TOML file (`config`, else as `config_file` says) over `base`.

        `base` are variables that a project brings; `overrides` win over all. Raises SettingsError.
        """
        environ = os.environ if environ is None else environ
        required = "GATEWAY_CONFIG" in environ
        table = _toml(config if config is not None and not required else config_file(environ), required=required)
        faults: list[str] = []
        values: dict[str, Any] = {}
        files: dict[str, str] = {}
        hints = get_type_hints(cls)
        for row in fields(cls):
            names = row.metadata["names"]
            given = ((name, environ.get(name, table.get(name.lower()))) for name in names)
            for name, raw in (*given, *((name, base.get(name)) for name in names)):
                if raw is None:
                    continue
                try:
                    if row.metadata["file"] and str(raw).strip().startswith("@"):
                        files[row.name] = str(raw).strip().removeprefix("@")
                        values[row.name] = from_file(row, hints[row.name], files[row.name])
                    else:
                        values[row.name] = parse_row(row, hints[row.name], raw)
                except FileFault as error:
                    faults.append(f"{name}: {error}")
                except ValueError as error:
                    faults.append(f"{name}: {error if not row.metadata['secret'] else 'cannot be read'}")
                break
        values.update(_families({**base, **environ}))
        values["retention_days"] = _retention({**{name.upper(): raw for name, raw in table.items()}, **environ}, faults)
        values["files"] = files
        values["given"] = frozenset(
            row.name
            for row in fields(cls)
            for name in row.metadata["names"]
            if name in environ or name.lower() in table
        )
        values["unserved"] = _unserved((*environ, *(name.upper() for name in table)))
        # A function gets the variables that its function.toml names, and only those that are no secret of ours.
        own = {name for row in fields(cls) if row.metadata["secret"] for name in row.metadata["names"]}
        values["functions_environ"] = {name: value for name, value in environ.items() if name not in own}
        if faults:
            raise SettingsError(faults)
        values.update(overrides)
        made = cls(**values)
        if "functions_dir" not in values and not made.functions_dir.is_dir() and PROJECT_FUNCTIONS.is_dir():
            made = replace(made, functions_dir=PROJECT_FUNCTIONS)
        if made.port == made.admin_port != 0 and not made.unix_socket and not made.admin_unix_socket:
            raise SettingsError(["admin-server-port cannot be the same as server-port"])
        return made

    def read_again(self, *names: str) -> Settings:
        """These settings, with the fields of `names` that came from a file as it is now. Raises SettingsError."""
        hints = get_type_hints(type(self))
        changes: dict[str, Any] = {}
        for row in fields(self):
            if row.name in names and row.name in self.files:
                try:
                    changes[row.name] = from_file(row, hints[row.name], self.files[row.name])
                except ValueError as error:
                    shown = error if isinstance(error, FileFault) else "cannot be read"
                    raise SettingsError([f"{row.metadata['names'][0]}: {shown}"]) from None
        return replace(self, **changes) if changes else self

    def unserved_in_database(self, pairs: Mapping[str, str]) -> tuple[str, ...]:
        """Those of the `pgrst.*` values (names without the prefix) that set nothing here."""
        taken = {name for row in fields(self) if not row.metadata["file"] for name in row.metadata["names"]}
        return tuple(
            sorted(
                name
                for name in pairs
                if not name.startswith("app.settings.") and f"PGRST_{name.replace('-', '_').upper()}" not in taken
            )
        )

    def with_database_settings(self, pairs: Mapping[str, str]) -> Settings:
        """These settings with `pgrst.*` values of the login role (names without the prefix) laid over them.

        Unknown names are ignored, as the original does; a value that cannot be read keeps what stood before. Raises
        SettingsError for one that must not pass: then everything stays as it was.
        """
        rows = {
            name.removeprefix("PGRST_").lower(): row
            for row in fields(self)
            for name in row.metadata["names"]
            if name.startswith("PGRST_")
        }
        hints = get_type_hints(type(self))
        changes: dict[str, Any] = {}
        app = dict(self.app_settings)
        for name, raw in pairs.items():
            if name.startswith("app.settings."):
                app[name.removeprefix("app.settings.")] = raw
                continue
            row = rows.get(name.replace("-", "_"))
            if row is None or row.metadata["file"]:
                continue
            try:
                changes[row.name] = parse_row(row, hints[row.name], raw)
            except ConfigFault as error:
                raise SettingsError([str(error)]) from None
            except ValueError:
                continue
        return replace(self, app_settings=app, **changes)


def variables() -> frozenset[str]:
    """Every variable that a row has; families such as GOTRUE_EXTERNAL_NAME_… are not among them."""
    return frozenset(name for row in fields(Settings) for name in row.metadata["names"])


def _families(environ: Mapping[str, str]) -> dict[str, dict[str, str]]:
    """The variables whose name carries a name: PGRST_APP_SETTINGS_X, FUNCTIONS_X_URL, and those of FAMILIES."""
    app: dict[str, str] = {}
    urls: dict[str, str] = {}
    providers: dict[str, str] = {}
    subjects: dict[str, str] = {}
    templates: dict[str, str] = {}
    for name, value in environ.items():
        if name.startswith("PGRST_APP_SETTINGS_"):
            app[name.removeprefix("PGRST_APP_SETTINGS_").lower()] = value
        elif name.startswith("FUNCTIONS_") and name.endswith("_URL"):
            urls[name.removeprefix("FUNCTIONS_").removesuffix("_URL").lower().replace("_", "-")] = value
        elif name.startswith("GOTRUE_EXTERNAL_"):
            providers[name.removeprefix("GOTRUE_EXTERNAL_").lower()] = value
        elif name.startswith("GOTRUE_MAILER_SUBJECTS_"):
            subjects[name.removeprefix("GOTRUE_MAILER_SUBJECTS_").lower()] = value
        elif name.startswith("GOTRUE_MAILER_TEMPLATES_"):
            templates[name.removeprefix("GOTRUE_MAILER_TEMPLATES_").lower()] = value
    return {
        "app_settings": app,
        "functions_urls": urls,
        "external_providers": providers,
        "mailer_subjects": subjects,
        "mailer_template_files": templates,
    }


def _retention(given: Mapping[str, Any], faults: list[str]) -> dict[str, int]:
    """Days of the kinds that an application's schema has registered (gateway.retain), by GATEWAY_KIND_DAYS."""
    own = {name for row in fields(Settings) for name in row.metadata["names"]}
    days: dict[str, int] = {}
    for name, raw in given.items():
        if name not in own and (found := _KIND_DAYS.fullmatch(name)):
            try:
                days[found[1].lower()] = parse_days(raw)
            except ValueError as error:
                faults.append(f"{name}: {error}")
    return days


def _unserved(names: Iterable[str]) -> tuple[str, ...]:
    """Variables in the originals' names that no row has: settings which this gateway lacks, or misspelled ones."""
    known = {name for row in fields(Settings) for name in row.metadata["names"]}
    return tuple(
        sorted(
            {
                name
                for name in names
                if name.startswith(("PGRST_", "GOTRUE_")) and name not in known and not name.startswith(FAMILIES)
            }
        )
    )


# Where a project in the original's layout has them.
PROJECT_FUNCTIONS = Path("supabase", "functions")


def config_file(environ: Mapping[str, str] | None = None) -> Path:
    """The TOML file that settings are read from, whether it exists or not."""
    return Path((os.environ if environ is None else environ).get("GATEWAY_CONFIG", ".gateway.toml"))


def _toml(path: Path, required: bool) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            table = tomllib.load(file)
    except FileNotFoundError:
        if required:
            raise SettingsError([f"GATEWAY_CONFIG: {path} does not exist"]) from None
        return {}
    except tomllib.TOMLDecodeError as error:
        raise SettingsError([f"{path}: {error}"]) from None
    return {name.lower(): value for name, value in table.items()}


def describe() -> list[tuple[str, str, str]]:
    """Rows for the documentation: variable, default (secrets have none), what it does."""
    rows = []
    for row in fields(Settings):
        names = row.metadata["names"]
        default = row.default if row.default is not MISSING else ""
        shown = ",".join(default) if isinstance(default, tuple) else "" if default is None else str(default)
        rows.append((names[0] if names else "", shown, row.metadata["help"]))
    return rows
