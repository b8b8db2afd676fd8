"""Pictures of articles: from a writer's computer into the bucket, into a text, and away again."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from typing import Any

import pytest
from playwright.sync_api import Browser, FilePayload, Locator, Page, Request, Route, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.posts import add_post, word
from tests.e2e.screen import expect_toast
from tests.e2e.test_editor import content, new_post, open_post, publish, save, stored, title, tool

STORED = r"/storage/v1/object/public/pictures/[a-z0-9-]+-[0-9a-f]{8}/"


def png(width: int, height: int) -> bytes:
    """A picture of stripes."""
    row = b"\0" + b"".join(bytes((x * 255 // width, 90, 160)) for x in range(width))
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
        (b"IDAT", zlib.compress(row * height)),
        (b"IEND", b""),
    )
    packed = b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + packed


def file(name: str, width: int = 1600, height: int = 900) -> FilePayload:
    return {"name": name, "mimeType": "image/png", "buffer": png(width, height)}


# Hands the bytes of a file to the editor as the browser does.
GIVE = """async (editor, [kind, name, bytes, html]) => {
  const data = new DataTransfer()
  if (bytes) data.items.add(new File([Uint8Array.from(atob(bytes), c => c.charCodeAt(0))], name, { type: 'image/png' }))
  if (html) data.setData('text/html', html)
  const { left, top } = editor.querySelector('p').getBoundingClientRect()
  const at = { bubbles: true, cancelable: true, clientX: left + 2, clientY: top + 4 }
  editor.dispatchEvent(kind === 'drop'
    ? new DragEvent('drop', { ...at, dataTransfer: data })
    : new ClipboardEvent('paste', { ...at, clipboardData: data }))
}"""


def give(page: Page, kind: str, name: str = "", picture: bytes = b"", html: str = "") -> None:
    content(page).evaluate(GIVE, [kind, name, base64.b64encode(picture).decode(), html])


def image_dialog(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Image", exact=True)


def upload(dialog: Locator, given: FilePayload, alt: str, button: str) -> None:
    dialog.get_by_label("Upload a picture").set_input_files(given)
    described(dialog, alt, button)


def described(dialog: Locator, alt: str, button: str) -> None:
    dialog.get_by_label("Alternative text").fill(alt)
    dialog.get_by_role("button", name=button).click()


def objects(rows: SyncConnection, folder: str) -> list[str]:
    found = rows.rows("select name from storage.objects where bucket_id = 'pictures' and name like $1", f"{folder}%")
    return sorted(str(row[0]) for row in found)


def folder_in(html: str) -> str:
    found = re.search(r"/pictures/([\w-]+)/", html)
    assert found, html
    return found[1]


def test_an_uploaded_picture_keeps_its_place_and_comes_in_the_size_that_is_needed(
    admin_page: Page, rows: SyncConnection, browser: Browser, browser_context_args: dict[str, Any]
) -> None:
    name = f"Uploaded {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    content(admin_page).fill("Before.")
    tool(admin_page, "Image").click()
    dialog = image_dialog(admin_page)
    dialog.get_by_label("Upload a picture").set_input_files(file("Red Bags.png"))
    expect(dialog.get_by_text(re.compile("1600 . 900 pixels"))).to_be_visible()
    dialog.get_by_role("button", name="Insert image").click()
    expect(dialog.get_by_label("Alternative text")).to_have_attribute("aria-invalid", "true")
    assert violations(admin_page) == []
    described(dialog, "A red bag in its box", "Insert image")
    expect(content(admin_page).get_by_role("img", name="A red bag in its box")).to_be_visible()
    publish(admin_page)
    expect_toast(admin_page, "Success", "Post created and published")

    html = str(stored(rows, name, "content")[0])
    assert re.search(rf'<img src="{STORED}1600x900\.webp" alt="A red bag in its box">', html), html
    folder = folder_in(html)
    assert objects(rows, folder) == [f"{folder}/{each}.webp" for each in ("1440", "1600x900", "480", "960")]
    ((words, cached),) = rows.rows(
        "select user_metadata, metadata ->> 'cacheControl' from storage.objects where name = $1",
        f"{folder}/1600x900.webp",
    )
    assert ("A red bag in its box" in str(words), cached) == (True, "max-age=31536000")

    ((slug,),) = rows.rows("select slug from public.blog_posts where title = $1", name)
    with browser.new_context(**{**browser_context_args, "java_script_enabled": False}) as plain:
        page = plain.new_page()
        page.goto(f"/insights/{slug}")
        picture = page.get_by_role("img", name="A red bag in its box")
        for attribute, value in (("width", "1600"), ("height", "900"), ("loading", "lazy")):
            expect(picture).to_have_attribute(attribute, value)
        assert (picture.get_attribute("srcset") or "").count(folder) == 4

    reader = admin_page.context.browser
    assert reader
    with reader.new_context(**{**browser_context_args, "viewport": {"width": 390, "height": 844}}) as phone:
        page = phone.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url) if folder in request.url else None)
        page.goto(f"/insights/{slug}")
        picture = page.get_by_role("img", name="A red bag in its box")
        before = picture.bounding_box()
        picture.scroll_into_view_if_needed()
        page.wait_for_function("img => img.complete && img.naturalWidth > 0", arg=picture.element_handle())
        after = picture.bounding_box()
        assert before and after
        assert before["height"] == after["height"] == pytest.approx(before["width"] * 9 / 16, abs=1)
        assert {re.sub(r".*/", "", address) for address in asked} == {"480.webp"}


def test_a_picture_of_unknown_size_has_a_place_too(page: Page, rows: SyncConnection) -> None:
    name = f"Unknown {word()}"
    post = add_post(rows, name, content='<p><img src="/og/late.png" alt="Late"></p><p id="below">Below</p>')
    page.route("**/og/late.png", lambda route: route.fulfill(body=png(100, 2000), content_type="image/png"))
    page.goto(f"/insights/{post.slug}")
    picture = page.get_by_role("img", name="Late")
    box = picture.bounding_box()
    page.wait_for_function("img => img.complete && img.naturalWidth === 100", arg=picture.element_handle())
    assert box and box == picture.bounding_box()


def test_pictures_are_dropped_and_pasted(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Dropped {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    content(admin_page).fill("Before.")
    give(admin_page, "drop", "dropped.png", png(300, 200))
    described(image_dialog(admin_page), "Dropped", "Insert image")
    expect(content(admin_page).get_by_role("img", name="Dropped")).to_be_visible()
    give(admin_page, "paste", "pasted.png", png(200, 300))
    dialog = image_dialog(admin_page)
    dialog.get_by_label("The picture is only decoration").check()
    dialog.get_by_role("button", name="Insert image").click()
    expect(content(admin_page).locator("img")).to_have_count(2)

    # What came inside of pasted text is taken over, and what cannot be is said to be missing.
    data = base64.b64encode(png(50, 40)).decode()
    give(admin_page, "paste", html=f'<p>Text <img src="data:image/png;base64,{data}" alt="Given"></p>')
    dialog = image_dialog(admin_page)
    expect(dialog.get_by_label("Alternative text")).to_have_value("Given")
    dialog.get_by_role("button", name="Insert image").click()
    expect(content(admin_page).get_by_role("img", name="Given")).to_be_visible()
    admin_page.route(
        "https://open.example/**",
        lambda route: route.fulfill(
            body=png(60, 30), content_type="image/png", headers={"access-control-allow-origin": "*"}
        ),
    )
    give(admin_page, "paste", html='<p>Then <img src="https://open.example/b.png" alt="Taken"></p>')
    image_dialog(admin_page).get_by_role("button", name="Insert image").click()
    expect(content(admin_page).get_by_role("img", name="Taken")).to_be_visible()
    give(admin_page, "paste", html='<p>More <img src="https://images.example/a.png" alt="Foreign"></p>')
    expect(admin_page.get_by_role("alert").filter(has_text="images.example cannot be taken over")).to_be_visible()
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    html = str(stored(rows, name, "content")[0])
    sizes = sorted(re.findall(rf'<img src="{STORED}(\d+x\d+)\.webp"', html))
    assert sizes == ["200x300", "300x200", "50x40", "60x30"]
    assert ("data:" in html, "example" in html) == (False, False)


def test_what_cannot_be_a_picture_is_refused_with_words_before_it_is_sent(admin_page: Page) -> None:
    sent: list[str] = []

    def note(request: Request) -> None:
        if "/storage/v1/" in request.url and request.method != "GET":
            sent.append(request.url)

    admin_page.on("request", note)
    new_post(admin_page)
    tool(admin_page, "Image").click()
    dialog = image_dialog(admin_page)
    for given, reason in (
        ({"name": "a.pdf", "mimeType": "application/pdf", "buffer": b"%PDF"}, "is no picture that can be shown"),
        ({"name": "a.svg", "mimeType": "image/svg+xml", "buffer": b"<svg/>"}, "Export it as PNG"),
        ({"name": "big.png", "mimeType": "image/png", "buffer": bytes(11_000_000)}, "at most 10.0 MB"),
        ({"name": "bad.png", "mimeType": "image/png", "buffer": b"no picture"}, "cannot be read as a picture"),
    ):
        dialog.get_by_label("Upload a picture").set_input_files(given)  # type: ignore[arg-type]
        expect(dialog.get_by_role("alert").filter(has_text=reason)).to_be_visible()
        dialog.get_by_role("button", name="Cancel").first.click()
    assert sent == []


def test_an_upload_that_fails_is_told_and_tried_again(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Offline {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    tool(admin_page, "Image").click()
    dialog = image_dialog(admin_page)
    attempts: list[str] = []

    def fail(route: Route) -> None:
        attempts.append(route.request.url)
        # the second version is lost on its way, and the first one must not stay
        if len(attempts) == 2:
            route.abort()
        else:
            route.continue_()

    admin_page.route("**/storage/v1/object/pictures/**", fail)
    upload(dialog, file("Lost.png"), "Lost", "Insert image")
    expect(dialog.get_by_role("alert").filter(has_text="Check your connection and try again")).to_be_visible()
    folder = folder_in(attempts[0])
    assert objects(rows, folder) == []
    dialog.get_by_role("button", name="Insert image").click()
    expect(content(admin_page).get_by_role("img", name="Lost")).to_be_visible()
    assert len(objects(rows, folder)) == 4


def test_the_featured_image_is_chosen_from_the_library_and_deleted_with_its_post(
    admin_page: Page, rows: SyncConnection
) -> None:
    own, shared = f"own-{word()}", f"shared-{word()}"
    admin_page.goto("/admin/pictures")
    for each in (own, shared):
        admin_page.get_by_label("Upload a picture").set_input_files(file(f"{each}.png", 700, 500))
        described(admin_page.get_by_role("dialog", name="Upload a picture"), f"Words for {each}", "Upload picture")
        expect(admin_page.get_by_role("heading", name=f"{each}.png")).to_be_visible()
    assert violations(admin_page) == []
    post = add_post(rows, f"Chosen {word()}")
    ((address,),) = rows.rows("select name from storage.objects where name like $1", f"{shared}%/700x500.webp")
    kept = add_post(
        rows, f"Kept {word()}", content=f'<p><img src="/storage/v1/object/public/pictures/{address}" alt="x"></p>'
    )

    open_post(admin_page, post)
    admin_page.get_by_role("button", name="Choose from the library").click()
    dialog = admin_page.get_by_role("dialog", name="Featured image")
    dialog.get_by_label("Search pictures").fill(own)
    dialog.get_by_role("button", name=f"Use Words for {own}").click()
    field = admin_page.get_by_label("Featured Image URL")
    expect(field).to_have_value(re.compile(rf"^/storage/v1/object/public/pictures/{own}-[0-9a-f]{{8}}/700x500\.webp$"))
    content(admin_page).click()
    tool(admin_page, "Image").click()
    image_dialog(admin_page).get_by_text("Choose from the library").click()
    image_dialog(admin_page).get_by_role("button", name=f"Use Words for {shared}").click()
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")

    admin_page.goto(f"/admin/pictures?{own}")
    admin_page.get_by_label("Search pictures").fill(own)
    expect(admin_page.get_by_role("link", name=post.title)).to_be_visible()

    admin_page.goto(f"/admin/blog?search={post.title.split()[1]}")
    admin_page.get_by_label("Search posts").fill(post.title)
    admin_page.get_by_role("button", name=f"Delete {post.title}").click()
    asked = admin_page.get_by_role("dialog", name="Delete post")
    asked.get_by_label("Also delete the picture that is shown nowhere else").check()
    asked.get_by_role("button", name="Delete").click()
    expect_toast(admin_page, "Success", "Blog post deleted successfully")
    assert objects(rows, own) == []
    assert len(objects(rows, shared)) == 2

    # From the library it is deleted only after it was said where it will be missing.
    admin_page.goto("/admin/pictures")
    admin_page.get_by_role("button", name=f"Delete {shared}.png").click()
    asked = admin_page.get_by_role("dialog", name="Delete picture")
    expect(asked.get_by_text(f'It will be missing in "{kept.title}".')).to_be_visible()
    asked.get_by_role("button", name="Delete").click()
    expect_toast(admin_page, "Success", "Picture deleted")
    assert objects(rows, shared) == []
