"""Commands that call functions: call, logs, replay."""

from __future__ import annotations

import base64
import json
import os
import sys
import time
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from functions_runner import registry
from functions_runner.commands.common import ROOT, Dir, Json, Name, Url, environment_alone, environments, honest
from functions_runner.types import FunctionConfig, FunctionError, FunctionUnknown

FOLLOW: Final = 1.0  # seconds between looks of `logs --follow`


class Caller(StrEnum):
    """Who calls."""

    anon = "anon"
    user = "user"
    service = "service"


def call(
    name: Name,
    source: Annotated[str | None, typer.Argument(help="File with the body, or - for standard input")] = None,
    data: Annotated[str | None, typer.Option("--data", "-d", help="The body itself")] = None,
    method: Annotated[str, typer.Option("--method", "-X")] = "POST",
    path: Annotated[str, typer.Option(help="Sub-path and query after the name, such as /a?b=c")] = "",
    header: Annotated[list[str] | None, typer.Option("--header", "-H", help="Name: value")] = None,
    caller: Annotated[Caller, typer.Option("--as", help="Who calls")] = Caller.anon,
    token: Annotated[str, typer.Option(help="Access token of the user")] = "",
    email: Annotated[str, typer.Option(help="Sign in as this user")] = "",
    alone: Annotated[bool, typer.Option("--alone", help="In this process, without a gateway")] = False,
    url: Url = None,
    root: Dir = ROOT,
) -> None:
    """Call a function with its sample, a file, or standard input. The body is printed, the status goes to stderr."""
    with honest():
        config = _find_for_call(name, root.resolve(), strict=alone)
        body, kind = _body(config, source, data, method)
        headers = {"content-type": kind} if kind else {}
        own = (row.partition(":") for row in header or ())
        headers |= {key.strip().lower(): value.strip() for key, _, value in own}
        if alone:
            status, answer, seconds = _call_alone(config, url, method, path, headers, body)
        else:
            status, answer, seconds = _call_gateway(name, url, caller, token, email, method, path, headers, body)
    print(f"{status} in {seconds * 1000:.0f} ms", file=sys.stderr)
    _print_body(answer)
    if status == 401 and config.verify_jwt:
        print(
            f"functions: {name} wants a user's token (verify_jwt): call it --as user, or turn that off in its"
            " function.toml.",
            file=sys.stderr,
        )
    if status >= 400:
        raise SystemExit(1)


def logs(
    name: Annotated[str, typer.Argument(help="Name of the function; without it all")] = "",
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as new lines come")] = False,
    limit: Annotated[int, typer.Option("--limit", "-n", help="Lines to begin with")] = 50,
    url: Url = None,
    as_json: Json = False,
) -> None:
    """Show calls and what functions printed."""
    from functions_runner.remote import Gateway

    gateway = Gateway.find(url)
    after = ""
    with honest():
        while True:
            rows = gateway.admin("GET", f"/logs?function={name}&limit={limit}&after={after}")
            for row in rows:
                print(json.dumps(row) if as_json else _log_line(row), flush=True)
                after = max(after, str(row["at"]))
            if not follow:
                return
            time.sleep(FOLLOW)


def replay(id: Annotated[str, typer.Argument(help="Id or request id of a recorded call")], url: Url = None) -> None:
    """Run a recorded call again, on the version that is served now."""
    from functions_runner.remote import Gateway

    with honest():
        answer = Gateway.find(url).admin("POST", f"/replay/{id}")
    print(f"{answer['function']}: {answer['before']} then, {answer['status']} now", file=sys.stderr)
    _print_body(base64.b64decode(answer["body"]))
    if answer["status"] >= 400:
        raise SystemExit(1)


def _find_for_call(name: str, root: Path, *, strict: bool) -> FunctionConfig:
    """The function here; over a gateway it need not be, but a typo is still a typo."""
    try:
        return registry.find(name, root)
    except FunctionUnknown as error:
        if strict or error.nearest is not None or not registry.NAME.fullmatch(name):
            raise
        return FunctionConfig(name, root / name)


def _body(config: FunctionConfig, source: str | None, data: str | None, method: str) -> tuple[bytes, str]:
    """The body and its type: given, from a file or standard input, else the function's sample."""
    sample = config.folder / "sample.json"
    if data is not None:
        raw = data.encode()
    elif source == "-" or (source is None and _is_piped()):
        raw = sys.stdin.buffer.read()
    elif source is not None:
        try:
            raw = Path(source).read_bytes()
        except OSError as error:
            raise FunctionError(f"{source}: {error.strerror}") from error
    elif method in ("GET", "HEAD", "OPTIONS") or not sample.is_file():
        return b"", ""
    else:
        raw = sample.read_bytes()
    try:
        json.loads(raw)
    except ValueError:
        return raw, "text/plain" if raw else ""
    return raw, "application/json"


def _is_piped() -> bool:
    """Whether something was piped or redirected in; a closed or empty input does not count."""
    import select
    import stat

    try:
        mode = os.fstat(0).st_mode
    except OSError:
        return False
    if stat.S_ISREG(mode):
        return os.fstat(0).st_size > 0
    return stat.S_ISFIFO(mode) and bool(select.select([0], [], [], 0.2)[0])


def _call_alone(
    config: FunctionConfig, url: str | None, method: str, path: str, headers: dict[str, str], body: bytes
) -> tuple[int, bytes, float]:
    from functions_runner import in_process

    os.environ.update(environment_alone(config, url))
    sub, _, query = path.partition("?")
    if config.is_script:
        from functions_runner import script_alone

        started = time.monotonic()
        answer = script_alone.call(config, environments(), method, f"/{config.name}{sub}", query, headers, body)
        return answer.status, answer.body, time.monotonic() - started
    python = environments().python(config, lambda text: print(f"{config.name} {text}", file=sys.stderr))
    started = time.monotonic()
    call = in_process.call if not python else in_process.call_elsewhere(python)
    answer = call(config, method, f"/{config.name}{sub}", query, headers, body)
    return answer.status, answer.body, time.monotonic() - started


def _call_gateway(
    name: str,
    url: str | None,
    caller: Caller,
    token: str,
    email: str,
    method: str,
    path: str,
    headers: dict[str, str],
    body: bytes,
) -> tuple[int, bytes, float]:
    from functions_runner.remote import Gateway

    gateway = Gateway.find(url)
    if caller is Caller.service:
        headers |= {"apikey": gateway.secret_key, "authorization": f"Bearer {gateway.service_token}"}
    else:
        headers["apikey"] = gateway.publishable_key
        if caller is Caller.user:
            token = token or gateway.sign_in(
                email or typer.prompt("E-mail", err=True), typer.prompt("Password", hide_input=True, err=True)
            )
            headers["authorization"] = f"Bearer {token}"
    response = gateway.request(method, f"/{name}{path}", content=body or None, headers=headers)
    return response.status_code, response.content, response.elapsed.total_seconds()


def _log_line(row: dict[str, Any]) -> str:
    if row["kind"] == "line":
        return f"{row['at']}  {row['function']:<20} {'!' if row['level'] == 'error' else ' '} {row['text']}"
    fault = f"  {row['fault']}" if row["fault"] else ""
    return (
        f"{row['at']}  {row['function']:<20} > {row['method']} {row['path']} {row['status']} in {row['ms']:g} ms"
        f"  {row['version']}  id {row['id']}  request {row['request']}{fault}"
    )


def _print_body(body: bytes) -> None:
    try:
        print(json.dumps(json.loads(body), indent=2, ensure_ascii=False))
    except ValueError:
        sys.stdout.buffer.write(body)
        if body and not body.endswith(b"\n"):
            sys.stdout.buffer.write(b"\n")
        sys.stdout.flush()
