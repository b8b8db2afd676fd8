"""The `config` of a join (contract, section 6): whatever was sent in, a `JoinConfig` out.

A field of the wrong type takes its default, and the join goes on: only what it names is logged.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

log = logging.getLogger("gateway.realtime")

ABSENT: Final = object()
LONGEST_KEY: Final = 1_000  # characters of a presence's key


@dataclass(frozen=True, slots=True)
class JoinConfig:
    """`replay` is what was sent for it, ABSENT for nothing; `token` the text of the token, None for none."""

    private: bool
    own_too: bool
    ack: bool
    replay: Any
    replication_ready: bool
    presence: bool
    presence_key: str
    bindings: tuple[Mapping[str, Any], ...]
    token: str | None


def parse(payload: Any) -> JoinConfig:
    """The config of a join's payload.

    >>> parse({"config": {"private": "TRUE", "broadcast": None, "presence": {"key": "ann"}}}).private
    True
    """
    sent = _object(payload, "payload")
    config = _object(sent.get("config"), "config")
    broadcast, presence = _object(config.get("broadcast"), "broadcast"), _object(config.get("presence"), "presence")
    bindings = config.get("postgres_changes")
    if bindings is not None and not isinstance(bindings, list):
        _say("postgres_changes")
        bindings = None
    key = presence.get("key")
    if key is not None and not isinstance(key, str):
        _say("presence.key")
        key = None
    token = sent.get("user_token") or sent.get("access_token")
    if token is None and "access_token" in sent:
        token = None
    if token is not None and not isinstance(token, str):
        _say("access_token")
        token = None
    return JoinConfig(
        private=_flag(config, "private"),
        own_too=_flag(broadcast, "self"),
        ack=_flag(broadcast, "ack"),
        replay=broadcast.get("replay", ABSENT),
        replication_ready=_flag(broadcast, "replication_ready"),
        presence=_flag(presence, "enabled"),
        presence_key=(key or str(uuid.uuid4()))[:LONGEST_KEY],
        bindings=tuple(each for each in bindings or () if isinstance(each, dict)),
        token=token or None,
    )


def _object(value: Any, name: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        _say(name)
        return {}
    return value


def _flag(among: Mapping[str, Any], name: str) -> bool:
    value = among.get(name)
    if isinstance(value, bool):
        return value
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    if value is not None:
        _say(name)
    return False


def _say(name: str) -> None:
    log.info("InvalidJoinPayload: %s is of the wrong type, its default is taken", name)
