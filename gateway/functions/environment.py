"""The environment of one function's process: what is injected, what it asked for by name, and nothing else."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Final

import orjson
from functions_runner import registry
from functions_runner.env_file import RESERVED
from functions_runner.types import SCRIPTS, FunctionConfig, FunctionError

from gateway.identity.keyring import KeyRing
from gateway.settings import Settings

# Who has one of these reads and writes every row.
SECRET: Final = frozenset({"SUPABASE_SERVICE_ROLE_KEY", "SUPABASE_SECRET_KEYS", "SUPABASE_DB_URL"})
# Packages that read them on their importer's behalf.
ASKERS: Final = (b"@supabase/server",)
CODE: Final = (".py", *SCRIPTS)


class Missing(FunctionError):
    """A function names variables that exist nowhere."""


def build(
    config: FunctionConfig,
    injected: Mapping[str, str],
    offered: Mapping[str, str],
    given: Mapping[str, str],
    home: str,
) -> dict[str, str]:
    """Variables of a function's process. Raises Missing.

    `offered` are those it may ask for by name, `given` those it gets unasked. Reserved names come from the gateway
    alone, and its secret keys are for functions that name them: in their settings, or in their code.
    """
    env = {"HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "PYTHONUNBUFFERED": "1", "TZ": offered.get("TZ", "UTC")}
    told = {name: value for name, value in injected.items() if name not in SECRET or _asks_for(config, name)}
    available = {**offered, **given}
    lacking = [name for name in config.env if name not in available and name not in injected]
    if lacking:
        raise Missing(
            f"its function.toml names variables that exist nowhere: {', '.join(lacking)}. Set them with"
            f" `functions secrets set {lacking[0]}=…`, or list them in optional_env."
        )
    for name in (*config.env, *config.optional_env):
        if name in available and not name.startswith(RESERVED):
            env[name] = available[name]
    return {**env, **given, **told, "SB_REGION": "local", "SB_EXECUTION_ID": str(uuid.uuid4())}


def _asks_for(config: FunctionConfig, name: str) -> bool:
    """Whether a function names a variable."""
    if name in config.env or name in config.optional_env:
        return True
    words = (name.encode(), *ASKERS)
    texts = (file.read_bytes() for file in registry.files(config) if file.suffix in CODE)
    return any(word in text for text in texts for word in words)


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
