"""The address a request is counted under: the peer's, or what a named proxy says it is."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Network = IPv4Network | IPv6Network


def parse_networks(texts: Sequence[str]) -> tuple[Network, ...]:
    """Networks of a setting. Raises ValueError."""
    return tuple(ip_network(text, strict=False) for text in texts)


def client_address(peer: str | None, forwarded: str | None, trusted: Sequence[Network]) -> str | None:
    """The client's address.

    `forwarded` (X-Forwarded-For) counts only when the peer is a trusted proxy, and then from its right end: the
    first address that is no trusted proxy itself. What stands further left was written by the client.

    >>> proxies = parse_networks(["10.0.0.0/8"])
    >>> client_address("203.0.113.9", "198.51.100.1", proxies)
    '203.0.113.9'
    >>> client_address("10.0.0.2", "6.6.6.6, 198.51.100.1, 10.0.0.7", proxies)
    '198.51.100.1'
    """
    address = _parse(peer)
    if address is None:
        return None
    if forwarded and any(address in network for network in trusted):
        for hop in reversed(forwarded.split(",")):
            said = _parse(hop.strip())
            if said is None:
                break
            address = said
            if not any(said in network for network in trusted):
                break
    return str(address)


def _parse(text: str | None) -> IPv4Address | IPv6Address | None:
    if not text:
        return None
    try:
        address = ip_address(text.strip("[]").split("%")[0])
    except ValueError:
        return None
    # ::ffff:192.0.2.1 is the same client as 192.0.2.1
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return address.ipv4_mapped
    return address


def limit_subject(address: str) -> str:
    """What one client is counted under: its address, or the /64 that an IPv6 client has to itself.

    >>> limit_subject("2001:db8::1") == limit_subject("2001:db8::ffff")
    True
    """
    parsed = ip_address(address)
    if isinstance(parsed, IPv6Address):
        return str(ip_network(f"{parsed}/64", strict=False))
    return address
