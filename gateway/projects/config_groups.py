"""What several keys of config.toml decide together: providers, hooks, mails, text messages, functions, buckets.

In: the whole table, values resolved. Out: variables for the settings, and notes on what is not taken.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from gateway.projects.values import bytes_of, is_true

SECRET_LENGTH: Final = 32  # characters of an HS256 secret, at least
MAILS: Final = ("invite", "confirmation", "recovery", "magic_link", "email_change", "reauthentication")
HOOKS: Final = (
    "before_user_created", "custom_access_token", "send_sms", "send_email", "mfa_verification_attempt",
    "password_verification_attempt",
)  # fmt: skip
DROPPED_PROVIDERS: Final = {"linkedin": "linkedin_oidc", "slack": "slack_oidc"}
MESSENGERS: Final = ("twilio", "twilio_verify", "messagebird", "textlocal", "vonage")
# Settings of Postgres that a session may have; the others are the size of the server, which the platform chooses.
SESSION_SETTINGS: Final = frozenset((
    "effective_cache_size", "logical_decoding_work_mem", "maintenance_work_mem", "max_parallel_maintenance_workers",
    "max_parallel_workers_per_gather", "session_replication_role", "statement_timeout", "work_mem",
))  # fmt: skip


@dataclass(frozen=True, slots=True)
class BucketSpec:
    """`[storage.buckets.NAME]`."""

    name: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...] | None
    objects: Path | None


@dataclass(slots=True)
class Collected:
    """What the groups make of the table."""

    variables: dict[str, str] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)  # variable → key
    ignored: dict[str, str] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    def take(self, key: str, variable: str, value: Any) -> None:
        self.variables[variable] = ("true" if value else "false") if isinstance(value, bool) else str(value)
        self.origin[variable] = key


def at(table: Mapping[str, Any], key: str, default: Any = None) -> Any:
    """A value by its dotted key.

    >>> at({"auth": {"sms": {"enabled": True}}}, "auth.sms.enabled")
    True
    """
    found: Any = table
    for part in key.split("."):
        if not isinstance(found, Mapping) or part not in found:
            return default
        found = found[part]
    return found


def section(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """A table by its dotted key; empty where there is none."""
    found = at(table, key, {})
    return found if isinstance(found, Mapping) else {}


def collect(table: Mapping[str, Any], folder: Path) -> Collected:
    """Variables of all groups; `folder` is `supabase/`."""
    found = Collected()
    for group in (_keys, _captcha, _sign_ups, _mail_server, _templates, _messages, _hooks, _providers, _database):
        group(table, folder, found)
    return found


def _keys(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    secret = at(table, "auth.jwt_secret")
    if secret and len(str(secret)) < SECRET_LENGTH:
        found.faults.append(f"auth.jwt_secret has fewer than {SECRET_LENGTH} characters: a random one takes its place")
    elif secret:
        found.take("auth.jwt_secret", "PGRST_JWT_SECRET", secret)
    for name in ("anon_key", "service_role_key"):
        if at(table, f"auth.{name}"):
            if at(table, "auth.jwt_secret") or at(table, "auth.signing_keys_path"):
                found.ignored[f"auth.{name}"] = "any key that the secret signed is taken"
            else:
                found.ignored[f"auth.{name}"] = "it is taken only together with the auth.jwt_secret that signed it"


def _captcha(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    given = section(table, "auth.captcha")
    if given and is_on(given) and not given.get("secret"):
        found.faults.append("auth.captcha is enabled without secret: nobody could sign in, so it stays off")
    elif given:
        for name, variable in (("enabled", "ENABLED"), ("provider", "PROVIDER"), ("secret", "SECRET")):
            if given.get(name) not in (None, ""):
                found.take(f"auth.captcha.{name}", f"GOTRUE_SECURITY_CAPTCHA_{variable}", given[name])


def _sign_ups(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    for part in ("email", "sms"):
        key = f"auth.{part}.enabled" if at(table, f"auth.{part}.enabled") is not None else f"auth.{part}.enable_signup"
        value = _flag(table, key, part == "email", found)
        variable = f"GOTRUE_EXTERNAL_{'EMAIL' if part == 'email' else 'PHONE'}_ENABLED"
        can_send = any(
            is_on(section(table, f"auth.sms.{name}")) for name in MESSENGERS
        ) or is_on(section(table, "auth.hook.send_sms"))  # fmt: skip
        if part == "sms" and value and not can_send and not section(table, "auth.sms.test_otp"):
            found.ignored[key] = "no provider of text messages is on, so nobody could sign in by phone"
            value = False
        found.take(key, variable, value)


def _mail_server(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    given = section(table, "auth.email.smtp")
    on = bool(given) and _flag(table, "auth.email.smtp.enabled", True, found)
    if on:
        for name, variable in (
            ("host", "HOST"), ("port", "PORT"), ("user", "USER"), ("pass", "PASS"),
            ("admin_email", "ADMIN_EMAIL"), ("sender_name", "SENDER_NAME"),
        ):  # fmt: skip
            if given.get(name) not in (None, ""):
                found.take(f"auth.email.smtp.{name}", f"GOTRUE_SMTP_{variable}", given[name])
    limit = at(table, "auth.rate_limit.email_sent", 2)
    if on:
        found.take("auth.rate_limit.email_sent", "GOTRUE_RATE_LIMIT_EMAIL_SENT", limit)
    else:
        found.take("", "GOTRUE_RATE_LIMIT_EMAIL_SENT", 360000)
        if at(table, "auth.rate_limit.email_sent") is not None:
            found.ignored["auth.rate_limit.email_sent"] = "it counts with [auth.email.smtp] alone"
        trap = "local_smtp" if section(table, "local_smtp") else "inbucket"
        found.take(
            f"{trap}.admin_email", "GOTRUE_SMTP_ADMIN_EMAIL", at(table, f"{trap}.admin_email") or "admin@email.com"
        )
        found.take(f"{trap}.sender_name", "GOTRUE_SMTP_SENDER_NAME", at(table, f"{trap}.sender_name") or "Admin")


def _templates(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    for group, suffix in (("template", ""), ("notification", "_NOTIFICATION")):
        for name, given in section(table, f"auth.email.{group}").items():
            if not isinstance(given, Mapping):
                continue
            key = f"auth.email.{group}.{name}"
            if group == "template" and name not in MAILS:
                found.ignored[key] = f"there is no such mail; there are {', '.join(MAILS)}"
                continue
            if group == "notification":
                on = _flag(table, f"{key}.enabled", False, found)
                found.take(f"{key}.enabled", f"GOTRUE_MAILER_NOTIFICATIONS_{name.upper()}_ENABLED", on)
                if not on:
                    continue
            if given.get("subject"):
                found.take(f"{key}.subject", f"GOTRUE_MAILER_SUBJECTS_{name.upper()}{suffix}", given["subject"])
            if given.get("content_path"):
                path = template_file(folder, str(given["content_path"]))
                if path is None:
                    found.faults.append(f"{key}.content_path: there is no file {given['content_path']}")
                else:
                    found.take(f"{key}.content_path", f"GOTRUE_MAILER_TEMPLATES_{name.upper()}{suffix}", path)


def template_file(folder: Path, path: str) -> Path | None:
    """A template, relative to the folder above `supabase/`, or to `supabase/`: versions of the CLI differ."""
    for base in (folder.parent, folder):
        if (base / path).is_file():
            return (base / path).resolve()
    return None


def _messages(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    codes = {str(phone): str(code) for phone, code in section(table, "auth.sms.test_otp").items()}
    if codes:
        text = ",".join(f"{phone}:{code}" for phone, code in codes.items())
        found.take("auth.sms.test_otp", "GOTRUE_SMS_TEST_OTP", text)
    on = [name for name in MESSENGERS if is_on(section(table, f"auth.sms.{name}"))]
    for place, name in enumerate(on):
        key = f"auth.sms.{name}"
        if place:
            found.ignored[key] = f"{on[0]} is on, and the first counts"
            continue
        found.take(f"{key}.enabled", "GOTRUE_SMS_PROVIDER", name)
        for part, value in section(table, key).items():
            if part != "enabled" and value not in (None, ""):
                found.take(f"{key}.{part}", f"GOTRUE_SMS_{name.upper()}_{part.upper()}", value)


def _hooks(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    for name, given in section(table, "auth.hook").items():
        key = f"auth.hook.{name}"
        if name not in HOOKS:
            found.ignored[key] = f"there is no such hook; there are {', '.join(HOOKS)}"
        elif isinstance(given, Mapping) and is_on(given):
            if not given.get("uri"):
                found.faults.append(f"{key} is enabled without uri: it stays off")
                continue
            if not str(given["uri"]).startswith("pg-functions:") and not given.get("secrets"):
                found.faults.append(f"{key} is enabled without secrets, which an address needs: it stays off")
                continue
            found.take(f"{key}.uri", f"GOTRUE_HOOK_{name.upper()}_URI", given["uri"])
            if given.get("secrets"):
                found.take(f"{key}.secrets", f"GOTRUE_HOOK_{name.upper()}_SECRETS", given["secrets"])


def _providers(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    for name, given in section(table, "auth.external").items():
        key = f"auth.external.{name}"
        if not isinstance(given, Mapping) or not is_on(given):
            continue
        if name in DROPPED_PROVIDERS:
            found.ignored[key] = f"hosted projects have dropped it: use {DROPPED_PROVIDERS[name]}"
            continue
        missing = [part for part in ("client_id", "secret") if not given.get(part)]
        if "client_id" in missing or ("secret" in missing and name not in ("apple", "google")):
            found.faults.append(f"{key} is enabled without {' and '.join(missing)}: sign-in there stays off")
            continue
        for part, value in given.items():
            if value not in (None, ""):
                found.take(f"{key}.{part}", f"GOTRUE_EXTERNAL_{name.upper()}_{part.upper()}", value)


def _database(table: Mapping[str, Any], folder: Path, found: Collected) -> None:
    del folder
    kept = {}
    for name, value in section(table, "db.settings").items():
        if name in SESSION_SETTINGS:
            kept[name] = str(value)
        else:
            found.ignored[f"db.settings.{name}"] = "the embedded Postgres has a size of its own"
    if kept:
        text = ",".join(f"{name}={value}" for name, value in kept.items())
        found.take("db.settings", "GATEWAY_DB_SETTINGS", text)


def is_on(given: Mapping[str, Any]) -> bool:
    """Whether a section is enabled."""
    try:
        return is_true(given.get("enabled", False))
    except ValueError:
        return False


def _flag(table: Mapping[str, Any], key: str, default: bool, found: Collected) -> bool:
    try:
        return is_true(at(table, key, default))
    except ValueError as error:
        found.faults.append(f"{key}: {error}")
        return default


def functions_of(table: Mapping[str, Any], folder: Path) -> dict[str, dict[str, Any]]:
    """`[functions.NAME]`, with paths made whole: enabled, verify_jwt, entrypoint, import_map, static_files."""
    found: dict[str, dict[str, Any]] = {}
    for name, given in section(table, "functions").items():
        if isinstance(given, Mapping):
            whole: dict[str, Any] = dict(given)
            for part in ("entrypoint", "import_map"):
                if whole.get(part):
                    whole[part] = str((folder / str(whole[part])).resolve())
            found[name] = whole
    return found


def buckets_of(table: Mapping[str, Any], folder: Path) -> Iterator[BucketSpec]:
    """`[storage.buckets.NAME]`. Raises ValueError."""
    for name, given in section(table, "storage.buckets").items():
        if not isinstance(given, Mapping):
            continue
        limit, kinds, objects = (given.get(part) for part in ("file_size_limit", "allowed_mime_types", "objects_path"))
        yield BucketSpec(
            name,
            is_true(given.get("public", False)),
            bytes_of(limit) if limit else None,
            tuple(map(str, kinds)) if kinds else None,
            (folder / str(objects)).resolve() if objects else None,
        )
