"""A visitor searches, filters and reads Insights."""

from __future__ import annotations

import re
import uuid
from collections.abc import Callable
from urllib.parse import unquote

import pytest
from playwright.sync_api import BrowserContext, Locator, Page, expect

from gateway.database import SyncConnection
from tests.e2e.posts import add_post, word
from tests.e2e.screen import events, expect_toast
from tests.fixtures.browser import Held, answer

LIST = re.compile(r"/rest/v1/blog_posts\?.*limit=10")
SINGLE = re.compile(r"/rest/v1/blog_posts\?select=\*")


def titles(page: Page) -> Locator:
    """Titles of the cards, in order."""
    return page.get_by_role("main").get_by_role("article").get_by_role("heading")


def search(page: Page, words: str) -> None:
    page.get_by_role("searchbox", name="Search articles").fill(words)


def open_by_link(page: Page) -> None:
    """The list as the browser itself asks for it: the first page of a visit brings its articles along."""
    page.goto("/about")
    page.get_by_role("navigation", name="Main").get_by_role("link", name="Insights").click()
    expect(page.get_by_role("heading", level=1, name="Insights")).to_be_visible()


def numbers(page: Page) -> list[str]:
    """What the pagination shows between its arrows."""
    return [text for text in page.get_by_role("navigation", name="Pagination").inner_text().split() if text]


# --- the list -------------------------------------------------------------------------------------------------------


def test_the_newest_articles_come_first_ten_a_page(page: Page) -> None:
    page.goto("/insights")
    expect(page.get_by_text(re.compile(r"^Showing 10 of \d+ articles \(page 1 of \d+\)$"))).to_be_visible()
    expect(titles(page)).to_have_count(10)
    dates = page.get_by_role("main").locator("article time").evaluate_all("all => all.map(one => one.dateTime)")
    assert dates == sorted(dates, reverse=True)


def test_a_card_leads_to_its_article(page: Page) -> None:
    page.goto("/insights?search=Separator")
    card = page.get_by_role("article").filter(has_text="Dental Amalgam: Living With the Separator Rule")
    expect(card.get_by_text("Jul 21, 2026", exact=True)).to_be_visible()
    expect(card.get_by_text("United Medical Waste", exact=True)).to_be_visible()
    expect(card.get_by_text("Dental", exact=True)).to_be_visible()
    expect(card.get_by_text("Compliance", exact=True)).to_be_visible()
    expect(card.get_by_text("Sharps", exact=True)).to_have_count(0)
    card.get_by_role("link").click()
    page.wait_for_url("**/insights/dental-amalgam-separators-40-cfr-441")


def test_search_looks_into_title_and_excerpt_whatever_the_case(page: Page, rows: SyncConnection) -> None:
    rare = word()
    add_post(rows, f"About {rare.upper()} boxes")
    add_post(rows, f"Second {uuid.uuid4()}", excerpt=f"Mentions {rare} once.")
    add_post(rows, f"Third {uuid.uuid4()}", content=f"<p>{rare}</p>")
    page.goto("/insights")
    search(page, rare)
    expect(page.get_by_text(f'Showing 2 of 2 articles for "{rare}"', exact=True)).to_be_visible()
    assert page.url.endswith(f"/insights?search={rare}")


SIGNS = "\"',()%_\\*{}[.:;&+#?/<é😀"


def test_search_finds_what_any_sign_says(page: Page, rows: SyncConnection) -> None:
    rare = word()
    add_post(rows, f"{rare} a-b")
    for sign in SIGNS:
        add_post(rows, f"{rare} a{sign}b")
    page.goto("/insights")
    for sign in SIGNS:
        words = f"{rare} a{sign}b"
        search(page, words)
        page.keyboard.press("Enter")
        expect(page.get_by_text(f'Showing 1 of 1 articles for "{words}"', exact=True)).to_be_visible()
        expect(titles(page)).to_have_text([words])


def test_a_search_of_signs_survives_a_reload(page: Page, rows: SyncConnection) -> None:
    words = f'{word()} 100% "a,b" (c)+&#\\'
    add_post(rows, words)
    page.goto("/insights")
    search(page, words)
    expect(page.get_by_text(f'Showing 1 of 1 articles for "{words}"', exact=True)).to_be_visible()
    page.reload()
    expect(page.get_by_role("searchbox", name="Search articles")).to_have_value(words)
    expect(page.get_by_text(f'Showing 1 of 1 articles for "{words}"', exact=True)).to_be_visible()


def test_a_topic_filters_and_clears_itself(page: Page) -> None:
    page.goto("/insights")
    topics = page.get_by_role("group", name="Filter by topic")
    topics.get_by_role("button", name="OSHA", exact=True).click()
    expect(page.get_by_text(re.compile(r'^Showing \d+ of \d+ articles in "OSHA"$'))).to_be_visible()
    assert page.url.endswith("/insights?tag=OSHA")
    expect(titles(page).filter(has_text="Sharps Containers: Where They Go")).to_have_count(1)
    expect(titles(page).filter(has_text="Dental Amalgam")).to_have_count(0)
    expect(topics.get_by_role("button", name="OSHA", exact=True)).to_have_attribute("aria-pressed", "true")
    topics.get_by_role("button", name="OSHA", exact=True).click()
    expect(page.get_by_text(re.compile(r"^Showing 10 of \d+ articles \(page 1"))).to_be_visible()
    assert page.url.endswith("/insights")


def test_who_comes_from_another_page_sees_the_same_topics(page: Page) -> None:
    page.goto("/insights")
    topics = page.get_by_role("group", name="Filter by topic").get_by_role("button")
    expect(topics.filter(has_text=re.compile(r"^OSHA$"))).to_be_visible()
    came = topics.all_inner_texts()
    with page.expect_response(lambda answer: answer.url.endswith("/rest/v1/rpc/list_topics")):
        open_by_link(page)
    expect(topics).to_have_text(came)


def test_a_topic_may_hold_any_sign(page: Page, rows: SyncConnection) -> None:
    topics = [f"{word()}{sign}x" for sign in SIGNS]
    for topic in topics:
        add_post(rows, f"On {topic}", tags=[topic])
    page.goto("/insights")
    page.get_by_role("button", name=re.compile(r"^All \d+ topics$")).click()
    for topic in topics:
        page.get_by_role("button", name=topic, exact=True).click()
        expect(page.get_by_text(f'Showing 1 of 1 articles in "{topic}"', exact=True)).to_be_visible()
        expect(titles(page)).to_have_text([f"On {topic}"])


def test_search_and_topic_together_name_both(page: Page) -> None:
    page.goto("/insights?tag=OSHA")
    search(page, "sharps")
    expect(page.get_by_text(re.compile(r'^Showing \d+ of \d+ articles for "sharps" in "OSHA"$'))).to_be_visible()
    expect(titles(page).filter(has_text="Sharps Containers: Where They Go")).to_have_count(1)


@pytest.fixture(scope="session")
def long_topic() -> str:
    return word()


@pytest.fixture
def hundred(rows: SyncConnection, long_topic: str) -> str:
    """A topic with 95 articles, made once."""
    if rows.rows("select from public.blog_posts where tags @> array[$1] limit 1", long_topic) == []:
        for number in range(95):
            add_post(
                rows, f"{long_topic} number {number:02}", tags=[long_topic],
                published_at=f"2019-01-01T{number // 60:02}:{number % 60:02}:00Z",
            )  # fmt: skip
    return long_topic


@pytest.mark.parametrize(
    ("number", "shown"),
    [
        (1, ["1", "2", "…", "10"]),
        (4, ["1", "…", "3", "4", "5", "…", "10"]),
        (5, ["1", "…", "4", "5", "6", "…", "10"]),
        (10, ["1", "…", "9", "10"]),
    ],
)
def test_pagination_shows_the_ends_and_the_neighbours(page: Page, hundred: str, number: int, shown: list[str]) -> None:
    page.goto(f"/insights?tag={hundred}&page={number}")
    count = 5 if number == 10 else 10
    line = f'Showing {count} of 95 articles in "{hundred}" (page {number} of 10)'
    expect(page.get_by_text(line, exact=True)).to_be_visible()
    assert numbers(page) == shown
    expect(page.get_by_role("link", name=f"Page {number}", exact=True)).to_have_attribute("aria-current", "page")


def test_a_page_survives_reload_and_back(page: Page, hundred: str) -> None:
    page.goto(f"/insights?tag={hundred}")
    page.get_by_role("link", name="Next page").click()
    expect(page.get_by_text("(page 2 of 10)")).to_be_visible()
    expect(page.get_by_role("heading", name=f"{hundred} number 84")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
    page.reload()
    expect(page.get_by_text("(page 2 of 10)")).to_be_visible()
    page.get_by_role("link", name=f"{hundred} number 84").click()
    expect(page.get_by_role("heading", level=1, name=f"{hundred} number 84")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("(page 2 of 10)")).to_be_visible()
    page.go_back()
    expect(page.get_by_text("(page 1 of 10)")).to_be_visible()


def test_a_new_search_or_topic_starts_at_page_one(page: Page, hundred: str) -> None:
    page.goto(f"/insights?tag={hundred}&page=3")
    expect(page.get_by_text("(page 3 of 10)")).to_be_visible()
    search(page, "number 1")
    expect(page.get_by_text(f'Showing 10 of 10 articles for "number 1" in "{hundred}"', exact=True)).to_be_visible()
    assert "page=" not in page.url


def test_a_page_behind_the_last_leads_to_the_first(page: Page, hundred: str) -> None:
    page.goto(f"/insights?tag={hundred}&page=99")
    expect(page.get_by_text("(page 1 of 10)")).to_be_visible()
    page.wait_for_url(re.compile(r"tag=[^&]*$"))


def test_nothing_found_can_be_cleared(page: Page) -> None:
    page.goto("/insights")
    expect(page.get_by_role("article")).to_have_count(10)
    search(page, f"nothing has {word()}")
    expect(page.get_by_role("heading", name="No articles found")).to_be_visible()
    expect(page.get_by_text("Try adjusting your search criteria or browse all topics.", exact=True)).to_be_visible()
    page.get_by_role("button", name="Clear Filters").click()
    expect(page.get_by_role("article")).to_have_count(10)
    expect(page.get_by_role("searchbox", name="Search articles")).to_have_value("")
    assert page.url.endswith("/insights")


def test_a_site_without_articles_says_so(page: Page) -> None:
    page.route(LIST, lambda route: route.fulfill(json=[], headers={"content-range": "*/0"}))
    open_by_link(page)
    expect(page.get_by_role("heading", name="No articles yet")).to_be_visible()
    sentence = "We're working on bringing you valuable insights. Check back soon!"
    expect(page.get_by_text(sentence, exact=True)).to_be_visible()


def test_a_list_that_fails_ends_empty_and_is_logged(page: Page) -> None:
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text) if message.type == "error" else None)
    answer(page, LIST, 400, {"code": "42703", "message": "no such column"})
    open_by_link(page)
    expect(page.get_by_role("heading", name="No articles yet")).to_be_visible()
    expect(page.get_by_text("Loading articles...")).to_have_count(0)
    assert any("Articles could not be loaded" in text for text in logged)


def test_loading_is_said_while_it_lasts(page: Page) -> None:
    held = Held(page, LIST)
    open_by_link(page)
    expect(page.get_by_text("Loading articles...")).to_be_visible()
    held.first().continue_()
    expect(page.get_by_text("Loading articles...")).to_have_count(0)
    expect(page.get_by_role("article")).to_have_count(10)


def test_the_list_comes_with_the_page(page: Page) -> None:
    calls: list[str] = []
    client = re.compile(r"/assets/(client|queries)-[^/]+\.js$")
    asking = re.compile(rf"/rest/v1/|{client.pattern}")
    page.on("request", lambda request: calls.append(request.url) if asking.search(request.url) else None)
    page.goto("/insights?tag=OSHA")
    expect(page.get_by_role("button", name="OSHA", exact=True)).to_have_attribute("aria-pressed", "true")
    expect(titles(page).filter(has_text="Sharps Containers: Where They Go")).to_have_count(1)
    assert calls == []
    data = page.locator("script[type='application/ld+json']").evaluate_all(
        "all => all.map(one => JSON.parse(one.text))"
    )
    assert [one["@type"] for one in data] == ["CollectionPage"]
    feed = page.locator("head link[rel=alternate]")
    expect(feed).to_have_attribute("type", "application/atom+xml")
    assert page.request.get(feed.evaluate("link => link.href")).headers["content-type"].startswith("application/atom")
    with page.expect_request(client):  # not before there is something to ask
        page.get_by_label("Search articles").fill("gloves")


def test_the_list_works_without_a_script(new_context: Callable[..., BrowserContext], hundred: str) -> None:
    page = new_context(java_script_enabled=False).new_page()
    page.goto(f"/insights?tag={hundred}")
    expect(page.get_by_text(f'Showing 10 of 95 articles in "{hundred}" (page 1 of 10)', exact=True)).to_be_visible()
    page.get_by_role("link", name="Next page").click()
    expect(titles(page).first).to_have_text(f"{hundred} number 84")
    assert numbers(page) == ["1", "2", "3", "…", "10"]
    search(page, "number 07")
    page.keyboard.press("Enter")
    expect(page.get_by_text(f'Showing 1 of 1 articles for "number 07" in "{hundred}"', exact=True)).to_be_visible()
    page.get_by_role("article").get_by_role("link").click()
    expect(page.get_by_role("heading", level=1, name=f"{hundred} number 07")).to_be_visible()


@pytest.mark.parametrize("served", [True, False], ids=["rendered by the function", "as it was built"])
def test_words_typed_before_the_script_is_here_count(page: Page, served: bool) -> None:
    if not served:
        page.route("**/insights", lambda route: route.continue_(headers={**route.request.headers, "x-site-plain": "1"}))
    script = Held(page, re.compile(r"/assets/index-[^/]*\.js"))
    page.goto("/insights", wait_until="commit")
    box = page.get_by_role("searchbox", name="Search articles")
    box.press_sequentially("Separatr")
    box.press("ArrowLeft")
    script.first().continue_()
    expect(titles(page)).to_have_count(0)
    # Caret and focus are where they were.
    page.keyboard.type("o")
    expect(box).to_have_value("Separator")
    expect(titles(page)).to_have_text(["Dental Amalgam: Living With the Separator Rule"])
    assert page.url.endswith("/insights?search=Separator")


@pytest.mark.parametrize("served", [True, False], ids=["rendered by the function", "as it was built"])
def test_words_put_in_by_voice_before_the_script_is_here_count(page: Page, served: bool) -> None:
    """No key is pressed, and nothing is focused: a machine sets the value."""
    if not served:
        page.route("**/insights", lambda route: route.continue_(headers={**route.request.headers, "x-site-plain": "1"}))
    script = Held(page, re.compile(r"/assets/index-[^/]*\.js"))
    page.goto("/insights", wait_until="commit")
    page.get_by_role("searchbox", name="Search articles").evaluate("box => { box.value = 'Separator' }")
    script.first().continue_()
    expect(titles(page)).to_have_text(["Dental Amalgam: Living With the Separator Rule"])
    assert page.url.endswith("/insights?search=Separator")


def test_a_topic_pressed_while_the_script_takes_the_page_over_is_chosen(page: Page) -> None:
    script = Held(page, re.compile(r"/assets/index-[^/]*\.js"))
    page.goto("/insights", wait_until="commit")
    page.get_by_role("link", name="OSHA", exact=True).first.hover()
    page.mouse.down()
    script.first().continue_()
    topic = page.get_by_role("group", name="Filter by topic").get_by_role("button", name="OSHA", exact=True)
    expect(topic).to_have_attribute("aria-pressed", "false")
    page.mouse.up()
    expect(topic).to_have_attribute("aria-pressed", "true")
    expect(page.get_by_text(re.compile(r'^Showing \d+ of \d+ articles in "OSHA"$'))).to_be_visible()


def test_a_topic_is_chosen_and_left_by_the_keys_of_a_button(page: Page) -> None:
    page.goto("/insights")
    topic = page.get_by_role("group", name="Filter by topic").get_by_role("button", name="OSHA", exact=True)
    for key, pressed in (("Space", "true"), ("Space", "false"), ("Enter", "true"), ("Enter", "false")):
        topic.focus()
        page.keyboard.press(key)
        expect(topic).to_have_attribute("aria-pressed", pressed)
        expect(topic).to_be_focused()
    assert page.url.endswith("/insights")


def test_what_came_with_the_page_is_there_again_on_the_way_back(page: Page) -> None:
    page.goto("/insights?tag=OSHA")
    shown = titles(page).all_inner_texts()
    page.get_by_role("article").first.get_by_role("link").click()
    expect(page.get_by_role("link", name="Back to Insights")).to_be_visible()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if LIST.search(request.url) else None)
    page.go_back()
    expect(titles(page)).to_have_text(shown)
    assert asked == []


def test_a_search_whose_code_cannot_be_had_says_so_and_is_found_later(page: Page) -> None:
    logged: list[str] = []
    page.on("console", lambda message: logged.append(message.text) if message.type == "error" else None)
    page.goto("/insights")
    page.context.set_offline(True)
    search(page, "Separator")
    expect(page.get_by_role("heading", name="No articles found")).to_be_visible()
    assert any("could not be loaded" in text for text in logged)
    page.context.set_offline(False)
    search(page, "Separator Rule")
    expect(titles(page)).to_have_text(["Dental Amalgam: Living With the Separator Rule"])


def test_drafts_are_invisible(page: Page, rows: SyncConnection) -> None:
    draft = add_post(rows, f"Draft {word()}", published_at=None)
    page.goto("/insights")
    search(page, draft.title)
    expect(page.get_by_role("heading", name="No articles found")).to_be_visible()
    page.goto(f"/insights/{draft.slug}")
    expect(page.get_by_role("heading", name="Article Not Found")).to_be_visible()


# --- the article ----------------------------------------------------------------------------------------------------


def test_an_article_is_read_whole(page: Page) -> None:
    page.goto("/insights/dental-amalgam-separators-40-cfr-441")
    expect(page).to_have_title(re.compile("Dental|Amalgam"))
    main = page.get_by_role("main")
    expect(main.get_by_role("heading", level=1, name="Dental Amalgam: Living With the Separator Rule")).to_be_visible()
    expect(main.get_by_text("July 21, 2026", exact=True)).to_be_visible()
    expect(main.get_by_text(re.compile(r"^\d+ min read$")).first).to_be_visible()
    expect(main.get_by_text("United Medical Waste", exact=True).first).to_be_visible()
    expect(main.locator(".article-body")).to_contain_text("amalgam")
    expect(main.get_by_role("link", name="Back to Insights")).to_have_attribute("href", "/insights")
    expect(main.get_by_role("link", name="Get Free Quote")).to_have_attribute("href", "/quote")
    expect(main.get_by_role("link", name="Contact Us")).to_have_attribute("href", "/contact")
    (seen,) = events(page, "view_item")
    assert seen["item_category"] == "article"
    main.get_by_role("link", name="Dental", exact=True).click()
    expect(page.get_by_text(re.compile(r'^Showing \d+ of \d+ articles in "Dental"$'))).to_be_visible()


def test_an_unknown_slug_is_not_found(page: Page) -> None:
    page.goto("/insights/there-is-no-such-article")
    expect(page.get_by_role("heading", name="Article Not Found")).to_be_visible()
    expect(page.get_by_text("Article not found", exact=True)).to_be_visible()
    description = page.locator("meta[name=description]")
    expect(description).to_have_attribute("content", "The requested article could not be found.")
    page.get_by_role("link", name="Back to Insights").click()
    page.wait_for_url("**/insights")


def test_an_article_that_fails_says_so(page: Page) -> None:
    answer(page, SINGLE, 400, {"code": "22P02", "message": "bad"})
    page.goto("/insights")
    page.get_by_role("article").first.get_by_role("link").click()
    expect(page.get_by_role("heading", name="Article Not Found")).to_be_visible()
    expect(page.get_by_text("Failed to load article", exact=True)).to_be_visible()


def test_an_article_is_sanitized_and_keeps_its_formatting(page: Page, rows: SyncConnection) -> None:
    post = add_post(
        rows,
        f"Formatted {word()}",
        content='<h2>Start</h2><p class="ql-align-center">mid <strong>b</strong> <em>i</em> <u>u</u></p>'
        "<ul><li>one</li></ul><blockquote>said</blockquote><pre>code</pre>"
        "<table><tbody><tr><td>cell</td></tr></tbody></table>"
        '<p onclick="window.hit=1"><img src="x" onerror="window.hit=2"><script>window.hit=3</script>'
        '<a href="javascript:window.hit=4">link</a><iframe src="/"></iframe></p>',
    )
    page.goto(f"/insights/{post.slug}")
    body = page.locator(".article-body")
    expect(body.get_by_role("heading", name="Start")).to_be_visible()
    for tag in ("strong", "em", "u", "li", "blockquote", "pre", "td"):
        expect(body.locator(tag)).to_have_count(1)
    assert body.locator("p").first.evaluate("p => getComputedStyle(p).textAlign") == "center"
    assert body.locator("ul").evaluate("list => getComputedStyle(list).listStyleType") == "disc"
    for hostile in ("script", "iframe", "[onclick]", "[onerror]", "[href^=javascript]"):
        expect(body.locator(hostile)).to_have_count(0)
    assert page.evaluate("window.hit") is None


REMEMBER_TEXT = """
new MutationObserver(() => { window.firstText ??= document.querySelector('.article-body') ?? undefined })
  .observe(document, { subtree: true, childList: true })
"""


def test_the_script_takes_an_article_over_where_it_stands(page: Page, rows: SyncConnection) -> None:
    table = "<table><tbody><tr><td>cell</td></tr></tbody></table>"
    post = add_post(
        rows, f"Standing {word()}", content=f'<h2>Start</h2>{table}<p><a href="https://x.example">x</a></p>'
    )
    page.add_init_script(REMEMBER_TEXT)
    page.goto(f"/insights/{post.slug}")
    expect(page.get_by_role("group", name="Share this article")).to_be_visible()
    assert page.evaluate("document.querySelector('.article-body') === window.firstText")
    body = page.locator(".article-body")
    expect(body.locator(".table-scroll > table")).to_have_count(1)
    expect(body.get_by_role("link", name='Link to section "Start"')).to_have_count(1)
    expect(body.get_by_role("link", name="x", exact=True)).to_have_attribute("rel", "noopener noreferrer")


def test_an_old_slug_leads_to_the_article(page: Page, rows: SyncConnection) -> None:
    post = add_post(rows, f"Renamed {word()}")
    fresh = f"renamed-{uuid.uuid4().hex}"
    rows.rows("update public.blog_posts set slug = $2 where id = $1::uuid", post.id, fresh)
    page.goto(f"/insights/{post.slug}")
    expect(page.get_by_role("heading", level=1, name=post.title)).to_be_visible()
    page.wait_for_url(f"**/insights/{fresh}")


def test_an_article_leads_to_others_on_its_topic(page: Page, rows: SyncConnection) -> None:
    topic = word()
    posts = [add_post(rows, f"{topic} {n}", tags=[topic], published_at=f"2020-01-0{n}T12:00:00Z") for n in range(1, 6)]
    add_post(rows, f"{topic} draft", tags=[topic], published_at=None)
    page.goto(f"/insights/{posts[3].slug}")
    related = page.get_by_role("region", name="Related articles").get_by_role("article").get_by_role("heading")
    expect(related).to_have_text([f"{topic} 5", f"{topic} 3", f"{topic} 2"])
    related.first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1, name=f"{topic} 5")).to_be_visible()


def test_a_section_has_an_address(page: Page, rows: SyncConnection) -> None:
    filling = "".join(f"<p>Paragraph {number}.</p>" for number in range(80))
    body = f"<h2>First things</h2>{filling}<h2>What counts?</h2>{filling}<h2>What counts?</h2>"
    post = add_post(rows, f"Sections {word()}", content=body)
    page.goto(f"/insights/{post.slug}")
    links = page.get_by_role("link", name='Link to section "What counts?"')
    expect(links).to_have_count(2)
    assert links.evaluate_all("all => all.map(one => one.hash)") == ["#on-what-counts", "#on-what-counts-2"]
    section = page.get_by_role("heading", name="What counts?").first
    expect(section).not_to_be_in_viewport()
    links.first.click()
    expect(section).to_be_in_viewport()
    assert page.url.endswith(f"/insights/{post.slug}#on-what-counts")
    again = page.context.new_page()
    again.goto(page.url)
    expect(again.get_by_role("heading", name="What counts?").first).to_be_in_viewport()


def test_an_article_is_shared_and_printed(new_context: Callable[..., BrowserContext], rows: SyncConnection) -> None:
    page = new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    post = add_post(rows, f"Shared {word()}")
    page.goto(f"/insights/{post.slug}?utm_source=letter")
    share = page.get_by_role("group", name="Share this article")
    share.get_by_role("button", name="Copy link").click()
    expect_toast(page, "Link copied", "Paste it wherever you want to share this article.")
    address = page.evaluate("location.origin + location.pathname")
    assert page.evaluate("navigator.clipboard.readText()") == address
    mail = unquote(share.get_by_role("link", name="E-mail").get_attribute("href") or "")
    assert mail == f"mailto:?subject={post.title}&body={address}"

    page.emulate_media(media="print")
    expect(page.get_by_role("heading", level=1, name=post.title)).to_be_visible()
    expect(page.get_by_text("One paragraph.")).to_be_visible()
    for screen_only in (
        page.locator("header.no-print"),
        page.locator("footer"),
        share,
        page.get_by_text("Get Free Quote"),
    ):
        expect(screen_only.first).to_be_hidden()
