"""Tokens become an n-gram model in the folder of its run; a corpus's words become its speller."""

import unicodedata
from pathlib import Path
from typing import Any

import numpy as np

from lmstudio.data.layout import PART_NAMES, SPECIALS, CorpusText, Tokens
from lmstudio.data.pieces import pieces
from lmstudio.data.vocab import read_counts
from lmstudio.errors import AppError
from lmstudio.formats import ngram_file
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.config import ClassNgramConfig, NgramConfig
from lmstudio.models.ngram.class_model import FINDING, ClassNgramModel
from lmstudio.models.ngram.merging import Limit
from lmstudio.models.ngram.model import NgramModel
from lmstudio.models.ngram.smoothing import Facts
from lmstudio.models.ngram.spelling import Speller
from lmstudio.models.ngram.word_classes import members
from lmstudio.text.marks import without_marks
from lmstudio.training.class_search import ClassSearch
from lmstudio.training.disk_room import room_in
from lmstudio.training.environment import environment
from lmstudio.training.spec import RunSpec

MODEL_FILE = "model.ngram"
SPELLER_FILE = "speller.ngram"
MEMORY = 2 << 30
"""Bytes, about, that counting may take; a longer text is counted in parts, put away in files."""
SPELLER_CHARACTERS = 5_000_000
"""Of the train part; more would make the speller larger, hardly better."""
WORTH_SAYING = 0.01
"""Share of unknown tokens from which on a user should know what they cost."""
NEVER_UNKNOWN = msg(
    "Unknown tokens in the valid part: {unknown:,} of {tokens:,}. The training text has no unknown "
    "word to learn from, so each of them costs a lot. With a minimum count of 2 the "
    "vocabulary leaves out what was seen once, and the model learns what is rare."
)
INFORMATION = msg(
    "The word classes keep {bits} bits of mutual information between neighbours (AMI)."
)
LISTED = 20
"""Words of a class, the frequent ones, that the record of a run names."""
_PIECE = 1 << 16  # tokens scored between two ticks

COUNTING = msg("Counting n-grams")
FINDING_CLASSES = msg("Finding word classes")
SCORING = msg("Scoring the valid part")
SPELLING = msg("Learning how words are spelled")


def fit(
    segmentation_folder: Path, run_folder: Path, spec: RunSpec, *, memory: int = MEMORY, job: Job
) -> dict[str, Any]:  # fmt: skip
    """Train the n-gram model of `spec` on the train part and write it to `run_folder`.

    Returns the facts of the run: "parameters", "seconds", "ngrams" of each order, "discounts",
    "made_with", "notes", "valid_loss" (nats an event, None without a valid part), and of a model of
    classes "classes" (the ids of the LISTED most frequent words of each) and "information" (AMI,
    bits).
    AppError without training text; Cancelled within a second of a stop. The classes that were found
    until then are kept in `run_folder`, and the next call goes on from them.
    """
    assert isinstance(spec.config, NgramConfig | ClassNgramConfig)
    tokens, counts = Tokens(segmentation_folder), read_counts(segmentation_folder)
    tokens.check(len(counts))
    stream = tokens.stream("train")
    if not len(stream):
        raise AppError("There is no text to train on: the train part is empty.")
    total = len(stream)
    held_out = tokens.stream("valid")
    run_folder.mkdir(parents=True, exist_ok=True)
    search = ClassSearch(run_folder, len(counts))
    with room_in(run_folder) as room:
        if isinstance(spec.config, NgramConfig):
            model, facts = _of_words(stream, len(counts), spec.config, held_out,
                                     Limit(memory, room), job)  # fmt: skip
        else:
            model, facts = _of_classes(stream, spec.config, held_out, search, job)
        ngram_file.save(run_folder / MODEL_FILE, model, job=job)
        del model  # it may be mapped from what is deleted now
    search.remove()
    model = ngram_file.load_either(run_folder / MODEL_FILE)
    seconds = search.seconds
    loss = _loss(model, held_out, total, job)
    if loss is not None:
        job.tick(total, total, valid_loss=loss, seconds=seconds)
    return {
        "parameters": facts.parameters,
        "seconds": seconds,
        "ngrams": model.sizes,
        "discounts": facts.discounts,
        "made_with": environment(),
        "notes": facts.notes + _surprises(tokens),
        "valid_loss": loss,
        **(_class_facts(model, facts, counts) if isinstance(model, ClassNgramModel) else {}),
    }


def _of_words(
    stream: np.ndarray, rows: int, config: NgramConfig, held_out: np.ndarray, limit: Limit, job: Job
) -> tuple[NgramModel | ClassNgramModel, Facts]:
    total, note = len(stream), Message(COUNTING)
    return NgramModel.fit(
        stream, rows, config, lambda share: job.tick(0.9 * share * total, total, note),
        held_out, limit,
    )  # fmt: skip


def _of_classes(
    stream: np.ndarray, config: ClassNgramConfig, held_out: np.ndarray, search: ClassSearch,
    job: Job,
) -> tuple[NgramModel | ClassNgramModel, Facts]:  # fmt: skip
    """A model of classes; the search for them goes on where it was."""

    def progress(share: float) -> None:
        note = Message(FINDING_CLASSES if share < FINDING else COUNTING)
        seconds = search.seconds if job.cancelling else search.seconds_to_tell()
        point = {} if seconds is None else {"seconds": seconds}
        job.tick(0.9 * share * len(stream), len(stream), note, **point)

    with search.saved():
        model, facts = ClassNgramModel.fit(
            stream, search.rows, config, progress, held_out, begun=search.begun, keep=search.keep
        )
    # classes are few and frequent: that none is seen once is no lack of text
    facts.notes = [note for note in facts.notes if note[1].get("order") != 1]
    facts.notes.append([INFORMATION, {"bits": f"{facts.information:.3f}"}])
    return model, facts


def _class_facts(model: ClassNgramModel, facts: Facts, counts: np.ndarray) -> dict[str, Any]:
    """What the record of a run says of its word classes, those of the special ids left out."""
    listed = [ids[:LISTED].tolist() for ids in members(model.class_of, counts)]
    return {"classes": listed[len(SPECIALS) :], "information": facts.information}


def _surprises(tokens: Tokens) -> list[list[Any]]:
    """A note where the model meets unknown words without ever having counted one."""
    train, valid = tokens.meta.parts["train"], tokens.meta.parts["valid"]
    if train.unknown or valid.unknown <= WORTH_SAYING * valid.tokens:
        return []
    return [[NEVER_UNKNOWN, {"unknown": valid.unknown, "tokens": valid.tokens}]]


def _loss(
    model: NgramModel | ClassNgramModel, stream: np.ndarray, total: int, job: Job
) -> float | None:
    """Nats an event; infinite where an event has no probability."""
    nats, events, done = 0.0, 0, 0
    for piece in pieces(stream, _PIECE):
        logprobs = model.logprobs(piece)
        nats -= float(logprobs.sum())
        events += len(logprobs)
        done += len(piece)
        job.tick(total * (0.9 + 0.1 * done / len(stream)), total, Message(SCORING))
    return nats / events if events else None


def fit_speller(corpus_folder: Path, *, job: Job) -> Path:
    """The file of the corpus's speller, made the first time it is asked for.

    It learns from the runs of characters between white space and punctuation in the train part,
    so it is the same for every segmentation. Open it with `formats.ngram_file.load_speller`.
    """
    path = corpus_folder / SPELLER_FILE
    if not path.exists():
        ngram_file.save_speller(path, learn_speller(corpus_folder, job=job))
    return path


def learn_speller(corpus_folder: Path, *, job: Job) -> Speller:
    """The speller of a corpus, learned anew. AppError where its train part is empty."""
    words = _words(CorpusText(corpus_folder), job)
    if not words:
        raise AppError("There is no text to train on: the train part is empty.")
    note = Message(SPELLING)
    return Speller.fit(words, lambda share: job.tick(50 + 49 * share, 100, note))


def _words(text: CorpusText, job: Job) -> list[str]:
    """The runs in the first SPELLER_CHARACTERS of the train part; punctuation is a word once.

    `<s>`, `</s>` and `<unk>` that are written in the text are no words of it.
    """
    lines = np.flatnonzero(text.lines["part"] == PART_NAMES.index("train"))
    separators = _Separators()
    words: list[str] = []
    read = 0
    for number in lines:
        line = without_marks(text.line(int(number))).strip()
        words += line[:SPELLER_CHARACTERS].translate(separators).split()
        read += len(line)
        if read >= SPELLER_CHARACTERS:
            break
        job.tick(50 * read / SPELLER_CHARACTERS, 100, Message(SPELLING))
    return words + separators.punctuation()


class _Separators(dict[int, str | int]):
    """For str.translate: punctuation becomes a space; remembers which it met."""

    def __missing__(self, code: int) -> str | int:
        self[code] = " " if unicodedata.category(chr(code))[0] == "P" else code
        return self[code]

    def punctuation(self) -> list[str]:
        return [chr(code) for code, kept in sorted(self.items()) if kept == " "]
