"""PDF files to the text layer of their pages; the lines are those of the pages.

The number of a page at its head or foot is left out, or it would stand inside a sentence.
"""

import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from lmstudio.messages import Message
from lmstudio.text.document import RawDocument, ReadOptions, Refusal
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.lines import is_blank
from lmstudio.text.read import ReadError

if TYPE_CHECKING:
    from pypdf import PdfReader

_log = logging.getLogger(__name__)
_PAGE_NUMBER = re.compile(r"[\s—–\-·•]*(?:第\s*)?\d{1,4}(?:\s*页)?[\s—–\-·•]*")
_STRANGE = re.compile(r"[\x00-\x08\x0e-\x1f\ufffd\ue000-\uf8ff]")
_MOST_STRANGE = 0.2  # share of such characters, above which the rest is no text either


def read(file: Opened, options: ReadOptions) -> Iterator[RawDocument | Refusal]:
    """The one document of a PDF, and how many of its pages hold none of the text."""
    del options  # the format knows its encoding and its lines
    with parsing(".pdf"):
        reader = _reader(file)
        about = reader.metadata
        title = " ".join(((about and about.title) or "").split())
        text = _Text(reader, file)
    yield RawDocument(file.name, "", title=title, format="pdf", chunks=text, lines="wrapped")
    if 0 < text.without < text.count:
        yield Refusal(
            file.name,
            Message(
                "{pages} of {count} pages hold no text that can be read, perhaps pictures of it.",
                {"pages": text.without, "count": text.count},
            ),
        )


def _reader(file: Opened) -> "PdfReader":
    from pypdf import PdfReader
    from pypdf.errors import DependencyError

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # it tells of every fault it gets over
    try:
        reader = PdfReader(file.stream)
        locked = reader.is_encrypted and not reader.decrypt("")
    except DependencyError:  # strong encryption, which pypdf leaves to another library
        locked = True
    if locked:
        raise ReadError("The PDF has a password. Save a copy without one.")
    return reader


class _Text:
    """The text of the pages in chunks. `without` counts those that gave none."""

    def __init__(self, reader: "PdfReader", file: Opened) -> None:
        self._reader, self._file = reader, file
        self.count = len(reader.pages)
        self.without = 0
        self._damaged = 0

    def __iter__(self) -> Iterator[str]:
        size = strange = 0
        for number in range(self.count):
            text = self._page(number)
            self._file.tick((number + 1) / self.count)
            self.without += is_blank(text)
            size += len(text)
            strange += len(_STRANGE.findall(text))
            if text:
                yield text + "\n"
        if self._damaged and self.without == self.count:
            raise ReadError(
                "This is not a {kind} file, or it is damaged or not complete.", kind=".pdf"
            )
        if self.without == self.count:
            raise ReadError(
                "The PDF holds no text, only pictures of it. Recognise the text first (OCR)."
            )
        if strange > _MOST_STRANGE * size:
            raise ReadError(
                "The fonts of the PDF do not say which characters they show. Recognise the text "
                "first (OCR), or find the document in another form."
            )

    def _page(self, number: int) -> str:
        try:
            with parsing(".pdf"):
                text = self._reader.pages[number].extract_text()
        except ReadError:
            self._damaged += 1
            return ""  # counted; the other pages may be whole
        lines = [line for line in text.split("\n") if line.strip()]
        if self.count > 1 and lines:
            lines = lines[bool(_PAGE_NUMBER.fullmatch(lines[0])) :]
            lines = lines[:-1] if lines and _PAGE_NUMBER.fullmatch(lines[-1]) else lines
        return "\n".join(lines)
