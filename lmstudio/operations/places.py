"""Lines of a corpus to the lines of the text files they came from."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from lmstudio.data.layout import CorpusText
from lmstudio.data.origin import original_position
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.store.rows import SourceRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.file_lines import file_lines

Place = tuple[int, int]
"""Line of the corpus, from 0, and code point in it."""


def places(
    ws: Workspace, corpus: int | str, wanted: Sequence[Place], *, job: Job
) -> list[int | None]:
    """The line of its file, from 1, in which each place stands.

    None where the file has no lines of its own (tables, books, members of archives), or is gone.
    Files are read up to the last place: ask for what is shown, not for all.
    """
    row = ws.corpus(corpus)
    folder = ws.corpus_folder(row.id)
    document = CorpusText(folder).lines["document"]
    sources = {source.number: source for source in ws.sources(row.id)}
    by_source: dict[int, list[int]] = defaultdict(list)
    for index, (line, _) in enumerate(wanted):
        [found] = ws.documents(row.id, int(document[line]), 1)
        by_source[found.source].append(index)
    lines: list[int | None] = [None] * len(wanted)
    for number, indexes in by_source.items():
        some = [wanted[index] for index in indexes]
        found_lines = job.call(_in_source, folder, sources.get(number), some)
        for index, line_of_file in zip(indexes, found_lines, strict=True):
            lines[index] = line_of_file
    return lines


def _in_source(
    folder: Path, source: SourceRow | None, wanted: Sequence[Place], *, job: Job
) -> list[int | None]:
    nowhere: list[int | None] = [None] * len(wanted)
    if source is None:
        return nowhere
    job.tick(0, 0, Message("Looking for the lines in the files"))
    try:
        positions = [original_position(folder, *place) for place in wanted]
        return file_lines(folder / "source" / source.name, source.encoding, positions)
    except (AppError, LookupError):  # the copy is gone, or of an old corpus
        return nowhere
