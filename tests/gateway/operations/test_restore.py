"""What a restore says in its one transaction, and which deployed functions are in use after a kill at any step.

Whole restores, and kills of them, are in tests/ops/test_maintenance.py.
"""

from __future__ import annotations

import json
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from gateway.database import SyncConnection
from gateway.operations import backup, maintenance
from gateway.operations.maintenance import MaintenanceError
from gateway.operations.restore import _finish_functions, _last_words, _stage_functions, restore, settle
from gateway.settings import Settings

ID = "7b9f0a52-0000-4000-8000-000000000001"


@pytest.fixture
def chosen(tmp_path: Path) -> Settings:
    return Settings(data_dir=tmp_path / "data")


def _restored(connection: SyncConnection, id: str = ID) -> None:
    connection.rows(
        "insert into auth.audit_log_entries (id, payload) values (gen_random_uuid(), $1::json)",
        json.dumps({"traits": {"restore": id}}),
    )


def _copy_of_functions(folder: Path, *names: str) -> Path:
    """An unpacked copy with such functions."""
    folder.mkdir(parents=True)
    with tarfile.open(folder / backup.FUNCTIONS, "w") as archive:
        for name in names:
            (folder / "main.py").write_text(name)
            archive.add(folder / "main.py", f"{name}/main.py")
    return folder


def _deployed(settings: Settings, *names: str) -> None:
    for name in names:
        path = settings.data_dir / "functions" / "versions" / name / "main.py"
        path.parent.mkdir(parents=True)
        path.write_text(name)


def _in_use(settings: Settings) -> list[str]:
    return sorted(path.name for path in (settings.data_dir / "functions" / "versions").glob("*"))


def _files(settings: Settings) -> list[str]:
    return sorted(path.name for path in (settings.data_dir / "functions").glob("*"))


# --- deployed functions -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("deployed", [("old",), ()], ids=["some in use", "none in use"])
@pytest.mark.parametrize("is_in_database", [True, False], ids=["restored", "not restored"])
def test_functions_are_those_of_what_the_database_has(
    connection: SyncConnection, chosen: Settings, tmp_path: Path, deployed: tuple[str, ...], is_in_database: bool
) -> None:
    _deployed(chosen, *deployed)
    _stage_functions(_copy_of_functions(tmp_path / "copy", "a", "b"), chosen, ID)
    assert _in_use(chosen) == [*deployed]
    assert _files(chosen) == sorted(["restore.json", "versions.new", *(["versions"] if deployed else [])])
    _restored(connection, ID if is_in_database else "of another restore")
    for _ in range(2):  # safe to repeat
        assert settle(connection, chosen) is True
        assert _in_use(chosen) == (["a", "b"] if is_in_database else [*deployed])
        assert _files(chosen) == (["versions"] if is_in_database or deployed else [])


def test_a_copy_without_functions_leaves_those_in_use(
    connection: SyncConnection, chosen: Settings, tmp_path: Path
) -> None:
    _deployed(chosen, "old")
    (tmp_path / "copy").mkdir()
    _stage_functions(tmp_path / "copy", chosen, ID)
    assert _files(chosen) == ["versions"]
    _restored(connection)
    _finish_functions(connection, chosen)
    assert _in_use(chosen) == ["old"]


def test_what_an_earlier_kill_set_out_is_removed_first(
    connection: SyncConnection, chosen: Settings, tmp_path: Path
) -> None:
    _stage_functions(_copy_of_functions(tmp_path / "first", "a"), chosen, "of the first")
    (chosen.data_dir / "functions" / "versions.former" / "x").mkdir(parents=True)
    _stage_functions(_copy_of_functions(tmp_path / "second", "b"), chosen, ID)
    assert _files(chosen) == ["restore.json", "versions.new"]
    _restored(connection)
    _finish_functions(connection, chosen)
    assert _in_use(chosen) == ["b"] and _files(chosen) == ["versions"]


def test_a_kill_between_two_names_leaves_the_functions_to_the_next(
    connection: SyncConnection, chosen: Settings, tmp_path: Path
) -> None:
    """Those in use were set aside, and what comes in their place is not yet there."""
    _deployed(chosen, "old")
    _stage_functions(_copy_of_functions(tmp_path / "copy", "a"), chosen, ID)
    functions = chosen.data_dir / "functions"
    (functions / "versions").rename(functions / "versions.former")
    _restored(connection)
    _finish_functions(connection, chosen)
    assert _in_use(chosen) == ["a"] and _files(chosen) == ["versions"]


@pytest.mark.parametrize("note", ["{", "{}", None])
def test_what_nobody_noted_is_of_no_restore(
    connection: SyncConnection, chosen: Settings, tmp_path: Path, note: str | None
) -> None:
    _deployed(chosen, "old")
    _stage_functions(_copy_of_functions(tmp_path / "copy", "a"), chosen, ID)
    path = chosen.data_dir / "functions" / "restore.json"
    path.unlink() if note is None else path.write_text(note)
    _restored(connection)
    _finish_functions(connection, chosen)
    assert _in_use(chosen) == ["old"] and _files(chosen) == ["versions"]


def test_a_database_without_an_audit_log_has_no_restore(bare: SyncConnection, chosen: Settings, tmp_path: Path) -> None:
    _stage_functions(_copy_of_functions(tmp_path / "copy", "a"), chosen, ID)
    _finish_functions(bare, chosen)
    assert _files(chosen) == []


def test_nothing_is_settled_while_a_restore_is_at_work(
    connection: SyncConnection, database_url: str, chosen: Settings, tmp_path: Path
) -> None:
    _stage_functions(_copy_of_functions(tmp_path / "copy", "a"), chosen, ID)
    with SyncConnection(database_url, maintenance.HOLDER) as holder:
        maintenance.hold(holder)
        assert settle(connection, chosen) is False
        assert _files(chosen) == ["restore.json", "versions.new"]


# --- the transaction's last words -------------------------------------------------------------------------------------


def _say(url: str, text: str, folder: Path) -> None:
    """Run what psql is given."""
    path = folder / "words.sql"
    path.write_text(text)
    options = ["--no-psqlrc", "--set=ON_ERROR_STOP=1", "--single-transaction", f"--file={path}"]
    backup._run("psql", f"--dbname={url}", *options)


OF_A_COPY = Path("it's a copy.gateway.tar")


@pytest.mark.parametrize("stays", [True, False])
def test_the_erased_stay_erased_and_the_restore_is_noted(
    connection: SyncConnection, database_url: str, tmp_path: Path, stays: bool
) -> None:
    erased = [("\\x01", "2026-01-02 03:04:05+00"), ("\\x02", "2026-01-03 03:04:05+00")]
    listed = "select digest::text, at at time zone 'UTC' from gateway.erasures order by at"
    for digest, at in erased:
        connection.rows("insert into gateway.erasures (digest, at) values ($1, $2)", digest, at)
    before = connection.rows(listed)
    noted_before = "insert into gateway.maintenance (kind, reason, stays) values ('restore', 'of now', $1::boolean)"
    connection.rows(noted_before, str(stays).lower())
    words = _last_words(connection, OF_A_COPY, ID)
    connection.rows("delete from gateway.erasures where at < '2026-01-03'")
    connection.rows("update gateway.maintenance set kind = 'operator', reason = 'of the copy', stays = not stays")
    _say(database_url, words, tmp_path)
    assert connection.rows(listed) == before
    assert connection.rows("select kind, reason, stays from gateway.maintenance") == [
        ("restore", f"restore of {OF_A_COPY}", str(stays).lower()[0])
    ]
    ((payload,),) = connection.rows("select payload::text from auth.audit_log_entries")
    noted = json.loads(str(payload))
    assert noted["action"] == "database_restored" and noted["actor_username"] == "gateway db restore"
    assert noted["traits"] == {"file": OF_A_COPY.name, "restore": ID}


def test_without_anybody_erased_nobody_is_put_on_the_list(
    connection: SyncConnection, database_url: str, tmp_path: Path
) -> None:
    _say(database_url, _last_words(connection, OF_A_COPY, ID), tmp_path)
    assert connection.rows("select from gateway.erasures") == []
    assert len(connection.rows("select from auth.audit_log_entries")) == 1


def test_a_copy_from_before_erasures_were_kept_is_refused_where_somebody_was_erased(
    connection: SyncConnection, bare_url: str, bare: SyncConnection, tmp_path: Path
) -> None:
    nobody = _last_words(connection, OF_A_COPY, ID)
    _say(bare_url, nobody, tmp_path)
    connection.script("insert into gateway.erasures (digest, at) values ('\\x01', now())")
    with pytest.raises(backup.BackupError, match="from before erasures were kept"):
        _say(bare_url, _last_words(connection, OF_A_COPY, ID), tmp_path)
    bare.script("create schema gateway")
    _say(bare_url, nobody, tmp_path)
    assert bare.rows("select kind, stays from gateway.maintenance") == [("restore", "f")]


FORMER_LIST = """
create schema private;
create table private.erasures (digest {kind}, at timestamptz, constraint erasures_pkey primary key (digest));
create table private.again (n int);
create function private.erase_again() returns void language sql as 'insert into private.again values (1)';
"""


def test_the_list_of_a_copy_up_to_version_0_6_is_filled_where_it_was(
    connection: SyncConnection, bare_url: str, bare: SyncConnection, tmp_path: Path
) -> None:
    ((kind,),) = connection.rows(
        "select format_type(atttypid, atttypmod) from pg_attribute"
        " where attrelid = 'gateway.erasures'::regclass and attname = 'digest'"
    )
    bare.script(FORMER_LIST.format(kind=kind))
    connection.script("insert into gateway.erasures (digest, at) values ('\\x01', '2026-01-02')")
    words = _last_words(connection, OF_A_COPY, ID)
    _say(bare_url, words, tmp_path)
    listed = "select digest::text, at::date::text from {}.erasures"
    assert bare.rows(listed.format("private")) == connection.rows(listed.format("gateway"))
    assert bare.rows("select n from private.again") == [("1",)]
    # And read from there.
    assert "2026-01-02" in _last_words(bare, OF_A_COPY, ID)


def test_a_list_that_an_older_version_left_behind_is_not_read(connection: SyncConnection) -> None:
    connection.script("insert into gateway.erasures (digest, at) values ('\\x01', '2026-01-02')")
    connection.script(
        "create schema if not exists private; create table private.erasures (digest bytea, at timestamptz)"
    )
    connection.script("insert into private.erasures values ('\\x02', '1999-01-02')")
    words = _last_words(connection, OF_A_COPY, ID)
    assert "2026-01-02" in words and "1999-01-02" not in words


# --- the steps --------------------------------------------------------------------------------------------------------


def test_a_restore_refuses_writes_copies_loads_and_takes_the_functions_over(
    database_url: str, chosen: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, steps = _copy_of_functions(tmp_path / "copy", "a"), []

    def copy(path: Path) -> None:
        assert path.parent == chosen.data_dir / "backups" and path.name.startswith("before-restore-2")
        with SyncConnection(database_url) as other:
            assert other.rows("show default_transaction_read_only") == [("on",)]
            assert settle(other, chosen) is False
        steps.append("copy")

    def load(url: str, given: Path, manifest: Mapping[str, Any], last: str) -> None:
        assert (url, given, manifest) == (database_url, folder, {"tables": {}})
        assert _files(chosen) == ["restore.json", "versions.new"]
        with SyncConnection(url) as other:
            other.script("set default_transaction_read_only = off")
            _restored(other, json.loads((chosen.data_dir / "functions" / "restore.json").read_text())["restore"])
        steps.append("load")

    monkeypatch.setattr(backup, "load", load)
    monkeypatch.setattr(backup, "prune_safety_copies", lambda settings, now: steps.append("prune"))
    safety = restore(database_url, chosen, Path("x"), folder, {"tables": {}}, copy)
    assert steps == ["copy", "load", "prune"] and safety.parent == chosen.data_dir / "backups"
    assert _in_use(chosen) == ["a"]
    with SyncConnection(database_url) as other:
        assert not maintenance.state(other).is_on


def test_a_restore_beside_another_does_nothing(database_url: str, chosen: Settings, tmp_path: Path) -> None:
    with SyncConnection(database_url) as holder:
        maintenance.hold(holder)
        with pytest.raises(MaintenanceError, match="another restore"):
            restore(database_url, chosen, Path("x"), tmp_path, {}, lambda path: pytest.fail("nothing is copied"))
