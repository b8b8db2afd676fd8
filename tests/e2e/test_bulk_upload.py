"""Many posts at once: every rule of the upload, every word it says."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import Locator, Page, Route, expect

from gateway.database import SyncConnection
from tests.e2e.posts import add_post, word
from tests.e2e.screen import expect_failure, expect_toast
from tests.fixtures.browser import Held

INSERT = re.compile(r"/rest/v1/blog_posts(\?|$)")


def open_dialog(page: Page) -> Locator:
    page.goto("/admin/blog")
    page.get_by_role("button", name="Bulk Upload").click()
    return page.get_by_role("dialog", name="Bulk Upload Blog Posts")


def upload(dialog: Locator, posts: object) -> None:
    text = posts if isinstance(posts, str) else json.dumps(posts)
    dialog.get_by_label("JSON Data").fill(text)
    dialog.get_by_role("button", name="Upload Posts").click()


def test_the_dialog_says_what_it_wants(admin_page: Page) -> None:
    dialog = open_dialog(admin_page)
    expect(dialog.get_by_text("title, content", exact=True)).to_be_visible()
    optional = "excerpt, author_name, tags, meta_title, meta_description"
    expect(dialog.get_by_text(optional, exact=True)).to_be_visible()
    field = dialog.get_by_label("JSON Data")
    expect(field).to_have_attribute("rows", "15")
    example = json.loads(field.get_attribute("placeholder") or "")
    assert {"title", "content"} <= set(example[0])
    button = dialog.get_by_role("button", name="Upload Posts")
    expect(button).to_be_disabled()
    field.fill("   \n ")
    expect(button).to_be_disabled()
    field.fill("[]")
    expect(button).to_be_enabled()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[{]", "Invalid JSON format. Please check your data structure."),
        ('{"title": "x", "content": "y"}', "JSON data must be an array of blog post objects."),
        ('"text"', "JSON data must be an array of blog post objects."),
    ],
)
def test_a_text_that_is_no_list_of_posts_is_refused(admin_page: Page, text: str, message: str) -> None:
    dialog = open_dialog(admin_page)
    upload(dialog, text)
    expect_failure(admin_page, "Error", message)
    expect(dialog.get_by_label("JSON Data")).to_have_value(text)


def test_posts_arrive_as_drafts_with_every_default(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    words = " ".join(f"word{number}" for number in range(401))
    dialog = open_dialog(admin_page)
    upload(
        dialog,
        [
            {"title": f"Bulk {rare}: All & Sundry!", "content": f"<p>{words}</p>"},
            {
                "title": f"Second {rare}", "content": "Plain text.", "excerpt": "Short.", "author_name": "Mara Lind",
                "tags": ["One", "Two"], "meta_title": "M", "meta_description": "D",
            },
        ],
    )  # fmt: skip
    expect_toast(admin_page, "Upload Complete", "Successfully uploaded 2 posts")
    expect(dialog.get_by_text("2 successful", exact=True)).to_be_visible()
    expect(dialog.get_by_text("0 failed", exact=True)).to_be_visible()
    expect(dialog.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "100")

    columns = "slug, excerpt, author_name, tags, meta_title, meta_description, reading_time_minutes, published"
    first, second = rows.rows(
        f"select {columns} from public.blog_posts where title like $1 order by title", f"%{rare}%"
    )
    assert first == (
        f"bulk-{rare}-all-sundry", words[:200] + "...", "United Medical Waste", "{}", f"Bulk {rare}: All & Sundry!",
        words[:160], "3", "f",
    )  # fmt: skip
    assert second == (f"second-{rare}", "Short.", "Mara Lind", "{One,Two}", "M", "D", "1", "f")

    dialog.get_by_role("button", name="Close", exact=True).click()
    admin_page.get_by_placeholder("Search posts...").fill(rare)
    expect(admin_page.get_by_role("article")).to_have_count(2)
    expect(admin_page.get_by_role("article").get_by_text("Draft", exact=True)).to_have_count(2)


def test_bad_entries_are_named_and_good_ones_arrive(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    dialog = open_dialog(admin_page)
    good = {"title": f"Good {rare}", "content": "x"}
    bad = [{"title": "", "content": "x"}, {"title": f"No text {rare}"}, "text", {"title": "t" * 301, "content": "x"}]
    upload(dialog, [good, *bad, *({} for _ in range(8))])
    expect_toast(admin_page, "Upload Complete", "Successfully uploaded 1 posts (12 failed)")
    lines = dialog.get_by_role("listitem")
    expect(lines).to_have_count(10)
    expect(lines.nth(0)).to_have_text("Post 2 (Untitled): Post 2: Title and content are required")
    expect(lines.nth(1)).to_have_text(f"Post 3 (No text {rare}): Post 3: Title and content are required")
    expect(lines.nth(2)).to_have_text("Post 4 (Untitled): Post 4: Title and content are required")
    expect(lines.nth(3)).to_contain_text("blog_posts_title_check")
    expect(dialog.get_by_text("... and 2 more errors", exact=True)).to_be_visible()
    assert len(rows.rows("select from public.blog_posts where title like $1", f"%{rare}%")) == 1


def test_a_slug_in_use_gets_a_timestamp(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    add_post(rows, "The first one", slug=f"twice-{rare}")
    dialog = open_dialog(admin_page)
    upload(dialog, [{"title": f"Twice {rare}", "content": "x"}, {"title": f"Twice {rare}", "content": "y"}])
    expect_toast(admin_page, "Upload Complete", "Successfully uploaded 2 posts")
    slugs = [
        str(slug) for (slug,) in rows.rows("select slug from public.blog_posts where slug like $1", f"twice-{rare}%")
    ]
    assert len(set(slugs)) == 3
    assert all(re.fullmatch(rf"twice-{rare}(-\d{{13}})?", slug) for slug in slugs)


def test_an_upload_without_a_connection_names_every_post(admin_page: Page) -> None:
    dialog = open_dialog(admin_page)
    rare = word()

    def lose(route: Route) -> None:
        if route.request.method != "POST":
            route.continue_()
        elif "Lost" in (route.request.post_data or ""):
            route.abort()
        else:  # a proxy's own page, in which there is nothing to say
            route.fulfill(status=502, content_type="text/html", body="<h1>Bad gateway</h1>")

    admin_page.route(INSERT, lose)
    upload(dialog, [{"title": f"Lost {rare}", "content": "x"}, {"title": f"Refused {rare}", "content": "x"}])
    expect(dialog.get_by_text("0 successful", exact=True)).to_be_visible()
    expect(dialog.get_by_text("2 failed", exact=True)).to_be_visible()
    lines = dialog.get_by_role("listitem")
    expect(lines.nth(0)).to_contain_text(f"Post 1 (Lost {rare}): ")
    expect(lines.nth(1)).to_have_text(f"Post 2 (Refused {rare}): Unknown error")
    expect(admin_page.get_by_text("Upload Complete")).to_have_count(0)


def test_progress_is_shown_and_the_dialog_stays_while_uploading(admin_page: Page) -> None:
    dialog = open_dialog(admin_page)
    held = Held(admin_page, INSERT, "POST")
    rare = word()
    upload(dialog, [{"title": f"Held {rare}", "content": "x"}, {}])
    expect(dialog.get_by_role("button", name="Uploading...")).to_be_disabled()
    expect(dialog.get_by_role("progressbar")).to_have_attribute("aria-valuenow", "50")
    expect(dialog.get_by_text("50%", exact=True)).to_be_visible()
    expect(dialog.get_by_role("button", name="Cancel")).to_be_disabled()
    admin_page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    held.first().continue_()
    expect(dialog.get_by_role("button", name="Close", exact=True)).to_be_enabled()


def test_closing_forgets_everything(admin_page: Page) -> None:
    dialog = open_dialog(admin_page)
    upload(dialog, [{}])
    expect(dialog.get_by_text("1 failed", exact=True)).to_be_visible()
    dialog.get_by_role("button", name="Close", exact=True).click()
    expect(dialog).to_have_count(0)
    admin_page.get_by_role("button", name="Bulk Upload").click()
    expect(dialog.get_by_label("JSON Data")).to_have_value("")
    expect(dialog.get_by_text("1 failed", exact=True)).to_have_count(0)
    expect(dialog.get_by_role("progressbar")).to_have_count(0)
    expect(dialog.get_by_role("button", name="Cancel")).to_be_visible()


def test_a_thousand_posts_go_in_batches_while_the_page_lives(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    dialog = open_dialog(admin_page)
    inserts: list[str] = []
    admin_page.on("request", lambda request: inserts.append(request.url) if request.method == "POST" else None)
    admin_page.evaluate(
        """() => {
          window.drawn = new Set()
          const look = () => {
            const bar = document.querySelector('[role=progressbar]')
            if (bar) window.drawn.add(bar.getAttribute('aria-valuenow'))
            requestAnimationFrame(look)
          }
          look()
        }"""
    )
    upload(dialog, [{"title": f"{rare} {number}", "content": "x"} for number in range(1000)])
    expect_toast(admin_page, "Upload Complete", "Successfully uploaded 1000 posts")
    assert len([url for url in inserts if "blog_posts" in url]) <= 30
    assert len(rows.rows("select from public.blog_posts where title like $1", f"{rare}%")) == 1000
    # A page that froze would have drawn nothing between the first and the last.
    assert admin_page.evaluate("window.drawn.size") > 5


class Gate(Held):
    """The first insert of a page, kept waiting; the others go through."""

    def __init__(self, page: Page) -> None:
        super().__init__(page, INSERT, "POST")

    def _take(self, route: Route) -> None:
        if self._routes:
            route.fallback()
        else:
            super()._take(route)

    wait = Held.first

    def open(self) -> None:
        self.first().fallback()


def test_two_uploads_at_once_lose_nothing(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    posts = [{"title": f"{rare} {number}", "content": "x"} for number in range(120)]
    pages = (admin_page, admin_page.context.new_page())
    dialogs = [open_dialog(page) for page in pages]
    for dialog in dialogs:
        dialog.get_by_label("JSON Data").fill(json.dumps(posts))
    # Both see that the slugs are free before either takes them.
    gates = [Gate(page) for page in pages]
    for dialog, gate in zip(dialogs, gates, strict=True):
        dialog.get_by_role("button", name="Upload Posts").click()
        gate.wait()
    for gate in gates:
        gate.open()
    # The message of one page may be gone before the other's comes; what a dialog says stays.
    for dialog in dialogs:
        expect(dialog.get_by_text("120 successful", exact=True)).to_be_visible(timeout=60_000)
    slugs = [str(row[0]) for row in rows.rows("select slug from public.blog_posts where title like $1", f"{rare}%")]
    assert len(slugs) == len(set(slugs)) == 240
    assert len([slug for slug in slugs if re.fullmatch(rf"{rare}-\d+-\d{{13}}", slug)]) == 120
