"""Cross-origin headers: the platform adds none, so each function says them on every answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

ALLOWED: Final = "authorization, x-client-info, apikey, content-type, x-region, idempotency-key"

HEADERS: Final[Mapping[str, str]] = {
    "access-control-allow-origin": "*",
    "access-control-allow-headers": ALLOWED,
    "access-control-allow-methods": "POST, OPTIONS",
    "access-control-expose-headers": "retry-after",
}


def preflight(asked: str | None) -> tuple[str, int, dict[str, str]]:
    """Answer to OPTIONS; every header that the browser asks for is allowed."""
    headers = {**HEADERS, "access-control-max-age": "86400"}
    if asked:
        headers["access-control-allow-headers"] = f"{ALLOWED}, {asked}"
    return "ok", 200, headers
