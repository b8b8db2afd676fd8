"""What `functions new` writes: a function that answers, its settings, a sample and its dependencies."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from functions_runner import registry
from functions_runner.types import FunctionError

FILES: Final = {
    "main.py": '''"""Greets whoever is named.

In: `{{"name": text}}`. Out: `{{"message": text}}`.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

CORS = {{
    "access-control-allow-origin": "*",
    "access-control-allow-headers": "authorization, x-client-info, apikey, content-type",
}}


async def handle(request: Request) -> Any:
    """Answer one call. May return text, bytes, a dict, (body, status, headers), a Response or an async iterator."""
    if request.method == "OPTIONS":
        return "ok", 200, CORS
    body = await request.json()
    return {{"message": f"Hello {{body['name']}}!"}}, 200, CORS
''',
    "function.toml": """# Whether the gateway asks for a valid token before the call.
verify_jwt = true
# Seconds to the first byte of the answer.
timeout = 30
# Names of the variables it needs, from .env or the gateway's environment.
env = []
""",
    "sample.json": """{{"name": "Ada"}}
""",
    "pyproject.toml": """[project]
name = "{name}"
version = "1.0.0"
requires-python = ">=3.11"
dependencies = ["starlette>=1.10,<2", "uvicorn>=0.54,<1", "httptools>=0.8", "websockets>=15"]
""",
}


def create(name: str, root: Path) -> list[Path]:
    """Write a new function's folder; the files written. Raises FunctionError."""
    if not registry.NAME.fullmatch(name) or name in registry.RESERVED:
        raise FunctionError(f"{name!r} is no name for a function: letters, digits, - and _, a letter first.")
    folder = root / name
    if folder.exists():
        raise FunctionError(f"{folder} is already there.")
    folder.mkdir(parents=True)
    written = []
    for file, text in FILES.items():
        path = folder / file
        path.write_text(text.format(name=name), encoding="utf-8")
        written.append(path)
    return written
