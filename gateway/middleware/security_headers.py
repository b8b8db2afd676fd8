"""What browsers are told to keep to: headers of pages, and of every answer where the public address is https."""

from __future__ import annotations

from gateway.http.messages import HeaderList
from gateway.settings import Settings


def of_pages(settings: Settings) -> HeaderList:
    """Headers of every page; the tag manager's origins are allowed only when one is configured."""
    tags = " https://www.googletagmanager.com" if settings.gtm_id else ""
    beacons = " https://www.googletagmanager.com https://*.google-analytics.com" if settings.gtm_id else ""
    policy = (
        f"default-src 'self'; script-src 'self'{tags}; style-src 'self' 'unsafe-inline'; img-src 'self' https: data:; "
        f"font-src 'self'; connect-src 'self'{beacons}; object-src 'none'; base-uri 'self'; form-action 'self' https:; "
        "frame-ancestors 'none'"
    )
    return [
        (b"content-security-policy", policy.encode()),
        (b"x-content-type-options", b"nosniff"),
        (b"x-frame-options", b"DENY"),
        (b"referrer-policy", b"strict-origin-when-cross-origin"),
        (b"permissions-policy", b"camera=(), geolocation=(), microphone=(), payment=()"),
    ]


def of_all(settings: Settings) -> list[tuple[str, str]]:
    """Headers that the server adds to every answer, its own refusals of malformed requests excepted."""
    # Said only where it holds: a browser that was told so never asks without TLS again.
    return [("strict-transport-security", "max-age=31536000")] if settings.public_url.startswith("https://") else []
