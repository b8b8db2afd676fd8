"""What can be asked of an image: query parameters or a signed text in, `Transformation` out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from gateway.storage.validate import Field, check, text, whole

RESIZE: Final = {"cover": "fill", "contain": "fit", "fill": "force"}
GRAVITY: Final = ("no", "so", "ea", "we", "noea", "nowe", "soea", "sowe", "ce", "sm", "fp")
_FIELDS: Final = {
    "width": Field(whole(0)),
    "height": Field(whole(0)),
    "resize": Field(text(choices=tuple(RESIZE))),
    "quality": Field(whole(20, 100)),
    "format": Field(text(choices=("origin", "webp", "avif"))),
    "gravity": Field(text(choices=GRAVITY)),
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
            ("gravity", self.gravity),
        )
        return ",".join(f"{name}:{value}" for name, value in parts if value)


def parse_transform(where: str, given: Mapping[str, Any]) -> Transformation:
    """Raises StorageError, which says where what is wrong stands.

    >>> parse_transform("querystring", {"width": "200", "download": ""})
    Transformation(width=200, height=0, resize='', quality=0, format='', gravity='')
    """
    return Transformation(**check(where, _FIELDS, given))


def read_text(said: str) -> Transformation:
    """What `Transformation.text` wrote. Raises StorageError."""
    return parse_transform("token", dict(part.split(":", 1) for part in said.split(",") if ":" in part))
