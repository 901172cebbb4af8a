"""EPUB books to their text: the pages in reading order, a line for each block.

Read by hand, for ebooklib is under the AGPL: https://www.w3.org/TR/epub-33/ says that
META-INF/container.xml names the package, whose spine lists the pages.
"""

import posixpath
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import unquote

from lmstudio.text.document import RawDocument, ReadOptions
from lmstudio.text.encoding import decoded, guesses
from lmstudio.text.files.container import container, parsed_xml
from lmstudio.text.files.markup import page
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.read import ReadError

_PAGES = ("application/xhtml+xml", "text/html", "text/x-oeb1-document")
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Ways in which fonts alone are made unreadable; the text is not."""


def read(file: Opened, options: ReadOptions) -> Iterator[RawDocument]:
    """The one document of a book."""
    del options  # the format knows its encoding and its lines
    with container(file, ".epub") as archive:
        _refuse_locked(archive)
        root = parsed_xml(archive.read("META-INF/container.xml"))
        package_name = next(_named(root, "rootfile")).get("full-path")
        package = parsed_xml(archive.read(package_name))
        titles = ["".join(title.itertext()) for title in _named(package, "title")]
        names = _pages(package, posixpath.dirname(package_name))
        yield RawDocument(
            file.name, "", title=" ".join("".join(titles[:1]).split()), format="epub",
            chunks=_chunks(file, archive, names), lines="paragraph",
        )  # fmt: skip


def _chunks(file: Opened, archive: zipfile.ZipFile, names: list[str]) -> Iterator[str]:
    for number, name in enumerate(names, 1):
        with parsing(".epub"):
            lines = page(_text(archive.read(name))).lines
        file.tick(number / len(names))
        yield "".join(f"{line}\n" for line in lines)


def _named(root: Any, name: str) -> Iterator[Any]:
    return root.iter(f"{{*}}{name}")


def _pages(package: Any, folder: str) -> list[str]:
    """The members of the spine that are pages."""
    items = {item.get("id"): item for item in _named(package, "item")}
    spine = [items.get(step.get("idref")) for step in _named(package, "itemref")]
    return [
        posixpath.normpath(posixpath.join(folder, unquote(item.get("href").partition("#")[0])))
        for item in spine
        if item is not None and item.get("media-type") in _PAGES
    ]


def _refuse_locked(archive: zipfile.ZipFile) -> None:
    if "META-INF/encryption.xml" not in archive.namelist():
        return
    encryption = parsed_xml(archive.read("META-INF/encryption.xml"))
    ways = [method.get("Algorithm") for method in _named(encryption, "EncryptionMethod")]
    if any(way not in _FONTS for way in ways):
        raise ReadError("The book is locked (DRM). Only books without a lock can be read.")


def _text(data: bytes) -> str:
    text = decoded(data, "utf-8", whole=True)
    if text is None:
        found = guesses(data, whole=True)
        text = found[0].text if found else data.decode("utf-8", "ignore")
    return text
