"""Source files to the bulk files of a corpus. The work of an import; runs in a worker process."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.copies.duplicates import DuplicateReport, duplicates
from lmstudio.data.copies.leaks import leaking_lines, leaks
from lmstudio.data.copies.removal import remove_lines
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.parts import Document, PartFacts, count, divide
from lmstudio.data.source_files import Source, SourceCopies, SourceFile
from lmstudio.data.taking import Taken, TakenDocuments
from lmstudio.data.writer import CHARACTERS, CorpusWriter
from lmstudio.jobs import Job
from lmstudio.text.document import Refusal
from lmstudio.text.read import ReadError, shown

_EXAMPLES = 100  # groups of duplicates that are kept in the facts
_OF_GROUP = 20


@dataclass
class Imported:
    """The documents of a new corpus, in order, and what there is to say of it."""

    documents: list[Document] = field(default_factory=list)
    sources: list[SourceFile] = field(default_factory=list)
    skipped: list[Refusal] = field(default_factory=list)  # files of which nothing was taken
    partly: list[Refusal] = field(default_factory=list)  # what of other files was not
    split: str = "files"
    parts: PartFacts = field(default_factory=dict)
    taken: Taken = field(default_factory=Taken)
    duplicates: dict[str, Any] = field(default_factory=dict)
    leaks: dict[str, Any] = field(default_factory=dict)
    leaks_dropped: int = 0  # lines

    def __getstate__(self) -> dict[str, Any]:
        """Documents column by column: to unpickle many of them one by one takes ten times as long.

        Meanwhile no other thread could run, and the window would stand still.
        """
        columns = [[getattr(one, f.name) for one in self.documents] for f in fields(Document)]
        return self.__dict__ | {"documents": columns}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.documents = list(map(Document, *state["documents"]))


def import_sources(
    folder: Path, sources: Sequence[Source], options: ImportOptions, *, job: Job
) -> Imported:
    """Write source/ and the bulk files of `data.layout` into an empty folder.

    Files and documents that cannot be read are skipped, with the reason; so are those without text.
    """
    found = Imported()
    with CorpusWriter(folder) as writer:
        documents = TakenDocuments(writer, options)
        copies = SourceCopies(folder / "source", sources, job)
        for source in sources:
            _take(source, copies, documents, found)
        found.documents, found.taken = documents.documents, documents.facts()
    if found.documents:
        copy_of = _without_duplicates(folder, found, options, job)
        given = all(source.part for source in sources)
        found.split, found.parts = divide(
            folder, found.documents, options.split, copy_of, by_files=given, job=job
        )
        _without_leaks(folder, found, options, job)
    (folder / CHARACTERS).unlink()
    return found


def _take(source: Source, copies: SourceCopies, documents: TakenDocuments, found: Imported) -> None:
    """Copy a file and take its documents, or note why not; of one that is skipped nothing stays."""
    try:
        copy = copies.add(source)
    except ReadError as error:
        found.skipped.append(Refusal(shown(source.path), error.message))
        return
    number = len(found.sources)
    try:
        refused = documents.take(copy.path, number, source.part, copies.tick)
        if len(documents.of_source) == 0 and not refused:
            raise ReadError("There is no usable text in it.")
    except ReadError as error:
        refused = [Refusal(shown(source.path), error.message)]
    if documents.of_source:
        found.sources.append(copies.keep(copy, documents.of_source, documents.formats))
        found.partly += refused
    else:
        copies.drop(copy)
        found.skipped += refused


def _without_duplicates(
    folder: Path, found: Imported, options: ImportOptions, job: Job
) -> np.ndarray:
    """Count duplicate documents and drop those that are not wanted.

    (D,): for each document that stays the first one with the same text.
    """
    bounds = [(document.first_line, document.lines) for document in found.documents]
    report = duplicates(folder, bounds, job=job)
    dropped = _repeated(report, options.duplicates)
    found.duplicates = _duplicate_facts(report, len(dropped))
    if dropped:
        gone = np.zeros(sum(lines for _, lines in bounds), bool)
        for number in dropped:
            first, lines = bounds[number]
            gone[first : first + lines] = True
        remove_lines(folder, found.documents, gone, job=job)
    copy_of = np.arange(len(found.documents))
    if not dropped:
        for group in report.exact:
            copy_of[group] = group[0]
    return copy_of


def _repeated(report: DuplicateReport, wanted: str) -> list[int]:
    """The documents that `ImportOptions.duplicates` leaves out."""
    groups = {"keep": [], "drop-exact": report.exact, "drop-near": report.exact + report.near}
    return sorted({number for group in groups[wanted] for number in group[1:]})


def _duplicate_facts(report: DuplicateReport, dropped: int) -> dict[str, Any]:
    """Counts, and, where nothing was dropped so that numbers hold, the first groups."""
    facts: dict[str, Any] = {
        "exact_documents": report.exact_documents,
        "near_documents": report.near_documents,
        "dropped": dropped,
    }
    for name, groups in (("exact", report.exact), ("near", report.near)):
        facts[name] = [] if dropped else [group[:_OF_GROUP] for group in groups[:_EXAMPLES]]
    return facts


def _without_leaks(folder: Path, found: Imported, options: ImportOptions, job: Job) -> None:
    """Drop held-out lines that stand in train where that is wanted, and count what is left."""
    if options.leaks == "drop":
        lines = leaking_lines(folder, job=job)
        if len(lines):
            gone = np.zeros(sum(document.lines for document in found.documents), bool)
            gone[lines] = True
            remove_lines(folder, found.documents, gone, job=job)
            found.parts = count(folder, found.documents, job=job)
            found.leaks_dropped = len(lines)
    found.leaks = leaks(folder, job=job).to_json()
