"""A file of sentences, one a line, and some runs in; a table of surprisal by word out.

It streams: memory does not grow with the file. Offsets are code points of the line.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.surprisal import Kind, Scored, Words, kinds_of, score
from lmstudio.analysis.surprisal_figures import end_bits, word_bits
from lmstudio.data.layout import EOS, SPECIALS
from lmstudio.data.token_preview import MOST
from lmstudio.errors import AppError
from lmstudio.formats.table_file import table_file
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.text.lines import Lines, is_blank
from lmstudio.text.read import OpenFile, detected, naming, sample, text_chunks

_LINES, _CHARACTERS = 256, 8000  # that are scored at a time
_PLACES = 6  # decimals
Row = list[str | int]


@dataclass(frozen=True)
class FileScores:
    """What was written."""

    lines: int  # of the file, blank ones too
    sentences: int
    words: int
    cut: int  # lines of which only the first code points were read, as many as a text may have
    seconds: float


@dataclass(frozen=True)
class FileQuestion:
    """What is asked about a file."""

    words: Words
    pseudo: Kind = "within-word"  # the kind of those that see both sides
    spelled: bool = True  # an unknown word costs its spelling too
    ends: bool = False  # a row for each sentence's end


def score_file(
    runs: Sequence[Asked], path: Path, out: Path, header: Sequence[str], question: FileQuestion, *,
    job: Job,
) -> FileScores:  # fmt: skip
    """Write `out`: (line from 1, word, start, end, bits of each run) under `header`.

    AppError if a file cannot be read or written, and where words are to be the tokens of runs that
    are cut differently. The table is whole or not there.
    """
    if question.words == "tokens" and len({run.segmentation_folder for run in runs}) > 1:
        raise AppError("These runs cut text into different tokens. Choose words to sum over.")
    started, tally = time.monotonic(), _Tally()
    found = [answering(run, job=job) for run in runs]
    with naming(path):
        data, whole = sample(path)
        encoding = detected(data, whole=whole)[0].encoding
    with OpenFile(path) as file, table_file(out, header) as add:
        for lines in _portions(Lines(text_chunks(file, encoding)), tally):
            note = Message("Scoring line {line}", {"line": lines[-1][0]})
            job.tick(file.position(), file.size(), note)
            add(_rows(found, lines, question, tally, job))
    seconds = time.monotonic() - started
    return FileScores(tally.lines, tally.sentences, tally.words, tally.cut, seconds)


@dataclass
class _Tally:
    lines: int = 0
    sentences: int = 0
    words: int = 0
    cut: int = 0


def _portions(lines: Lines, tally: _Tally) -> Iterator[list[tuple[int, str]]]:
    """Numbered lines that are not blank, some at a time."""
    held: list[tuple[int, str]] = []
    size = 0
    for number, (_, line) in enumerate(lines, 1):
        tally.lines = number
        if is_blank(line):
            continue
        tally.cut += len(line) > MOST
        held.append((number, line[:MOST]))
        size += len(line)
        if len(held) == _LINES or size >= _CHARACTERS:
            yield held
            held, size = [], 0
    if held:
        yield held


def _rows(
    found: Sequence[Answering], lines: Sequence[tuple[int, str]], question: FileQuestion,
    tally: _Tally, job: Job,
) -> Iterator[Row]:  # fmt: skip
    texts = [line for _, line in lines]
    scored, kinds = [], []
    for one in found:
        own = kinds_of(one.model)
        kinds.append(question.pseudo if question.pseudo in own else own[0])
        scored.append(score(one, texts, question.words, kinds[-1:], origins=False, job=job))
    return chain.from_iterable(
        _rows_of(number, sentences, kinds, question, tally)
        for (number, _), *sentences in zip(lines, *scored, strict=True)
    )


def _rows_of(
    number: int, sentences: Sequence[Scored], kinds: Sequence[Kind], question: FileQuestion,
    tally: _Tally,
) -> Iterator[Row]:  # fmt: skip
    """One sentence as every run has scored it."""
    text, words = sentences[0].text, sentences[0].words
    tally.sentences += 1
    tally.words += len(words)
    columns = [word_bits(sentence, kind, spelled=question.spelled).tolist()
               for sentence, kind in zip(sentences, kinds, strict=True)]  # fmt: skip
    for place, (start, end) in enumerate(words):
        yield [number, text[start:end], start, end, *(_cell(bits[place]) for bits in columns)]
    if question.ends:
        ends = [end_bits(s, kind) for s, kind in zip(sentences, kinds, strict=True)]
        yield [number, SPECIALS[EOS], len(text), len(text), *map(_cell, ends)]


def _cell(bits: float | None) -> str:
    """Nothing where there is no figure."""
    return "" if bits is None or math.isnan(bits) else f"{bits:.{_PLACES}f}"
