"""What the built site gives to functions that render its pages: templates, its public address, drawings by topic.

All of it is fetched over HTTP from wherever the site is served, so that a function may run anywhere, and kept for a few
seconds. Who serves the site writes its public address into these files as into every page.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import httpx

from functions.shared.templates import Template, TemplateInvalid, parse

KEPT: Final = 10.0  # seconds; after a deployment old pages name scripts that are gone
# The site must not render the page by this function again.
PLAIN: Final = {"x-site-plain": "1"}


class SiteUnavailable(Exception):
    """The site's file cannot be had, or is not built as expected."""


@dataclass(frozen=True, slots=True)
class Site:
    """The site's public address without a trailing slash, its company, and the drawings of its topics."""

    origin: str
    name: str
    topics: Sequence[tuple[Sequence[str], Mapping[str, str]]]
    other: Mapping[str, str]

    def absolute(self, address: str) -> str:
        """An address of the site with the site's own in front."""
        return self.origin + address if address.startswith("/") else address

    def art_for(self, tags: Sequence[str]) -> Mapping[str, str]:
        """What stands for a missing picture: the topic of the first tag that has a word of one."""
        for tag in (tag.lower() for tag in tags):
            for words, art in self.topics:
                if any(word in tag for word in words):
                    return art
        return self.other


_kept: dict[str, tuple[float, Any]] = {}


async def template(name: str) -> Template:
    """A template of the site. Raises SiteUnavailable."""
    path = f"/templates/{name}.template"
    found = _remembered(path)
    if found is None:
        try:
            found = _keep(path, parse(await fetch(path)))
        except TemplateInvalid as error:
            raise SiteUnavailable(f"{path}: {error}") from error
    assert isinstance(found, Template)
    return found


async def site() -> Site:
    """What is to be known of the site. Raises SiteUnavailable."""
    path = "/templates/site.json"
    found = _remembered(path)
    if found is None:
        try:
            found = _keep(path, read_site(await fetch(path)))
        except (ValueError, KeyError, TypeError) as error:
            raise SiteUnavailable(f"{path}: {error}") from error
    assert isinstance(found, Site)
    return found


def read_site(text: str) -> Site:
    """The site in the file that its build wrote. Raises ValueError, KeyError, TypeError."""
    facts = json.loads(text)
    topics = [(row["words"], {"drawing": row["drawing"], "icon": row["icon"]}) for row in facts["art"]["topics"]]
    return Site(facts["origin"], facts["name"], topics, facts["art"]["other"])


async def fetch(path: str) -> str:
    """Text of one of the site's own files. Raises SiteUnavailable."""
    try:
        response = await _session().get(path, headers=PLAIN)
    except httpx.HTTPError as error:
        raise SiteUnavailable(f"{path}: {error}") from error
    if response.status_code != 200:
        raise SiteUnavailable(f"{path}: status {response.status_code}")
    return response.text


def _remembered(path: str) -> Any:
    until, found = _kept.get(path, (0.0, None))
    return found if time.monotonic() < until else None


def _keep(path: str, found: Any) -> Any:
    _kept[path] = (time.monotonic() + KEPT, found)
    return found


@cache
def _session() -> httpx.AsyncClient:
    base = os.environ.get("SITE_URL") or os.environ["SUPABASE_URL"].rstrip("/")
    return httpx.AsyncClient(base_url=base, timeout=5.0, verify=base.startswith("https:"), trust_env=False)
