"""The application: its schema, its functions, and the site that is served beside them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from gateway.settings.rows import beside, setting


@dataclass(frozen=True)
class ApplicationSettings:
    """Fields of `Settings`."""

    schema_dir: Path = setting(
        Path("schema"),
        "Folder of the application's `migrations/` and `seed/`; without it the gateway's own schema stands alone",
        "GATEWAY_SCHEMA_DIR",
    )
    first_admin: str = setting(
        "",
        "E-mail address of the administrator that `gateway dev` makes where there is none; empty makes none",
        "GATEWAY_FIRST_ADMIN",
    )
    functions_dir: Path = setting(Path("functions"), "Folder of function modules", "FUNCTIONS_DIR")
    functions_urls: dict[str, str] = setting({}, "FUNCTIONS_NAME_URL sends a function's calls elsewhere")
    functions_env_file: Path = setting(Path(".env"), "Variables offered to functions", "FUNCTIONS_ENV_FILE")
    functions_environments: str = setting(
        "",
        "Folder of the environments that hold functions' own packages; default in the data folder",
        "FUNCTIONS_ENVIRONMENTS",
    )
    functions_wheels: str = setting(
        "", "Folder of wheels that functions' packages are looked for in first", "FUNCTIONS_WHEELS"
    )
    functions_offline: bool = setting(
        False, "Fetch packages of functions from no registry, but from that folder alone", "FUNCTIONS_OFFLINE"
    )
    functions_record: bool = setting(
        False,
        "Keep calls of functions with headers, bodies and answers (up to 64 kB) where their function.toml says nothing"
        " of `record`; `gateway dev` does unless it is false",
        "FUNCTIONS_RECORD",
    )
    functions_reload: bool = setting(False, "Take up changed functions at their next call", "FUNCTIONS_RELOAD")
    functions_call_url: str = setting(
        "",
        "Where the job worker calls functions by schedules and webhooks; default the gateway of the data folder",
        "FUNCTIONS_CALL_URL",
    )
    functions_admin: bool = setting(
        False,
        "Answer the functions' admin API (deploy, logs, replay) on the public port too, to secret keys: whoever has"
        " one then runs code on this machine",
        "FUNCTIONS_ADMIN",
    )
    functions_max_body_bytes: int = setting(
        1_000_000_000, "Largest body sent to a function", "FUNCTIONS_MAX_BODY_BYTES"
    )
    functions_environ: Mapping[str, str] = beside("What is no setting is offered to functions")
    functions_declared: Mapping[str, Mapping[str, Any]] = beside(
        "What a project's config.toml says of its functions by name: enabled, verify_jwt, entrypoint, import_map, …"
    )
    functions_secrets: Mapping[str, str] = beside("Variables that a project's config.toml gives every function")
    project_dir: Path | None = beside("Folder of the project with `supabase/`; None where there is none", None)
    given: frozenset[str] = beside("Fields that the environment or the TOML file gave", frozenset())
    files: Mapping[str, str] = beside("Field to the file that it was read from")
    unserved: tuple[str, ...] = field(
        default=(),
        repr=False,
        metadata={"help": "Variables in the originals' names that set nothing here", "names": (), "secret": True,
                  "choices": (), "parse": None, "file": False},
    )  # fmt: skip
    site_dir: Path = setting(Path("web/dist"), "Folder of the built site", "SITE_DIR")
    site_pages: dict[str, str] = setting({}, "Site path to the function that renders it (TOML table)", "SITE_PAGES")
    gtm_id: str = setting("", "Tag manager container", "GTM_ID")
