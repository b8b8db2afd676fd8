"""The environment of one function's process: what is injected, what it asked for by name, and nothing else."""

from __future__ import annotations

import logging
import re
import uuid
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

import orjson

from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

RESERVED: Final = "SUPABASE_"
_LINE: Final = re.compile(r"(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)")

log = logging.getLogger("gateway.functions")


def build(names: Iterable[str], injected: Mapping[str, str], offered: Mapping[str, str], home: str) -> dict[str, str]:
    """Variables of a process. `offered` are those it may ask for; reserved names come from the gateway alone."""
    env = {"HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "TZ": offered.get("TZ", "UTC")}
    for name in names:
        if name.startswith(RESERVED):
            log.warning("function variable %s is reserved for the gateway and was skipped", name)
        elif name in offered:
            env[name] = offered[name]
    return {**env, **injected, "SB_REGION": "local", "SB_EXECUTION_ID": str(uuid.uuid4())}


def read_env_file(path: Path) -> dict[str, str]:
    r"""Variables of an env file: `NAME=value` lines, quotes taken off, `#` comments; none if there is no file.

    Lines that set a reserved name are skipped with a notice.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except OSError:
        return {}
    values: dict[str, str] = {}
    for line in text.splitlines():
        found = _LINE.fullmatch(line.strip())
        if found is None:
            continue
        name, value = found[1], found[2].strip()
        if name.startswith(RESERVED):
            log.warning("%s: %s is reserved for the gateway and was skipped", path, name)
            continue
        if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'":
            quote, value = value[0], value[1:-1]
            if quote == '"':
                value = value.replace("\\n", "\n").replace('\\"', '"')
        else:
            value = value.split(" #", 1)[0].rstrip()
        values[name] = value
    return values


def injected(settings: Settings, keys: KeyRing) -> dict[str, str]:
    """What every function is told of the gateway: its address on this machine and its keys.

    The public address may be one that nothing inside can resolve or reach. No function reaches a unix socket: there the
    public address is all there is.
    """
    return {
        "SUPABASE_URL": settings.api_url if settings.unix_socket else settings.local_url,
        "SUPABASE_ANON_KEY": keys.anon_jwt,
        "SUPABASE_SERVICE_ROLE_KEY": keys.service_role_jwt,
        "SUPABASE_PUBLISHABLE_KEYS": orjson.dumps({"default": keys.publishable_key}).decode(),
        "SUPABASE_SECRET_KEYS": orjson.dumps({"default": keys.secret_key}).decode(),
        "SUPABASE_JWKS": orjson.dumps(keys.jwks()).decode(),
    }
