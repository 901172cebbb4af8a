"""Word files (.docx) to their text: a line for each paragraph, in tables too.

The text is taken from the elements, for python-docx's own paragraphs leave out what stands in
content controls, text boxes and tracked insertions. Deleted text is left out; notes come last.
"""

from collections.abc import Iterator
from typing import Any

from lmstudio.text.document import RawDocument, ReadOptions
from lmstudio.text.files.container import container, parsed_xml
from lmstudio.text.files.opened import Opened

_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_CHARACTERS = {
    f"{_W}tab": "\t", f"{_W}br": "\n", f"{_W}cr": "\n", f"{_W}noBreakHyphen": "-",
}  # fmt: skip
_UNSEEN = {f"{_W}del", f"{_W}moveFrom", f"{_W}pPr", f"{_W}rPr", f"{_W}rt", _FALLBACK}
_NOTES = ("/footnotes", "/endnotes")


def read(file: Opened, options: ReadOptions) -> Iterator[RawDocument]:
    """The one document of a Word file."""
    del options  # the format knows its encoding and its lines
    with container(file, ".docx"):
        import docx

        document = docx.Document(file.stream)
        lines = list(_paragraphs(document.element.body))
        for relation in document.part.rels.values():
            if relation.reltype.endswith(_NOTES) and not relation.is_external:
                lines += _paragraphs(parsed_xml(relation.target_part.blob))
        title = document.core_properties.title or ""
    file.tick(1.0)
    yield RawDocument(
        file.name, "", title=" ".join(title.split()), format="docx",
        chunks=["\n".join(lines)], lines="paragraph",
    )  # fmt: skip


def _paragraphs(root: Any) -> Iterator[str]:
    """The texts of the paragraphs below an element that hold some."""
    from lxml import etree

    open_ones: list[list[str]] = [[]]  # a text box is a paragraph inside another
    steps = etree.iterwalk(root, events=("start", "end"))
    for event, element in steps:
        tag = element.tag
        if event == "start":
            if tag in _UNSEEN:
                steps.skip_subtree()
            elif tag == f"{_W}p":
                open_ones.append([])
            elif tag == f"{_W}t":
                open_ones[-1].append(element.text or "")
            elif tag in _CHARACTERS:
                open_ones[-1].append(_CHARACTERS[tag])
        elif tag == f"{_W}p":
            text = "".join(open_ones.pop())
            if text.strip():
                yield text
