"""Where each service answers, and the keys and tokens they all take."""

from __future__ import annotations

from dataclasses import dataclass

from gateway.settings.rows import setting


@dataclass(frozen=True)
class ServiceSettings:
    """Fields of `Settings`."""

    rest_prefix: str = setting("/rest/v1", "Path of the tables API; may be empty", "REST_PREFIX")
    auth_prefix: str = setting("/auth/v1", "Path of the auth API; may be empty", "AUTH_PREFIX")
    functions_prefix: str = setting("/functions/v1", "Path of functions; may be empty", "FUNCTIONS_PREFIX")
    storage_prefix: str = setting(
        "/storage/v1", "Path of the storage API; may be empty", "GATEWAY_STORAGE_PREFIX", "STORAGE_PREFIX"
    )
    realtime_prefix: str = setting(
        "/realtime/v1", "Path of the realtime API; may not be empty", "GATEWAY_REALTIME_PREFIX"
    )
    require_api_key: bool | None = setting(
        None, "Demand an API key; default: where a prefix is not empty", "GATEWAY_REQUIRE_API_KEY"
    )
    require_filter: bool | None = setting(
        None,
        "Refuse UPDATE and DELETE without a filter, as hosted projects do; default: where REST_PREFIX is not empty",
        "GATEWAY_REQUIRE_FILTER",
    )

    jwt_secret: str = setting(
        "",
        "HS256 secret, or a JWK or JWK set; `@PATH` is a file that holds it, read again at each reload",
        "PGRST_JWT_SECRET",
        "GOTRUE_JWT_SECRET",
        "SUPABASE_JWT_SECRET",
        secret=True,
        file=True,
    )
    jwt_keys: str = setting(
        "",
        "JWKs as a JSON array, beside the secret: the one whose key_ops name `sign` signs user tokens",
        "GOTRUE_JWT_KEYS",
        secret=True,
    )
    jwt_secret_is_base64: bool = setting(False, "The HS256 secret is base64", "PGRST_JWT_SECRET_IS_BASE64")
    publishable_key: str = setting("", "Publishable API key", "SUPABASE_PUBLISHABLE_KEY")
    secret_key: str = setting("", "Secret API key", "SUPABASE_SECRET_KEY", secret=True)
