"""A prompt and models in; the texts that they go on with, all models at once, out.

Each model writes a token in turn, so that columns side by side grow together. What is written until
now is shown to whoever watches the job. A stop ends the texts where they are; they are kept.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, cast

import numpy as np

from lmstudio.analysis.asked import Asked, answering
from lmstudio.analysis.generation.beams import BeamTexts
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.prompt import line_after, read_prompt
from lmstudio.analysis.generation.sampled_texts import SampledTexts
from lmstudio.analysis.generation.token import Continuation
from lmstudio.errors import AppError, Cancelled
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.base import WritingModel

SHOW_EVERY = 0.1  # seconds
_WRITING = Message("Writing")


@dataclass(frozen=True)
class Start:
    """A run that is to write."""

    asked: Asked
    kept: tuple[int, ...] = ()  # ids that its texts begin with


@dataclass(frozen=True)
class Generated:
    """What one run wrote."""

    name: str
    prompt: tuple[str, ...]  # what it read, as types
    texts: tuple[Continuation, ...]
    written: int  # tokens, of all texts and beams together
    seconds: float  # that it took by itself, opening its file left out
    notes: tuple[Message, ...] = ()
    stopped: bool = False  # somebody stopped it before the end

    @property
    def tokens_per_second(self) -> float:
        """Of all its texts together; 0 before there is one."""
        return self.written / self.seconds if self.seconds else 0.0


class Texts(Protocol):
    """Texts of one model that grow: SampledTexts or BeamTexts."""

    @property
    def done(self) -> bool: ...

    @property
    def written(self) -> int: ...

    def step(self) -> None: ...

    def texts(self, *, whole: bool = True) -> list[Continuation]: ...


def generate(
    starts: Sequence[Start], prompt: str, options: GenerationOptions, *, job: Job
) -> list[Generated]:
    """What each run writes after `prompt`, in their order; Job.partial is the end of each text.

    If the job is stopped, what was written until then. A run that cannot write has no texts and
    says why in its notes; AppError where none can.
    """
    writers: list[_Writer | _Silent] = []
    fault: AppError | None = None
    try:
        for start in starts:
            job.tick(0, options.length, Message("Opening {name}", {"name": start.asked.name}))
            try:
                writers.append(_Writer(start, prompt, options, job))
            except AppError as error:
                fault = error
                writers.append(_Silent(start.asked.name, error.message))
        able = [writer for writer in writers if isinstance(writer, _Writer)]
        if fault and not able:
            raise fault
        _write(able, writers, options, job)
    except Cancelled:
        if not any(writer.begun for writer in writers):
            raise
        return [writer.result(stopped=True) for writer in writers]
    return [writer.result() for writer in writers]


def _write(
    able: Sequence["_Writer"], writers: Sequence["_Writer | _Silent"], options: GenerationOptions,
    job: Job,
) -> None:  # fmt: skip
    """Let those who are `able` write; all `writers` are shown."""
    shown = time.monotonic()
    step = 0
    while going := [writer for writer in able if not writer.texts.done]:
        for writer in going:
            writer.step()
            job.check()
        step += 1
        if time.monotonic() - shown >= SHOW_EVERY:
            shown = time.monotonic()
            job.show([writer.result(whole=False) for writer in writers])
            job.tick(step, options.length, _WRITING)


class _Writer:
    """A run that writes."""

    def __init__(self, start: Start, prompt: str, options: GenerationOptions, job: Job) -> None:
        model = answering(start.asked, job=job)
        began = time.perf_counter()
        read = read_prompt(model, prompt, job=job)
        reading = cast(WritingModel, model.model).begin(np.array(read.ids, np.int32))
        line = line_after(model, prompt)
        kind = BeamTexts if options.beam > 1 else SampledTexts
        self.texts: Texts = kind(reading, line, options, start.kept)
        self.begun = False
        self._name, self._notes = start.asked.name, read.notes
        self._prompt = tuple(model.types[number] for number in read.ids)
        self._seconds = time.perf_counter() - began

    def step(self) -> None:
        """A token more of each text."""
        began = time.perf_counter()
        self.texts.step()
        self.begun = True
        self._seconds += time.perf_counter() - began

    def result(self, *, whole: bool = True, stopped: bool = False) -> Generated:
        """What it has written until now."""
        texts = tuple(self.texts.texts(whole=whole))
        return Generated(
            self._name, self._prompt, texts, self.texts.written, self._seconds, self._notes,
            stopped and not self.texts.done,
        )  # fmt: skip


@dataclass(frozen=True)
class _Silent:
    """A run that cannot write."""

    name: str
    why: Message
    begun: bool = False

    def result(self, *, whole: bool = True, stopped: bool = False) -> Generated:
        """Nothing, and why."""
        return Generated(self.name, (), (), 0, 0.0, (self.why,))
