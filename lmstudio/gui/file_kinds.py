"""The kinds of files that can be imported, as the file dialog, the overlay and empty states say."""

from lmstudio.messages import msg, tr
from lmstudio.text.read import SUFFIXES


def patterns() -> str:
    """The filters of a file dialog; each pattern in capitals too: on Linux they are told apart."""
    both = [f"*{suffix}" for suffix in SUFFIXES] + [f"*{suffix.upper()}" for suffix in SUFFIXES]
    return tr("Text, tables and documents ({patterns});;All files (*)", patterns=" ".join(both))


def named() -> str:
    """All suffixes in a row."""
    return " ".join(SUFFIXES)


def sentence() -> str:
    """What an empty state says below "drop files here"."""
    return tr(
        "{suffixes}\nfolders · UTF-8, GB18030, Big5, UTF-16 are recognised · files stay here",
        suffixes=named(),
    )


FORMAT_NAMES = {
    "auto": msg("as found"), "text": msg("plain text"), "words": msg("words with spaces"),
    "tagged": msg("word/tag"), "conllu": msg("CoNLL-U"),
}  # fmt: skip
"""What can stand in a text file; the values are those of `ReadOptions.format`."""


def format_name(kind: str) -> str:
    """What a file was read as: one of the above, or a kind of file such as csv."""
    return tr(FORMAT_NAMES[kind]) if kind in FORMAT_NAMES else kind.upper()
