"""The policy of a form that uploads by POST: a signed text that says what the form may hold. Pure.

https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTConstructPolicy.html
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

import orjson

from gateway.http.json_limits import is_too_much
from gateway.storage.errors import StorageError
from gateway.storage.s3.errors import POLICY

MAX_BYTES: Final = 65_536
_FREE: Final = frozenset(("policy", "x-amz-signature", "file"))


def check(text: str, bucket: str, fields: Mapping[str, str], now: float) -> tuple[int, int] | None:
    """Hold a form against its policy: every field has to be named there. The bytes that a file may have, from and to,
    where it says so. Raises StorageError."""
    policy = _read(text)
    try:
        end = datetime.fromisoformat(policy["expiration"])
    except (KeyError, TypeError, ValueError):
        raise StorageError(POLICY, reason="expiration is missing or no date") from None
    end = end if end.tzinfo is not None else end.replace(tzinfo=UTC)
    if now >= end.timestamp():
        raise StorageError(POLICY, reason="Policy expired.")
    given = {**fields, "bucket": bucket}
    named: set[str] = set()
    limits: tuple[int, int] | None = None
    conditions = policy.get("conditions")
    if not isinstance(conditions, list):
        raise StorageError(POLICY, reason="conditions are missing")
    for condition in conditions:
        match condition:
            case {**pairs} if pairs:
                for name, value in pairs.items():
                    named.add(_equal(str(name), value, given))
            case ["content-length-range", int(least), int(most)] if not isinstance(least, bool):
                limits = (least, int(most))
            case [str(how), str(name), str(value)] if how.lower() == "eq" and name.startswith("$"):
                named.add(_equal(name[1:], value, given))
            case [str(how), str(name), str(value)] if how.lower() == "starts-with" and name.startswith("$"):
                named.add(name[1:].lower())
                if not given.get(name[1:].lower(), "").startswith(value):
                    raise StorageError(POLICY, reason=f"Policy Condition failed: {name[:100]}")
            case _:
                raise StorageError(POLICY, reason="a condition cannot be read")
    for name in fields:
        if name not in named and name not in _FREE and not name.startswith("x-ignore-"):
            raise StorageError(POLICY, reason=f"Extra input fields: {name[:100]}")
    return limits


def _read(text: str) -> dict[str, Any]:
    try:
        raw = base64.b64decode(text, validate=True)
        if len(raw) > MAX_BYTES or is_too_much(raw):
            raise ValueError
        policy = orjson.loads(raw)
    except (binascii.Error, ValueError):
        raise StorageError(POLICY, reason="it is no JSON in base64") from None
    if not isinstance(policy, dict):
        raise StorageError(POLICY, reason="it is no object")
    return policy


def _equal(name: str, value: object, given: Mapping[str, str]) -> str:
    """The name of a field that has to have this value. Raises StorageError."""
    name = name.lower()
    if not isinstance(value, str) or given.get(name) != value:
        raise StorageError(POLICY, reason=f"Policy Condition failed: {name[:100]}")
    return name
