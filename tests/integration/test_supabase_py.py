"""The official Python client, unmodified, makes the site's calls against the whole product."""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from postgrest import CountMethod
from postgrest.exceptions import APIError
from supabase import AuthApiError, Client, FunctionsHttpError, create_client
from supabase.lib.client_options import SyncClientOptions

from gateway.database import SyncConnection
from tests.fixtures.browser import Hire, Person
from tests.fixtures.server import LiveGateway

# The client's own parts warn about how the client calls them.
pytestmark = pytest.mark.filterwarnings("ignore:The '.*' parameter is deprecated:DeprecationWarning")

CARD = "id, title, slug, excerpt, featured_image_url, author_name, published_at, tags, reading_time_minutes"


def connect(site: LiveGateway, session: httpx.Client) -> Client:
    return create_client(
        site.url, site.publishable_key, SyncClientOptions(httpx_client=session, auto_refresh_token=False)
    )


@pytest.fixture
def anon(site: LiveGateway) -> Iterator[Client]:
    with httpx.Client() as session:
        yield connect(site, session)


@pytest.fixture(scope="module")
def editor(hire: Hire) -> Person:
    return hire("admin")


@pytest.fixture
def admin(site: LiveGateway, editor: Person) -> Iterator[Client]:
    with httpx.Client() as session:
        client = connect(site, session)
        client.auth.sign_in_with_password({"email": editor.email, "password": editor.password})
        yield client
        client.auth.sign_out({"scope": "local"})


def test_the_list_is_filtered_counted_and_paged(anon: Client) -> None:
    found = (
        anon.table("blog_posts")
        .select(CARD, count=CountMethod.exact)
        .eq("published", True)
        .or_("title.ilike.%waste%,excerpt.ilike.%waste%")
        .contains("tags", ["Compliance"])
        .order("published_at", desc=True)
        .range(0, 1)
        .execute()
    )
    rows: list[Any] = found.data
    assert len(rows) == 2 and found.count is not None and found.count > 2
    assert all("Compliance" in row["tags"] for row in rows)
    assert rows[0]["published_at"] > rows[1]["published_at"]


def test_a_missing_article_is_pgrst116(anon: Client) -> None:
    with pytest.raises(APIError) as refused:
        anon.table("blog_posts").select("*").eq("slug", "no-such-article").eq("published", True).single().execute()
    assert refused.value.code == "PGRST116"


@pytest.mark.parametrize("verb", ["insert", "update", "delete"])
def test_the_anonymous_role_writes_nothing(anon: Client, verb: str) -> None:
    table = anon.table("blog_posts")
    calls = {
        "insert": lambda: table.insert({"title": "x", "slug": "x"}).execute(),
        "update": lambda: table.update({"title": "x"}).eq("slug", "x").execute(),
        "delete": lambda: table.delete().eq("slug", "x").execute(),
    }
    with pytest.raises(APIError) as refused:
        calls[verb]()
    assert refused.value.code == "42501"


def test_a_wrong_password_is_refused(anon: Client, editor: Person) -> None:
    with pytest.raises(AuthApiError) as refused:
        anon.auth.sign_in_with_password({"email": editor.email, "password": "wrong"})
    assert refused.value.code == "invalid_credentials"


def test_refreshing_rotates_and_the_session_goes_on(admin: Client, editor: Person) -> None:
    before = admin.auth.get_session()
    refreshed = admin.auth.refresh_session().session
    assert before is not None and refreshed is not None
    assert refreshed.refresh_token != before.refresh_token
    answer = admin.auth.get_user()
    assert answer is not None and answer.user.email == editor.email


def test_an_administrator_writes_publishes_and_deletes(admin: Client, anon: Client) -> None:
    slug = f"by-python-{uuid.uuid4().hex}"
    post = {"title": "By Python", "slug": slug, "content": "<p onclick='x()'>Hello<script>x()</script></p>"}
    made: list[Any] = admin.table("blog_posts").insert(post).execute().data
    assert (made[0]["content"], made[0]["published"]) == ("<p>Hello</p>", False)

    def seen() -> int | None:
        return (
            anon.table("blog_posts").select("id", count=CountMethod.exact, head=True).eq("slug", slug).execute().count
        )

    assert seen() == 0
    now = {"published": True, "published_at": "2026-01-01T00:00:00Z"}
    admin.table("blog_posts").update(now).eq("id", made[0]["id"]).execute()
    assert seen() == 1
    admin.table("blog_posts").delete().eq("id", made[0]["id"]).execute()
    assert seen() == 0


def test_schemas_and_database_functions_are_named(anon: Client, site: LiveGateway) -> None:
    with SyncConnection(site.database_url) as rows:
        rows.script("create function public.twice(n int) returns int language sql as 'select 2 * n'")
        rows.script("grant execute on function public.twice to anon")
    params: Any = {"n": 21}  # the client's type knows text alone
    try:
        for _ in range(600):  # until the schema cache has it
            try:
                assert anon.rpc("twice", params).execute().data == 42
                break
            except APIError as error:
                assert error.code == "PGRST202"
                time.sleep(0.05)
        assert anon.schema("public").rpc("twice", params).execute().data == 42
    finally:
        with SyncConnection(site.database_url) as rows:
            rows.script("drop function public.twice")
    assert len(anon.from_("blog_posts").select("id").limit(2).execute().data) == 2


def test_functions_answer_and_fail_in_the_clients_terms(anon: Client) -> None:
    body = {"firstName": "Ada", "lastName": "Py", "email": f"ada-{uuid.uuid4().hex}@clinic.example", "honeypot": ""}
    options = {"body": body, "responseType": "json"}
    assert anon.functions.invoke("submit-newsletter", options) == {"ok": True}
    with pytest.raises(FunctionsHttpError) as refused:
        anon.functions.invoke("submit-newsletter", {**options, "body": {**body, "email": "no address"}})
    assert refused.value.status == 422
