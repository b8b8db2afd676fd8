"""Scripts on Deno: where its program is, a script's modules, and how its process is started.

A script's modules lie in an environment like a Python function's packages: named by what it imports from outside and by
its settings of imports, filled once, shared by scripts that import the same, and nothing is fetched for it afterwards.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from functions_runner import fallbacks, installing, registry, scripts
from functions_runner.environments import READY, Environments, locked, reason
from functions_runner.installing import InstallFailed, Work
from functions_runner.types import SCRIPTS, FunctionConfig, FunctionConfigError

VERSION: Final = "2.9.8"
RUNTIME: Final = Path(__file__).resolve().parent / "deno_runtime"
MAP: Final = "import_map.json"
CACHE: Final = "modules"
ROUNDS: Final = 6  # looks for modules that cannot be fetched; each may show others
_OUTSIDE: Final = re.compile(rb"""(?:\bfrom|\bimport)\s*\(?\s*["']([^."'\n/][^"'\n]*)["']""")
_NO_RELEASE: Final = re.compile(r"npm package '([^']+)' matching")
_MISSING: Final = ("https:", "http:", "jsr:", "npm:")


@dataclass(frozen=True, slots=True)
class Script:
    """A script that can be started: Deno's program and the folder of its modules."""

    program: str
    place: Path

    @property
    def readable(self) -> list[str]:
        """What its process reads beside its own files."""
        return [str(self.place), self.program, str(Path(self.program).resolve()), str(RUNTIME)]


def prepare(environments: Environments, config: FunctionConfig, say: Callable[[str], None]) -> Script:
    """Have Deno and the script's modules there. Raises InstallFailed, FunctionConfigError."""
    program = find(environments) or _fetch(environments, say)
    place = environments.folder / _key(config)
    if not (place / READY).is_file():
        with locked(environments.folder, place.name):
            if not (place / READY).is_file():
                outside = [word for word in _outside(config) if word.startswith(_MISSING)]
                if outside and environments.offline:
                    raise InstallFailed(
                        f"its modules are not here, and FUNCTIONS_OFFLINE keeps them from being fetched:"
                        f" {', '.join(outside)}; `functions install` fetches them where there is a network"
                    )
                if outside:
                    say(f"fetches its modules: {', '.join(outside)}")
                _fill(environments, config, program, place, say)
    return Script(program, place)


def is_ready(environments: Environments, config: FunctionConfig) -> bool:
    """Whether the script can start without anything being fetched. Raises FunctionConfigError."""
    return bool(find(environments)) and (environments.folder / _key(config) / READY).is_file()


def find(environments: Environments) -> str:
    """Deno's program: the one that is named, the one installed beside this interpreter, or the one fetched; else
    nothing."""
    kept = environments.folder / f"deno-{VERSION}"
    places = (
        os.environ.get("FUNCTIONS_DENO", ""),
        str(Path(sys.executable).parent / "deno"),
        str(kept / "bin" / "deno"),
    )
    return next((place for place in places if place and os.access(place, os.X_OK)), "")


def beside(config: FunctionConfig) -> list[str]:
    """The files that a script is made of outside its own folder."""
    return [str(file) for file in registry.files(config) if not file.is_relative_to(config.folder)]


def command(script: Script, config: FunctionConfig, scratch: str, listens: str) -> list[str]:
    """The command line of a script's process, which may read its own files, write its scratch folder, and call out.

    `listens` is the address that it listens on, as Deno's permissions name it.
    """
    readable = [str(config.folder), *beside(config), scratch, str(script.place), str(RUNTIME)]
    return [
        script.program, "run", "--no-prompt", "--quiet", "--cached-only", "--no-lock", "--no-check",
        "--node-modules-dir=none", "--unstable-no-legacy-abort", f"--import-map={script.place / MAP}",
        *_config(config), "--allow-env", "--allow-sys", "--allow-import",
        "--allow-net" + (f"={','.join((*config.net, listens))}" if config.net else ""),
        f"--allow-read={','.join(readable)}", f"--allow-write={scratch}",
        f"--v8-flags=--max-old-space-size={config.memory_mb}", f"--preload={RUNTIME / 'boot.ts'}",
        str(config.folder / config.entry),
    ]  # fmt: skip


def variables(script: Script, config: FunctionConfig, *, socket: str = "", port: int = 0) -> dict[str, str]:
    """What Deno and boot.ts are told; the script itself sees nothing of it."""
    told = {
        "socket": socket,
        "port": port,
        "name": config.name,
        "timeout": config.timeout,
        "fallback": dict(config.fallback),
    }
    return {
        "DENO_DIR": str(script.place / CACHE),
        "DENO_NO_UPDATE_CHECK": "1",
        "NO_COLOR": "1",
        "FUNCTION_SETTINGS": json.dumps(told),
    }


# --- modules ---------------------------------------------------------------------------------------------------------


def _key(config: FunctionConfig) -> str:
    """Names the modules: what is imported from outside, by which settings."""
    total = hashlib.sha256(f"{VERSION}\0{RUNTIME}".encode())
    for word in _outside(config):
        total.update(word.encode() + b"\0")
    for path in _settings(config):
        total.update(path.name.encode() + b"\0" + hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()[:16]


def _outside(config: FunctionConfig) -> list[str]:
    """Everything that is imported by another name than a path, sorted."""
    found: set[str] = set()
    for file in registry.files(config):
        if file.name.endswith(SCRIPTS) and file.stat().st_size <= scripts.LARGEST:
            found.update(os.fsdecode(match[1]) for match in _OUTSIDE.finditer(file.read_bytes()))
    return sorted(found)


def _settings(config: FunctionConfig) -> list[Path]:
    """Files that say what imports mean: the function's own, else those of the whole folder, and the lock."""
    names = ("deno.json", "deno.jsonc")
    own = next((path for name in names if (path := config.folder / name).is_file()), None)
    shared = next((path for name in names if (path := config.root / name).is_file()), None)
    found = [path for path in (own or shared, _map_file(config)) if path is not None]
    return [*found, *(path for name in (".npmrc", "deno.lock") if (path := config.folder / name).is_file())]


def _config(config: FunctionConfig) -> list[str]:
    found = [path for path in _settings(config) if path.name in ("deno.json", "deno.jsonc")]
    return [f"--config={found[0]}"] if found else ["--no-config"]


def _map_file(config: FunctionConfig) -> Path | None:
    """The import map beside settings of Deno's own: the one that is named, or the old one of the whole folder."""
    if config.import_map:
        path = (config.folder / config.import_map).resolve()
        if not path.is_file():
            raise FunctionConfigError(f"{config.name}: there is no import map {config.import_map}")
        return path
    return next((path for top in (config.folder, config.root) if (path := top / MAP).is_file()), None)


def import_map(config: FunctionConfig) -> dict[str, Any]:
    """The script's imports by name, with paths made whole, and what always takes another's place.

    Raises FunctionConfigError.
    """
    made: dict[str, Any] = {"imports": {}, "scopes": {}}
    for path in reversed([path for path in _settings(config) if path.suffix in (".json", ".jsonc")]):
        content = _json(path)
        named = content.get("importMap")
        if isinstance(named, str) and (path.parent / named).is_file():
            path, content = path.parent / named, _json(path.parent / named)
        made["imports"] |= _whole(content.get("imports", {}), path)
        for scope, rows in content.get("scopes", {}).items():
            made["scopes"][_address(scope, path)] = _whole(rows, path)
    for word in _outside(config):
        if put := fallbacks.always(word):
            made["imports"][word] = put
    for name, value in list(made["imports"].items()):  # what a name stands for is not looked up again
        if put := fallbacks.always(value):
            made["imports"][name] = put
    return made


def _whole(rows: Mapping[str, str], path: Path) -> dict[str, str]:
    return {
        (_address(name, path) if name.startswith(("./", "../")) else name): _address(value, path)
        for name, value in rows.items()
        if isinstance(value, str)
    }


def _address(value: str, path: Path) -> str:
    """A relative address as it is meant: relative to the file that says it."""
    if not value.startswith(("./", "../", "/")):
        return value
    return (path.parent / value).resolve().as_uri() + ("/" if value.endswith("/") else "")


def _json(path: Path) -> dict[str, Any]:
    """JSON with comments and trailing commas, as Deno's settings may have. Raises FunctionConfigError."""
    text = path.read_text(encoding="utf-8")
    plain = re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', lambda found: found[1] or "", text, flags=re.DOTALL)
    plain = re.sub(r'("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])', lambda found: found[1] or "", plain)
    try:
        content = json.loads(plain)
    except ValueError as error:
        raise FunctionConfigError(f"{path}: {error}") from error
    if not isinstance(content, dict):
        raise FunctionConfigError(f"{path} holds no object")
    return content


def _fill(
    environments: Environments, config: FunctionConfig, program: str, place: Path, say: Callable[[str], None]
) -> None:
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    account = environments.account()
    made = import_map(config)
    env = {
        **installing.environment(place),
        "DENO_DIR": str(place / CACHE),
        "NO_COLOR": "1",
        "DENO_NO_UPDATE_CHECK": "1",
    }
    readable = [str(config.root), program, str(Path(program).resolve()), str(RUNTIME), *installing.settings_files(env)]
    options = [f"--import-map={place / MAP}", *_config(config), "--node-modules-dir=none", "--allow-import"]
    lock = config.folder / "deno.lock"
    entry = str(config.folder / config.entry)

    def run(*words: str) -> str:
        (place / MAP).write_text(json.dumps(made))
        work = Work(list(words), str(place), str(place), env, readable, str(environments.hidden), account)
        return installing.run(work)

    ours: dict[str, str] = {}  # what takes another's place, by the name that is imported
    try:
        if not environments.offline:
            for _ in range(ROUNDS):
                graph = json.loads(_object(run(program, "info", "--json", *options, "--no-lock", entry)))
                put = {name: value for name, value in _put_instead(graph).items() if name not in ours}
                if not put:
                    break
                ours |= put
                made["imports"] |= put
                taken = (f"{name} by {value.rpartition('/compat/')[2]}" for name, value in sorted(put.items()))
                say(f"replaces modules that cannot be fetched: {', '.join(taken)}")
        if lock.is_file():
            shutil.copy(lock, place / "deno.lock")
            options += [f"--lock={place / 'deno.lock'}"]
        else:
            options += ["--no-lock"]
        for _ in range(ROUNDS):
            try:
                run(program, "cache", "--quiet", *options, str(RUNTIME / "boot.ts"), entry)
                break
            except InstallFailed as error:
                made["imports"] |= _newest(error, ours)
        shutil.rmtree(env["TMPDIR"], ignore_errors=True)
        installing.take_back(place, account)
        (place / READY).write_text("{}")
    except (InstallFailed, ValueError) as error:
        shutil.rmtree(place, ignore_errors=True)
        report = error.report if isinstance(error, InstallFailed) else str(error)
        raise InstallFailed(f"its modules cannot be fetched:\n{reason(report)}") from error
    except BaseException:
        shutil.rmtree(place, ignore_errors=True)
        raise


def _newest(error: InstallFailed, ours: Mapping[str, str]) -> dict[str, str]:
    """Of what took another's place: what has other releases on npm, as it is there.

    Raises the error where the package that is missing is one that the script itself names.
    """
    missing = _NO_RELEASE.search(error.report)
    put = {name: fallbacks.newest(value) for name, value in ours.items() if missing and _is_of(value, missing[1])}
    if not put:
        raise error
    return put


def _is_of(specifier: str, package: str) -> bool:
    return specifier.startswith(f"npm:{package}@")


def _object(said: str) -> str:
    """The JSON in what a command printed: it tells of downloads first."""
    return said[said.index("{\n") if "{\n" in said else 0 : said.rindex("}") + 1] if "}" in said else said


def _put_instead(graph: dict[str, Any]) -> dict[str, str]:
    """By the names that modules are imported by: what takes the place of those that are not to be had."""
    missing = {row["specifier"] for row in graph.get("modules", ()) if "error" in row}
    missing |= {redirect for redirect, target in graph.get("redirects", {}).items() if target in missing}
    found: dict[str, str] = {}
    for said, meant, failed in _dependencies(graph):
        if (meant in missing or failed) and (put := fallbacks.instead(meant)):
            found[said] = put
    return found


def _dependencies(graph: dict[str, Any]) -> Iterator[tuple[str, str, bool]]:
    for module in graph.get("modules", ()):
        for row in module.get("dependencies", ()):
            target = row.get("code") or row.get("type") or {}
            meant = target.get("specifier") or row["specifier"]
            if meant.startswith(_MISSING):
                yield row["specifier"], meant, "error" in target


# --- the program -----------------------------------------------------------------------------------------------------


def _fetch(environments: Environments, say: Callable[[str], None]) -> str:
    """Deno itself, as PyPI carries it. Raises InstallFailed."""
    place = environments.folder / f"deno-{VERSION}"
    with locked(environments.folder, place.name):
        if not (place / "bin" / "deno").is_file():
            say(f"fetches Deno {VERSION}, once")
            environments.fetch(f"deno=={VERSION}", place)
    return str(place / "bin" / "deno")


def version_of(program: str) -> str:
    """What a program says of itself."""
    return subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
