"""config.toml: every key is taken, ignored with a reason, or a warning."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gateway.projects.config import ProjectConfig, read_config
from gateway.projects.config_keys import GROUPS, IGNORED, KEYS
from gateway.projects.errors import ProjectError
from gateway.projects.folder import Project
from gateway.projects.settings import find_content, load_settings_of
from gateway.projects.values import read_env
from gateway.settings import variables


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "supabase").mkdir()
    return tmp_path


def read(root: Path, toml: str, **environ: str) -> ProjectConfig:
    (root / "supabase" / "config.toml").write_text(toml)
    return read_config(Project(root), root, environ, variables())


def test_without_a_file_the_official_defaults_stand(root: Path) -> None:
    config = read_config(Project(root), root, {}, variables())
    assert config.settings["GOTRUE_SITE_URL"] == "http://127.0.0.1:3000"
    assert config.settings["GOTRUE_DISABLE_SIGNUP"] == "false"
    assert config.settings["GOTRUE_MAILER_AUTOCONFIRM"] == "true"
    assert config.settings["GOTRUE_PASSWORD_MIN_LENGTH"] == "6"
    assert config.settings["PGRST_DB_SCHEMAS"] == "public,graphql_public"
    assert not config.warnings and not config.taken and not config.ignored


def test_keys_become_settings(root: Path) -> None:
    (root / "supabase" / "keys.json").write_text('[{"kty": "EC", "kid": "a"}, {"kty": "EC", "kid": "b"}]')
    config = read(
        root,
        """
        [api]
        schemas = ["public", "api"]
        max_rows = 500
        [auth]
        site_url = "https://example.com"
        enable_signup = false
        additional_redirect_urls = ["https://a.example/**", "https://b.example"]
        signing_keys_path = "./keys.json"
        password_requirements = "letters_digits"
        [auth.email]
        enable_confirmations = true
        max_frequency = "1m30s"
        [storage]
        file_size_limit = "5MB"
        [db.settings]
        work_mem = "8MB"
        shared_buffers = "4GB"
        """,
    )
    given = config.settings
    assert given["PGRST_DB_SCHEMAS"] == "public,api" and given["PGRST_DB_MAX_ROWS"] == "500"
    assert given["GOTRUE_SITE_URL"] == "https://example.com" and given["GOTRUE_DISABLE_SIGNUP"] == "true"
    assert given["GOTRUE_URI_ALLOW_LIST"] == "https://a.example/**,https://b.example"
    assert given["GOTRUE_MAILER_AUTOCONFIRM"] == "false" and given["GOTRUE_SMTP_MAX_FREQUENCY"] == "90.0"
    assert given["UPLOAD_FILE_SIZE_LIMIT"] == str(5 * 1024 * 1024)
    assert given["GATEWAY_DB_SETTINGS"] == "work_mem=8MB"
    assert "db.settings.shared_buffers" in config.ignored
    assert [jwk["key_ops"] for jwk in json.loads(given["GOTRUE_JWT_KEYS"])] == [["sign", "verify"], ["verify"]]
    shown = {taken.key: taken.value for taken in config.taken}
    assert shown["auth.email.enable_confirmations"] == "true" and shown["auth.signing_keys_path"] == "…"


def test_an_unknown_key_is_a_warning_and_an_ignored_one_has_its_reason(root: Path) -> None:
    config = read(
        root,
        "[auth]\nsite_ulr = 'x'\n[studio]\nport = 1\n[made_up]\na = 1\n[remotes.production]\na = 1\n"
        "[auth.web3.solana]\nenabled = true\n[auth.web3.ethereum]\nenabled = false",
    )
    assert [warning.split()[0] for warning in config.warnings] == ["auth.site_ulr", "made_up.a"]
    assert {"studio.port", "remotes.production.a"} <= config.ignored.keys()
    assert "web3_provider_disabled" in config.ignored["auth.web3.solana.enabled"]
    assert "auth.web3.ethereum.enabled" not in config.ignored, "what is off changes nothing"


def test_what_this_version_has_no_setting_for_is_said(root: Path) -> None:
    (root / "supabase" / "config.toml").write_text("[auth]\nsite_url = 'https://a.example'")
    config = read_config(Project(root), root, {}, frozenset())
    assert "GOTRUE_SITE_URL" not in config.settings and "auth.site_url" in config.ignored


@pytest.mark.parametrize(
    ("environ", "files", "value"),
    [
        ({"A": "process"}, {".env": "A=file"}, "process"),
        ({}, {".env": "A=file", ".env.local": "A=local"}, "local"),
        ({}, {".env": "A=file", ".env.development": "A='of development'"}, "of development"),
        ({"SUPABASE_ENV": "test"}, {".env": "A=file", ".env.local": "A=local"}, "file"),
        ({}, {"supabase/.env": "A=below", ".env.local": "A=above"}, "below"),
        ({}, {}, "http://127.0.0.1:3000"),
        ({"A": ""}, {}, "http://127.0.0.1:3000"),
        ({"SUPABASE_AUTH_SITE_URL": "override", "A": "process"}, {}, "override"),
    ],
)
def test_values_come_from_the_environment(
    root: Path, environ: dict[str, str], files: dict[str, str], value: str
) -> None:
    for name, text in files.items():
        (root / name).write_text(text)
    config = read(root, "[auth]\nsite_url = 'env(A)'", **environ)
    assert config.settings["GOTRUE_SITE_URL"] == value
    assert any("variable A" in warning for warning in config.warnings) == (value == "http://127.0.0.1:3000")


@pytest.mark.parametrize(
    ("toml", "variable"),
    [
        (
            "[auth.captcha]\nenabled = true\nprovider = 'turnstile'\nsecret = 'env(NONE)'",
            "GOTRUE_SECURITY_CAPTCHA_ENABLED",
        ),
        ("[auth.hook.send_email]\nenabled = true\nuri = 'env(NONE)'", "GOTRUE_HOOK_SEND_EMAIL_URI"),
        (
            "[auth.hook.send_sms]\nenabled = true\nuri = 'https://a.example'\nsecrets = 'env(NONE)'",
            "GOTRUE_HOOK_SEND_SMS_URI",
        ),
        (
            "[auth.external.github]\nenabled = true\nclient_id = 'env(NONE)'\nsecret = 's'",
            "GOTRUE_EXTERNAL_GITHUB_ENABLED",
        ),
        ("[auth]\njwt_secret = 'short'", "PGRST_JWT_SECRET"),
    ],
)
def test_what_could_not_work_stays_off_with_a_word_and_the_start_goes_on(root: Path, toml: str, variable: str) -> None:
    config = read(root, toml)
    assert variable not in config.settings and config.warnings
    load_settings_of(find_content(root, {}), {})


def test_numbers_and_booleans_may_be_variables(root: Path) -> None:
    config = read(root, "[api]\nmax_rows = 'env(N)'\n[auth]\nenable_signup = 'env(B)'", N="7", B="false")
    assert config.settings["PGRST_DB_MAX_ROWS"] == "7" and config.settings["GOTRUE_DISABLE_SIGNUP"] == "true"


def test_a_part_of_a_text_is_no_variable(root: Path) -> None:
    assert read(root, "[auth]\nsite_url = 'x env(A)'", A="a").settings["GOTRUE_SITE_URL"] == "x env(A)"


def test_what_the_gateway_is_told_itself_wins(root: Path) -> None:
    (root / "supabase" / "config.toml").write_text("[auth]\nsite_url = 'https://a.example'\njwt_expiry = 60")
    content = find_content(root, {})
    settings = load_settings_of(content, {"GOTRUE_SITE_URL": "https://b.example"})
    assert (settings.site_url, settings.jwt_exp) == ("https://b.example", 60)
    assert settings.data_dir == root / ".gateway" and settings.project_dir == root
    assert settings.functions_dir == root / "supabase" / "functions"


def test_providers_hooks_mails_and_numbers(root: Path) -> None:
    (root / "supabase" / "templates").mkdir()
    (root / "supabase" / "templates" / "invite.html").write_text("<p>{{ .ConfirmationURL }}</p>")
    config = read(
        root,
        """
        [auth.external.github]
        enabled = true
        client_id = "c"
        secret = "env(S)"
        [auth.external.discord]
        enabled = true
        [auth.external.slack]
        enabled = true
        client_id = "c"
        [auth.external.google]
        enabled = false
        client_id = "c"
        [auth.hook.custom_access_token]
        enabled = true
        uri = "pg-functions://postgres/public/hook"
        [auth.hook.made_up]
        enabled = true
        [auth.email.template.invite]
        subject = "Come"
        content_path = "./supabase/templates/invite.html"
        [auth.email.template.recovery]
        content_path = "./nowhere.html"
        [auth.sms]
        enable_signup = true
        [auth.sms.test_otp]
        4152127777 = "123456"
        """,
        S="secret",
    )
    given = config.settings
    assert given["GOTRUE_EXTERNAL_GITHUB_CLIENT_ID"] == "c" and given["GOTRUE_EXTERNAL_GITHUB_SECRET"] == "secret"
    assert not any("DISCORD" in name or "SLACK" in name or "GOOGLE" in name for name in given)
    assert given["GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI"] == "pg-functions://postgres/public/hook"
    assert given["GOTRUE_MAILER_SUBJECTS_INVITE"] == "Come"
    assert Path(given["GOTRUE_MAILER_TEMPLATES_INVITE"]).name == "invite.html"
    assert given["GOTRUE_SMS_TEST_OTP"] == "4152127777:123456" and given["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "true"
    assert {"auth.external.slack", "auth.hook.made_up"} <= config.ignored.keys()
    assert sorted(warning.split()[0].rstrip(":") for warning in config.warnings) == [
        "auth.email.template.recovery.content_path", "auth.external.discord",
    ]  # fmt: skip


def test_phone_sign_up_without_anybody_who_sends_is_off(root: Path) -> None:
    config = read(root, "[auth.sms]\nenable_signup = true")
    assert config.settings["GOTRUE_EXTERNAL_PHONE_ENABLED"] == "false" and "auth.sms.enable_signup" in config.ignored


def test_functions_buckets_secrets_and_seeds(root: Path) -> None:
    config = read(
        root,
        """
        project_id = "my project!"
        [db.seed]
        sql_paths = ["./seeds/*.sql"]
        [db.vault]
        token = "env(T)"
        [functions.hello]
        verify_jwt = false
        entrypoint = "./functions/hello/main.ts"
        [edge_runtime.secrets]
        api_key = "k"
        [storage.buckets.images]
        public = true
        file_size_limit = "1MiB"
        allowed_mime_types = ["image/png"]
        objects_path = "./images"
        """,
        T="hidden",
    )
    assert config.project_id == "my_project_" and config.seed_paths == ("./seeds/*.sql",)
    assert config.vault == {"token": "hidden"} and config.function_secrets == {"API_KEY": "k"}
    assert config.functions["hello"] == {
        "verify_jwt": False, "entrypoint": str(root / "supabase" / "functions" / "hello" / "main.ts"),
    }  # fmt: skip
    (bucket,) = config.buckets
    assert (bucket.name, bucket.public, bucket.file_size_limit) == ("images", True, 1024 * 1024)
    assert "hidden" not in repr(config)


@pytest.mark.parametrize("toml", ["[auth", "[storage.buckets.a]\nfile_size_limit = 'much'"])
def test_a_file_that_cannot_be_read_is_told(root: Path, toml: str) -> None:
    with pytest.raises(ProjectError, match=r"config\.toml"):
        read(root, toml)


def test_a_key_is_in_one_table() -> None:
    keys = [key.key for key in KEYS]
    assert len(set(keys)) == len(keys)
    assert not set(keys) & (set(GROUPS) | set(IGNORED)) and not set(GROUPS) & set(IGNORED)


def test_a_json_file_is_read_too(root: Path) -> None:
    (root / "supabase" / "config.jsonc").write_text('{ // a\n "auth": {"site_url": "http://a//b",}, /* c */ }')
    assert read_config(Project(root), root, {}, variables()).settings["GOTRUE_SITE_URL"] == "http://a//b"


def test_env_files(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(
        '# comment\nexport A=1\nB = two words # not this\nC=\'a # b\'\nD="x\\ny"\nE="over\ntwo"\nF=\nG: yaml\n'
    )
    assert read_env(tmp_path / ".env") == {
        "A": "1", "B": "two words", "C": "a # b", "D": "x\ny", "E": "over\ntwo", "F": "", "G": "yaml",
    }  # fmt: skip
