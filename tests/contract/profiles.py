"""The settings that the cases run under."""

from __future__ import annotations

from typing import Final

from tests.contract.harness import SECRET

_ALL: Final = {
    "REST_PREFIX": "",
    "PGRST_DB_SCHEMAS": "harbor",
    "PGRST_DB_EXTRA_SEARCH_PATH": "tools",
    "PGRST_DB_ANON_ROLE": "contract_anon",
    "PGRST_DB_MAX_ROWS": "",
    "PGRST_JWT_SECRET": SECRET,
}

# Everything that can be turned on; what is written is undone unless the case asks else.
_OPEN: Final = _ALL | {
    "PGRST_DB_SCHEMAS": "harbor,annex",
    "PGRST_DB_AGGREGATES_ENABLED": "true",
    "PGRST_DB_PLAN_ENABLED": "true",
    "PGRST_DB_TX_END": "rollback-allow-override",
    "PGRST_APP_SETTINGS_PIER": "north",
}

PROFILES: Final[dict[str, dict[str, str]]] = {
    "open": _OPEN,
    # As the JavaScript client expects to find it: under a prefix, with a key.
    "client": _OPEN | {"REST_PREFIX": "/rest/v1"},
    # As narrow as a hosted project, with few rows to a page.
    "hosted": _ALL
    | {
        "PGRST_DB_MAX_ROWS": "3",
        "PGRST_OPENAPI_MODE": "disabled",
        "PGRST_SERVER_TIMING_ENABLED": "true",
        "PGRST_SERVER_TRACE_HEADER": "X-Trace",
    },
    # Errors that say little, and embeds that answer to one name.
    "terse": _OPEN | {"PGRST_CLIENT_ERROR_VERBOSITY": "minimal", "PGRST_URL_USE_LEGACY_TARGET_NAMES": "false"},
    # Nobody without a token, and functions that stand before requests and in the root's place.
    "guarded": _ALL
    | {
        "PGRST_DB_SCHEMAS": 'harbor, Größe & "Maß"',
        "PGRST_DB_ANON_ROLE": "",
        "PGRST_JWT_AUD": "harbour",
        "PGRST_JWT_ROLE_CLAIM_KEY": "$.post.roles[?search(@, '^contract_')]",
        "PGRST_DB_PRE_REQUEST": "tools.gate",
        "PGRST_DB_ROOT_SPEC": "harbor.front_page",
        "PGRST_SERVER_CORS_ALLOWED_ORIGINS": "https://a.example, https://b.example",
    },
}

ROLE_CLAIMS: Final = {"guarded": ("post", "roles")}
