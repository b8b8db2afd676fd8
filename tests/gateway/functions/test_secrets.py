"""Secrets of functions: sealed at rest, never shown again, in force at the next call."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from gateway.functions.secret_store import LONGEST, MOST, BadSecret, SecretStore
from tests.gateway.functions.conftest import Served

SHOWS = "import os\n\n\nasync def handle(request):\n    return dict(os.environ)\n"
VALUE = "s3cret-of-the-shop"


def write(own: Served, name: str, settings: str, text: str = SHOWS) -> None:
    folder = own.root / name
    folder.mkdir(exist_ok=True)
    (folder / "function.toml").write_text(f"verify_jwt = false\n{settings}\n")
    (folder / "main.py").write_text(text)


def test_a_secret_is_there_at_the_next_call_for_whom_it_is_meant(own: Served) -> None:
    write(own, "shop", 'optional_env = ["SHARED"]')
    write(own, "other", "")
    assert "MINE" not in own.call("/shop").json()
    assert own.command("secrets", "set", f"MINE={VALUE}", "--function", "shop").returncode == 0
    assert own.command("secrets", "set", "SHARED=for-who-asks").returncode == 0
    seen = own.call("/shop").json()
    assert (seen["MINE"], seen["SHARED"]) == (VALUE, "for-who-asks")
    assert not {"MINE", "SHARED"} & own.call("/other").json().keys()
    assert own.command("secrets", "unset", "MINE", "--function", "shop").returncode == 0
    assert "MINE" not in own.call("/shop").json()


def test_a_value_is_shown_and_stored_nowhere_in_clear(own: Served) -> None:
    write(
        own, "shop", "", "import os\n\n\nasync def handle(request):\n    print(os.environ['MINE'])\n    return 'ok'\n"
    )
    own.command("secrets", "set", f"MINE={VALUE}", "--function", "shop")
    assert own.call("/shop").text == "ok"
    listed = json.loads(own.command("secrets", "list", "--json").stdout)
    assert listed == [{"function": "shop", "name": "MINE", "digest": hashlib.sha256(VALUE.encode()).hexdigest()}]
    for file in (own.data_dir / "functions").rglob("*"):
        assert not file.is_file() or VALUE.encode() not in file.read_bytes(), file
    assert (own.data_dir / "functions" / "secrets.json").stat().st_mode & 0o077 == 0


def test_a_variable_that_exists_nowhere_keeps_a_function_from_starting(own: Served) -> None:
    write(own, "needs", 'env = ["SURELY_NOT_SET"]')
    answer = own.call("/needs")
    assert (answer.status_code, answer.json()["code"]) == (503, "BOOT_ERROR")
    assert "SURELY_NOT_SET" in own.log("needs")
    own.command("secrets", "set", "SURELY_NOT_SET=now it is")
    assert own.call("/needs").json()["SURELY_NOT_SET"] == "now it is"


def test_the_gateway_s_secret_keys_are_for_functions_that_name_them(own: Served) -> None:
    write(own, "plain", "")
    seen = own.call("/plain").json()
    assert "SUPABASE_URL" in seen and "SUPABASE_ANON_KEY" in seen
    assert not {"SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEYS"} & seen.keys()
    assert own.keys.secret_key not in json.dumps(seen) and own.keys.service_role_jwt not in json.dumps(seen)
    write(own, "asks", 'env = ["SUPABASE_SECRET_KEYS"]')
    assert json.loads(own.call("/asks").json()["SUPABASE_SECRET_KEYS"])["default"] == own.keys.secret_key
    write(own, "codes", "", SHOWS + "    # SUPABASE_SERVICE_ROLE_KEY\n")
    assert own.call("/codes").json()["SUPABASE_SERVICE_ROLE_KEY"] == own.keys.service_role_jwt


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SUPABASE_URL", "x"),
        ("1A", "x"),
        ("a b", "x"),
        ("", "x"),
        ("A" * 257, "x"),
        ("A", "x" * (LONGEST + 1)),
        ("A", "\0"),
    ],
)
def test_what_no_secret_may_be_is_refused(tmp_path: Path, name: str, value: str) -> None:
    store = SecretStore(tmp_path)
    with pytest.raises(BadSecret):
        store.change("", {name: value})
    assert store.rows() == []


def test_there_is_an_end_to_secrets(tmp_path: Path) -> None:
    store = SecretStore(tmp_path)
    store.change("", {f"A{number}": "x" for number in range(MOST)})
    with pytest.raises(BadSecret):
        store.change("", {"B": "x"})
    store.change("shop", {"B": "x"})
    assert len(store.rows()) == MOST + 1
