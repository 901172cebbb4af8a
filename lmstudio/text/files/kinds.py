"""The first bytes and the name of a file to its kind; a sentence for kinds that cannot be read.

Content comes before the name: a PDF called a.docx is read as a PDF.
"""

import zipfile

from lmstudio.messages import msg
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.read import ReadError

_BY_SUFFIX = {
    ".csv": "csv", ".tsv": "csv", ".xlsx": "xlsx", ".json": "json", ".jsonl": "json",
    ".html": "html", ".htm": "html", ".docx": "docx", ".epub": "epub", ".pdf": "pdf",
    ".zip": "zip", ".tar": "tar",
}  # fmt: skip
_BINARY = ("xlsx", "docx", "epub", "pdf", "zip")  # are never told by their name alone
_UNPACK = msg("It is packed in a way that is not read here. Unpack it first.")
_UNREADABLE = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", msg(
        "This is an old Office file (.doc, .xls), or one with a password. Save it as .docx or "
        ".xlsx without a password."
    )),
    (b"{\\rtf", msg("This is Rich Text (.rtf). Save it as .docx or .txt.")),
    (b"7z\xbc\xaf\x27\x1c", _UNPACK),
    (b"Rar!\x1a\x07", _UNPACK),
    (b"\xfd7zXZ\x00", _UNPACK),
    (b"BZh9", _UNPACK),
    (b"\x28\xb5\x2f\xfd", _UNPACK),
    (b"\x1f\x8b", msg("It is packed twice. Unpack it first.")),
)  # fmt: skip
_TAR_MARK = slice(257, 262)
_OPENDOCUMENT = b"application/vnd.oasis.opendocument"


def kind_of(file: Opened) -> str:
    """A key of READERS or TABLES. Raises ReadError for a kind that cannot be read."""
    head, _ = file.sample(1024)
    for mark, sentence in _UNREADABLE:
        if head.startswith(mark):
            raise ReadError(sentence)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return _kind_of_zip(file)
    named = _BY_SUFFIX.get(file.suffix, "")
    if head.startswith(b"%PDF-") or (named == "pdf" and b"%PDF-" in head):
        return "pdf"
    if head[_TAR_MARK] == b"ustar" or named == "tar":
        return "tar"
    if named in _BINARY:
        raise ReadError(
            "This is not a {kind} file, or it is damaged or not complete.", kind=f".{named}"
        )
    if not named and head.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower() in (b"<!doctype", b"<html"):
        return "html"
    return named or "text"


def _kind_of_zip(file: Opened) -> str:
    """Office files and books are zip files with certain members."""
    with parsing(file.suffix if _BY_SUFFIX.get(file.suffix) in _BINARY else ".zip"):
        with zipfile.ZipFile(file.stream) as archive:
            names = set(archive.namelist())
            about = archive.read("mimetype")[:100] if "mimetype" in names else b""
        file.rewind()
    if about.startswith(_OPENDOCUMENT):
        raise ReadError("This is an OpenDocument file. Save it as .docx, .xlsx or .txt.")
    if "META-INF/container.xml" in names:
        return "epub"
    if "[Content_Types].xml" in names:
        for folder, kind in (("word/", "docx"), ("xl/", "xlsx")):
            if any(name.startswith(folder) for name in names):
                return kind
        raise ReadError("This kind of Office file cannot be read. Save it as .docx, .xlsx or .txt.")
    return "zip"
