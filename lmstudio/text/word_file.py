"""A file of words that a user wrote or saved, UTF-8 or GB18030, into its text."""

from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.files import refuse_special


def read_word_file(path: Path) -> str:
    """The text of a dictionary or list, a byte-order mark left out; AppError if unreadable.

    Such files are too short to judge their encoding by statistics. What is no UTF-8 is tried as
    GB18030, in which nearly everything else that Chinese editors save can be read.
    """
    refuse_special(path)
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=path, error=reason) from error
    for encoding in ("utf-8-sig", "gb18030"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    raise AppError("{path} is neither UTF-8 nor GB18030 text.", path=path)
