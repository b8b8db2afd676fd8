"""Roles, claims, row security and the settings of a transaction (section 15)."""

import base64
import json
from typing import Any

import jwt

from tests.contract.case import Case, refused

MEMBER = {"role": "contract_member"}


def setting(title: str, name: str, expected: object, **more: Any) -> Case:
    return Case(title, f"GET /rpc/setting?name={name}", json=expected, **more)


def signed(secret: str) -> str:
    return jwt.encode({"role": "contract_member"}, secret, algorithm="HS256")


def headed(**header: str) -> str:
    """A token with a header of one's own; its signature is none."""
    first = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    return f"{first}.e30.c2ln"


CASES = [
    Case("without a token, the anonymous role", "GET /rpc/who", json="contract_anon"),
    Case("the role of a token", "GET /rpc/who", json="contract_member", role="contract_member"),
    Case("a token without a role", "GET /rpc/who", json="contract_anon", claims={"sub": "ada"}),
    refused(
        "a role that does not exist",
        "GET /rpc/who",
        401,
        "22023",
        role="nobody_at_all",
        message='role "nobody_at_all" does not exist',
    ),
    refused(
        "a role the login may not become",
        "GET /rpc/who",
        403,
        "42501",
        role="postgres",
        message='permission denied to set role "postgres"',
    ),
    refused(
        "garbage for a token",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": "Bearer abc"},
        message="Expected 3 parts in JWT; got 1",
        headers={
            "WWW-Authenticate": 'Bearer error="invalid_token", error_description="Expected 3 parts in JWT; got 1"'
        },
    ),
    refused(
        "an empty token",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": "Bearer"},
        message="Empty JWT is sent in Authorization header",
    ),
    refused(
        "a token of another secret",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": f"Bearer {signed('another secret, of thirty-two bytes or more')}"},
        message="No suitable key or wrong key type",
        details="None of the keys was able to decode the JWT",
        headers={
            "WWW-Authenticate": 'Bearer error="invalid_token", error_description="No suitable key or wrong key type"'
        },
    ),
    refused(
        "a token of a kind of key that there is not",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": f"Bearer {headed(alg='RS256')}"},
        message="No suitable key or wrong key type",
        details="No suitable key was found to decode the JWT",
    ),
    refused(
        "a token that is not signed",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": f"Bearer {headed(alg='none')}"},
        message="Wrong or unsupported encoding algorithm",
        details="JWT is unsecured but expected 'alg' was not 'none'",
    ),
    refused(
        "a token of an unknown algorithm",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": f"Bearer {headed(alg='XS256')}"},
        message="JWT cryptographic operation failed",
        details=None,
    ),
    refused(
        "three parts of nothing",
        "GET /rpc/who",
        401,
        "PGRST301",
        send={"Authorization": "Bearer a.b.c"},
        message="JWT cryptographic operation failed",
        details=None,
    ),
    Case("another scheme is no token", "GET /rpc/who", json="contract_anon", send={"Authorization": "Basic YTpi"}),
    refused(
        "a token past its time", "GET /rpc/who", 401, "PGRST303", claims={"exp": 1000000000}, message="JWT expired"
    ),
    refused(
        "a token before its time",
        "GET /rpc/who",
        401,
        "PGRST303",
        claims={"nbf": 9999999999},
        message="JWT not yet valid",
    ),
    refused(
        "a token from the future",
        "GET /rpc/who",
        401,
        "PGRST303",
        claims={"iat": 9999999999},
        message="JWT issued at future",
    ),
    refused(
        "a time that is no number",
        "GET /rpc/who",
        401,
        "PGRST303",
        claims={"exp": "soon"},
        message="The JWT 'exp' claim must be a number",
    ),
    refused(
        "an audience that is no text",
        "GET /rpc/who",
        401,
        "PGRST303",
        claims={"aud": 5},
        message="The JWT 'aud' claim must be a string or an array of strings",
    ),
    Case("any audience where none is set", "GET /rpc/who", json="contract_anon", claims={"aud": "whoever"}),
    refused(
        "another audience than the one set",
        "GET /rpc/who",
        401,
        "PGRST303",
        profile="guarded",
        role="contract_member",
        claims={"aud": "elsewhere"},
        message="JWT not in audience",
    ),
    Case(
        "the audience in a list",
        "GET /rpc/who",
        profile="guarded",
        role="contract_member",
        claims={"aud": ["x", "harbour"]},
        json="contract_member",
    ),
    Case(
        "no audience at all passes", "GET /rpc/who", profile="guarded", role="contract_member", json="contract_member"
    ),
    refused(
        "nobody without a token where there is no anonymous role",
        "GET /rpc/who",
        401,
        "PGRST302",
        profile="guarded",
        message="Anonymous access is disabled",
        headers={"WWW-Authenticate": "Bearer"},
    ),
    # row security and rights
    Case("row security for the anonymous", "GET /lockers?select=id", json=[{"id": 3}]),
    Case(
        "row security by a claim",
        "GET /lockers?select=id&order=id",
        role="contract_member",
        claims={"sub": "ada"},
        json=[{"id": 1}, {"id": 3}],
    ),
    Case(
        "a role that bypasses row security",
        "GET /lockers?select=id&order=id",
        role="contract_admin",
        json=[{"id": 1}, {"id": 2}, {"id": 3}],
    ),
    refused(
        "an insert against a policy by the anonymous",
        "POST /lockers",
        401,
        "42501",
        body={"id": 9, "holder": "ada"},
        message='new row violates row-level security policy for table "lockers"',
        headers={"WWW-Authenticate": "Bearer"},
    ),
    refused(
        "an insert against a policy by a member",
        "POST /lockers",
        403,
        "42501",
        role="contract_member",
        claims={"sub": "ben"},
        body={"id": 9, "holder": "ada"},
    ),
    Case(
        "an insert that a policy allows",
        "POST /lockers",
        status=201,
        role="contract_member",
        claims={"sub": "ada"},
        body={"id": 9, "holder": "ada"},
    ),
    Case(
        "an update of rows that cannot be seen",
        "PATCH /lockers?id=eq.2",
        status=204,
        role="contract_member",
        claims={"sub": "ada"},
        body={"content": "x"},
        headers={"Content-Range": "*/*"},
    ),
    Case(
        "a delete of rows that cannot be seen",
        "DELETE /lockers",
        status=200,
        role="contract_member",
        claims={"sub": "ben"},
        send={"Prefer": "return=representation"},
        json=[{"id": 2, "holder": "ben", "content": "lamp"}],
    ),
    refused(
        "a table without rights, by the anonymous",
        "GET /sealed",
        401,
        "42501",
        message="permission denied for table sealed",
    ),
    refused("a table without rights, by a member", "GET /sealed", 403, "42501", role="contract_member"),
    Case("a column with a right", "GET /sealed?select=id", role="contract_member", json=[{"id": 1}]),
    # settings of the transaction
    setting("the method", "request.method", "GET"),
    setting("the path", "request.path", "/rpc/setting"),
    setting("the claims of the anonymous", "request.jwt.claims", '{"role":"contract_anon"}'),
    setting("an application's setting", "app.settings.pier", "north"),
    setting("the role", "role", "contract_member", role="contract_member"),
    setting("a setting of the role", "statement_timeout", "8s", role="contract_member"),
    setting("a setting of another role does not last", "statement_timeout", "0"),
    Case("the search path", "GET /rpc/setting?name=search_path", json='"harbor", "tools"'),
    Case("the method of POST", "POST /rpc/setting", body={"name": "request.method"}, json="POST"),
    # before each request
    Case(
        "a function before each request",
        "GET /rpc/setting?name=app.gate",
        profile="guarded",
        role="contract_member",
        json="passed as contract_member",
    ),
    refused(
        "a function before each request may refuse",
        "GET /owners",
        423,
        "PT423",
        profile="guarded",
        role="contract_member",
        send={"X-Closed": "yes"},
        message="The harbour is closed",
        hint="Come back later",
    ),
]
