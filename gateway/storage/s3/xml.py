"""XML of the S3 protocol: small documents of elements and text, read with an end to what they may cost, and written."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final
from xml.parsers import expat
from xml.sax.saxutils import escape

from gateway.storage.errors import StorageError
from gateway.storage.s3.errors import MALFORMED_XML

HEAD: Final = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
NAMESPACE: Final = ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"'
MAX_DEPTH: Final = 8
MAX_ELEMENTS: Final = 100_000

# What an XML text cannot hold, however it is written.
_NO_CHARACTER: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

Tree = Mapping[str, Any]


@dataclass(slots=True)
class Element:
    """An element without its namespace and attributes."""

    name: str
    text: str = ""
    children: list[Element] = field(default_factory=list)

    def all(self, name: str) -> list[Element]:
        return [child for child in self.children if child.name == name]

    def value(self, name: str) -> str | None:
        """The text of the first child of that name."""
        return next((child.text for child in self.children if child.name == name), None)


def parse(body: bytes, root: str) -> Element:
    """A document whose root has that name. Raises StorageError; a document type is refused, as entities need one."""
    top = Element("")
    open_elements = [top]
    count = 0

    def begin(name: str, _: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS or len(open_elements) > MAX_DEPTH:
            raise StorageError(MALFORMED_XML)
        element = Element(name.rpartition(" ")[2])
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_: str) -> None:
        open_elements.pop()

    def characters(text: str) -> None:
        open_elements[-1].text += text

    def refuse(*_: object) -> None:
        raise StorageError(MALFORMED_XML)

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.CharacterDataHandler = characters
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(body, True)
    except (expat.ExpatError, ValueError, LookupError) as error:
        raise StorageError(MALFORMED_XML) from error
    if len(top.children) != 1 or top.children[0].name != root:
        raise StorageError(MALFORMED_XML)
    return top.children[0]


def write(tree: Tree) -> bytes:
    """A document of one root: mappings are elements, sequences are repeated ones, None is left out.

    >>> write({"A": {"B": [1, "<"], "C": None, "D": True}}).decode().removeprefix(HEAD)
    '<A xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><B>1</B><B>&lt;</B><D>true</D></A>'
    """
    ((name, content),) = tree.items()
    # Errors are of no namespace, as AWS has it: boto3 finds no code in one that is.
    space = "" if name == "Error" else NAMESPACE
    return f"{HEAD}<{name}{space}>{_inner(content)}</{name}>".encode()


def _inner(content: Any) -> str:
    if isinstance(content, Mapping):
        return "".join(_element(name, value) for name, value in content.items())
    if isinstance(content, bool):
        return "true" if content else "false"
    return "" if content is None else escape(_NO_CHARACTER.sub("\ufffd", str(content)))


def _element(name: str, value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "".join(_element(name, each) for each in value)
    return f"<{name}>{_inner(value)}</{name}>"
