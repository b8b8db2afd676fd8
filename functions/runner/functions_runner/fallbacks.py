"""What takes the place of a module that cannot be fetched from where a script names it: the same package on npm, or a
stand-in for the part of the standard library that functions use.

A module that can be fetched is used as it is; only `serve` of the old HTTP server is always replaced, for no Deno of
today runs it.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

COMPAT: Final = Path(__file__).resolve().parent / "deno_runtime" / "compat"

# Modules of the standard library, as `part/module` of old addresses and as names of its packages today.
_STANDARD: Final = {
    "http/server": "std/http_server.ts", "http/http_status": "std/http_server.ts", "http": "std/http_server.ts",
    "http/cookie": "std/cookie.ts", "http/status": "std/http_server.ts",
    "encoding/base64": "std/base64.ts", "encoding/base64url": "std/base64url.ts", "encoding/hex": "std/hex.ts",
    "encoding": "std/base64.ts",
    "async": "std/async.ts", "async/mod": "std/async.ts", "async/delay": "std/async.ts", "async/retry": "std/async.ts",
    "assert": "std/assert.ts", "assert/mod": "std/assert.ts", "testing/asserts": "std/assert.ts",
    "dotenv": "empty.ts", "dotenv/load": "empty.ts", "dotenv/mod": "empty.ts",
}  # fmt: skip
_NODE: Final = {
    "path": "node:path", "path/mod": "node:path", "path/posix": "node:path", "crypto": "node:crypto",
    "node/crypto": "node:crypto", "node/buffer": "node:buffer", "io/buffer": "node:buffer", "uuid": "npm:uuid",
    "node/process": "node:process", "node/path": "node:path", "uuid/mod": "npm:uuid",
}  # fmt: skip
_OLD_HTTP: Final = re.compile(r"https://deno\.land/std(?:@v?[\d.]+)?/http/server\.ts")
# Packages of jsr and deno.land/x that npm has under another name.
_NAMES: Final = {
    "@hono/hono": "hono", "@zod/zod": "zod", "@oak/oak": "@oakserver/oak", "@openai/openai": "openai", "zod": "zod",
    "hono": "hono", "openai": "openai", "stripe": "stripe", "nanoid": "nanoid", "jose": "jose", "djwt": "djwt",
    "lodash": "lodash", "grammy": "grammy", "supabase_js": "@supabase/supabase-js", "postgresjs": "postgres",
    "kysely": "kysely", "date_fns": "date-fns", "dayjs": "dayjs", "cors": "cors", "oak": "@oakserver/oak",
    "upstash_redis": "@upstash/redis", "sentry": "@sentry/deno", "resend": "resend", "yup": "yup", "ramda": "ramda",
    "marked": "marked", "puppeteer": "puppeteer-core", "cheerio": "cheerio", "mongo": "mongodb",
    "redis": "redis", "mysql": "mysql2", "bcrypt": "bcryptjs", "ulid": "ulid", "valibot": "valibot",
}  # fmt: skip
_POLYFILLS: Final = frozenset({"xhr", "dotenv"})
_NPM_MIRRORS: Final = ("esm.sh", "cdn.esm.sh", "cdn.skypack.dev", "unpkg.com", "esm.run", "cdn.jsdelivr.net")
_PACKAGE: Final = re.compile(r"((?:@[^/@]+/)?[^/@]+)(?:@([^/]+))?(?:/(.*))?")


def newest(specifier: str) -> str:
    """A package of npm without its version.

    >>> newest("npm:@scope/name@7/sub"), newest("npm:name")
    ('npm:@scope/name/sub', 'npm:name')
    """
    found = _PACKAGE.fullmatch(specifier.removeprefix("npm:"))
    return f"npm:{found[1]}" + (f"/{found[3]}" if found[3] else "") if found else specifier


def always(specifier: str) -> str:
    """What takes the place of a module whether it can be fetched or not; empty for nothing."""
    return _file("std/http_server.ts") if _OLD_HTTP.fullmatch(specifier) else ""


def instead(specifier: str) -> str:
    """What takes the place of a module that cannot be fetched; empty where nothing is known.

    >>> instead("https://esm.sh/@supabase/supabase-js@2.39.0?target=deno")
    'npm:@supabase/supabase-js@2.39.0'
    >>> instead("jsr:@supabase/supabase-js@2"), instead("https://deno.land/x/zod@v3.22.4/mod.ts")
    ('npm:@supabase/supabase-js@2', 'npm:zod@3.22.4')
    >>> instead("https://cdn.jsdelivr.net/npm/lodash@4/+esm"), instead("https://elsewhere.example/x.ts")
    ('npm:lodash@4', '')
    """
    if specifier.startswith("jsr:"):
        return _of_jsr(specifier.removeprefix("jsr:").lstrip("/"))
    parts = urlsplit(specifier)
    path = parts.path.lstrip("/")
    if parts.hostname == "deno.land":
        return _of_deno_land(path)
    if parts.hostname in _NPM_MIRRORS:
        # Builds of a mirror: `v135/`, `stable/`, `-/pkg@v-hash/…`, and `npm/…/+esm`.
        path = re.sub(r"^(?:v\d+/|stable/|npm/|pin/|-/|\*)+", "", path).removesuffix("/+esm")
        return _npm(path)
    return ""


def _of_jsr(path: str) -> str:
    found = _PACKAGE.fullmatch(path)
    if found is None:
        return ""
    name, version, sub = found.groups()
    if name == "@supabase/functions-js" or name == "@types/deno":
        return _file("empty.ts")
    if name.startswith("@std/"):
        return _standard("/".join(filter(None, (name.removeprefix("@std/"), sub))))
    return _npm("/".join(filter(None, (_NAMES.get(name, name) + (f"@{version}" if version else ""), sub))))


def _of_deno_land(path: str) -> str:
    found = re.fullmatch(r"(?:std(?:@[^/]+)?|x/([^/@]+)(?:@v?([^/]+))?)/(.*)", path)
    if found is None:
        return ""
    name, version, sub = found.groups()
    if name is None:
        return _standard(re.sub(r"\.ts$", "", sub))
    if name in _POLYFILLS:
        return _file("empty.ts")
    known = _NAMES.get(name)
    if known is None:
        return ""
    # Releases there and on npm are not the same, but their first numbers mean the same.
    number = version.partition(".")[0] if version and name not in ("zod", "hono", "grammy") else version
    return f"npm:{known}" + (f"@{number}" if number else "")


def _standard(module: str) -> str:
    if module in _NODE:
        return _NODE[module]
    file = _STANDARD.get(module)
    return _file(file) if file else ""


def _npm(path: str) -> str:
    found = _PACKAGE.fullmatch(path)
    if found is None:
        return ""
    name, version, sub = found.groups()
    version = re.sub(r"^v(?=\d)", "", version) if version else version
    # A mirror's build of a module is the package's main one.
    kept = sub if sub and not re.search(r"\.(?:m?js|d\.ts|ts)$|^(?:es\d+|deno|X-)", sub) else ""
    return f"npm:{name}" + (f"@{version}" if version else "") + (f"/{kept}" if kept else "")


def _file(name: str) -> str:
    return (COMPAT / name).as_uri()
