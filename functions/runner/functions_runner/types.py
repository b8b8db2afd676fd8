"""What a function is to everything around it: its configuration, its handler, and what may go wrong with it.

FunctionError
  FunctionUnknown       no folder of that name; names the nearest one
  FunctionConfigError   function.toml says something that cannot be meant
  FunctionLoadError     main.py cannot be imported or has no entry; carries the traceback
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

SCRIPTS: Final = (".ts", ".tsx", ".mts", ".js", ".jsx", ".mjs")  # endings of entries that Deno runs

# How a process that hit a limit ends, so that whoever started it can tell this from a crash.
EXIT_BOOT: Final = 78
EXIT_MEMORY: Final = 86

# Set by the runner on replies it made in place of the function's; its value is the platform code.
FAULT_HEADER: Final = "x-function-fault"


class FunctionError(Exception):
    """Root of this package's errors; the text is a sentence for whoever runs the command."""


class FunctionUnknown(FunctionError):
    """There is no such function."""

    def __init__(self, name: str, known: tuple[str, ...], nearest: str | None) -> None:
        hint = f" Did you mean {nearest!r}?" if nearest else ""
        listing = f" There are: {', '.join(known)}." if known else " There are none."
        super().__init__(f"There is no function {name!r}.{hint}{listing}")
        self.name = name
        self.nearest = nearest


class FunctionConfigError(FunctionError):
    """A function.toml that cannot be used."""


class FunctionLoadError(FunctionError):
    """The function's module failed to load; `report` is the traceback, or one line where there is none."""

    def __init__(self, name: str, report: str) -> None:
        super().__init__(f"{name} failed to load:\n{report}")
        self.report = report


@dataclass(frozen=True, slots=True)
class FunctionConfig:
    """One function's folder and its `function.toml`. Times are in seconds.

    `timeout` runs to the first byte of the answer, `wall` to its last; `cpu` is processor time without one answer
    finishing; `idle` is the time without calls after which the process is stopped; `env` names the variables it gets;
    `optional_env` those it does without; `python` is the interpreter of an environment of its own, relative to the
    folder; `net` the hosts that a script may reach, all where it is empty; `import_map` and `static_files` are a
    script's too. `schedule` says when it is called by itself, `timezone` in whose time, `retries` how often a run that
    failed is tried again, `catch_up` for how many seconds back a run is made up for that nobody was there to make.
    `fallback` is added to the body of whatever error a caller is told in the function's place, so that it has the shape
    of the function's own answers.
    """

    name: str
    folder: Path
    entry: str = "main.py"
    enabled: bool = True
    verify_jwt: bool = True
    timeout: float = 30.0
    wall: float = 400.0
    memory_mb: int = 512
    cpu: float = 10.0
    concurrency: int = 64
    idle: float = 600.0
    record: bool | None = None
    env: tuple[str, ...] = ()
    optional_env: tuple[str, ...] = ()
    python: str = ""
    net: tuple[str, ...] = ()
    import_map: str = ""
    static_files: tuple[str, ...] = ()
    schedule: str = ""
    timezone: str = "UTC"
    retries: int = 3
    catch_up: float = 600.0
    fallback: tuple[tuple[str, str | bool | int], ...] = ()

    @property
    def root(self) -> Path:
        """The folder that holds this function and what it shares with its neighbours."""
        return self.folder.parent

    @property
    def is_script(self) -> bool:
        """Whether it is TypeScript or JavaScript, which Deno runs."""
        return self.entry.endswith(SCRIPTS)
