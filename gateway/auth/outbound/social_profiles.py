"""What the answers of social providers say about somebody: one small reading for each (contract section 13).

A reading takes the JSON of the profile requests, in their order, and gives the keys of identity_data; one without a
value is left out. `name` is also `full_name`, `picture` is also `avatar_url`, but where the original has only one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Address:
    """An e-mail address that a provider names."""

    email: str
    verified: bool
    primary: bool = True


@dataclass(frozen=True, slots=True)
class Profile:
    """Somebody as a provider describes them."""

    subject: Any
    addresses: Sequence[Address] = ()
    claims: Mapping[str, Any] = field(default_factory=dict)
    custom: Mapping[str, Any] = field(default_factory=dict)


Read = Callable[[Sequence[Any]], Profile]


def text(value: Any) -> str:
    """A value as a claim shows it; empty for what is none.

    >>> text(None), text(12), text("a")
    ('', '12', 'a')
    """
    return "" if value is None or isinstance(value, bool | dict | list) else str(value)


def _at(value: Any, *path: str | int) -> Any:
    """What stands at a path; None where nothing does."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value


def _one(email: Any, verified: bool = True) -> tuple[Address, ...]:
    return (Address(email, verified),) if isinstance(email, str) and email else ()


def _named(name: Any) -> dict[str, Any]:
    return {"name": name, "full_name": name}


def _shown(picture: Any) -> dict[str, Any]:
    return {"picture": picture, "avatar_url": picture}


def _handle(handle: Any) -> dict[str, Any]:
    return {"preferred_username": handle, "user_name": handle}


def _full(first: Any, last: Any) -> str:
    return f"{text(first)} {text(last)}".strip()


def github(found: Sequence[Any]) -> Profile:
    user, mails = found
    addresses = [
        Address(text(each.get("email")), each.get("verified") is True, each.get("primary") is True)
        for each in (mails if isinstance(mails, list) else ())
        if isinstance(each, dict) and each.get("email")
    ]
    claims = {**_named(_at(user, "name")), **_handle(_at(user, "login")), "avatar_url": _at(user, "avatar_url")}
    return Profile(_at(user, "id"), addresses, claims)


def discord(found: Sequence[Any]) -> Profile:
    (user,) = found
    name, tag, picture = text(_at(user, "username")), text(_at(user, "discriminator")), text(_at(user, "avatar"))
    if picture:
        kind = "gif" if picture.startswith("a_") else "png"
        url = f"https://cdn.discordapp.com/avatars/{_at(user, 'id')}/{picture}.{kind}"
    else:
        number = int(tag) % 5 if tag.isdecimal() else 0
        url = f"https://cdn.discordapp.com/embed/avatars/{number}.png"
    claims = {"name": f"{name}#{tag}", "full_name": name, **_shown(url)}
    addresses = _one(_at(user, "email"), _at(user, "verified") is True)
    return Profile(_at(user, "id"), addresses, claims, {"global_name": _at(user, "global_name")})


def facebook(found: Sequence[Any]) -> Profile:
    (user,) = found
    alias = _at(user, "name")
    claims = {
        **_named(_full(_at(user, "first_name"), _at(user, "last_name"))), "nickname": alias, "slug": alias,
        **_shown(_at(user, "picture", "data", "url")),
    }  # fmt: skip
    return Profile(_at(user, "id"), _one(_at(user, "email")), claims)


def x(found: Sequence[Any]) -> Profile:
    user = _at(found[0], "data")
    handle = _at(user, "username")
    claims = {
        **_named(_at(user, "name")), **_handle(handle), **_shown(_at(user, "profile_image_url")),
        "profile": f"https://x.com/{handle}" if handle else None, "website": _at(user, "url"),
    }  # fmt: skip
    custom = {"created_at": _at(user, "created_at")}
    return Profile(_at(user, "id"), _one(_at(user, "confirmed_email")), claims, custom)


def twitter(found: Sequence[Any]) -> Profile:
    (user,) = found
    claims = {
        **_named(_at(user, "name")), **_handle(_at(user, "screen_name")),
        **_shown(_at(user, "profile_image_url_https")),
    }  # fmt: skip
    return Profile(_at(user, "id_str"), _one(_at(user, "email")), claims)


def spotify(found: Sequence[Any]) -> Profile:
    (user,) = found
    pictures = [each for each in _at(user, "images") or () if isinstance(each, dict)]
    largest = max(pictures, key=lambda each: each.get("height") or 0, default={})
    claims = {**_named(_at(user, "display_name")), **_shown(largest.get("url"))}
    # Nobody has shown there that an address is theirs.
    return Profile(_at(user, "id"), _one(_at(user, "email"), verified=False), claims)


def notion(found: Sequence[Any]) -> Profile:
    user = _at(found[0], "bot", "owner", "user")
    claims = {**_named(_at(user, "name")), **_shown(_at(user, "avatar_url"))}
    return Profile(_at(user, "id"), _one(_at(user, "person", "email")), claims)


def bitbucket(found: Sequence[Any]) -> Profile:
    user, mails = found
    addresses = [
        Address(text(each.get("email")), each.get("is_confirmed") is True, each.get("is_primary") is True)
        for each in _at(mails, "values") or ()
        if isinstance(each, dict) and each.get("email")
    ]
    claims = {**_named(_at(user, "display_name")), **_shown(_at(user, "links", "avatar", "href"))}
    return Profile(_at(user, "uuid"), addresses, claims)


def figma(found: Sequence[Any]) -> Profile:
    (user,) = found
    claims = {**_named(_at(user, "handle")), "avatar_url": _at(user, "img_url")}
    return Profile(_at(user, "id"), _one(_at(user, "email")), claims)


def kakao(found: Sequence[Any]) -> Profile:
    (user,) = found
    account = _at(user, "kakao_account")
    nickname = _at(account, "profile", "nickname")
    verified = _at(account, "is_email_valid") is True and _at(account, "is_email_verified") is True
    claims = {
        **_named(nickname), **_handle(nickname), "avatar_url": _at(account, "profile", "profile_image_url"),
    }  # fmt: skip
    return Profile(_at(user, "id"), _one(_at(account, "email"), verified), claims)


def zoom(found: Sequence[Any]) -> Profile:
    (user,) = found
    verified = text(_at(user, "login_type")) != "100" or _at(user, "verified") not in (None, 0)
    claims = {**_named(_full(_at(user, "first_name"), _at(user, "last_name"))), **_shown(_at(user, "pic_url"))}
    return Profile(_at(user, "id"), _one(_at(user, "email"), verified), claims)


def twitch(found: Sequence[Any]) -> Profile:
    user = _at(found[0], "data", 0)
    alias = _at(user, "display_name")
    names = ("broadcaster_type", "description", "type", "offline_image_url", "view_count")
    claims = {
        **_named(_at(user, "login")), "nickname": alias, "slug": alias, **_shown(_at(user, "profile_image_url")),
    }  # fmt: skip
    return Profile(_at(user, "id"), _one(_at(user, "email")), claims, {name: _at(user, name) for name in names})


def fly(found: Sequence[Any]) -> Profile:
    (user,) = found
    names = ("resource_owner_id", "organizations", "application", "scope", "created_at")
    claims = {"full_name": _at(user, "user_name")}
    return Profile(_at(user, "user_id"), _one(_at(user, "email")), claims, {name: _at(user, name) for name in names})


def gitlab(found: Sequence[Any]) -> Profile:
    user, mails = found
    main = _at(user, "email")
    addresses = [
        *_one(main, bool(_at(user, "confirmed_at"))),
        *(
            Address(text(each.get("email")), verified=False, primary=False)
            for each in (mails if isinstance(mails, list) else ())
            if isinstance(each, dict) and each.get("email") and each.get("email") != main
        ),
    ]
    return Profile(_at(user, "id"), addresses, {**_named(_at(user, "name")), **_shown(_at(user, "avatar_url"))})


def snapchat(found: Sequence[Any]) -> Profile:
    user = _at(found[0], "data", "me")
    name = _at(user, "displayName")
    claims = {**_named(name), "slug": name, **_shown(_at(user, "bitmoji", "avatar", "url"))}
    if claims["picture"] is None:
        claims |= _shown(_at(user, "bitmoji", "avatar", "id"))
    return Profile(_at(user, "externalId"), _one(_at(user, "email")), claims)


def slack(found: Sequence[Any]) -> Profile:
    (user,) = found
    team = "https://slack.com/team_id"
    claims = {**_named(_at(user, "name")), **_shown(_at(user, "picture"))}
    return Profile(_at(user, "https://slack.com/user_id"), _one(_at(user, "email")), claims, {team: _at(user, team)})


def workos(found: Sequence[Any]) -> Profile:
    user = _at(found[0], "profile")
    claims = _named(_full(_at(user, "first_name"), _at(user, "last_name")))
    names = ("connection_id", "organization_id")
    return Profile(_at(user, "id"), _one(_at(user, "email")), claims, {name: _at(user, name) for name in names})


def linkedin(found: Sequence[Any]) -> Profile:
    user, mails = found
    name = _full(_localized(_at(user, "firstName")), _localized(_at(user, "lastName")))
    streams = _at(user, "profilePicture", "displayImage~", "elements") or [{}]
    picture = _at(streams[-1], "identifiers", 0, "identifier")
    email = _at(mails, "elements", 0, "handle~", "emailAddress")
    return Profile(_at(user, "id"), _one(email), {**_named(name), **_shown(picture)})


def _localized(value: Any) -> Any:
    """A name in the language that its owner prefers."""
    language, country = _at(value, "preferredLocale", "language"), _at(value, "preferredLocale", "country")
    return _at(value, "localized", f"{language}_{country}")


READINGS: Final[Mapping[str, Read]] = {
    "bitbucket": bitbucket, "discord": discord, "facebook": facebook, "figma": figma, "fly": fly, "github": github,
    "gitlab": gitlab, "kakao": kakao, "linkedin": linkedin, "notion": notion, "slack": slack, "snapchat": snapchat,
    "spotify": spotify, "twitch": twitch, "twitter": twitter, "workos": workos, "x": x, "zoom": zoom,
}  # fmt: skip
