"""A text file to its document: plain text as it streams, or lines whose words are given."""

from collections.abc import Iterator

from lmstudio.errors import AppError
from lmstudio.text.document import MarkedLine, RawDocument, ReadOptions, Refusal
from lmstudio.text.files.opened import Opened
from lmstudio.text.lines import Lines
from lmstudio.text.marked import conllu_documents, marked_format, tagged_lines, word_lines
from lmstudio.text.read import ReadError, sample_lines


def read(file: Opened, options: ReadOptions) -> Iterator[RawDocument | Refusal]:
    """One document, or those of a CoNLL-U file."""
    encoding, chunks = file.text(options)
    kind = text_format(file, encoding, options)
    if kind == "text":
        yield RawDocument(file.name, encoding, chunks=chunks)
    elif kind == "conllu":
        for number, (name, marked) in enumerate(conllu_documents(Lines(chunks)), 1):
            shown = name or f"#{number}"
            yield RawDocument(
                f"{file.name} {shown}" if name or number > 1 else file.name,
                encoding, title=name, format=kind, marked=_refusing(marked), lines="sentence",
            )  # fmt: skip
    else:
        lines = (tagged_lines if kind == "tagged" else word_lines)(Lines(chunks))
        yield RawDocument(file.name, encoding, format=kind, marked=lines)


def text_format(file: Opened, encoding: str, options: ReadOptions) -> str:
    """What stands in the file, as chosen or as its first lines look."""
    if options.format != "auto":
        return options.format
    data, whole = file.sample()
    return marked_format(sample_lines(data, encoding, whole=whole))


def _refusing(lines: Iterator[MarkedLine]) -> Iterator[MarkedLine]:
    try:
        yield from lines
    except ReadError:
        raise
    except AppError as error:
        raise ReadError(error.message.sentence, **error.message.values) from error
