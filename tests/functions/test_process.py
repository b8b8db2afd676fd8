"""How a function's process begins."""

from __future__ import annotations

import sys

import pytest
from functions_runner.process import skip_sniffio
from httpcore._synchronization import current_async_library


def test_a_module_that_httpx_does_without_is_not_looked_for_with_every_request(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[str] = []

    class Noting:
        @staticmethod
        def find_spec(name: str, *_: object) -> None:
            looked.append(name)

    before = sys.modules.pop("sniffio", None)
    try:
        skip_sniffio()
        monkeypatch.setattr(sys, "meta_path", [Noting, *sys.meta_path])
        if "sniffio" in sys.modules:
            assert current_async_library() == "asyncio"
            assert "sniffio" not in looked
    finally:
        sys.modules.pop("sniffio", None)
        if before is not None:
            sys.modules["sniffio"] = before
