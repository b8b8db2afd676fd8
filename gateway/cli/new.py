"""`gateway new DIR`: a project that runs at once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from gateway.cli.common import fail
from gateway.cli.processes import load_keys
from gateway.projects.errors import ProjectError
from gateway.projects.scaffold import make
from gateway.projects.settings import find_content, hide_from_git, load_settings_of


def new(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder to make")]) -> None:
    """Make a project: a table with policies, a function, a page with the official client, a test."""
    try:
        made = make(folder)
        settings = load_settings_of(find_content(folder, {}), {})
        hide_from_git(settings.data_dir)
        keys = load_keys(settings)
        (folder / ".env.local").write_text(
            f"VITE_SUPABASE_URL={settings.api_url}\nVITE_SUPABASE_ANON_KEY={keys.publishable_key}\n"
        )
    except ProjectError as error:
        fail(str(error))
    for name in made:
        print(f"  {folder / name}")
    print(f"\n  cd {folder}\n  gateway dev\n  npm install && npm run dev\n")
