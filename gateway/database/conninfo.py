"""Addresses of databases: parts, logins, and the hosts to try in turn."""

from __future__ import annotations

import random
from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict, make_conninfo

CONNECT_TIMEOUT: Final = 10  # seconds, for each host


# --- the plain layer ------------------------------------------------------------------------------------------------


def is_address(text: str) -> bool:
    """Whether libpq understands a text as a database's address or a list of parameters.

    >>> is_address("postgresql://ruth@db/site"), is_address("host=db"), is_address(""), is_address("site")
    (True, True, True, False)
    """
    try:
        conninfo_to_dict(text)
    except ProgrammingError:
        return False
    return True


def command_line(url: str) -> tuple[str, dict[str, str]]:
    """How a Postgres program is told of a database: the argument, and the environment with the password.

    Everyone on the machine sees arguments; the environment is for the process's own user.

    >>> command_line("postgresql://ruth:hidden-word@db/site?sslmode=require")
    ('--dbname=user=ruth dbname=site host=db sslmode=require', {'PGPASSWORD': 'hidden-word'})
    """
    parameters = conninfo_to_dict(url)
    password = parameters.pop("password", None)
    return f"--dbname={make_conninfo('', **parameters)}", {} if password is None else {"PGPASSWORD": str(password)}


def with_login(address: str, user: str, password: str | None) -> str:
    """An address with another login.

    >>> with_login("postgresql://ruth:hidden-word@db/site?sslmode=require", "anna", None)
    'user=anna dbname=site host=db sslmode=require'
    """
    parameters = {**conninfo_to_dict(address), "user": user}
    parameters.pop("password", None)
    return make_conninfo("", **parameters, **({} if password is None else {"password": password}))


def with_login_of(address: str, other: str) -> str:
    """An address with the login of another one."""
    return with_login(address, user_of(other) or "", password_of(other))


def user_of(address: str) -> str | None:
    """The login that an address names."""
    user = conninfo_to_dict(address).get("user")
    return None if user is None else str(user)


def password_of(address: str) -> str | None:
    """The password that an address holds."""
    password = conninfo_to_dict(address).get("password")
    return None if password is None else str(password)


def attempts(conninfo: str) -> list[tuple[str, float]]:
    """One conninfo for each host of a list, in the order to try them, and the seconds that each may take.

    libpq goes through a list by itself, but keeps to `connect_timeout` only where it may block.

    >>> [attempt.split()[0] for attempt, _ in attempts("host=a,b port=1,2 target_session_attrs=read-write")]
    ['host=a', 'host=b']
    """
    parameters = conninfo_to_dict(conninfo)
    seconds = float(parameters.get("connect_timeout") or 0) or CONNECT_TIMEOUT
    lists = {name: str(parameters[name]).split(",") for name in ("host", "hostaddr", "port") if parameters.get(name)}
    count = max((len(values) for name, values in lists.items() if name != "port"), default=1)
    if count == 1:
        return [(conninfo, seconds)]
    if any(len(values) not in (1, count) for values in lists.values()):
        return [(conninfo, seconds)]  # libpq says what is wrong with it
    hosts = [{name: values[n % len(values)] for name, values in lists.items()} for n in range(count)]
    if parameters.get("load_balance_hosts") == "random":
        random.shuffle(hosts)
    wanted = parameters.get("target_session_attrs") or "any"
    rounds = ("standby", "any") if wanted == "prefer-standby" else (wanted,)
    return [
        (make_conninfo("", **{**parameters, **host, "target_session_attrs": kind}), seconds)
        for kind in rounds
        for host in hosts
    ]
