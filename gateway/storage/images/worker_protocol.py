"""What the process that makes pictures and who speaks to it have in common; it loads nothing that reads pictures."""

from __future__ import annotations

import struct
from typing import Final

FRAME: Final = struct.Struct("!QQ")  # bytes of JSON, and of the picture behind it
TOO_LONG: Final = "The source image takes too long or too much memory to process"
