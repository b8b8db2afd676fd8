"""What can be asked of an image: query parameters or a signed text in, `Transformation` out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.storage.errors import INVALID_REQUEST, StorageError
from gateway.storage.validate import Field, check, share, text, whole

RESIZE: Final = {"cover": "fill", "contain": "fit", "fill": "force"}
GRAVITY: Final = ("no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp")
_FIELDS: Final = {
    "width": Field(whole(0)),
    "height": Field(whole(0)),
    "resize": Field(text(choices=tuple(RESIZE))),
    "quality": Field(whole(20, 100)),
    "format": Field(text(choices=("origin", "webp", "avif"))),
    "gravity": Field(text(choices=GRAVITY)),
    "x_offset": Field(share),
    "y_offset": Field(share),
}


@dataclass(frozen=True, slots=True)
class Transformation:
    """What is asked; nothing of it by default. `resize` is `cover`, `contain` or `fill`."""

    width: int = 0
    height: int = 0
    resize: str = ""
    quality: int = 0
    format: str = ""
    gravity: str = ""
    x_offset: float = 0.0
    y_offset: float = 0.0

    def text(self) -> str:
        """As a token holds it.

        >>> Transformation(50, 100, "contain", 30).text()
        'height:100,width:50,resize:contain,quality:30'
        """
        parts = (
            ("height", self.height),
            ("width", self.width),
            ("resize", self.resize),
            ("quality", self.quality),
            ("format", self.format),
            ("gravity", self.gravity),
            ("x_offset", f"{self.x_offset:g}" if self.x_offset else ""),
            ("y_offset", f"{self.y_offset:g}" if self.y_offset else ""),
        )
        return ",".join(f"{name}:{value}" for name, value in parts if value)

    def said(self) -> str:
        """As the response's header says it.

        >>> Transformation(50, 100, "contain", 30).said()
        'height:100,width:50,resizing_type:fit,quality:30'
        """
        resized = self.width or self.height
        parts = (
            ("height", self.height),
            ("width", self.width),
            ("resizing_type", RESIZE[self.resize or "cover"] if resized else ""),
            ("quality", self.quality),
            ("format", self.format if self.format != "origin" else ""),
            ("gravity", self._gravity()),
        )
        return ",".join(f"{name}:{value}" for name, value in parts if value)

    def _gravity(self) -> str:
        points = f":{self.x_offset:g}:{self.y_offset:g}" if self.x_offset or self.y_offset else ""
        return self.gravity + points if self.gravity else ""


def parse_transform(where: str, given: Mapping[str, Any]) -> Transformation:
    """Raises StorageError, which says where what is wrong stands.

    >>> parse_transform("querystring", {"width": "200", "download": ""})
    Transformation(width=200, height=0, resize='', quality=0, format='', gravity='', x_offset=0.0, y_offset=0.0)
    """
    found = check(where, _FIELDS, given)
    if found.get("gravity") == "fp" and not {"x_offset", "y_offset"} <= found.keys():
        raise StorageError(INVALID_REQUEST, f"{where}/gravity fp must have x_offset and y_offset")
    return Transformation(**found)


def read_text(said: str) -> Transformation:
    """What `Transformation.text` wrote. Raises StorageError."""
    return parse_transform("token", dict(part.split(":", 1) for part in said.split(",") if ":" in part))
