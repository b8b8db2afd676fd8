"""A function as one archive: its folder and what it shares."""

from __future__ import annotations

import io
import tarfile

from functions_runner import registry
from functions_runner.types import FunctionConfig


def pack(config: FunctionConfig) -> bytes:
    """A gzipped tar of `NAME/…`, `shared/…` and what a script imports from beside its folder."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in registry.contents(config):
            row = tarfile.TarInfo(name)
            row.size = len(content)
            archive.addfile(row, io.BytesIO(content))
    return buffer.getvalue()
