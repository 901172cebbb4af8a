"""A file of stop words, one a line, into a set."""

from pathlib import Path

from lmstudio.errors import AppError


def read_stop_words(path: Path) -> frozenset[str]:
    """The words of a UTF-8 (with or without mark) or GB18030 file; AppError if unreadable."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise AppError(
            "The stop words {path} cannot be read ({error}).",
            path=path, error=error.strerror or str(error),
        ) from error  # fmt: skip
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            lines = data.decode(encoding).split("\n")
        except UnicodeDecodeError:
            continue
        return frozenset(line.strip() for line in lines if line.strip())
    raise AppError("The stop words {path} are neither UTF-8 nor GB18030 text.", path=path)
