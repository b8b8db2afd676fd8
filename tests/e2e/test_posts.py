"""The list of posts: figures, filters, actions, and what of them readers see."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Locator, Page, expect

from gateway.database import SyncConnection
from tests.e2e.axe import violations
from tests.e2e.posts import Post, add_post, word
from tests.e2e.screen import expect_failure, expect_toast
from tests.fixtures.browser import Held, answer

LIST = re.compile(r"/rest/v1/blog_posts\?select=id(,|%2C)")
ROW = re.compile(r"/rest/v1/blog_posts\?id=eq\.")


def days_ago(days: float) -> str:
    return (datetime.now(UTC) - timedelta(days=days)).isoformat()


def find(page: Page, words: str) -> None:
    page.get_by_placeholder("Search posts...").fill(words)
    page.keyboard.press("Enter")


def item(page: Page, post: Post) -> Locator:
    return page.get_by_role("article").filter(has=page.get_by_role("heading", name=post.title, exact=True))


def figures(page: Page) -> dict[str, int]:
    expect(page.get_by_role("article").first).to_be_visible()
    pairs = page.locator("dl > div").all_inner_texts()
    found = {}
    for pair in pairs:
        number = re.search(r"\d+", pair)
        assert number is not None
        found[pair.replace(number[0], "").strip()] = int(number[0])
    return found


def test_a_post_is_published_read_and_taken_back(admin_page: Page, page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"To publish {word()}", published_at=None)
    admin_page.goto("/admin/blog")
    find(admin_page, post.title)
    row = item(admin_page, post)
    expect(row.get_by_text("Draft", exact=True)).to_be_visible()
    row.get_by_role("button", name=f"Publish {post.title}", exact=True).click()
    expect_toast(admin_page, "Success", "Post published successfully")
    expect(row.get_by_text("Published", exact=True)).to_be_visible()
    assert rows.rows(
        "select published, published_at > now() - interval '5 minutes' from public.blog_posts where id = $1", post.id
    ) == [("t", "t")]

    page.goto("/insights")
    expect(page.get_by_role("article").first.get_by_role("heading")).to_have_text(post.title)

    row.get_by_role("button", name=f"Unpublish {post.title}", exact=True).click()
    expect_toast(admin_page, "Success", "Post unpublished successfully")
    expect(row.get_by_text("Draft", exact=True)).to_be_visible()
    assert rows.rows("select published, published_at from public.blog_posts where id = $1", post.id) == [("f", None)]
    page.goto(f"/insights/{post.slug}")
    expect(page.get_by_role("heading", name="Article Not Found")).to_be_visible()


def test_deleting_asks_first_and_is_for_good(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"To delete {word()}", published_at=None)
    admin_page.goto("/admin/blog")
    find(admin_page, post.title)
    delete = item(admin_page, post).get_by_role("button", name=f"Delete {post.title}", exact=True)
    delete.click()
    dialog = admin_page.get_by_role("dialog")
    expect(dialog.get_by_text(f'Are you sure you want to delete "{post.title}"?', exact=True)).to_be_visible()
    admin_page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(delete).to_be_focused()
    delete.click()
    dialog.get_by_role("button", name="Delete", exact=True).click()
    expect_toast(admin_page, "Success", "Blog post deleted successfully")
    expect(admin_page.get_by_text("No posts found matching your search.", exact=True)).to_be_visible()
    assert rows.rows("select from public.blog_posts where id = $1", post.id) == []


def test_a_row_says_who_when_and_about_what(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(
        rows, f"A row {word()}", tags=["First", "Second", "Third"], author_name="Mara Lind", excerpt="In short.",
        published_at="2021-02-03T12:00:00Z", created_at="2021-01-02T12:00:00Z",
    )  # fmt: skip
    draft = add_post(rows, f"{post.title} draft", published_at=None)
    admin_page.goto("/admin/blog")
    find(admin_page, post.title)
    row = item(admin_page, post)
    expect(row.get_by_text("By Mara Lind", exact=True)).to_be_visible()
    expect(row.get_by_text("Created Jan 2, 2021", exact=True)).to_be_visible()
    expect(row.get_by_text("Published Feb 3, 2021", exact=True)).to_be_visible()
    expect(row.get_by_text("In short.", exact=True)).to_be_visible()
    expect(row.get_by_text("Second", exact=True)).to_be_visible()
    expect(row.get_by_text("Third", exact=True)).to_have_count(0)
    view = row.get_by_role("link", name="View")
    expect(view).to_have_attribute("href", f"/insights/{post.slug}")
    expect(view).to_have_attribute("target", "_blank")
    expect(row.get_by_role("link", name="Edit")).to_have_attribute("href", f"/admin/blog/{post.id}")
    expect(item(admin_page, draft).get_by_role("link", name="View")).to_have_count(0)


def test_the_figures_count_what_there_is(admin_page: Page, rows: SyncConnection) -> None:
    admin_page.goto("/admin/blog")
    before = figures(admin_page)
    add_post(rows, f"Old {word()}")
    add_post(rows, f"New {word()}", published_at=days_ago(2))
    add_post(rows, f"Draft {word()}", published_at=None)
    admin_page.reload()
    after = figures(admin_page)
    assert {name: after[name] - before[name] for name in after} == {
        "Total Posts": 3, "Published": 2, "Drafts": 1, "This Week": 1,
    }  # fmt: skip


def test_search_and_status_narrow_the_list(admin_page: Page, rows: SyncConnection) -> None:
    rare = word()
    add_post(rows, f"{rare.upper()} published", created_at=days_ago(30))
    add_post(rows, "By its author", author_name=f"Ms {rare}", published_at=None, created_at=days_ago(31))
    add_post(rows, f"{rare} recent", published_at=None, created_at=days_ago(6))
    add_post(rows, "By nothing", excerpt=rare, created_at=days_ago(30))
    admin_page.goto("/admin/blog")
    titles = admin_page.get_by_role("article").get_by_role("heading")
    find(admin_page, rare)
    expect(titles).to_have_text([f"{rare} recent", f"{rare.upper()} published", "By its author"])
    status = admin_page.get_by_role("combobox", name="Status")
    assert status.locator("option").all_inner_texts() == ["All Posts", "Published", "Drafts", "Recent (7 days)"]
    status.select_option(label="Published")
    expect(titles).to_have_text([f"{rare.upper()} published"])
    status.select_option(label="Drafts")
    expect(titles).to_have_text([f"{rare} recent", "By its author"])
    status.select_option(label="Recent (7 days)")
    expect(titles).to_have_text([f"{rare} recent"])
    admin_page.reload()
    expect(titles).to_have_text([f"{rare} recent"])


def test_an_empty_list_invites_to_write(admin_page: Page) -> None:
    admin_page.route(LIST, lambda route: route.fulfill(json=[], headers={"content-range": "*/0"}))
    admin_page.goto("/admin/blog")
    expect(admin_page.get_by_text("No blog posts yet. Create your first post!", exact=True)).to_be_visible()
    expect(admin_page.get_by_role("link", name="New Post")).to_have_attribute("href", "/admin/blog/new")


def test_loading_posts_is_said_while_it_lasts(admin_page: Page) -> None:
    held = Held(admin_page, LIST)
    admin_page.goto("/admin/blog")
    expect(admin_page.get_by_text("Loading posts...")).to_be_visible()
    held.first().continue_()
    expect(admin_page.get_by_text("Loading posts...")).to_have_count(0)
    expect(admin_page.get_by_role("article").first).to_be_visible()


def test_a_list_that_cannot_be_fetched_says_so(admin_page: Page) -> None:
    answer(admin_page, LIST, 403, {"code": "42501", "message": "no"})
    admin_page.goto("/admin/blog")
    expect_failure(admin_page, "Error", "Failed to fetch blog posts")


@pytest.mark.parametrize(
    ("button", "method", "message"),
    [("Publish", "PATCH", "Failed to update post status"), ("Delete", "DELETE", "Failed to delete blog post")],
)
def test_an_action_that_fails_changes_nothing(
    admin_page: Page, rows: SyncConnection, button: str, method: str, message: str
) -> None:
    post = add_post(rows, f"Failing {word()}", published_at=None)
    admin_page.goto("/admin/blog")
    find(admin_page, post.title)
    answer(admin_page, ROW, 500, {"code": "XX000", "message": "broken"}, method=method)
    row = item(admin_page, post)
    row.get_by_role("button", name=f"{button} {post.title}", exact=True).click()
    if button == "Delete":
        admin_page.get_by_role("dialog").get_by_role("button", name="Delete", exact=True).click()
    expect_failure(admin_page, "Error", message)
    expect(row.get_by_text("Draft", exact=True)).to_be_visible()


# --- the desk --------------------------------------------------------------------------------------------------------


def test_posts_are_sorted_and_changed_together(admin_page: Page, rows: SyncConnection) -> None:
    mark = word()
    first, second = add_post(rows, f"B {mark}", published_at=None), add_post(rows, f"A {mark}", published_at=None)
    admin_page.goto(f"/admin/blog?search={mark}")
    titles = admin_page.get_by_role("article").get_by_role("heading")
    expect(titles).to_have_count(2)
    admin_page.get_by_role("button", name="Sort by title").click()
    expect(titles).to_have_text([second.title, first.title])
    admin_page.get_by_role("button", name="Sort by title").click()
    expect(titles).to_have_text([first.title, second.title])
    admin_page.get_by_label("Select all on this page").check()
    bar = admin_page.get_by_role("group", name="Selected posts")
    expect(bar).to_contain_text("2 selected")
    bar.get_by_role("button", name="Add tag").click()
    admin_page.get_by_role("textbox", name="Tag", exact=True).fill("Desk")
    admin_page.get_by_role("dialog").get_by_role("button", name="Add tag").click()
    expect_toast(admin_page, "Success", '2 posts tagged "Desk"')
    admin_page.get_by_label("Select all on this page").check()
    bar.get_by_role("button", name="Publish all", exact=True).click()
    expect_toast(admin_page, "Success", "2 posts published")
    found = rows.rows("select tags, published from public.blog_posts where title like $1", f"%{mark}")
    assert found == [("{Desk}", "t")] * 2
    admin_page.get_by_label("Select all on this page").check()
    bar.get_by_role("button", name="Delete all").click()
    admin_page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect_toast(admin_page, "Success", "2 posts deleted")
    expect(admin_page.get_by_text("No posts found matching your search.")).to_be_visible()


def test_what_is_as_it_should_be_is_not_counted_as_changed(admin_page: Page, rows: SyncConnection) -> None:
    mark = word()
    early = "2020-02-03T12:00:00+00:00"
    add_post(rows, f"Out {mark}", published_at=early, tags=["Desk"])
    add_post(rows, f"Draft {mark}", published_at=None)
    admin_page.goto(f"/admin/blog?search={mark}")
    bar = admin_page.get_by_role("group", name="Selected posts")
    for button, said in (
        ("Publish all", "1 post published; 1 was already"),
        ("Publish all", "0 posts published; 2 were already"),
        ("Unpublish all", "2 posts unpublished"),
        ("Unpublish all", "0 posts unpublished; 2 were already"),
    ):
        admin_page.get_by_label("Select all on this page").check()
        bar.get_by_role("button", name=button, exact=True).click()
        expect_toast(admin_page, "Success", said)
        if said.startswith("1 post"):  # nor is its date another
            found = rows.rows("select published_at from public.blog_posts where title = $1", f"Out {mark}")
            assert found[0][0] is not None and found[0][0].startswith("2020-02-03")
    admin_page.get_by_label("Select all on this page").check()
    bar.get_by_role("button", name="Add tag").click()
    admin_page.get_by_role("textbox", name="Tag", exact=True).fill("Desk")
    admin_page.get_by_role("dialog").get_by_role("button", name="Add tag").click()
    expect_toast(admin_page, "Success", '1 post tagged "Desk"; 1 was already')


def test_a_post_appears_at_its_time(admin_page: Page, page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Later {word()}", published_at=None)
    admin_page.goto(f"/admin/blog/{post.id}")
    admin_page.get_by_label("Publish At").fill("2099-05-06T07:08")
    admin_page.get_by_role("button", name="Publish", exact=True).click()
    expect_toast(admin_page, "Success", "Post published successfully")
    expect(admin_page.get_by_role("article").filter(has_text=post.title)).to_contain_text("Scheduled")
    response = page.goto(f"/insights/{post.slug}")
    assert response is not None and response.status == 404
    rows.rows(
        "with past as (select now() - interval '1 minute' as at)"
        " update public.blog_posts set published_at = at, publish_at = at from past where id = $1",
        post.id,
    )
    page.goto(f"/insights/{post.slug}")
    expect(page.get_by_role("heading", level=1)).to_have_text(post.title)


def test_a_draft_is_shown_to_who_has_its_link(admin_page: Page, page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Shown early {word()}", published_at=None, content="<p>Not yet out.</p>")
    admin_page.goto(f"/admin/blog/{post.id}")
    admin_page.get_by_role("button", name="Preview link").click()
    address = admin_page.get_by_role("textbox", name="Address", exact=True).input_value()
    page.goto(address)
    expect(page.get_by_role("heading", level=1)).to_have_text(post.title)
    expect(page.get_by_text("Not yet out.")).to_be_visible()
    rows.rows("update public.post_previews set expires_at = now() where post_id = $1", post.id)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Preview Not Found")


def test_dead_links_and_redirects_are_listed(admin_page: Page, rows: SyncConnection) -> None:
    post = add_post(
        rows, f"Linking {word()}", content='<p><a href="/insights/nobody-home">a</a> <a href="/quote">b</a></p>'
    )
    rows.rows("update public.blog_posts set slug = slug || '-new' where id = $1", post.id)
    admin_page.goto("/admin/links")
    expect(admin_page.get_by_role("region", name="Redirects")).to_contain_text(f"/insights/{post.slug}")
    admin_page.get_by_role("button", name="Check all articles").click()
    dead = admin_page.get_by_role("region", name="Dead links").get_by_role("row").filter(has_text=post.title)
    expect(dead).to_have_count(1)
    expect(dead).to_contain_text("No article has this address.")
    assert violations(admin_page) == []
    expect(admin_page.get_by_role("contentinfo")).to_have_count(0)
