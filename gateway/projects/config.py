"""`supabase/config.toml` → settings of the gateway, and a word on every key that became none.

The official CLI's own defaults stand under the file, the environment over it: `SUPABASE_AUTH_SITE_URL` is
`auth.site_url`. What the gateway's own variables say (`GOTRUE_SITE_URL`) wins over all of that.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gateway.database import privileges
from gateway.projects.config_groups import BucketSpec, Collected, at, buckets_of, collect, functions_of, section
from gateway.projects.config_keys import GROUPS, HOSTED, IGNORED, KEYS, PASSWORDS, ConfigKey
from gateway.projects.errors import ProjectError
from gateway.projects.folder import Project
from gateway.projects.values import bytes_of, environment, is_true, override, resolve
from gateway.settings import FAMILIES, parse_duration

# Where nobody says which: what the official CLI of November 2026 makes, and still calls the platform's own default.
HOSTED_PRIVILEGES: Final[privileges.State] = "open"
_SHOWN_SECRET: Final = "…"
_SECRETS: Final = re.compile(r"(?:secret|pass|token|api_key|access_key|service_role_key|signing_keys_path)s?$")


@dataclass(frozen=True, slots=True)
class TakenKey:
    """A key of the file and the variable that it set."""

    key: str
    variable: str
    value: str


@dataclass(frozen=True, slots=True)
class ProjectConfig:
    """What a project's config.toml says. `settings` are variables of the gateway under the environment's."""

    project_id: str
    settings: Mapping[str, str]
    taken: tuple[TakenKey, ...] = ()
    ignored: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    migrations_enabled: bool = True
    seed_enabled: bool = True
    seed_paths: tuple[str, ...] = ("./seed.sql",)
    vault: Mapping[str, str] = field(default_factory=dict, repr=False)
    buckets: tuple[BucketSpec, ...] = ()
    functions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    function_secrets: Mapping[str, str] = field(default_factory=dict, repr=False)
    default_privileges: privileges.State = HOSTED_PRIVILEGES
    webhooks: bool = False


def read_config(
    project: Project, start: Path, process: Mapping[str, str], known: frozenset[str] | None = None
) -> ProjectConfig:
    """The project's configuration; `known` are the variables that settings have. Raises ProjectError."""
    environ = environment(project.folder, start, process)
    table = _read_file(project)
    warnings: list[str] = []
    unset: list[tuple[str, str]] = []
    table = resolve(table, environ, "", unset)
    override(table, environ, {key.key: list if key.kind == "list" else str for key in KEYS})
    found = collect(table, project.folder)
    for row in KEYS:
        _take(row, table, project, found)
    ignored = dict(found.ignored)
    for name in _leaves(table):
        reason = _reason(name)
        if reason is None and not _is_known(name):
            near = f"{name} is unknown to this version: it sets nothing"
            warnings.append(near)
        elif reason is not None and name not in ignored and _is_given(table, name):
            ignored[name] = reason
    for variable, key in found.origin.items():
        if known is not None and variable not in known and not variable.startswith(FAMILIES):
            del found.variables[variable]
            if at(table, key) is not None:
                ignored[key] = f"this gateway has no setting {variable}"
    warnings += found.faults
    for key_name, variable in unset:
        if _matters(key_name, table):
            warnings.append(f"{key_name}: the variable {variable} is not set")
    try:
        buckets = tuple(buckets_of(table, project.folder))
        return ProjectConfig(
            project_id=_project_id(table, project, warnings),
            settings={**HOSTED, **found.variables},
            taken=tuple(_taken(found, table)),
            ignored=ignored,
            warnings=tuple(warnings),
            migrations_enabled=is_true(at(table, "db.migrations.enabled", True)),
            seed_enabled=is_true(at(table, "db.seed.enabled", True)),
            seed_paths=_texts(at(table, "db.seed.sql_paths", ["./seed.sql"])),
            vault={name: str(value) for name, value in section(table, "db.vault").items()},
            buckets=buckets,
            functions=functions_of(table, project.folder),
            function_secrets={
                name.upper(): str(value) for name, value in section(table, "edge_runtime.secrets").items()
            },
            default_privileges=_privileges(at(table, "api.auto_expose_new_tables"), environ),
            webhooks=is_true(at(table, "experimental.webhooks.enabled", False)),
        )
    except ValueError as error:
        raise ProjectError(f"{project.config_file}: {error}") from error


def _privileges(exposed: object, environ: Mapping[str, str]) -> privileges.State:
    """Who may use new tables and functions. Raises ValueError."""
    if given := environ.get("GATEWAY_DEFAULT_PRIVILEGES"):
        try:
            return privileges.state_of(given)
        except ValueError as error:
            raise ValueError(f"GATEWAY_DEFAULT_PRIVILEGES must be {error}") from None
    if exposed is None:
        return HOSTED_PRIVILEGES
    return "open" if is_true(exposed) else "tables-closed"


def _read_file(project: Project) -> dict[str, Any]:
    path = project.config_file
    for other in ("config.json", "config.jsonc"):
        if not path.exists() and (project.folder / other).is_file():
            return _read_json(project.folder / other)
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ProjectError(f"{path}: {error}") from error


def _read_json(path: Path) -> dict[str, Any]:
    """JSON, with comments and trailing commas where the name ends in `jsonc`. Raises ProjectError."""
    text = path.read_text(encoding="utf-8-sig")
    if path.suffix == ".jsonc":
        strings = r'"(?:[^"\\]|\\.)*"'
        text = re.sub(rf"({strings})|//[^\n]*|/\*.*?\*/", lambda found: found[1] or "", text, flags=re.DOTALL)
        text = re.sub(rf"({strings})|,(?=\s*[\]}}])", lambda found: found[1] or "", text)
    try:
        content = json.loads(text)
    except ValueError as error:
        raise ProjectError(f"{path}: {error}") from error
    return content if isinstance(content, dict) else {}


def _take(key: ConfigKey, table: Mapping[str, Any], project: Project, found: Collected) -> None:
    given = at(table, key.key)
    value = key.default if given is None else given
    if value is None or (value == "" and key.kind not in ("password", "list")):
        return
    try:
        found.take(key.key, key.variable, _convert(key, value, project))
    except (ValueError, OSError) as error:
        found.faults.append(f"{key.key}: {error}")


def _convert(key: ConfigKey, value: Any, project: Project) -> Any:
    match key.kind:
        case "bool":
            return is_true(value)
        case "not":
            return not is_true(value)
        case "list":
            return ",".join(_texts(value))
        case "int":
            return int(value)
        case "seconds":
            return parse_duration(str(value))
        case "bytes":
            return bytes_of(value)
        case "password":
            if value not in PASSWORDS:
                raise ValueError(f"{value!r} is not one of {', '.join(filter(None, PASSWORDS))}")
            return PASSWORDS[value]
        case "file":
            return _signing_keys(project.folder / str(value))
    return value


def _signing_keys(path: Path) -> str:
    """A file of private JWKs, of which the first signs. Raises ValueError, OSError."""
    jwks = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(jwks, list) or not jwks or not all(isinstance(jwk, dict) for jwk in jwks):
        raise ValueError(f"{path} is not a list of JWKs")
    first, *others = jwks
    return json.dumps([{**first, "key_ops": ["sign", "verify"]}, *({**jwk, "key_ops": ["verify"]} for jwk in others)])


def _texts(value: Any) -> tuple[str, ...]:
    items = value if isinstance(value, list) else str(value).split(",")
    return tuple(str(item).strip() for item in items if str(item).strip())


def _project_id(table: Mapping[str, Any], project: Project, warnings: list[str]) -> str:
    given = str(table.get("project_id") or project.root.name)
    cleaned = re.sub(r"[^a-zA-Z0-9_.-]+", "_", given).lstrip("_.-")[:40] or "project"
    if cleaned != given and table.get("project_id"):
        warnings.append(f"project_id {given!r} is read as {cleaned!r}")
    return cleaned


# --- what is said of the keys ----------------------------------------------------------------------------------------


def _leaves(table: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for name, value in table.items():
        key = f"{prefix}{name}"
        if isinstance(value, Mapping) and value:
            yield from _leaves(value, f"{key}.")
        else:
            yield key


def _matches(key: str, pattern: str) -> bool:
    return key.startswith(pattern[:-1]) or key == pattern[:-2] if pattern.endswith(".*") else key == pattern


def _is_known(key: str) -> bool:
    return any(row.key == key for row in KEYS) or any(_matches(key, pattern) for pattern in GROUPS)


def _reason(key: str) -> str | None:
    """Why a key sets nothing; the most exact pattern counts."""
    if _is_known(key):
        return None
    for pattern, reason in IGNORED.items():
        if _matches(key, pattern):
            return reason
    return None


def _is_given(table: Mapping[str, Any], key: str) -> bool:
    """Whether an ignored key would have changed anything: what is off or empty would not."""
    parent = section(table, key.rpartition(".")[0]) if "." in key else {}
    return at(table, key) not in (False, "", [], {}) and parent.get("enabled", True) is not False


def _matters(key: str, table: Mapping[str, Any]) -> bool:
    """Whether an unset variable is worth a word: not in a section that is off, nor in what is ignored."""
    parent = section(table, key.rpartition(".")[0]) if "." in key else {}
    return _is_known(key) and parent.get("enabled", True) is not False


def _taken(found: Collected, table: Mapping[str, Any]) -> Iterator[TakenKey]:
    for variable in found.variables:
        key = found.origin[variable]
        given = at(table, key) if key else None
        if given is not None:
            is_secret = _SECRETS.search(key) is not None or "test_otp" in key
            yield TakenKey(key, variable, _SHOWN_SECRET if is_secret and given else _shown(given))


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).lower() if isinstance(value, bool) else str(value)
