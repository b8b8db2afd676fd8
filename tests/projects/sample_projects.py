"""Projects of our own with the kinds of statement that real ones have, loaded into a database."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from gateway.database import SyncConnection
from gateway.projects.config import read_config
from gateway.projects.content import Content
from gateway.projects.folder import Project
from tests.projects.conftest import Database, bring_up

SAMPLES: Final = Path(__file__).parent / "samples"
# What a sign-up leaves behind in each.
SIGN_UPS: Final = {
    "todo": "select count(*) from public.todos where owner is not null",
    "pulled": "select count(*) from public.people where name = 'Ada'",
    "chat": "select count(*) from public.users where username = 'ada@example.com'",
    "profiles": "select count(*) from public.profiles where username = 'ada-l'",
    "teams": "select count(*) from teams.accounts where name = 'ada'",
    "kinds": "select count(*) from public.papers where owner is not null",
    "automation": "select 1",
    "search": "select 1",
}
# Roles and their settings are the server's, and outlive the database.
_LEFT: Final = {
    "teams": "drop owned by reporter_of_teams; drop role reporter_of_teams;"
    " alter role authenticator reset pgrst.db_schemas",
    "kinds": "drop owned by reporter_of_kinds; drop role reporter_of_kinds;"
    " revoke set on parameter app.kinds from postgres",
}


@contextmanager
def loaded(database: Database, name: str, folder: Path) -> Iterator[None]:
    """A sample whole in a database, for as long as it is looked at."""
    try:
        shutil.copytree(SAMPLES / name, folder, dirs_exist_ok=True)
        project = Project(folder)
        content = Content(project, read_config(project, folder, {}))
        assert not content.config.warnings
        done = bring_up(database, content)
        assert len(done.migrations) == len(project.migrations().files) and not done.warnings
        yield
    finally:
        database.script(_LEFT.get(name, ""))


def sign_up(connection: SyncConnection, name: str = "ada") -> None:
    """What auth does when somebody signs up."""
    connection.script(
        "begin; set local role supabase_auth_admin;"
        " insert into auth.users (id, email, raw_user_meta_data, aud, role) values (gen_random_uuid(),"
        f' \'{name}@example.com\', \'{{"name": "{name.title()}", "username": "{name}-l"}}\', \'authenticated\','
        " 'authenticated'); commit"
    )
