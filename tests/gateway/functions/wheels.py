"""Wheels without a registry: of packages that are installed here, and of ones made up."""

from __future__ import annotations

import base64
import hashlib
import importlib.metadata
import zipfile
from pathlib import Path

# What a function's interpreter needs besides the function's own packages.
RUNNER = (
    "starlette", "anyio", "idna", "typing_extensions", "uvicorn", "click", "h11", "uvloop", "httptools", "websockets",
    "python-multipart",
)  # fmt: skip


def wheel_house(folder: Path) -> Path:
    """A folder with wheels of what the runner needs, each as it is installed here."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in RUNNER:
        repack(name, folder)
    return folder


def repack(name: str, folder: Path) -> None:
    found = importlib.metadata.distribution(name)
    tag = next(line.partition(": ")[2] for line in (found.read_text("WHEEL") or "").splitlines() if line[:4] == "Tag:")
    with zipfile.ZipFile(folder / f"{found.name.replace('-', '_')}-{found.version}-{tag}.whl", "w") as archive:
        for file in found.files or ():
            if ".." not in file.parts and file.suffix != ".pyc" and file.name not in ("INSTALLER", "REQUESTED"):
                archive.write(str(file.locate()), str(file))


def wheel(name: str, version: str, folder: Path, text: str, *requires: str) -> Path:
    """A wheel of one module."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}-{version}-py3-none-any.whl"
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    metadata += "".join(f"Requires-Dist: {row}\n" for row in requires)
    tag = "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    files = {
        f"{name}.py": text,
        f"{name}-{version}.dist-info/METADATA": metadata,
        f"{name}-{version}.dist-info/WHEEL": tag,
    }
    record = f"{name}-{version}.dist-info/RECORD"
    rows = "".join(f"{file},sha256={_digest(content)},{len(content)}\n" for file, content in files.items())
    with zipfile.ZipFile(path, "w") as archive:
        for file, content in {**files, record: rows + f"{record},,\n"}.items():
            archive.writestr(file, content)
    return path


def _digest(content: str) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
