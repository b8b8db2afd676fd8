"""Takes the pictures of the README anew, of a gateway that was just started and has its sample articles.

    gateway dev                                                   # in another terminal, with a fresh data folder
    python -m tests.pictures http://127.0.0.1:54321 EMAIL PASSWORD

The address and the password are in the banner. Pictures are WebP, as small as they stay sharp.
"""

from __future__ import annotations

import base64
import sys
from pathlib import Path
from typing import Final

from playwright.sync_api import Page, ViewportSize, sync_playwright

from tests import browser
from tests.fixtures.browser import FLAGS, Person, sign_in

FOLDER: Final = Path(__file__).parents[1] / "docs" / "pictures"
QUALITY: Final = 0.8
ARTICLE: Final = "Winter Pickups"  # of the sample articles; the newest
PAGES: Final = (("home", "/", "Get Quote"), ("quote", "/quote", "Email"), ("insights", "/insights", "Insights"))
TO_HEADING: Final = "(heading) => scrollTo(0, heading.getBoundingClientRect().top + scrollY - 200)"
# Chromium writes WebP itself, so nothing else is needed.
TO_WEBP: Final = """async ([png, quality]) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob())
  const canvas = new OffscreenCanvas(image.width, image.height)
  canvas.getContext('2d').drawImage(image, 0, 0)
  const blob = await canvas.convertToBlob({ type: 'image/webp', quality })
  return btoa(Array.from(new Uint8Array(await blob.arrayBuffer()), (byte) => String.fromCharCode(byte)).join(''))
}"""


def take(page: Page, converter: Page, name: str, whole: str) -> None:
    """One picture of the page as it stands, from its heading on, once the named text is there."""
    page.get_by_text(whole).first.wait_for()
    page.wait_for_load_state("networkidle")
    page.evaluate("document.fonts.ready")
    page.get_by_role("heading", level=1).evaluate(TO_HEADING)
    png = base64.b64encode(page.screenshot(animations="disabled")).decode()
    (FOLDER / f"{name}.webp").write_bytes(base64.b64decode(converter.evaluate(TO_WEBP, [png, QUALITY])))


def main(url: str, email: str, password: str) -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=browser.shell(), args=FLAGS)
        size: ViewportSize = {"width": 1200, "height": 750}
        context = chromium.new_context(base_url=url, viewport=size, locale="en-US", service_workers="block")
        converter, page = chromium.new_page(), context.new_page()
        for name, path, whole in PAGES:
            page.goto(path)
            take(page, converter, name, whole)
        sign_in(page, Person(email, password))
        take(page, converter, "admin", ARTICLE)
        page.get_by_text(ARTICLE).first.click()
        page.get_by_role("link", name="Edit").or_(page.get_by_role("button", name="Edit")).first.click()
        take(page, converter, "editor", "Save Draft")
        chromium.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
