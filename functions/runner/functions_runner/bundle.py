"""A function as one archive: its folder and what it shares."""

from __future__ import annotations

import io
import tarfile

from functions_runner import registry
from functions_runner.types import FunctionConfig


def pack(config: FunctionConfig) -> bytes:
    """A gzipped tar of `NAME/…` and `shared/…`."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for file in registry.files(config):
            archive.add(file, str(file.relative_to(config.root)), recursive=False)
    return buffer.getvalue()
