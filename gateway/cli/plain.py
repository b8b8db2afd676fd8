"""`gateway dev`, `serve` and `worker` without the library of the command line, where their options are plain.

Every process of a running gateway is forked from the one that read them, or reads some itself, and would hold typer and
pydantic for nothing: measured, 10 MB in each and a tenth of a second at the start. What is not plainly right here, such
as a value that is no number, a question for help or `--port=1`, is left to the library, and so is what is said of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Final

Reader = Callable[[str], Any]


def _number(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 10):
        raise ValueError(text)
    return int(text)


def _count(text: str) -> int:
    if not (number := _number(text)):
        raise ValueError(text)
    return number


_PLACES: Final[dict[str, Reader]] = {"--host": str, "--port": _number, "--record": str, "--workers": _count}
OPTIONS: Final[Mapping[str, tuple[str, Mapping[str, Reader]]]] = {
    "dev": ("dev", _PLACES),
    "serve": ("serve_gateway", _PLACES | {"--handed-over": str}),
    "worker": ("worker", {"--trap-port": _number, "--lifeline": _number}),
}
"""By command: the function of `gateway.cli.serve` that it is, and its options that have a value."""


def plain(arguments: Sequence[str]) -> Callable[[], None] | None:
    """What the arguments say is to be run, None where that is for the library to find out.

    >>> plain(["serve", "--port", "0"]) is not None, plain(["serve", "--help"]), plain(["serve", "--port", "x"])
    (True, None, None)
    """
    read = values_of(arguments)
    if read is None:
        return None
    from gateway.cli import serve

    name, given = read
    return partial(getattr(serve, name), **given)


def values_of(arguments: Sequence[str]) -> tuple[str, dict[str, Any]] | None:
    """Name of the function and its arguments.

    >>> values_of(["dev", "--workers", "2", "--host", "::1"])
    ('dev', {'workers': 2, 'host': '::1'})
    """
    if not arguments or arguments[0] not in OPTIONS or not len(arguments) % 2:
        return None
    name, options = OPTIONS[arguments[0]]
    given = {}
    for option, text in zip(arguments[1::2], arguments[2::2], strict=True):
        if option not in options or not text or text.startswith("-"):
            return None
        try:
            given[option.removeprefix("--").replace("-", "_")] = options[option](text)
        except ValueError:
            return None
    return name, given
