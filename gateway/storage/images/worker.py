"""The process that makes pictures: `python -m gateway.storage.images.worker`, spoken to by `renderer`.

On its input come jobs one after the other, each a frame of JSON and the picture behind it; on its output goes a frame
of JSON and the picture that was made. It ends when its input does. Pictures are the work of strangers, and what reads
them is written in C: memory and time are limited by the system, and on Linux the process can open no file and no
socket once it has begun. What breaks out of that ends this process, and only this one.
"""

from __future__ import annotations

import io
import os
import resource
import signal
import struct
import sys
import warnings
from contextlib import suppress
from typing import Any, BinaryIO, Final

import orjson
from functions_runner import landlock, seccomp
from PIL import Image, ImageCms, ImageOps, UnidentifiedImageError

from gateway.storage.images.sizes import plan
from gateway.storage.images.worker_protocol import FRAME

MEMORY: Final = 1_500_000_000  # bytes of address space
SECONDS: Final = 15  # of processor time for one picture
NICENESS: Final = 5  # behind the worker, which answers everybody else
PIXELS: Final = 50_000_000
LONGEST: Final = 16_383  # pixels of a side of what is made; WebP has no more
READ: Final = ("JPEG", "PNG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO")
TYPES: Final = {
    "JPEG": "image/jpeg",
    "PNG": "image/png",
    "GIF": "image/gif",
    "WEBP": "image/webp",
    "AVIF": "image/avif",
}
QUALITY: Final = 80
SRGB: Final = ImageCms.createProfile("sRGB")

NO_PICTURE: Final = "The source image is invalid or unsupported for rendering"
TOO_LARGE: Final = "The source image resolution is too large to process"


class PictureRefused(Exception):
    """A picture of which no other is made; the message is for the client."""


def render(job: dict[str, Any], source: bytes) -> tuple[str, bytes]:
    """The media type and the bytes of the picture that a job asks for. Raises PictureRefused."""
    try:
        with Image.open(io.BytesIO(source), formats=READ) as image:
            return _render(job, image)
    except PictureRefused:
        raise
    except Image.DecompressionBombError as error:
        raise PictureRefused(TOO_LARGE) from error
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, OverflowError, struct.error) as error:
        raise PictureRefused(NO_PICTURE) from error
    except MemoryError as error:
        raise PictureRefused(TOO_LARGE) from error


def _render(job: dict[str, Any], image: Image.Image) -> tuple[str, bytes]:
    if image.width * image.height > PIXELS:
        raise PictureRefused(TOO_LARGE)
    kind = image.format or "PNG"
    turned = image.getexif().get(0x0112, 1) in (5, 6, 7, 8)
    size = (image.height, image.width) if turned else image.size
    made = plan(size, job["width"], job["height"], job["resize"], tuple(job["place"]))
    # A JPEG is read no larger than is needed, which takes a fraction of time and memory.
    scale = max(made.size[0] / (made.crop[2] - made.crop[0]), made.size[1] / (made.crop[3] - made.crop[1]))
    image.draft("RGB", (max(1, int(image.width * scale)), max(1, int(image.height * scale))))
    picture = ImageOps.exif_transpose(image)
    shrunk = picture.width / size[0], picture.height / size[1]
    crop = (made.crop[0] * shrunk[0], made.crop[1] * shrunk[1], made.crop[2] * shrunk[0], made.crop[3] * shrunk[1])
    picture = _in_colours(_in_srgb(picture))
    if made.size != picture.size or made.crop != (0, 0, *size):
        picture = picture.resize(made.size, Image.Resampling.LANCZOS, box=crop)
    return _written(picture, _format(job["format"], kind, picture), job["quality"] or QUALITY)


def _in_srgb(picture: Image.Image) -> Image.Image:
    """In the colours that are meant where none are named, as the profile that names others is left out."""
    profile = picture.info.get("icc_profile")
    if not profile or picture.mode not in ("RGB", "CMYK"):
        return picture
    try:
        found = ImageCms.ImageCmsProfile(io.BytesIO(profile))
        changed = ImageCms.profileToProfile(picture, found, SRGB, outputMode="RGB")
    except (ImageCms.PyCMSError, OSError, ValueError):
        return picture
    return changed or picture


def _in_colours(picture: Image.Image) -> Image.Image:
    """Of few kinds of pixels: those that scale well, and that every format takes."""
    if picture.mode in ("RGB", "RGBA", "L"):
        return picture
    has_alpha = "A" in picture.getbands() or "transparency" in picture.info
    return picture.convert("RGBA" if has_alpha else "L" if picture.mode in ("1", "I;16", "I", "F") else "RGB")


def _format(wanted: str, kind: str, picture: Image.Image) -> str:
    if wanted in ("webp", "avif"):
        return wanted.upper()
    if kind in TYPES:
        return kind
    return "PNG" if picture.mode == "RGBA" else "JPEG"


def _written(picture: Image.Image, kind: str, quality: int) -> tuple[str, bytes]:
    """Without anything that was said of the source: places and cameras are nobody's business."""
    if max(picture.size) > LONGEST:
        raise PictureRefused(TOO_LARGE)
    if kind == "JPEG" and picture.mode == "RGBA":
        ground = Image.new("RGB", picture.size, (255, 255, 255))
        ground.paste(picture, mask=picture.getchannel("A"))
        picture = ground
    options: dict[str, Any] = {}
    if kind == "JPEG":
        options = {"quality": quality, "progressive": True, "optimize": True}
    elif kind == "WEBP":
        options = {"quality": quality, "method": 4}
    elif kind == "AVIF":
        options = {"quality": quality, "speed": 8, "max_threads": 1}
    elif kind == "PNG":
        options = {"compress_level": 6}
    target = io.BytesIO()
    picture.info = {}
    picture.save(target, kind, **options)
    return TYPES[kind], target.getvalue()


def serve(source: BinaryIO, sink: BinaryIO) -> None:
    """Do jobs until there are no more."""
    while len(head := source.read(FRAME.size)) == FRAME.size:
        size, length = FRAME.unpack(head)
        job = orjson.loads(source.read(size))
        picture = source.read(length)
        _limit_time()
        made = b""
        try:
            kind, made = render(job, picture)
            said = {"type": kind}
        except PictureRefused as refused:
            said = {"error": str(refused)}
        meta = orjson.dumps(said)
        sink.write(FRAME.pack(len(meta), len(made)) + meta)
        sink.write(made)
        sink.flush()
        del picture, made


def _limit_time() -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + 1 + SECONDS, hard))


def _warm_up() -> None:
    """Load every format's code while files may still be opened."""
    Image.init()
    for kind in TYPES:
        made = io.BytesIO()
        Image.new("RGB", (16, 16)).save(made, kind)
        render({"width": 8, "height": 8, "resize": "cover", "place": (0.5, 0.5), "format": "origin", "quality": 0},
               made.getvalue())  # fmt: skip


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the end of the input says when
    os.nice(NICENESS)
    warnings.simplefilter("ignore")
    Image.MAX_IMAGE_PIXELS = PIXELS
    _warm_up()
    with suppress(ValueError, OSError):  # not every system has them
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    if sys.platform == "linux":
        with suppress(OSError):
            landlock.restrict(())
            seccomp.restrict()
    serve(sys.stdin.buffer, sys.stdout.buffer)
