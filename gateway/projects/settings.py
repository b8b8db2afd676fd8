"""Settings where there is a project: its config.toml under the environment, its folder for data, nothing of a site."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gateway.projects.content import Content
from gateway.projects.folder import find
from gateway.settings import Settings, config_file, variables

DATA: Final = ".gateway"
NONE: Final = os.devnull  # a folder that nobody has


def load_settings_of(content: Content | None, environ: Mapping[str, str] | None = None, **overrides: Any) -> Settings:
    """Settings with what the project brings; without one those of the folder. Raises SettingsError."""
    if content is None:
        return Settings.load(environ, **overrides)
    root, config = content.project.root, content.config
    base = {
        **config.settings,
        "GATEWAY_DATA_DIR": str(root / DATA),
        "FUNCTIONS_DIR": str(content.project.folder / "functions"),
        "FUNCTIONS_ENV_FILE": str(content.project.folder / "functions" / ".env"),
        "GATEWAY_SCHEMA_DIR": NONE,
        "SITE_DIR": str(root / DATA / "site"),  # nobody makes it: the site is what SITE_DIR names
    }
    return Settings.load(
        environ,
        base,
        root / config_file({}),
        project_dir=root,
        functions_declared=config.functions,
        functions_secrets=config.function_secrets,
        **overrides,
    )


def find_content(start: Path, environ: Mapping[str, str]) -> Content | None:
    """The project that a command runs in, and its configuration. Raises ProjectError."""
    project = find(start, environ)
    if project is None:
        return None
    from gateway.projects.config import read_config  # what few have need not be loaded by all

    return Content(project, read_config(project, start, environ, variables()))


def config_files(content: Content | None) -> tuple[Path, ...]:
    """The files whose change means other settings."""
    if content is None:
        return (config_file(),)
    return (content.project.root / config_file({}), content.project.config_file)


def hide_from_git(folder: Path) -> None:
    """Have git ignore the data folder, which lies in the project and holds keys."""
    folder.mkdir(parents=True, exist_ok=True)
    ignore = folder / ".gitignore"
    if not ignore.exists():
        ignore.write_text("*\n")
