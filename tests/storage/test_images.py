"""Pictures in other sizes and formats, and pictures that are none."""

from __future__ import annotations

import io
import os
import struct
import subprocess
import sys
import time
import zlib
from typing import Any
from uuid import uuid4

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from gateway.storage.images.sizes import PLACES, plan
from tests.storage.conftest import Storage, make_bucket, problem


def picture(size: tuple[int, int], kind: str = "PNG", mode: str = "RGB", **options: Any) -> bytes:
    """The left half red, the right half blue."""
    image = Image.new(mode, size, (255, 0, 0) + ((255,) if mode == "RGBA" else ()))
    image.paste((0, 0, 255), (size[0] // 2, 0, size[0], size[1]))
    target = io.BytesIO()
    image.save(target, kind, **options)
    return target.getvalue()


def put(admin: httpx.Client, bucket: str, content: bytes, kind: str = "image/png") -> str:
    key = f"{uuid4().hex}.img"
    answer = admin.post(f"/object/{bucket}/{key}", content=content, headers={"content-type": kind})
    assert answer.status_code == 200, answer.text
    return f"{bucket}/{key}"


def opened(answer: httpx.Response) -> Image.Image:
    assert answer.status_code == 200, answer.text
    return Image.open(io.BytesIO(answer.content))


# --- sizes ----------------------------------------------------------------------------------------------------------

_SIDES = st.integers(1, 5000)
_WANTED = st.integers(0, 3000)


@given(
    st.tuples(_SIDES, _SIDES), _WANTED, _WANTED, st.sampled_from(["cover", "contain", "fill"]),
    st.tuples(st.floats(0, 1), st.floats(0, 1)),
)  # fmt: skip
def test_no_plan_enlarges_or_leaves_the_picture(
    source: tuple[int, int], width: int, height: int, resize: str, place: tuple[float, float]
) -> None:
    made = plan(source, width, height, resize, place)
    left, top, right, bottom = made.crop
    assert 0 <= left < right <= source[0]
    assert 0 <= top < bottom <= source[1]
    for side in (0, 1):
        wanted = (width, height)[side]
        assert 1 <= made.size[side] <= source[side]
        assert not wanted or made.size[side] <= wanted
    if resize != "cover" or not (width and height):
        assert made.crop == (0, 0, *source)
    if resize == "contain":
        across, down = made.size[0] / source[0], made.size[1] / source[1]
        assert abs(across - down) <= 1 / min(source[0], source[1]) + 1e-9


# --- what is asked --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "size"),
    [
        ("width=50", (50, 25)),
        ("height=50", (100, 50)),
        ("width=50&height=50", (50, 50)),
        ("width=50&height=50&resize=contain", (50, 25)),
        ("width=50&height=50&resize=fill", (50, 50)),
        ("width=5000", (400, 200)),
        ("", (400, 200)),
    ],
)
def test_sizes(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str, query: str, size: tuple[int, int]
) -> None:
    path = put(admin, public_bucket, picture((400, 200)))
    answer = anybody.get(f"/render/image/public/{path}?{query}")
    assert opened(answer).size == size
    assert answer.headers["content-type"] == "image/png"
    assert answer.headers["vary"] == "accept"
    source = anybody.get(f"/object/public/{path}")
    assert {name: answer.headers[name] for name in ("etag", "cache-control", "last-modified")} == {
        name: source.headers[name] for name in ("etag", "cache-control", "last-modified")
    }
    again = anybody.get(f"/render/image/public/{path}?{query}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_what_was_done_is_said(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    path = put(admin, public_bucket, picture((400, 200)))
    answer = anybody.get(f"/render/image/public/{path}?width=200&height=200&quality=60&download=x.png")
    assert answer.headers["x-transformations"] == "height:200,width:200,resizing_type:fill,quality:60"
    assert answer.headers["content-disposition"].startswith("attachment; filename=x.png")
    wide = anybody.get(f"/render/image/public/{path}?width=9000")
    assert wide.headers["x-transformations"] == "width:2000,resizing_type:fill"


@pytest.mark.parametrize(
    ("query", "accept", "kind"),
    [
        ("format=webp", "*/*", "image/webp"),
        ("format=avif", "*/*", "image/avif"),
        ("", "image/avif,image/webp,*/*", "image/webp"),
        ("format=origin", "image/webp,*/*", "image/png"),
        ("", "text/html", "image/png"),
    ],
)
def test_formats(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str, query: str, accept: str, kind: str
) -> None:
    path = put(admin, public_bucket, picture((40, 20)))
    answer = anybody.get(f"/render/image/public/{path}?{query}", headers={"accept": accept})
    assert answer.headers["content-type"] == kind
    assert (opened(answer).format or "").lower() == kind.removeprefix("image/")


@pytest.mark.parametrize("kind", ["JPEG", "GIF", "WEBP", "AVIF", "BMP", "TIFF", "ICO"])
def test_formats_that_are_read(admin: httpx.Client, anybody: httpx.Client, public_bucket: str, kind: str) -> None:
    path = put(admin, public_bucket, picture((64, 64), kind), f"image/{kind.lower()}")
    assert opened(anybody.get(f"/render/image/public/{path}?width=32")).size == (32, 32)


@pytest.mark.parametrize(
    ("gravity", "is_red"),
    [("we", True), ("ea", False), ("fp&x_offset=0&y_offset=0.5", True), ("fp&x_offset=1&y_offset=0.5", False)],
)
def test_gravity_says_what_is_kept(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str, gravity: str, is_red: bool
) -> None:
    path = put(admin, public_bucket, picture((400, 100)))
    made = opened(anybody.get(f"/render/image/public/{path}?width=100&height=100&gravity={gravity}"))
    assert made.convert("RGB").getpixel((50, 50)) == ((255, 0, 0) if is_red else (0, 0, 255))
    assert set(PLACES) > {"no", "so", "ea", "we"}


def test_a_photograph_is_upright_and_tells_nothing(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned by a quarter
    exif[0x010F] = "Camera maker"
    path = put(admin, public_bucket, picture((400, 200), "JPEG", exif=exif), "image/jpeg")
    answer = anybody.get(f"/render/image/public/{path}?width=100")
    made = opened(answer)
    assert made.size == (100, 200)
    assert b"Camera maker" not in answer.content
    assert not made.getexif()


def test_what_shines_through_stays_so_where_the_format_can(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    target = io.BytesIO()
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(target, "PNG")
    path = put(admin, public_bucket, target.getvalue())
    for query in ("width=10", "width=10&format=webp"):
        assert opened(anybody.get(f"/render/image/public/{path}?{query}")).convert("RGBA").getpixel((5, 5))[3] == 0  # type: ignore[index]


# --- who may --------------------------------------------------------------------------------------------------------


def test_rights_are_those_of_a_download(
    storage: Storage, admin: httpx.Client, anybody: httpx.Client, bucket: str
) -> None:
    path = put(admin, bucket, picture((40, 20)))
    assert problem(anybody.get(f"/render/image/public/{path}"))[2] == "NoSuchBucket"
    assert anybody.get(f"/render/image/authenticated/{path}").status_code == 400
    assert opened(admin.get(f"/render/image/authenticated/{path}?width=20")).size == (20, 10)
    with storage.client(storage.token("somebody")) as stranger:
        assert problem(stranger.get(f"/render/image/authenticated/{path}?width=20"))[2] == "NoSuchKey"
    asked = {"expiresIn": 60, "transform": {"width": 10, "height": 10, "resize": "contain", "format": "webp"}}
    signed = admin.post(f"/object/sign/{path}", json=asked).json()["signedURL"]
    assert signed.startswith(f"/render/image/sign/{path}?token=")
    answer = anybody.get(signed + "&width=40&format=origin")  # nobody changes what was signed
    assert (opened(answer).size, answer.headers["content-type"]) == ((10, 5), "image/webp")
    assert "expires" in answer.headers
    other = put(admin, bucket, picture((40, 20)))
    assert problem(anybody.get(signed.replace(path, other)))[2] == "InvalidSignature"


def test_a_replaced_picture_is_made_anew(admin: httpx.Client, anybody: httpx.Client, public_bucket: str) -> None:
    path = put(admin, public_bucket, picture((40, 20)))
    url = f"/render/image/public/{path}?width=20"
    assert opened(anybody.get(url)).size == (20, 10)
    admin.put(f"/object/{path}", content=picture((40, 40)), headers={"content-type": "image/png"})
    assert opened(anybody.get(url)).size == (20, 20)
    admin.delete(f"/object/{path}")
    assert problem(anybody.get(url))[2] == "NoSuchKey"


# --- pictures that are none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    ["width=-1", "width=x", "height=1.5", "resize=no", "quality=10", "quality=101", "format=exe", "gravity=up",
     "gravity=fp", "gravity=fp&x_offset=2&y_offset=0", "gravity=fp&x_offset=nan&y_offset=0"],
)  # fmt: skip
def test_parameters_that_are_none(anybody: httpx.Client, public_bucket: str, query: str) -> None:
    answer = anybody.get(f"/render/image/public/{public_bucket}/x?{query}")
    assert problem(answer)[:3] == (400, "400", "InvalidRequest")
    assert answer.json()["message"].startswith("querystring/")


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def bomb(side: int) -> bytes:
    """A PNG of a few kilobytes whose pixels would fill the memory."""
    head = struct.pack(">IIBBBBB", side, side, 8, 6, 0, 0, 0)
    squeezer = zlib.compressobj(9)
    rows = b"".join(squeezer.compress(bytes(side * 4 + 1)) for _ in range(min(side, 500))) + squeezer.flush()
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


NO_PICTURE = "The source image is invalid or unsupported for rendering"
BOMBS: dict[str, tuple[bytes, str, str]] = {
    "text": (b"hello", "image/png", NO_PICTURE),
    "nothing": (b"", "image/png", NO_PICTURE),
    "half a picture": (picture((400, 400), "JPEG")[:900], "image/jpeg", NO_PICTURE),
    "a page": (b"<html></html>", "text/html", NO_PICTURE),
    "a document": (b"%PDF-1.4", "application/pdf", NO_PICTURE),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n", "image/eps", NO_PICTURE),
    "many pixels": (bomb(20_000), "image/png", "The source image resolution is too large to process"),
    "very many pixels": (bomb(100_000), "image/png", "The source image resolution is too large to process"),
    "noise": (b"\x89PNG\r\n\x1a\n" + os.urandom(5000), "image/png", NO_PICTURE),
}


@pytest.mark.parametrize("title", BOMBS)
def test_what_cannot_be_rendered_is_a_clear_error(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str, title: str
) -> None:
    content, kind, message = BOMBS[title]
    path = put(admin, public_bucket, content, kind)
    assert problem(anybody.get(f"/render/image/public/{path}?width=10")) == (400, "400", "InvalidRequest", message)
    good = put(admin, public_bucket, picture((40, 20)))
    assert opened(anybody.get(f"/render/image/public/{good}?width=10")).size == (10, 5)


def test_a_vector_picture_stays_what_it_is_in_its_sandbox(
    admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    content = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'
    path = put(admin, public_bucket, content, "image/svg+xml")
    answer = anybody.get(f"/render/image/public/{path}?width=10")
    assert (answer.content, answer.headers["content-security-policy"].endswith("sandbox")) == (content, True)


def test_the_process_opens_no_file_and_no_socket_and_ends_with_its_input() -> None:
    """What breaks out of a decoder finds nothing to read: tried by running the process's own confinement."""
    text = (
        "import runpy, sys, io, socket\n"
        "sys.stdin = io.TextIOWrapper(io.BytesIO(b''))\n"
        "runpy.run_module('gateway.storage.images.worker', run_name='__main__')\n"
        "for attempt in (lambda: open('/etc/passwd'), lambda: open('/tmp/x', 'w'),"
        " lambda: socket.socket(socket.AF_UNIX), lambda: bytearray(3_000_000_000)):\n"
        "    try: attempt(); print('could')\n"
        "    except (OSError, MemoryError): pass\n"
        "print('done')\n"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout == "done\n", (done.stdout, done.stderr)


def test_a_picture_that_takes_too_long_ends_the_process_and_nothing_else(
    storage: Storage, admin: httpx.Client, anybody: httpx.Client, public_bucket: str
) -> None:
    """The process is killed, as the system kills one that has used up its time."""
    from tests.bench.cpu import children

    path = put(admin, public_bucket, picture((3000, 3000)))
    assert anybody.get(f"/render/image/public/{path}?width=5").status_code == 200

    def makers() -> list[int]:
        found = []
        for pid in children(storage.gateway.process.pid):
            try:
                with open(f"/proc/{pid}/cmdline", "rb") as line:
                    found += [pid] if b"storage.images.worker" in line.read() else []
            except OSError:
                continue
        return found

    (maker,) = makers()
    os.kill(maker, 9)
    end = time.monotonic() + 10
    while maker in makers():
        assert time.monotonic() < end
    assert opened(anybody.get(f"/render/image/public/{path}?width=7")).size == (7, 7)


def test_a_bucket_s_pictures_are_given_while_the_process_works(admin: httpx.Client, anybody: httpx.Client) -> None:
    """Eight at once, of one picture and of several."""
    from concurrent.futures import ThreadPoolExecutor

    bucket = make_bucket(admin, public=True)
    paths = [put(admin, bucket, picture((600, 400))) for _ in range(3)]
    urls = [f"/render/image/public/{path}?width={width}" for path in paths for width in (100, 100, 200)]
    with ThreadPoolExecutor(9) as pool:
        sizes = list(pool.map(lambda url: opened(anybody.get(url)).size[0], urls))
    assert sizes == [100, 100, 200] * 3
