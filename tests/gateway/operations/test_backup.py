"""The parts of a copy, each by itself: what is in it, what is refused, what a load puts in place of what was there.

What gateways and commands do with copies is in tests/ops/test_backup.py.
"""

from __future__ import annotations

import base64
import json
import os
import tarfile
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway import migrations
from gateway.database import SyncConnection
from gateway.database.embedded import EmbeddedError
from gateway.migrations import ledger
from gateway.operations import backup
from gateway.operations.backup import BackupError
from gateway.settings import Seconds, Settings

DAY = 86_400


# --- what is kept of the copies of a folder ---------------------------------------------------------------------------


def _aged(folder: Path, kind: str, ages: list[int]) -> list[Path]:
    """Copies that were made so many seconds before the moment 10,000,000; the newest first."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for number, age in enumerate(sorted(ages)):
        path = folder / f"{kind}{number}{backup.SUFFIX}"
        path.write_bytes(b"")
        os.utime(path, (10_000_000 - age, 10_000_000 - age))
        made.append(path)
    return made


@pytest.mark.parametrize(("keep", "left"), [(-1, 3), (0, 3), (1, 1), (2, 2), (3, 3), (9, 3)])
def test_so_many_of_the_newest_copies_are_kept_and_0_keeps_all(tmp_path: Path, keep: int, left: int) -> None:
    made = _aged(tmp_path, "", [1, 2, 3])
    (tmp_path / "something-else.tar").write_bytes(b"")
    assert backup.newest_first(tmp_path) == made
    assert backup.rotate(tmp_path, keep) == made[left:]
    assert backup.newest_first(tmp_path) == made[:left]
    assert (tmp_path / "something-else.tar").exists()


def test_a_copy_that_somebody_else_removed_meanwhile_is_no_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = [tmp_path / f"before-restore-{number}{backup.SUFFIX}" for number in range(2)]
    gone[0].write_bytes(b"")
    monkeypatch.setattr(backup, "newest_first", lambda folder: gone)
    assert backup.rotate(tmp_path, 1) == gone[1:]
    assert backup.prune_safety_copies(Settings(data_dir=tmp_path, safety_copies_keep=1), 0.0) == gone[1:]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    keep=st.integers(0, 4),
    days=st.integers(0, 3),
    ages=st.lists(st.sampled_from([0, DAY - 1, DAY, DAY + 1, 2 * DAY, 2 * DAY + 1, 9 * DAY]), max_size=5, unique=True),
)
def test_a_safety_copy_stays_for_its_number_and_its_days(
    tmp_path_factory: pytest.TempPathFactory, keep: int, days: int, ages: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("data")
    safe = _aged(folder / "backups", "before-restore-", ages)
    upgraded = _aged(folder / "backups", "before-upgrade-", [0])
    others = _aged(folder / "backups", "mine-", [9 * DAY])
    chosen = Settings(data_dir=folder, safety_copies_keep=keep, safety_copies_days=days)
    old = [
        path
        for rank, (path, age) in enumerate(zip(safe, sorted(ages), strict=True))
        if (keep and rank >= keep) or (days and age > days * DAY)
    ]
    assert backup.prune_safety_copies(chosen, 10_000_000.0) == old
    left = set((folder / "backups").iterdir())
    assert left == {*upgraded, *others, *(path for path in safe if path not in old)}


# --- what is refused --------------------------------------------------------------------------------------------------


def _archive(path: Path, manifest: object, **parts: bytes) -> Path:
    """A copy with such a manifest."""
    with tarfile.open(path, "w") as archive:
        for name, content in {
            "manifest.json": manifest if isinstance(manifest, bytes) else json.dumps(manifest).encode(),
            **parts,
        }.items():
            (path.parent / "part").write_bytes(content)
            archive.add(path.parent / "part", name)
    return path


PART = "5e2bf57d3f40c4b6df69daf1936cb766f832374b4fc0259a7cbff06e2f70f269"  # of b"content"


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        ({"format": 1, "files": {"a": "of another content"}}, "is damaged: a is not what was written"),
        ({"format": 1, "files": {"missing": PART}}, "is damaged: missing is not what was written"),
        ({"format": 2, "files": {"a": PART}}, r"newer gateway \(format 2, this one reads 1\)"),
        ({"format": 1}, "is no whole copy: 'files'"),
        ({"files": {"a": PART}}, "is no whole copy: 'format'"),
        (b"{", "is no whole copy: Expecting"),
    ],
    ids=["another content", "a part that is missing", "newer", "without parts", "without a format", "no JSON"],
)
def test_a_copy_is_refused_by_what_its_manifest_says(tmp_path: Path, manifest: object, reason: str) -> None:
    (tmp_path / "parts").mkdir()
    with pytest.raises(BackupError, match=reason):
        backup.unpack(_archive(tmp_path / "copy", manifest, a=b"content"), tmp_path / "parts")


def test_a_whole_copy_is_taken_apart(tmp_path: Path) -> None:
    manifest = {"format": 1, "files": {"a": backup.checksum(_content(tmp_path / "a"))}}
    assert manifest["files"] == {"a": "ed7002b439e9ac845f22357d822bac1444730fbdb6016d3ec9432297b9ec9f73"}
    (tmp_path / "parts").mkdir()
    assert backup.unpack(_archive(tmp_path / "copy", manifest, a=b"content"), tmp_path / "parts") == manifest
    assert (tmp_path / "parts" / "a").read_bytes() == b"content"


def _content(path: Path) -> Path:
    path.write_bytes(b"content")
    return path


@pytest.mark.parametrize("content", [None, b"", b"no archive"], ids=["missing", "empty", "no archive"])
def test_what_is_no_archive_is_refused(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "parts").mkdir()
    if content is not None:
        (tmp_path / "copy").write_bytes(content)
    with pytest.raises(BackupError, match="copy is no whole copy: "):
        backup.unpack(tmp_path / "copy", tmp_path / "parts")


class Told:
    """A connection that knows its server's version alone."""

    def __init__(self, version: int) -> None:
        self._version = str(version)

    def rows(self, sql: str) -> list[tuple[str]]:
        assert sql == "show server_version_num"
        return [(self._version,)]


def _manifest(postgres: int, *names: str) -> dict[str, Any]:
    return {"postgres": str(postgres), "migrations": list(names)}


@pytest.mark.parametrize(
    ("theirs", "ours", "refused"),
    [
        (180_000, 179_999, True),
        (190_000, 180_000, True),
        (180_000, 180_000, False),
        (179_999, 170_000, False),
        (189_999, 180_000, False),
        (160_000, 180_000, False),
    ],
)
def test_a_copy_of_a_newer_postgres_alone_is_refused(tmp_path: Path, theirs: int, ours: int, refused: bool) -> None:
    connection: Any = Told(ours)
    sets = (migrations.load(tmp_path, ledger.PLATFORM),)
    if not refused:
        return backup.refuse_newer(_manifest(theirs), connection, sets)
    with pytest.raises(BackupError, match=f"Postgres {theirs // 10_000}, newer than this server's {ours // 10_000}$"):
        backup.refuse_newer(_manifest(theirs), connection, sets)


def test_the_newest_of_the_migrations_that_are_not_known_is_named(tmp_path: Path) -> None:
    connection: Any = Told(180_000)
    unknown = [f"gateway/990{number}_later.sql" for number in range(4)]
    with pytest.raises(BackupError, match=r"application: gateway/9903_later\.sql is not known here"):
        backup.refuse_newer(_manifest(180_000, *unknown), connection, (migrations.load(tmp_path, ledger.PLATFORM),))


def test_a_server_that_does_not_start_is_a_reason_and_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = []

    class Broken:
        def __init__(self, folder: Path) -> None:
            assert folder.parent.is_dir()

        def start(self) -> None:
            raise EmbeddedError("no shared memory")

        def stop(self) -> None:
            said.append("stopped")

    monkeypatch.setattr(backup, "EmbeddedPostgres", Broken)
    copied = _archive(tmp_path / "copy", {"format": 1, "files": {}})
    with pytest.raises(BackupError, match=r"^no shared memory$"):
        backup.verify(copied, Settings(data_dir=tmp_path))
    assert said == ["stopped"]


# --- the programs that are run ----------------------------------------------------------------------------------------


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Makes a script stand for every client program."""

    def stand(script: str) -> None:
        path = tmp_path / "program"
        path.write_text(f"#!/bin/sh\n{script}\n")
        path.chmod(0o755)
        monkeypatch.setattr(backup, "client_program", lambda name, url: path)

    return stand


def test_a_program_writes_for_its_owner_alone_and_is_told_the_secret_by_its_environment(
    program: Callable[[str], None],
) -> None:
    program('umask; echo "$1 $PGPASSWORD"')
    assert backup._run("pg_dump", "a", PGPASSWORD="b") == "0077\na b\n"


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("one\\nFATAL ERROR: two\\nerror: three", "psql: FATAL ERROR: two"),
        ("psql:/tmp/x.sql:12: ERROR:  relation is gone", "psql: relation is gone"),
        ("nothing of the kind", "psql: nothing of the kind"),
    ],
)
def test_a_program_that_fails_is_quoted_by_its_first_error(
    program: Callable[[str], None], words: str, reason: str
) -> None:
    for status in (1, 2, 255):
        program(f"printf '{words}\\n' >&2; exit {status}")
        with pytest.raises(BackupError) as refused:
            backup._run("psql", "a")
        assert str(refused.value) == reason


def test_a_program_that_is_not_there_is_a_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def missing(name: str, url: str) -> Path:
        asked.append((name, url))
        raise EmbeddedError("speaks no TLS")

    monkeypatch.setattr(backup, "client_program", missing)
    with pytest.raises(BackupError, match=r"^speaks no TLS$"):
        backup._run("psql", "the address", "--quiet")
    assert asked == [("psql", "the address")]


# --- what a copy holds ------------------------------------------------------------------------------------------------


def test_settings_of_a_copy_are_those_that_differ_and_no_secret(tmp_path: Path) -> None:
    chosen = Settings(
        data_dir=tmp_path,
        workers=3,
        backup_every=Seconds(60.0),
        jwt_secret="x" * 40,
        backup_key="k",
        external_providers={"a": "b"},
    )
    assert backup.public_settings(chosen) == {"data_dir": str(tmp_path), "workers": 3, "backup_every": 60.0}
    assert backup.public_settings(Settings()) == {}


def test_deployed_functions_are_packed_by_name(tmp_path: Path) -> None:
    (tmp_path / "versions" / "hello" / "abc").mkdir(parents=True)
    (tmp_path / "versions" / "hello" / "abc" / "main.py").write_text("x = 1\n")
    for folder, names in (("versions", ["hello", "hello/abc", "hello/abc/main.py"]), ("missing", [])):
        backup._pack(tmp_path / folder, tmp_path / "functions.tar")
        with tarfile.open(tmp_path / "functions.tar") as archive:
            assert archive.getnames() == names


FILLED = """
create table "Names" (n int, word text);
insert into "Names" values (1, 'one'), (2, null);
create schema app;
create table app.empty (n int);
create table app.parent (n int);
create table app.child () inherits (app.parent);
insert into app.parent values (1);
insert into app.child values (7), (8);
create view app.seen as select n from app.parent;
create table app.of_an_extension (n int);
alter extension plpgsql add table app.of_an_extension;
create schema gateway_former_1;
create table gateway_former_1.left_over (n int);
"""
# Of copies that are kept for years: what a digest is must not change.
TABLES: dict[str, object] = {
    'public."Names"': {"rows": 2, "digest": "1378874419787010781"},
    "app.child": {"rows": 2, "digest": "2017488635459783452"},
    "app.empty": {"rows": 0, "digest": "0"},
    "app.parent": {"rows": 1, "digest": "553043566575910219"},
}


def test_a_manifest_says_rows_and_digest_of_every_table(bare: SyncConnection) -> None:
    bare.script(FILLED)
    said = backup.describe(bare)
    assert said["tables"] == TABLES
    assert list(said["tables"]) == sorted(TABLES)
    assert said["format"] == 1 and said["migrations"] == said["application_migrations"] == []
    assert bare.rows("show server_version_num") == [(said["postgres"],)]


def test_a_roles_options_settings_and_memberships_are_statements(bare: SyncConnection) -> None:
    pid = os.getpid()
    team, anna, boss, gone = (f"{name}_{pid}" for name in ("team", 'an"na', "boss", "other_super"))
    quoted = anna.replace('"', '""')
    bare.script(
        f'create role {team} noinherit createrole createdb bypassrls; create role "{quoted}" login in role {team};'
        f" create role {boss} superuser login; create role {gone} superuser;"
        f" alter role {team} set search_path = app, public; alter role {team} set statement_timeout = '3s';"
        f" alter role {team} in database {bare.rows('select current_database()')[0][0]} set work_mem = '1MB'"
    )
    try:
        bare.script(f"set role {boss}")
        lines = [str(row[0]) for row in bare.rows(backup.ROLES)]
    finally:
        bare.script("reset role")
        bare.script(f'drop role "{quoted}"; drop role {boss}; drop role {gone}; drop owned by {team}; drop role {team}')

    def made(name: str, options: str) -> str:
        return f"do $$ begin create role {name} {options}; exception when duplicate_object then null; end $$;"

    ours = [line for line in lines if str(pid) in line]
    assert ours == [
        made(f'"{quoted}"', "login inherit nocreaterole nocreatedb nobypassrls"),
        made(boss, "nologin inherit nocreaterole nocreatedb nobypassrls"),
        made(team, "nologin noinherit createrole createdb bypassrls"),
        f"alter role {team} set search_path to app, public;",
        f"alter role {team} set statement_timeout to '3s';",
        f'grant {team} to "{quoted}";',
        f"do $set$ begin execute format('alter role {team} in database %I set work_mem to ''1MB''',"
        " current_database()); exception when others then raise warning '%', sqlerrm; end $set$;",
    ]
    kinds = [" ".join(line.split()[:2]) if line.startswith("do") else line.split()[0] for line in lines]
    assert kinds == sorted(kinds, key=["do $$", "alter", "grant", "do $set$"].index)
    assert [line for line in lines if "pg_" in line] == []


def test_a_copy_that_is_encrypted_has_all_of_it_and_opens_with_its_key_alone(bare_url: str, tmp_path: Path) -> None:
    chosen = Settings(data_dir=tmp_path, backup_key=base64.b64encode(bytes(range(32))).decode())
    path = tmp_path / f"copy{backup.SUFFIX}"
    manifest = backup.dump(bare_url, chosen, path)
    assert path.stat().st_mode & 0o777 == 0o600 and not tarfile.is_tarfile(path)
    (tmp_path / "parts").mkdir()
    assert backup.unpack(path, tmp_path / "parts", chosen) == manifest == backup.look_over(path, chosen)
    for key, reason in ((None, "set GATEWAY_BACKUP_KEY"), (bytes(32), "another key than GATEWAY_BACKUP_KEY")):
        other = replace(chosen, backup_key=base64.b64encode(key).decode() if key else "")
        with pytest.raises(BackupError, match=reason):
            backup.unpack(path, tmp_path, other)
    with pytest.raises(BackupError, match="set GATEWAY_BACKUP_KEY"):
        backup.unpack(path, tmp_path)


# --- a copy in place of what is there ---------------------------------------------------------------------------------


def _copied(url: str, folder: Path) -> tuple[Path, Mapping[str, Any]]:
    """A copy of a database, taken apart."""
    chosen = Settings(data_dir=folder)
    path = folder / "deep" / "copies" / f"copy{backup.SUFFIX}"
    for _ in range(2):
        backup.dump(url, chosen, path)
    assert path.stat().st_mode & 0o777 == 0o600
    (folder / "parts").mkdir()
    return folder / "parts", backup.unpack(path, folder / "parts")


GLOBAL = """
create function app.note() returns event_trigger language plpgsql as 'begin end';
create event trigger ours_{pid} on ddl_command_end execute function app.note();
create event trigger extensions_{pid} on ddl_command_end execute function app.note();
alter extension plpgsql add event trigger extensions_{pid};
create publication "All_{pid}" for all tables;
select lo_from_bytea(77777, 'large');
"""


def _global_names(bare: SyncConnection) -> list[tuple[str | None, ...]]:
    return bare.rows(
        "select evtname::text from pg_event_trigger union all select pubname::text from pg_publication"
        " union all select convert_from(lo_get(oid), 'UTF8') from pg_largeobject_metadata order by 1"
    )


def test_a_load_replaces_all_there_is(bare: SyncConnection, bare_url: str, tmp_path: Path) -> None:
    bare.script("create schema app; create table app.kept (n int); insert into app.kept values (1)")
    bare.script(GLOBAL.format(pid=1).replace("alter extension plpgsql add event trigger extensions_1;", ""))
    folder, manifest = _copied(bare_url, tmp_path)
    names = _global_names(bare)
    bare.script("insert into app.kept values (2); create schema later; create table public.later (n int)")
    backup.load(bare_url, folder, manifest, "insert into app.kept values (3);")
    assert bare.rows("select n from app.kept order by n") == [("1",), ("3",)]
    schemas = "select nspname from pg_namespace where nspname !~ '^(pg_|information)' order by 1"
    assert bare.rows(schemas) == [("app",), ("public",)]
    assert bare.rows("select to_regclass('public.later')") == [(None,)]
    assert _global_names(bare) == names


def test_what_is_no_part_of_a_schema_is_taken_away_but_an_extensions(bare: SyncConnection) -> None:
    bare.script("create schema app")
    bare.script(GLOBAL.format(pid=2))
    assert sorted(bare.rows(backup.GLOBAL_NAMES)) == [
        ("drop event trigger ours_2",),
        ('drop publication "All_2"',),
        ("select lo_unlink(77777)",),
    ]


@pytest.mark.parametrize("public", [True, False], ids=["with public", "without"])
def test_a_load_into_an_empty_database_and_one_without_a_schema(
    bare: SyncConnection, bare_url: str, tmp_path: Path, public: bool
) -> None:
    bare.script("create table kept (n int)" if public else "drop schema public; create schema app")
    folder, manifest = _copied(bare_url, tmp_path)
    bare.script("drop schema if exists public, app cascade")
    backup.load(bare_url, folder, manifest)
    # What a database has from its beginning, and a dump does not name.
    assert bare.rows(
        "select pg_get_userbyid(nspowner), has_schema_privilege('pg_monitor', oid, 'usage')"
        " from pg_namespace where nspname = 'public'"
    ) == [("pg_database_owner", "t")]


@pytest.mark.parametrize(
    "change",
    [
        "alter schema public owner to postgres; comment on schema public is 'ours'",
        "drop schema public; create schema public",
        "revoke all on schema public from public",
        "grant create on schema public to pg_monitor",
    ],
    ids=["owner", "made again", "closed", "opened"],
)
def test_a_public_schema_that_was_changed_comes_back_as_it_was(
    bare: SyncConnection, bare_url: str, tmp_path: Path, change: str
) -> None:
    bare.script(change)
    looked = (
        "select pg_get_userbyid(nspowner), obj_description(oid, 'pg_namespace'),"
        " array(select item::text from unnest(coalesce(nspacl, acldefault('n', nspowner))) as item order by 1)::text"
        " from pg_namespace where nspname = 'public'"
    )
    before = bare.rows(looked)
    folder, manifest = _copied(bare_url, tmp_path)
    backup.load(bare_url, folder, manifest)
    assert bare.rows(looked) == before


def test_where_an_extension_is_in_the_way_the_former_schemas_go_first(
    bare: SyncConnection, bare_url: str, tmp_path: Path
) -> None:
    bare.script("create schema app; create extension vector schema app; create table app.places (at app.vector(2))")
    bare.script("insert into app.places values ('[1,2]')")
    folder, manifest = _copied(bare_url, tmp_path)
    backup.load(bare_url, folder, manifest)
    assert bare.rows("select at::text from app.places") == [("[1,2]",)]


def _differ(change: str) -> Callable[[dict[str, Any]], None]:
    def changed(tables: dict[str, Any]) -> None:
        match change:
            case "a row more":
                tables["app.kept"]["rows"] += 1
            case "another digest":
                tables["app.kept"]["digest"] = "5"
            case "a table more":
                tables["app.missing"] = {"rows": 0, "digest": "0"}
            case "a table less":
                del tables["app.kept"]

    return changed


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ("a row more", r"app.kept \(2 rows in the copy, 1 read back\)$"),
        ("another digest", r"app.kept \(1 rows in the copy, 1 read back\)$"),
        ("a table more", "as it was: app.missing$"),
        ("a table less", "as it was: app.kept$"),
    ],
)
def test_a_load_that_is_not_as_the_manifest_says_leaves_what_was_there(
    bare: SyncConnection, bare_url: str, tmp_path: Path, change: str, reason: str
) -> None:
    bare.script("create schema app; create table app.kept (n int); insert into app.kept values (1)")
    folder, manifest = _copied(bare_url, tmp_path)
    _differ(change)(manifest["tables"])
    bare.script("insert into app.kept values (2)")
    with pytest.raises(BackupError, match=reason):
        backup.load(bare_url, folder, manifest)
    assert bare.rows("select n from app.kept order by n") == [("1",), ("2",)]


@pytest.fixture
def scripts(bare_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], dict[str, str]]:
    """What a load would run on a server of such a version."""

    def written(version: int) -> dict[str, str]:
        def run(name: str, *arguments: str, **environment: str) -> str:
            if arguments[0].endswith("database.sql"):
                (tmp_path / "database.sql").write_text("SET transaction_timeout = 0;\nselect 1;\n")
            return ""

        monkeypatch.setattr(backup, "_run", run)
        monkeypatch.setattr(backup, "_version", lambda connection: str(version))
        backup.load(bare_url, tmp_path, {"tables": {}})
        return {path.name: path.read_text() for path in tmp_path.glob("*.sql")}

    return written


@pytest.mark.parametrize(("version", "knows"), [(160_010, False), (169_999, False), (170_000, True), (180_000, True)])
def test_a_setting_of_newer_servers_is_left_out_for_an_older_one(
    scripts: Callable[[int], dict[str, str]], version: int, knows: bool
) -> None:
    text = scripts(version)["database.sql"]
    assert text == ("SET transaction_timeout = 0;\nselect 1;\n" if knows else "select 1;\n")


def test_what_was_there_is_set_aside_and_dropped_at_the_end_alone(
    bare: SyncConnection, scripts: Callable[[int], dict[str, str]]
) -> None:
    """A reader who comes while the copy is loaded waits for none of its locks."""
    bare.script('create schema "Mine"')
    texts = scripts(180_000)
    assert 'alter schema "Mine" rename to gateway_former_' in texts["first.sql"]
    assert "drop schema" not in texts["first.sql"]
    assert texts["last.sql"].index("lock table") < texts["last.sql"].index("drop schema gateway_former_")
    assert "starts_with(nspname, 'gateway_former_')" in texts["last.sql"]
