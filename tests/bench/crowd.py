"""Visitors that differ: no two of them send the same bytes.

User agents, client versions, cookies and tokens are those of thousands, and what they ask for is drawn from thousands
of values, so that what a request leaves behind serves the next one only as far as the two are alike.
"""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import jwt

VISITORS: Final = 4_000


@dataclass(frozen=True)
class Visitor:
    """Somebody with a browser, signed in or not."""

    headers: Mapping[str, str]


def crowd(keys: Mapping[str, Any], role: str, visitors: int = VISITORS) -> list[Visitor]:
    """So many visitors with tokens of a role; each has one of its own, as who is signed in has."""
    chance = random.Random(7)
    return [_visitor(keys, role, number, chance) for number in range(visitors)]


def _visitor(keys: Mapping[str, Any], role: str, number: int, chance: random.Random) -> Visitor:
    now = int(time.time())
    identity = f"{chance.getrandbits(128):032x}"
    claims = {
        "iss": "http://127.0.0.1/auth/v1", "sub": identity, "aud": "authenticated", "iat": now, "exp": now + 36_000,
        "email": f"visitor-{number}@example.org", "phone": "", "app_metadata": {"provider": "email"},
        "user_metadata": {}, "role": role, "aal": "aal1", "session_id": identity, "is_anonymous": False,
    }  # fmt: skip
    version = 100 + chance.randrange(60)
    agent = f"Mozilla/5.0 (X11; Linux x86_64; rv:{version}.{number}) AppleWebKit/537.36 Chrome/{version}.0.{number}.0"
    return Visitor(
        {
            "accept-encoding": "gzip, deflate, br",
            "accept-language": f"en-US,en;q=0.{chance.randrange(1, 10)}",
            "apikey": keys["publishable_key"],
            "authorization": "Bearer " + jwt.encode(claims, keys["jwt_secret"], "HS256"),
            "cookie": f"_ga=GA1.1.{chance.getrandbits(32)}.{now - number}; consent=yes; session={identity}",
            "user-agent": agent + " Safari/537.36",
            "x-client-info": f"supabase-js-web/2.{chance.randrange(40, 110)}.{chance.randrange(10)}",
        }
    )
