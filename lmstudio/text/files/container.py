"""Zip files that are more than archives, .docx .xlsx .epub: their members, checked before use."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.read import ReadError, check_density

_MOST = 2 << 30  # bytes that the members may have together


@contextmanager
def container(file: Opened, kind: str) -> Iterator[zipfile.ZipFile]:
    """The members of a file. What fails in this block becomes a ReadError about `kind`."""
    with parsing(kind), zipfile.ZipFile(file.stream) as archive:
        for member in archive.infolist():
            check_density(member.file_size, member.compress_size)
        if sum(member.file_size for member in archive.infolist()) > _MOST:
            raise ReadError("It unpacks to more than {limit} GB.", limit=_MOST >> 30)
        yield archive


def parsed_xml(data: bytes) -> Any:
    """The root of a member; entities stay what they are and nothing is fetched."""
    from lxml import etree

    return etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
