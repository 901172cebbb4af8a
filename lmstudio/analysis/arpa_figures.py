"""An ARPA model and a text in, the perplexities that SRILM, KenLM and this program print, out.

All three score every word and every sentence end and never `<s>`. They differ in what they leave
out:

    ours, KenLM's "including OOVs"   nothing: an unknown word is `<unk>`
    KenLM's "excluding OOVs"         the events that are unknown words
    SRILM's ppl                      those, and events of probability 0
    SRILM's ppl1                     those, and sentence ends from the count: their log p is still
                                     in the sum (its "logprob" is one and the same for both)
"""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from lmstudio.analysis.loading import load_checked
from lmstudio.data.layout import BOS, EOS, UNK, Tokens
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.files import refuse_special, unwritten, written
from lmstudio.formats import arpa, arpa_reading
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.models.ngram.model import NgramModel
from lmstudio.training.spec import RunSpec


@dataclass(frozen=True)
class ArpaFigures:
    """Counts and perplexities; None where nothing is left to count, infinite for p = 0."""

    sentences: int
    words: int
    unknown: int
    zero_probability: int  # known events with p = 0
    log10_probability: float  # of all events
    perplexity: float  # ours; KenLM's including OOVs
    perplexity_without_unknown: float | None  # KenLM's excluding OOVs
    srilm_ppl: float | None
    srilm_ppl1: float | None
    notes: list[Message] = field(default_factory=list)


def figures(file: Path, text: Path, *, job: Job) -> ArpaFigures:
    """Score a UTF-8 text of words, one sentence a line, with an ARPA file."""
    refuse_special(text)
    try:
        lines = text.read_text(encoding="utf-8-sig").split("\n")
    except OSError as error:
        reason = error.strerror or str(error)
        raise AppError("{path} cannot be read: {error}.", path=text, error=reason) from error
    except UnicodeDecodeError as error:
        raise AppError("{name} is not UTF-8 text.", name=text.name) from error
    lines = [line for line in lines if arpa_reading.words(line)]
    if not lines:
        raise AppError("There is no sentence in {name}.", name=text.name)
    read = arpa_reading.load(file, job=job)
    stream = read.stream(lines)
    return accounted(read.model, stream, read.notes)


def accounted(model: NgramModel, stream: np.ndarray, notes: list[Message]) -> ArpaFigures:
    """The figures of `<s> w ... </s> <s> ...`."""
    logs = model.logprobs(stream) / np.log(10)
    events = stream[stream != BOS]
    unknown, ends = events == UNK, events == EOS
    zero = np.isneginf(logs) & ~unknown
    counted = ~unknown & ~zero
    return ArpaFigures(
        int(ends.sum()), int((~ends).sum()), int(unknown.sum()), int(zero.sum()),
        float(logs.sum()), _perplexity(logs.sum(), len(logs)) or np.inf,
        _perplexity(logs[~unknown].sum(), int((~unknown).sum())),
        _perplexity(logs[counted].sum(), int(counted.sum())),
        _perplexity(logs[counted].sum(), int((counted & ~ends).sum())), notes,
    )  # fmt: skip


def _perplexity(log10: float, events: int) -> float | None:
    if not events:
        return None
    return float(10 ** (-log10 / events)) if -log10 / events < 300 else float("inf")


def write_words(segmentation_folder: Path, part: str, path: Path, *, job: Job) -> int:
    """A part as text that `figures` scores: words as ARPA files spell them; how many sentences."""
    types = arpa.spellings(Vocabulary.load(segmentation_folder).types)
    tokens = Tokens(segmentation_folder)
    tokens.check(len(types))
    bounds = tokens.bounds(part)
    with (
        unwritten(path),
        written(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        for number, (start, end) in enumerate(bounds):
            file.write(" ".join(types[i] for i in tokens.ids[start:end].tolist()) + "\n")
            job.tick(number, len(bounds), Message("Writing sentences"))
    return len(bounds)


def write(run_folder: Path, spec: RunSpec, types: list[str], path: Path, *, job: Job) -> None:
    """Write the n-gram model of a run as an ARPA file."""
    model = load_checked(run_folder, spec, len(types), job=job)
    assert isinstance(model, NgramModel)
    arpa.save(path, model, types, job=job)
