"""Writing a post: what a writer sees, what is stored, what readers get, and that nothing is lost."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, StorageState, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.posts import Post, add_post, word
from tests.e2e.screen import expect_error, expect_failure, expect_toast
from tests.fixtures.browser import PHONE, Hire, answer, log_in, sign_in

ONE = re.compile(r"/rest/v1/blog_posts\?select=\*&id=eq\.|/rest/v1/blog_posts\?.*id=eq\.")
WRITE = re.compile(r"/rest/v1/blog_posts")
# The access token counts as run out.
EXPIRE = """() => {
  const key = Object.keys(localStorage).find((name) => name.endsWith('-auth-token'))
  localStorage.setItem(key, JSON.stringify({ ...JSON.parse(localStorage.getItem(key)), expires_at: 1 }))
}"""
ENTRY = "5eed0000-0000-4000-8000-000000000001"

# --- finding one's way ----------------------------------------------------------------------------------------------


def new_post(page: Page) -> None:
    page.goto("/admin/blog/new")
    expect(content(page)).to_be_visible()


def open_post(page: Page, post: Post) -> None:
    page.goto(f"/admin/blog/{post.id}")
    expect(title(page)).to_have_value(post.title)
    expect(content(page)).to_be_visible()


def title(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Title", exact=True)


def content(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Content", exact=True)


def tool(page: Page, name: str) -> Locator:
    return page.get_by_role("toolbar", name="Formatting").get_by_role("button", name=name, exact=True)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save Draft", exact=True).click()


def publish(page: Page) -> None:
    page.get_by_role("button", name="Publish", exact=True).click()


def stored(rows: SyncConnection, name: str, *columns: str) -> list[str | None]:
    """Columns of the one post with this title."""
    (row,) = rows.rows(f"select {', '.join(columns)} from public.blog_posts where title = $1", name)
    return [None if value is None else str(value) for value in row]


# --- the whole way --------------------------------------------------------------------------------------------------


def test_what_a_writer_formats_is_what_readers_see(admin_page: Page, page: Page, rows: SyncConnection) -> None:
    name = f"Written here {word()}"
    new_post(admin_page)
    expect(admin_page).to_have_title("New Blog Post - Admin")
    title(admin_page).fill(name)
    slug = name.lower().replace(" ", "-")
    expect(admin_page.get_by_label("URL Slug")).to_have_value(slug)
    admin_page.get_by_label("Excerpt").fill("What it is about.")

    content(admin_page).click()
    keyboard = admin_page.keyboard
    keyboard.type("Plain and ")
    tool(admin_page, "Bold").click()
    keyboard.type("bold")
    tool(admin_page, "Bold").click()
    keyboard.press("Enter")
    tool(admin_page, "Bulleted list").click()
    keyboard.type("first")
    keyboard.press("Enter")
    keyboard.type("second")
    keyboard.press("Enter")
    keyboard.press("Enter")
    tool(admin_page, "Quotation").click()
    keyboard.type("Quoted")
    keyboard.press("Enter")
    tool(admin_page, "Quotation").click()
    tool(admin_page, "Strikethrough").click()
    keyboard.type("struck")
    publish(admin_page)

    expect_toast(admin_page, "Success", "Post created and published")
    admin_page.wait_for_url("**/admin/blog")
    expect(admin_page.get_by_role("article").first).to_contain_text(name)

    page.goto(f"/insights?search={name.split()[-1]}")
    page.get_by_role("link", name=name).click()
    body = page.locator(".article-body")
    expect(body.locator("strong")).to_have_text("bold")
    expect(body.locator("ul > li")).to_have_text(["first", "second"])
    assert body.locator("ul").evaluate("list => getComputedStyle(list).listStyleType") == "disc"
    expect(body.locator("blockquote")).to_contain_text("Quoted")
    assert "line-through" in body.get_by_text("struck").evaluate("e => getComputedStyle(e).textDecorationLine")
    expect(page.get_by_text("What it is about.", exact=True)).to_be_visible()
    minutes, author, flag = stored(rows, name, "reading_time_minutes", "author_name", "published")
    assert (minutes, author, flag) == ("5", "United Medical Waste", "t")


def test_the_whole_flow_works_by_keyboard(admin_page: Page, rows: SyncConnection) -> None:
    name = f"By keyboard {word()}"
    admin_page.goto("/admin/blog")
    admin_page.get_by_role("link", name="New Post").focus()
    admin_page.keyboard.press("Enter")
    expect(content(admin_page)).to_be_visible()

    def tab_to(target: Locator) -> None:
        for _ in range(80):
            if target.evaluate("e => e === document.activeElement || e.contains(document.activeElement)"):
                return
            admin_page.keyboard.press("Tab")
        raise AssertionError("Tab does not lead there")

    tab_to(title(admin_page))
    admin_page.keyboard.type(name)
    tab_to(content(admin_page))
    admin_page.keyboard.type("Typed with ")
    admin_page.keyboard.press("Control+b")
    admin_page.keyboard.type("nothing but keys")
    tab_to(admin_page.get_by_label("Add a tag"))
    admin_page.keyboard.type("Keys")
    admin_page.keyboard.press("Enter")
    admin_page.get_by_role("link", name="Back to Admin").focus()
    tab_to(admin_page.get_by_role("button", name="Publish", exact=True))
    admin_page.keyboard.press("Enter")
    expect_toast(admin_page, "Success", "Post created and published")
    html, tags = stored(rows, name, "content", "tags")
    assert html == "<p>Typed with <strong>nothing but keys</strong></p>"
    assert tags == "{Keys}"


def test_the_toolbar_is_whole(admin_page: Page) -> None:
    new_post(admin_page)
    bar = admin_page.get_by_role("toolbar", name="Formatting")
    for name in (
        "Bold", "Italic", "Underline", "Strikethrough", "Numbered list", "Bulleted list", "Decrease indent",
        "Increase indent", "Link", "Image", "Table", "Quotation", "Code block", "Remove formatting", "Heading level",
        "Text alignment",
    ):  # fmt: skip
        expect(bar.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(bar.locator(".ql-header .ql-picker-item")).to_have_count(7)
    editor = content(admin_page)
    expect(editor).to_have_css("font-size", "16px")
    expect(editor).to_have_css("min-height", "300px")
    expect(editor).to_have_attribute("data-placeholder", "Write your content here...")


# What Chromium's own editing could harm; what jsdom can show is in web/src/features/admin/document/article.test.ts.
LOADED = """<div class="ql-x">
<h2 id="on-a" title="A &quot;t&quot;">Named</h2></div>
<p><a href="mailto:a@b.example">mail</a> <a href="guide.pdf">file</a> <img src="images/a.png">
<img src="//cdn.example/b.png" alt=""></p>
<ul><li>one</li></ul><ul><li><p>two</p><p>more</p></li></ul>
<blockquote><p>a</p></blockquote><blockquote><h3>b</h3></blockquote>
<pre><code>a	b</code></pre><pre>

c <strong>bold</strong></pre><p>10&nbsp;kg<br>or 20\xa0lb of <code>x<strong>y</strong></code></p>loose <em>text</em>
<table><tbody><tr><td><ul><li>in a cell</li></ul></td></tr></tbody></table><p></p><p>Last</p>
"""


def test_what_is_not_touched_is_stored_again_to_the_letter(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Kept {word()}", content=f"<p>First</p>{LOADED}", published_at=None)
    open_post(admin_page, post)
    expect(admin_page.get_by_text("Section kept as it is").first).to_be_visible()
    content(admin_page).get_by_text("First", exact=True).click()
    admin_page.keyboard.press("Home")
    admin_page.keyboard.type("Written ")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == [f"<p>Written First</p>{LOADED}"]


def test_a_writer_is_told_what_saving_drops(admin_page: Page, rows: SyncConnection) -> None:
    text = "<p>First<!-- to do --></p><figure><figcaption>Caption</figcaption></figure><hr>"
    open_post(admin_page, add_post(rows, f"Told {word()}", content=text, published_at=None))
    words = "The stored text holds what articles cannot: comments, <figure>, <figcaption>, <hr>. Once the text is"
    expect(admin_page.get_by_text(words)).to_be_visible()
    open_post(admin_page, add_post(rows, f"Kept {word()}", content=LOADED, published_at=None))
    expect(admin_page.get_by_text("Section kept as it is").first).to_be_visible()
    expect(admin_page.get_by_text("holds what articles cannot")).to_have_count(0)


def test_a_table_is_made_and_changed_cell_by_cell(admin_page: Page, rows: SyncConnection) -> None:
    name = f"With a table {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    content(admin_page).click()
    tool(admin_page, "Table").click()
    for place, text in (("Row 1, column 1", "Stream"), ("Row 1, column 2", "Bag"), ("Row 2, column 1", "Sharps")):
        admin_page.get_by_label(place, exact=True).fill(text)
    admin_page.get_by_role("button", name="Delete row 3").click()
    admin_page.get_by_role("button", name="Insert table").click()
    admin_page.get_by_role("button", name="Edit table").click()
    admin_page.get_by_label("Row 2, column 2", exact=True).fill("None")
    assert violations(admin_page) == []
    admin_page.get_by_role("button", name="Update table").click()
    admin_page.get_by_role("button", name="Write below").click()
    admin_page.keyboard.type("After it")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "content") == [
        "<table><thead><tr><th>Stream</th><th>Bag</th></tr></thead><tbody><tr><td>Sharps</td><td>None</td></tr></tbody></table>"
        "<p>After it</p>"
    ]


def test_a_line_break_inside_a_paragraph_is_one(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Broken line {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    content(admin_page).click()
    admin_page.keyboard.type("one")
    admin_page.keyboard.press("Shift+Enter")
    admin_page.keyboard.type("two")
    admin_page.keyboard.press("Enter")
    admin_page.keyboard.type("three")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "content") == ["<p>one<br>two</p><p>three</p>"]


def test_a_refused_save_leads_to_its_reason(admin_page: Page, rows: SyncConnection) -> None:
    taken = add_post(rows, f"Taken {word()}")
    new_post(admin_page)
    title(admin_page).fill(f"Refused {word()}")
    slug = admin_page.get_by_label("URL Slug")
    slug.fill(taken.slug)
    admin_page.get_by_label("Meta Title").scroll_into_view_if_needed()
    save(admin_page)
    expect_failure(admin_page, "Error", "Failed to save post")
    expect(slug).to_be_focused()
    expect(slug).to_be_in_viewport()
    summary = admin_page.get_by_role("alert").filter(has_text="There is a problem")
    expect(summary).to_contain_text("Another post has this slug already.")


# --- rules of saving ------------------------------------------------------------------------------------------------


def test_without_a_title_nothing_is_saved(admin_page: Page) -> None:
    writes: list[str] = []
    admin_page.on("request", lambda request: writes.append(request.url) if request.method == "POST" else None)
    new_post(admin_page)
    title(admin_page).fill("   ")
    save(admin_page)
    expect_failure(admin_page, "Error", "Title is required")
    expect_error(title(admin_page), "Title is required")
    assert [url for url in writes if "blog_posts" in url] == []


def test_a_new_draft_is_a_draft(admin_page: Page, rows: SyncConnection) -> None:
    name = f"A draft {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    admin_page.wait_for_url("**/admin/blog")
    assert stored(rows, name, "published", "published_at") == ["f", None]


def test_saving_a_published_post_keeps_it_published_from_now_on(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Already out {word()}")
    before = datetime.now(UTC)
    open_post(admin_page, post)
    expect(admin_page).to_have_title(f"Edit: {post.title} - Admin")
    expect(admin_page.get_by_role("switch", name="Published")).to_be_checked()
    admin_page.get_by_label("Excerpt").fill("New.")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    flag, at, slug = stored(rows, post.title, "published", "published_at", "slug")
    assert flag == "t" and at is not None and datetime.fromisoformat(at) > before.replace(microsecond=0)
    assert slug == post.slug


def test_publishing_a_draft_publishes_it(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Going out {word()}", published_at=None)
    open_post(admin_page, post)
    expect(admin_page.get_by_role("link", name="Preview")).to_have_count(0)
    publish(admin_page)
    expect_toast(admin_page, "Success", "Post published successfully")
    assert stored(rows, post.title, "published") == ["t"]


def test_the_switch_decides_without_publish(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Switched {word()}")
    open_post(admin_page, post)
    preview = admin_page.get_by_role("link", name="Preview")
    expect(preview).to_have_attribute("href", f"/insights/{post.slug}")
    expect(preview).to_have_attribute("target", "_blank")
    admin_page.get_by_role("switch", name="Published").click()
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "published", "published_at") == ["f", None]


def test_a_slug_follows_the_title_until_it_is_edited(admin_page: Page, rows: SyncConnection) -> None:
    new_post(admin_page)
    slug = admin_page.get_by_label("URL Slug")
    title(admin_page).fill("OSHA & You:  10 --- Rules!")
    expect(slug).to_have_value("osha-you-10-rules")
    slug.fill("my-own")
    title(admin_page).fill("Another title")
    expect(slug).to_have_value("my-own")
    post = add_post(rows, f"Has a slug {word()}", published_at=None)
    title(admin_page).fill("")
    slug.fill("")
    open_post(admin_page, post)
    title(admin_page).fill("Changed")
    expect(slug).to_have_value(post.slug)


def test_tags_are_added_once_and_removed(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Tagged {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    field = admin_page.get_by_label("Add a tag")
    chips = admin_page.get_by_role("list", name="Tags").get_by_role("listitem")
    field.fill("  OSHA  ")
    field.press("Enter")
    field.fill("OSHA")
    admin_page.get_by_role("button", name="Add", exact=True).click()
    field.fill("   ")
    admin_page.get_by_role("button", name="Add", exact=True).click()
    field.fill("RCRA")
    admin_page.get_by_role("button", name="Add", exact=True).click()
    expect(chips).to_have_text(["OSHA", "RCRA"])
    admin_page.get_by_role("button", name="Remove OSHA").click()
    expect(chips).to_have_text(["RCRA"])
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "tags") == ["{RCRA}"]


@pytest.mark.parametrize(("typed", "minutes"), [("", "5"), ("0", "5"), ("12", "12")])
def test_a_reading_time_that_is_none_is_five(admin_page: Page, rows: SyncConnection, typed: str, minutes: str) -> None:
    name = f"Timed {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    field = admin_page.get_by_label("Reading Time")
    expect(field).to_have_value("5")
    expect(field).to_have_attribute("min", "1")
    field.fill(typed)
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "reading_time_minutes") == [minutes]


def test_meta_limits_are_hints(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Meta {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    admin_page.get_by_label("Meta Title").fill("m" * 70)
    expect(admin_page.get_by_text("70/60", exact=False)).to_be_visible()
    admin_page.get_by_label("Meta Description").fill("d" * 200)
    expect(admin_page.get_by_text("200/160", exact=False)).to_be_visible()
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "meta_title", "meta_description") == ["m" * 70, "d" * 200]


def test_a_save_that_fails_keeps_the_writer_and_the_words(admin_page: Page) -> None:
    new_post(admin_page)
    title(admin_page).fill("Unlucky")
    content(admin_page).fill("Many words.")
    answer(admin_page, WRITE, 500, {"code": "XX000", "message": "broken"}, method="POST")
    save(admin_page)
    expect_failure(admin_page, "Error", "Failed to save post")
    expect(title(admin_page)).to_have_value("Unlucky")
    expect(content(admin_page)).to_have_text("Many words.")
    assert admin_page.url.endswith("/admin/blog/new")


def test_a_slug_in_use_is_named_at_its_field(admin_page: Page, rows: SyncConnection) -> None:
    other = add_post(rows, f"Was first {word()}")
    new_post(admin_page)
    title(admin_page).fill(f"Comes second {word()}")
    admin_page.get_by_label("URL Slug").fill(other.slug)
    save(admin_page)
    expect_failure(admin_page, "Error", "Failed to save post")
    expect_error(admin_page.get_by_label("URL Slug"), "Another post has this slug already.")


def test_a_post_that_cannot_be_fetched_says_so(admin_page: Page) -> None:
    answer(admin_page, ONE, 400, {"code": "22P02", "message": "bad"})
    admin_page.goto(f"/admin/blog/{ENTRY}")
    expect_failure(admin_page, "Error", "Failed to fetch blog post")
    expect(admin_page.get_by_text("Loading post...")).to_have_count(0)


def test_an_untouched_post_is_stored_as_it_was(admin_page: Page, rows: SyncConnection) -> None:
    html = (
        '<h2>Head</h2><p class="ql-align-center">middle</p><ul><li>a<ol><li>b</li></ol></li></ul>'
        '<table><tbody><tr><td>cell</td></tr></tbody></table><p>a&nbsp; b <a href="/quote">in</a></p>'
    )
    post = add_post(rows, f"Untouched {word()}", content=html)
    (before,) = stored(rows, post.title, "content")
    open_post(admin_page, post)
    expect(content(admin_page)).to_contain_text("middle")
    admin_page.get_by_label("Excerpt").fill("Only this.")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == [before]


# --- pictures -------------------------------------------------------------------------------------------------------


def test_a_picture_comes_by_its_address_with_words_for_it(admin_page: Page, rows: SyncConnection) -> None:
    name = f"Pictured {word()}"
    new_post(admin_page)
    title(admin_page).fill(name)
    content(admin_page).click()
    tool(admin_page, "Image").click()
    dialog = admin_page.get_by_role("dialog", name="Image")
    dialog.get_by_label("Image address").fill("data:image/png;base64,AAAA")
    dialog.get_by_role("button", name="Insert image").click()
    expect(dialog.get_by_label("Image address")).to_have_attribute("aria-invalid", "true")
    dialog.get_by_label("Image address").fill("/og/default.png")
    dialog.get_by_label("Alternative text").fill("A map of the six states")
    dialog.get_by_role("button", name="Insert image").click()
    expect(content(admin_page).get_by_role("img", name="A map of the six states")).to_be_visible()
    save(admin_page)
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, name, "content") == ['<p><img src="/og/default.png" alt="A map of the six states"></p>']


# --- nothing is lost ------------------------------------------------------------------------------------------------


def test_leaving_with_unsaved_work_asks_first(admin_page: Page) -> None:
    new_post(admin_page)
    title(admin_page).fill("Half a thought")
    admin_page.get_by_role("link", name="Back to Admin").click()
    dialog = admin_page.get_by_role("dialog", name="Leave without saving?")
    dialog.get_by_role("button", name="Stay").click()
    expect(title(admin_page)).to_have_value("Half a thought")
    admin_page.get_by_role("link", name="Back to Admin").click()
    dialog.get_by_role("button", name="Leave").click()
    expect(admin_page.get_by_role("heading", name="Blog Administration")).to_be_visible()


def test_after_a_crash_the_unsaved_work_is_offered(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Crashed {word()}", content="<p>Stored.</p>")
    open_post(admin_page, post)
    content(admin_page).fill("Never saved.")
    expect(admin_page.get_by_text("Unsaved changes, kept on this device")).to_be_visible()
    context = admin_page.context
    admin_page.close()

    again = context.new_page()
    again.goto(f"/admin/blog/{post.id}")
    dialog = again.get_by_role("dialog", name="Unsaved changes found")
    expect(dialog).to_contain_text("Never saved.")
    dialog.get_by_role("button", name="Restore").click()
    expect(content(again)).to_have_text("Never saved.")
    save(again)
    expect_toast(again, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == ["<p>Never saved.</p>"]


def test_promise_53_a_writer_who_never_pauses_loses_no_more_than_seconds(
    admin_page: Page, rows: SyncConnection
) -> None:
    post = add_post(rows, f"Unpaused {word()}", content="<p>Stored.</p>")
    open_post(admin_page, post)
    content(admin_page).click()
    kept = f"() => (localStorage.getItem('umw:post-draft:{post.id}') ?? '').includes('word ')"
    for number in range(60):  # a key every quarter of a second
        admin_page.keyboard.type("word " if number % 5 == 0 else "x", delay=0)
        admin_page.wait_for_timeout(250)
        if admin_page.evaluate(kept):
            break
    else:
        raise AssertionError("nothing was kept while keys were pressed")


def test_work_outlives_an_expired_session(page: Page, hire: Hire, rows: SyncConnection) -> None:
    person = hire("admin")
    post = add_post(rows, f"Expired {word()}", content="<p>Stored.</p>")
    sign_in(page, person, f"/admin/blog/{post.id}")
    expect(content(page)).to_be_visible()
    content(page).fill("Written too long.")
    expect(page.get_by_text("Unsaved changes, kept on this device")).to_be_visible()
    # The session ends at the server, and the token that the browser still has runs out.
    user = "select id from auth.users where email = $1"
    rows.rows(f"delete from auth.sessions where user_id = ({user})", person.email)
    page.evaluate(EXPIRE)
    save(page)
    expect(page.get_by_role("heading", name="Admin Login")).to_be_visible()
    assert page.url.endswith(f"/auth?returnTo=%2Fadmin%2Fblog%2F{post.id}")

    log_in(page, person.email, person.password)
    dialog = page.get_by_role("dialog", name="Unsaved changes found")
    expect(dialog).to_contain_text("Written too long.")
    dialog.get_by_role("button", name="Restore").click()
    save(page)
    expect_toast(page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == ["<p>Written too long.</p>"]


def test_two_writers_of_one_post_never_overwrite_each_other_unseen(
    admin_page: Page, new_context: Callable[..., BrowserContext], admin_state: StorageState, rows: SyncConnection
) -> None:
    post = add_post(rows, f"Contested {word()}", content="<p>First.</p>")
    other = new_context(storage_state=admin_state).new_page()
    open_post(admin_page, post)
    open_post(other, post)
    content(other).fill("Theirs.")
    save(other)
    expect_toast(other, "Success", "Post updated successfully")

    content(admin_page).fill("Mine.")
    save(admin_page)
    dialog = admin_page.get_by_role("dialog", name="Someone else changed this post")
    expect(dialog).to_contain_text("Theirs.")
    expect(dialog).to_contain_text("Mine.")
    assert stored(rows, post.title, "content") == ["<p>Theirs.</p>"]
    dialog.get_by_role("button", name="Overwrite with mine").click()
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == ["<p>Mine.</p>"]


def test_an_earlier_version_can_be_seen_and_restored(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Revised {word()}", content="<p>Original.</p>")
    open_post(admin_page, post)
    content(admin_page).fill("Worse.")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    open_post(admin_page, post)
    admin_page.get_by_role("button", name="History").click()
    dialog = admin_page.get_by_role("dialog", name="History")
    dialog.get_by_role("list", name="Earlier versions").get_by_role("button").first.click()
    expect(dialog).to_contain_text("Original.")
    dialog.get_by_role("button", name="Restore this version").click()
    expect(content(admin_page)).to_have_text("Original.")
    save(admin_page)
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert stored(rows, post.title, "content") == ["<p>Original.</p>"]


def test_a_post_deleted_meanwhile_is_not_lost(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Deleted {word()}", content="<p>Old.</p>")
    open_post(admin_page, post)
    content(admin_page).fill("Still here.")
    rows.rows("delete from public.blog_posts where id = $1", post.id)
    save(admin_page)
    dialog = admin_page.get_by_role("dialog", name="This post was deleted")
    dialog.get_by_role("button", name="Save as a new post").click()
    expect_toast(admin_page, "Success", "Post created successfully")
    assert stored(rows, post.title, "content") == ["<p>Still here.</p>"]


def test_a_draft_is_previewed_by_administrators_alone(admin_page: Page, page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Secret {word()}", content="<p>Not yet.</p>", published_at=None)
    open_post(admin_page, post)
    link = admin_page.get_by_role("link", name="View as reader")
    with admin_page.context.expect_page() as opened:
        link.click()
    draft = opened.value
    expect(draft.locator(".article-body")).to_have_text("Not yet.")
    content(admin_page).fill("Nearly.")
    expect(draft.locator(".article-body")).to_have_text("Nearly.")
    page.goto(draft.url)
    expect(page.get_by_role("heading", name="Admin Login")).to_be_visible()


# --- for everyone ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("width", ["desktop", "phone"])
@pytest.mark.parametrize("path", ["/admin/blog", "/admin/blog/new", f"/admin/blog/{ENTRY}"])
def test_the_administration_is_accessible(admin_page: Page, path: str, width: str) -> None:
    if width == "phone":
        admin_page.set_viewport_size(PHONE)
    admin_page.goto(path)
    if path == "/admin/blog":
        expect(admin_page.get_by_role("article").first).to_be_visible()
    else:
        expect(content(admin_page)).to_be_visible()
    assert violations(admin_page) == []
    wide, window = admin_page.evaluate("[document.documentElement.scrollWidth, window.innerWidth]")
    assert wide <= window, "the page scrolls sideways"


def test_on_a_phone_saving_is_under_the_thumb_wherever_one_writes(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Thumb {word()}", content="<p>Line.</p>" * 40)
    admin_page.set_viewport_size({"width": 360, "height": 740})
    open_post(admin_page, post)
    save = admin_page.get_by_role("button", name="Save Draft", exact=True)
    tags = admin_page.get_by_role("textbox", name="Add a tag")
    tags.focus()  # the last field
    expect(save).to_be_in_viewport(ratio=1)
    bar = save.locator("xpath=..").bounding_box()
    field = tags.bounding_box()
    assert bar is not None and field is not None
    assert field["y"] + field["height"] <= bar["y"], "the bar covers the field that is written in"
    tags.fill("By thumb")
    tags.press("Enter")
    save.click()
    expect_toast(admin_page, "Success", "Post updated successfully")
    assert rows.rows("select tags from public.blog_posts where id = $1", post.id) == [('{"By thumb"}',)]


def test_the_dialogs_are_accessible(admin_page: Page, rows: SyncConnection) -> None:
    admin_page.goto("/admin/blog")
    admin_page.get_by_role("button", name="Bulk Upload").click()
    admin_page.get_by_label("JSON Data").fill("[{}]")
    admin_page.get_by_role("button", name="Upload Posts").click()
    expect(admin_page.get_by_text("1 failed", exact=True)).to_be_visible()
    assert violations(admin_page) == []
    post = add_post(rows, f"Opened {word()}")
    open_post(admin_page, post)
    tool(admin_page, "Image").click()
    expect(admin_page.get_by_role("dialog", name="Image")).to_be_visible()
    assert violations(admin_page) == []
