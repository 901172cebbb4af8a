"""HTML to the text that a browser shows: a line for each block, without scripts and styles.

Nothing is fetched or run. U+3000 and no-break spaces are text, as they are to a browser.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from lmstudio.errors import AppError
from lmstudio.text.document import RawDocument, ReadOptions
from lmstudio.text.encoding import decoded, known_encoding
from lmstudio.text.files.opened import Opened, encoding_of, parsing
from lmstudio.text.read import DecodeError, ReadError

_LARGEST = 64 << 20  # bytes of a page, which is held in memory as a tree
_DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)
_HEAD = 2048  # bytes in which an encoding is declared
_UNSEEN = {"script", "style", "head", "template", "noscript", "iframe", "object", "rt", "rp"}
_BLOCKS = {
    "address", "article", "aside", "blockquote", "body", "br", "caption", "center", "dd", "details",
    "div", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4",
    "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "option", "p", "pre", "section",
    "select", "summary", "table", "textarea", "title", "tr", "ul",
}  # fmt: skip
_CELLS = {"td", "th"}
_BETWEEN_CELLS = "\0"  # until spaces are collapsed; no page holds one
_CHINESE = "[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef\U00020000-\U000323af]"
_BREAK = re.compile(rf"(?<={_CHINESE})[ \t\f]*[\r\n][ \t\r\n\f]*(?={_CHINESE})")
"""A line end between Chinese characters, which CSS Text 3 leaves out."""
_SPACE = re.compile(r"[ \t\r\n\f]+")


@dataclass(frozen=True)
class Page:
    """What a page shows."""

    title: str
    lines: list[str]


def read(file: Opened, options: ReadOptions) -> Iterator[RawDocument]:
    """The one document of an HTML file."""
    data = b"".join(iter(lambda: file.read(1 << 20), b""))
    if len(data) > _LARGEST:
        raise ReadError("The page is larger than {limit} MB.", limit=_LARGEST >> 20)
    encoding = _encoding(file, data, options.encoding)
    text = decoded(data, encoding, whole=True)
    if text is None:
        raise _wrong_byte(data, encoding)
    with parsing(".html"):
        found = page(text)
    yield RawDocument(
        file.name, encoding, title=found.title, format="html",
        chunks=["\n".join(found.lines)], lines="paragraph",
    )  # fmt: skip


def _encoding(file: Opened, data: bytes, wanted: str) -> str:
    """As it was chosen; else UTF-8 if it is that; else as the page declares; else as it looks."""
    if wanted != "auto":
        return wanted
    declared = _DECLARED.search(data[:_HEAD])
    names = [declared[1].decode("ascii", "replace")] if declared else []
    for name in ["utf-8", *names]:
        try:
            encoding = known_encoding(name)
        except AppError:
            continue
        if decoded(data, encoding, whole=True) is not None:
            return encoding
    file.rewind()
    return encoding_of(file, "auto")


def _wrong_byte(data: bytes, encoding: str) -> ReadError:
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        return DecodeError(error.start, encoding)
    return DecodeError(0, encoding)


def page(text: str) -> Page:
    """The title and lines of a page, however badly it is written."""
    from lxml import etree

    parser = etree.HTMLParser(
        encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, huge_tree=True
    )
    root = etree.fromstring(text.replace("\0", "").encode(), parser)
    if root is None:
        return Page("", [])
    title = root.findtext(".//title") or ""
    lines = _Lines()
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        tag = element.tag
        if event == "start":
            lines.begin(tag)
            if tag in _UNSEEN:
                steps.skip_subtree()
            else:
                lines.add(element.text)
        else:
            lines.end(tag)
            lines.add(element.tail)
    lines.flush()
    return Page(" ".join(title.split()), lines.done)


@dataclass
class _Lines:
    """Text of a page, being cut into lines at its blocks."""

    done: list[str] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    preformatted: int = 0

    def begin(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.flush()
        elif tag in _CELLS and self.parts:
            self.parts.append(_BETWEEN_CELLS)
        self.preformatted += tag == "pre"

    def end(self, tag: str) -> None:
        if tag in _BLOCKS:
            self.flush()
        self.preformatted -= tag == "pre"

    def add(self, text: str | None) -> None:
        if not text:
            return
        if self.preformatted:
            first, *others = text.split("\n")
            self.parts.append(first)
            for line in others:
                self.flush()
                self.parts.append(line)
        else:
            self.parts.append(text)

    def flush(self) -> None:
        """End the line."""
        text = "".join(self.parts)
        if not self.preformatted:
            text = _SPACE.sub(" ", _BREAK.sub("", text)).strip(" ")
        text = text.replace(_BETWEEN_CELLS, "\t").rstrip("\r")
        if text.strip():
            self.done.append(text)
        self.parts.clear()
