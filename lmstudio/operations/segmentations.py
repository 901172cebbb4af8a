"""Segmentations: cut a corpus into tokens, or look first at what a segmenter would do.

`SegmentationRow.facts`: "options" (those of SegmentOptions, none "auto"), "overlapping", "version"
(of the segmenter), "tokens" (in all parts), "types" (different ones in train), "parts"
({part: PartCounts}), "oov_rate_valid" (None without tokens), "literal_unknown", "dictionary"
(None, or name, words, warnings).
"""

import shutil
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from lmstudio.data.cut_lines import CutPlan
from lmstudio.data.encode import Encoded, encode
from lmstudio.data.excerpt import Excerpt, excerpt
from lmstudio.data.survey import Survey, oov_rate, survey
from lmstudio.errors import SpecError
from lmstudio.formats.ngram_file import load_speller
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations.changes import Changes
from lmstudio.operations.guards import check_idle
from lmstudio.options import faults
from lmstudio.store.rows import CorpusRow, Facts, SegmentationRow
from lmstudio.store.settings import cache_folder
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.text.userdict import UserDictionary, read_dictionary
from lmstudio.training.fit_ngram import fit_speller

TryOut = Excerpt
_EMPTY = {
    "valid": Message("The valid part holds no token, so no run can be validated on it."),
    "test": Message("The test part holds no token, so no run can be tested on it."),
}


def create(
    ws: Workspace,
    corpus: int | str,
    options: SegmentOptions,
    *,
    name: str = "",
    dictionary: Path | None = None,
    job: Job,
) -> Changes:
    """Segment a corpus; `dictionary` is a user dictionary for jieba and ignored by the others.

    Raises SpecError for options out of their limits, AppError if the dictionary cannot be read,
    the name is taken or the train part holds no token.
    """
    row = ws.corpus(corpus)
    plan = _plan(row, options, dictionary)
    user_words = read_dictionary(plan.dictionary) if plan.dictionary else None
    if name:
        ws.check_name("segmentation", name)
    name = name or ws.free_name("segmentation", f"{row.name} · {describe(plan.options)}")
    number = ws.next_id("segmentation")
    folder = ws.segmentation_folder(number)
    encoded = job.call(_encode, ws.corpus_folder(row.id), folder, plan)
    facts = _facts(encoded, plan, user_words)
    made = SegmentationRow(
        number, row.id, name, "", plan.options.by, encoded.vocabulary, facts
    )  # fmt: skip
    try:
        ws.add_segmentation(made)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Changes(segmentations=True, new_id=number, notes=tuple(_notes(encoded, user_words)))


def try_out(
    ws: Workspace,
    corpus_id: int,
    options: SegmentOptions,
    *,
    dictionary: Path | None = None,
    first_line: int = 0,
    lines: int = 8,
    job: Job,
) -> TryOut:
    """The tokens of the first `lines` sentences from line `first_line` on."""
    plan = _plan(ws.corpus(corpus_id), options, dictionary)
    return job.call(excerpt, ws.corpus_folder(corpus_id), plan, first_line, lines)


def statistics(
    ws: Workspace,
    corpus_id: int,
    options: SegmentOptions,
    *,
    dictionary: Path | None = None,
    job: Job,
) -> Survey:
    """What a segmentation of the whole corpus would count; nothing is kept."""
    plan = _plan(ws.corpus(corpus_id), options, dictionary)
    return job.call(survey, ws.corpus_folder(corpus_id), plan)


def rename(ws: Workspace, segmentation: int | str, name: str) -> Changes:
    """Give a segmentation another name."""
    ws.rename("segmentation", ws.segmentation(segmentation).id, name)
    return Changes(segmentations=True)


def delete(ws: Workspace, segmentation: int | str) -> Changes:
    """Delete a segmentation and the runs on it; AppError while one is trained."""
    row = ws.segmentation(segmentation)
    check_idle(ws.runs(row.id))
    ws.delete("segmentation", row.id)
    return Changes(segmentations=True, runs=True)


def describe(options: SegmentOptions) -> str:
    """A short name for a segmentation, in the language in use: "jieba · full"."""
    if options.by == "jieba":
        return "jieba" if options.mode == "accurate" else f"jieba · {options.mode}"
    return tr("characters") if options.by == "characters" else tr("whitespace")


def _plan(row: CorpusRow, options: SegmentOptions, dictionary: Path | None) -> CutPlan:
    if wrong := faults(options):
        raise SpecError(wrong)
    if options.sentences == "auto":
        by_line = row.lines_rule == "sentence"
        options = replace(options, sentences="line" if by_line else "punctuation")
    used = Path(dictionary).absolute() if dictionary and options.by == "jieba" else None
    return CutPlan(options, used, cache_folder() / "jieba")


def _encode(corpus: Path, folder: Path, plan: CutPlan, *, job: Job) -> Encoded:
    """In the worker: unknown words are priced by the corpus's speller, fitted at first need."""

    def spelling(words: list[str]) -> np.ndarray:
        speller = load_speller(fit_speller(corpus, job=job))
        bits = np.empty(len(words))
        for start in range(0, len(words), 1000):
            job.tick(start, len(words), Message("Spelling unknown words"))
            bits[start : start + 1000] = speller.bits_of(words[start : start + 1000])
        return bits

    return encode(corpus, folder, plan, spelling=spelling, job=job)


def _facts(encoded: Encoded, plan: CutPlan, user_words: UserDictionary | None) -> Facts:
    parts = encoded.meta.parts
    return {
        "options": asdict(plan.options),
        "overlapping": encoded.meta.overlapping,
        "version": encoded.version,
        "tokens": sum(counts.tokens for counts in parts.values()),
        "types": encoded.types,
        "parts": {name: asdict(counts) for name, counts in parts.items()},
        "oov_rate_valid": oov_rate(parts["valid"]),
        "literal_unknown": sum(counts.literal_unknown for counts in parts.values()),
        "dictionary": user_words and {
            "name": plan.dictionary.name if plan.dictionary else "",
            "words": len(user_words.words),
            "warnings": [[w.sentence, w.values] for w in user_words.warnings],
        },
    }  # fmt: skip


def _notes(encoded: Encoded, user_words: UserDictionary | None) -> list[Message]:
    notes = list(user_words.warnings) if user_words else []
    if encoded.meta.overlapping:
        notes.append(
            Message(
                "Words overlap in this mode: the text is counted more than once, so its figures "
                "stand on an axis of their own and are not comparable with other segmentations."
            )
        )
    if written := sum(counts.literal_unknown for counts in encoded.meta.parts.values()):
        notes.append(
            Message("{count} tokens are written <unk> in the text itself.", {"count": written})
        )
    return notes + [_EMPTY[part] for part in _EMPTY if not encoded.meta.parts[part].tokens]
