"""Files of labelled examples, in whatever layout, to examples of one kind of task.

The first file decides the kind, if nobody has; what its columns are and which scheme its tags are
written in holds for files of the same columns after it. What cannot be read is counted, line by
line.
"""

from collections.abc import Iterator
from typing import Any

from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.label_options import LabelOptions
from lmstudio.data.labelled.problems import Problems
from lmstudio.data.labelled.reading import (
    aligned,
    entities,
    label_studio,
    questions,
    tables,
    token_lines,
)
from lmstudio.data.labelled.reading import word_lines as words
from lmstudio.data.labelled.reading.json_values import LOST, values
from lmstudio.data.labelled.reading.label_names import Names
from lmstudio.data.labelled.reading.roles import Roles
from lmstudio.data.labelled.reading.sources import Source, opened
from lmstudio.data.labelled.reading.text_layout import are_tokens, layout_of
from lmstudio.data.labelled.tags import scheme_of
from lmstudio.data.watched import watched
from lmstudio.jobs import Job
from lmstudio.messages import msg
from lmstudio.text.document import ReadOptions
from lmstudio.text.files.kinds import kind_of
from lmstudio.text.files.opened import Opened, parsing
from lmstudio.text.files.table import is_half
from lmstudio.text.read import ReadError

_NO_TAGS = msg(
    "A table has no tags of tokens. Give a token and its tag in each line, white space between "
    "them, and a blank line after each sentence."
)
_LOOKED_AT = 100  # values of a JSON file that tell its layout


class Reader:
    """Reads one file after another. `kind` and `problems` are what was found until now.

    `problems.part` is the part of the example given last: of its file, or what a column says.
    """

    def __init__(self, kind: str, options: LabelOptions, names: Names, job: Job) -> None:
        """`kind`: one of KINDS, or "auto"; `names`: of labels that are numbers."""
        self.kind, self.options, self.names = kind, options, names
        self._asked = kind != "auto"
        self.problems = Problems()
        self.sheet: tables.Sheet | None = None  # the first table
        self.roles: Roles | None = None  # what its columns are
        self.scheme = "" if options.scheme == "auto" else options.scheme
        self.layout = ""  # of the first file
        self._job = job

    def read(self, source: Source) -> Iterator[Example]:
        """The examples of a source. AppError, with its name, if it holds none of this kind."""
        for example in watched(self._all(source), self._job):
            if any(map(is_half, example.strings)):
                self.problems.add(tables.HALF, "dropped", example.place, example.text[:40])
            else:
                yield example

    def _all(self, source: Source) -> Iterator[Example]:
        if source.aligned:
            self._settle(aligned.kind_of(source), ("tag", "classify"), source.name, "aligned")
            yield from aligned.examples(
                source, self.kind, self.options.encoding, self.problems, self._job
            )
            return
        with opened(source.paths[0], self._job) as file, parsing(source.paths[0].suffix):
            yield from self._file(file)

    def _file(self, file: Opened) -> Iterator[Example]:
        found = kind_of(file)
        if found == "xlsx":
            yield from self._table(tables.spreadsheet(file, self.options), found)
        elif found in ("csv", "json", "text"):
            text = "".join(file.text(ReadOptions(encoding=self.options.encoding))[1])
            yield from self._text(file.name, text, found)
        else:
            raise ReadError(
                "Labelled examples are read from .csv, .tsv, .xlsx, .json, .jsonl and text files."
            )

    def _text(self, name: str, text: str, found: str) -> Iterator[Example]:
        kind = self.kind if self._asked or self.kind == "tag" else "auto"
        layout = "json" if found == "json" else layout_of(text, kind, table=found == "csv")
        if self.layout == "columns" and layout in ("words", "table") and are_tokens(text):
            layout = "columns"  # whose tags are not told
        if layout == "json":
            yield from self._json(name, values(text, self._job))
        elif layout == "table":
            tabs = not name.lower().removesuffix(".gz").endswith(".csv")
            sheet = tables.delimited(name, text, self.options, tabs=tabs, job=self._job)
            yield from self._table(sheet, layout)
        elif layout == "columns":
            self._settle("tag", ("tag",), name, layout)
            columns = self.options.text_column, self.options.label_column
            found_ones = token_lines.sentences(text, columns, job=self._job)
            found_ones = token_lines.without_header(found_ones, name, self.problems)
            self.scheme = self.scheme or scheme_of(
                [token.tag for token in sentence if token.tag]
                for sentence in watched(found_ones, self._job)
            )
            yield from token_lines.examples(found_ones, self.scheme, name, self.problems)
        else:
            self._settle("tag", ("tag",), name, layout)
            yield from words.examples(text, layout, name, self.problems)

    def _json(self, name: str, found: list[tuple[int, Any]]) -> Iterator[Example]:
        found = [(line, label_studio.plain(value)) for line, value in watched(found, self._job)]
        objects = [(line, value) for line, value in found if isinstance(value, dict)]
        first = [value for _, value in objects[:_LOOKED_AT]]
        tagged = any(map(entities.is_tagged, first)) and not any(map(entities.has_classes, first))
        tagged |= self.kind == "tag" and bool(first) and all(map(entities.is_bare, first))
        if any(map(questions.is_questions, first)):
            self._settle("qa", ("qa",), name, "questions")
            self._count_lost(name, found)
            yield from self._questions(name, objects)
        elif self.kind in ("auto", "tag") and tagged:
            self._settle("tag", ("tag",), name, "entities")
            self._count_lost(name, found)
            yield from self._entities(name, objects)
        else:
            yield from self._table(tables.objects(name, _rows_in(found), job=self._job), "json")

    def _count_lost(self, name: str, found: list[tuple[int, Any]]) -> None:
        for line, value in found:
            if not isinstance(value, dict):
                detail = "" if value is LOST else str(value)[:40]
                self.problems.add(tables.UNREAD, "dropped", f"{name}:{line}", detail)

    def _questions(self, name: str, found: list[tuple[int, Any]]) -> Iterator[Example]:
        asked = [question for _, value in watched(found, self._job)
                 for question in questions.asked(value)]  # fmt: skip
        asked = questions.told(asked)
        told = any(start >= 0 for each in asked if each for _, start in each.answers or ())
        for number, question in enumerate(asked, 1):
            if question is None:
                self.problems.add(tables.UNREAD, "dropped", f"{name}:{number}")
                continue
            place = f"{name}:{question.id or number}"
            if not question.passage.strip() or not question.question.strip():
                self.problems.add(questions.EMPTY, "dropped", place)
            elif example := questions.example(question, place, self.problems, told=told):
                yield example

    def _entities(self, name: str, found: list[tuple[int, Any]]) -> Iterator[Example]:
        pairs = [entities.tags_in(value, self.names) for _, value in watched(found, self._job)]
        written = [tags for _, tags in filter(None, pairs)]
        if written and all(tag.isdecimal() for tags in written for tag in tags):
            raise ReadError(
                "Its tags are numbers. Give a file that names them as well: one name a line, the "
                "first for 0, or dataset_info.json."
            )
        self.scheme = self.scheme or scheme_of(written)
        for (line, value), pair in zip(found, pairs, strict=True):
            place = f"{name}:{line}"
            if pair is not None:
                yield entities.of_tokens(*pair, self.scheme, place, self.problems)
            elif entities.has_tokens(value):
                self.problems.add(entities.UNEQUAL, "dropped", place)
            elif not isinstance(value.get("text"), str) or not value["text"].strip():
                self.problems.add(tables.NO_TEXT, "dropped", place)
            else:
                yield entities.example(value, place, self.problems)

    def _table(self, sheet: tables.Sheet, layout: str) -> Iterator[Example]:
        if self.kind == "tag":
            raise ReadError(_NO_TAGS)
        used = self.roles
        if used is None or list(used.names) != sheet.names:
            used = tables.roles_of(sheet, self.options, self.kind, self.names)
        if not self._asked and tables.has_tags(sheet, used):
            raise ReadError(
                "The labels of this table look like tags of tokens. Where they are classes, choose "
                "classification as the kind of task (--kind classify). Otherwise give a token and "
                "its tag in each line, white space between them, and a blank line after each "
                "sentence."
            )
        kind = used.kind
        if self.kind == "classify" and not self._asked and sheet.header:
            kind = tables.roles_of(sheet, self.options, "auto", self.names).kind
        possible = ("classify", "pair", "qa") if self._asked or kind != "pair" else ("pair", "qa")
        self._settle(kind, possible, sheet.name, layout)
        if self.kind in ("pair", "qa") and used.other is None:
            raise ReadError("There is no column with a second text in it. Choose one.")
        if self.roles is None:
            self.sheet, self.roles = sheet, used
        yield from tables.examples(sheet, used, self.kind, self.problems, self.names)

    def _settle(self, found: str, possible: tuple[str, ...], name: str, layout: str) -> None:
        """Decide the kind if it is open; AppError if a file of this layout cannot be of it."""
        if self.kind == "auto":
            self.kind = found
        if self.kind not in possible:
            raise ReadError(
                "It holds examples of another kind ({found}), not of {kind}.",
                found=found, kind=self.kind,
            )  # fmt: skip
        self.layout = self.layout or layout


def _rows_in(found: list[tuple[int, Any]]) -> list[tuple[int, Any]]:
    """Of a file with one object that holds lists of objects, the objects of the longest list."""
    longest: list[Any] = []
    if len(found) == 1 and isinstance(found[0][1], dict):
        for value in found[0][1].values():
            holds_objects = isinstance(value, list) and value and isinstance(value[0], dict)
            if holds_objects and len(value) > len(longest):
                longest = value
    return list(enumerate(longest, 1)) or found
