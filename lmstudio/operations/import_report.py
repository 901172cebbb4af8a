"""A corpus to the report of its import: what was taken, left out, found twice and changed."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from lmstudio import figures
from lmstudio.errors import AppError
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, msg, tr
from lmstudio.operations import leaks
from lmstudio.operations.value_names import value_name
from lmstudio.options import options_of
from lmstudio.store.rows import CorpusRow, DocumentRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.normalize import NormaliseOptions

KINDS = {
    "taken": msg("taken"), "skipped": msg("left out"), "partly": msg("left out in part"),
    "copies": msg("exact copies"), "near": msg("near copies"), "leak": msg("leak"),
    "example": msg("example of a leak"),
    "changed": msg("changed"), "counted": msg("counted"),
}  # fmt: skip
"""What a row of the report is about."""

_COUNTS = {
    "blank_documents": msg("documents without text"),
    "leaks_dropped": msg("lines taken out as leaks"),
    "given_words": msg("words given by the files"),
    "empty_lines": msg("empty lines skipped"),
    "joined_lines": msg("line ends joined"),
    "cut_lines": msg("cuts in lines of more than 4 million characters"),
    "marks": msg("lines with <s>, </s> or <unk>, taken for marks"),
}


@dataclass(frozen=True)
class ReportRow:
    """One line of the report; `count` is of documents, characters or lines, as `kind` says."""

    kind: str  # one of KINDS
    name: str  # a file, document, part or step
    count: int | None
    detail: str

    def title(self) -> str:
        """What the row is about, in the language in use."""
        return tr(KINDS[self.kind])


def import_report(ws: Workspace, corpus: int | str) -> list[ReportRow]:
    """The rows of the report, what was left out first."""
    row = ws.corpus(corpus)
    return [
        *_skipped(row), *_copies(ws, row), *_leaks(ws, row), *_changed(row), *_counted(row),
        *_taken(ws, row),
    ]  # fmt: skip


def save_csv(ws: Workspace, corpus: int | str, path: Path, *, job: Job) -> None:
    """Write the report as CSV. Raises AppError if it cannot be written."""
    header = [tr("What"), tr("Name"), tr("Number"), tr("Detail")]
    rows = [(row.title(), row.name, row.count, row.detail) for row in import_report(ws, corpus)]
    save_table(path, header, rows, total=len(rows), job=job)


def _skipped(corpus: CorpusRow) -> Iterator[ReportRow]:
    for kind in ("skipped", "partly"):
        for name, sentence, values in corpus.facts.get(kind, []):
            yield ReportRow(kind, name, None, str(Message(sentence, values)))


def _taken(ws: Workspace, corpus: CorpusRow) -> Iterator[ReportRow]:
    documents = ws.documents_by_source(corpus.id)
    for source in ws.sources(corpus.id):
        detail = [source.format, source.encoding.upper(), figures.size(source.bytes)]
        count = documents.get(source.number, 0)
        yield ReportRow("taken", source.name, count, " · ".join(filter(None, detail)))


def _copies(ws: Workspace, corpus: CorpusRow) -> Iterator[ReportRow]:
    found = corpus.facts.get("duplicates", {})
    for kind, fact in (("copies", "exact"), ("near", "near")):
        groups = found.get(fact, [])
        for group in groups:
            first, *others = (_named(ws, corpus, number) for number in group)
            yield ReportRow(kind, first, len(others), listed(others))
        more = found.get(f"{fact}_documents", 0) - sum(len(group) - 1 for group in groups)
        if groups and more > 0:
            yield ReportRow(kind, tr("and more, not listed"), more, "")


def _named(ws: Workspace, corpus: CorpusRow, number: int) -> str:
    rows: list[DocumentRow] = ws.documents(corpus.id, number, 1)
    if not rows:
        return str(number + 1)
    return tr("{name} ({part})", name=rows[0].title or rows[0].name, part=value_name(rows[0].part))


def _leaks(ws: Workspace, corpus: CorpusRow) -> Iterator[ReportRow]:
    found = corpus.facts.get("leaks", {})
    for part, own in found.items():
        detail = tr(
            "{share} of the characters; documents or blocks that are nearly the same: {near}",
            share=figures.percent(own["share"], 1), near=figures.count(own["near_stretches"]),
        )  # fmt: skip
        yield ReportRow("leak", tr(part), own["leaked_lines"], detail)
    if not found:
        return
    try:
        examples = leaks.examples(ws, corpus.id, job=Job())
    except AppError:  # the files of the corpus are gone, as its panel says
        return
    for one in examples:
        told = tr("{text} (as corpus line {number})", text=_short(one.text),
                  number=figures.count(one.train_line + 1))  # fmt: skip
        name = tr("{part}, corpus line {number}", part=tr(one.part),
                  number=figures.count(one.line + 1))  # fmt: skip
        yield ReportRow("example", name, None, told)


def _short(text: str) -> str:
    return text if len(text) <= 100 else text[:100] + "…"  # noqa: PLR2004


def _changed(corpus: CorpusRow) -> Iterator[ReportRow]:
    options = options_of(NormaliseOptions)
    for step, done in corpus.facts.get("normalise", {}).items():
        name = tr(options[step][1].label) if step in options else step
        value = "" if isinstance(done["value"], bool) else f"{value_name(done['value'])} · "
        yield ReportRow("changed", name, done["changed"], f"{value}{done.get('version', '')}")


def _counted(corpus: CorpusRow) -> Iterator[ReportRow]:
    if dropped := corpus.facts.get("duplicates", {}).get("dropped"):
        yield ReportRow("counted", tr("documents left out as copies"), dropped, "")
    asked = corpus.facts.get("options", {}).get("leaks") == "drop"  # then none is worth a row too
    for fact, title in _COUNTS.items():
        count = corpus.facts.get(fact)
        if count or (asked and fact == "leaks_dropped"):
            yield ReportRow("counted", tr(title), count, "")
