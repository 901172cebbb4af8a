"""Segmentations: cut a corpus into tokens, or look first at what a segmenter would do.

`SegmentationRow.facts`: "options" (those of SegmentOptions, none "auto"), "axis" (see `axis`),
"version" (of the segmenter), "tokens" (in all parts), "types" (different ones in train), "parts"
({part: PartCounts}), "oov_rate_valid" (None without tokens), "literal_unknown", "dictionary" (None,
or name, words, warnings), "tokenizer" (None, or name of the loaded file, its pieces, the share of
train they are learnt from), "stop_words" (None, or name, words, tokens).
"""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np

from lmstudio import room
from lmstudio.analysis.lookup import Lookup, look_up
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.encode import Encoded, encode, plan_of
from lmstudio.data.excerpt import Excerpt, excerpt
from lmstudio.data.given import has_given
from lmstudio.data.learned import learnt_share, with_pieces
from lmstudio.data.survey import Survey, oov_rate, survey
from lmstudio.data.token_preview import TokenPreview, token_preview
from lmstudio.errors import AppError, SpecError
from lmstudio.files import write_json
from lmstudio.formats.ngram_file import load_speller
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations import trash
from lmstudio.operations.changes import Changes
from lmstudio.operations.guards import check_idle
from lmstudio.operations.value_names import value_name
from lmstudio.options import faults, from_dict
from lmstudio.store.rows import CorpusRow, Facts, SegmentationRow
from lmstudio.store.settings import cache_folder
from lmstudio.store.workspace import Workspace
from lmstudio.text.encoding import utf8
from lmstudio.text.segment_options import AXES, SUBWORD, SegmentOptions
from lmstudio.text.userdict import UserDictionary, read_dictionary
from lmstudio.training.fit_ngram import fit_speller
from lmstudio.training.spec import RunSpec

TryOut = Excerpt
_SINGLE = 0.9  # tokens a character; where there are more, pieces hardly join any
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
    tokenizer: Path | None = None,
    stop_words: Path | None = None,
    known: int | str | None = None,
    words: Sequence[str] | None = None,
    facts: Facts | None = None,
    job: Job,
) -> Changes:
    """Segment a corpus.

    `dictionary` is a user dictionary for jieba and ignored by the others; `tokenizer` a vocab.txt
    or tokenizer.json, which decides the segmenter; `stop_words` a file of words, one a line, that
    are unknown; `known` a segmentation whose vocabulary is part of this one; with `words` these
    are the vocabulary; `facts` go to those of its row. Raises SpecError for options out of their
    limits, AppError if a file cannot be read, the name is taken or the train part holds no token.
    """
    row = ws.corpus(corpus)
    if name:
        ws.check_name("segmentation", name)
    user_words = read_dictionary(dictionary) if dictionary and options.by == "jieba" else None
    plan = _plan(ws, row.id, options, dictionary, tokenizer, stop_words, job=job)
    if known is not None:
        plan = replace(plan, known=ws.segmentation_folder(ws.segmentation(known).id))
    room.refuse_disk(ws.folder, room.of_segmentation(row.characters, plan.options.by))
    label = describe(plan.options, tokenizer)
    name = name or ws.free_name("segmentation", f"{row.name} · {label}")
    number = ws.next_id("segmentation")
    folder = ws.segmentation_folder(number)
    corpus_folder = ws.corpus_folder(row.id)
    with _kept(words) as listed:
        encoded = job.call(_encode, corpus_folder, folder, replace(plan, words=listed))
    facts = (facts or {}) | _facts(encoded, plan, user_words)
    facts["tokenizer"] = _pieces_facts(encoded, plan, corpus_folder, tokenizer)
    made = SegmentationRow(
        number, row.id, name, "", plan.options.by, encoded.vocabulary, facts
    )  # fmt: skip
    try:
        ws.add_segmentation(made)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Changes(segmentations=True, new_id=number, notes=tuple(_notes(facts, user_words)))


def try_out(
    ws: Workspace,
    corpus_id: int,
    options: SegmentOptions,
    *,
    dictionary: Path | None = None,
    tokenizer: Path | None = None,
    first_line: int = 0,
    lines: int = 8,
    job: Job,
) -> TryOut:
    """The tokens of the first `lines` sentences from line `first_line` on.

    Pieces of words are learnt from the whole train part first, and kept for the next question.
    """
    plan = _plan(ws, corpus_id, options, dictionary, tokenizer, job=job)
    return job.call(excerpt, ws.corpus_folder(corpus_id), plan, first_line, lines)


def statistics(
    ws: Workspace,
    corpus_id: int,
    options: SegmentOptions,
    *,
    dictionary: Path | None = None,
    tokenizer: Path | None = None,
    stop_words: Path | None = None,
    job: Job,
) -> Survey:
    """What a segmentation of the whole corpus would count; nothing is kept."""
    plan = _plan(ws, corpus_id, options, dictionary, tokenizer, stop_words, job=job)
    return job.call(survey, ws.corpus_folder(corpus_id), plan)


def tokens(ws: Workspace, segmentation: int | str, text: str, *, job: Job) -> TokenPreview:
    """What every model on a segmentation is given for a text: pieces, ids, and what is unknown."""
    utf8(text)  # or an AppError
    row = ws.segmentation(segmentation)
    return job.call(token_preview, ws.segmentation_folder(row.id), cut_plan(ws, row), text)


def cut_plan(ws: Workspace, segmentation: SegmentationRow) -> CutPlan:
    """How text is cut that the models on a segmentation are asked about."""
    options, _ = from_dict(SegmentOptions, segmentation.facts["options"])
    return plan_of(ws.segmentation_folder(segmentation.id), options, cache_folder() / "jieba")


def auto_sentences(corpus: CorpusRow) -> str:
    """Where a sentence of a corpus ends if nobody says it: a choice of SegmentOptions.sentences."""
    return "line" if corpus.lines_rule == "sentence" else "punctuation"


def save_tokens(preview: TokenPreview, path: Path, *, job: Job) -> None:
    """Write the pieces of a text as a CSV table. AppError if it cannot be written."""
    header = (tr("Start"), tr("End"), tr("Text"), tr("Piece"), tr("Id"), tr("Unknown"))
    rows = [(piece.start, piece.end, piece.text, piece.piece, piece.id, int(piece.unknown))
            for piece in preview.pieces]  # fmt: skip
    save_table(path, header, rows, total=len(rows), job=job)


def lookup(ws: Workspace, run: int | str, ids: Sequence[int], *, job: Job) -> Lookup:
    """The rows of a run's look-up table for token ids, also as one-hot row times matrix.

    AppError for a model that counts, an id out of range, a run without a checkpoint.
    """
    row = ws.run(run)
    return job.call(look_up, ws.run_folder(row.id), RunSpec.from_json(row.spec), list(ids))


def rename(ws: Workspace, segmentation: int | str, name: str) -> Changes:
    """Give a segmentation another name."""
    ws.rename("segmentation", ws.segmentation(segmentation).id, name)
    return Changes(segmentations=True)


def delete(ws: Workspace, segmentation: int | str) -> Changes:
    """Put a segmentation and the runs on it into the trash; AppError while one is trained."""
    row = ws.segmentation(segmentation)
    check_idle(ws.runs(row.id, tuned=True))
    return trash.delete(ws, "segmentation", row.id)


def axis(row: SegmentationRow) -> str:
    """Why a segmentation is not on the shared axis, a key of AXES; "" where it is on it."""
    return row.facts.get("axis", "overlapping" if row.facts.get("overlapping") else "")


def describe(options: SegmentOptions, tokenizer: Path | None = None) -> str:
    """A short name for a segmentation, in the language in use: "jieba · full", "BPE · 8000"."""
    title = value_name(options.by)
    if options.by in SUBWORD:
        return f"{title} · {tokenizer.name if tokenizer else options.pieces}"
    return f"{title} · {options.mode}" if options.overlapping else title


def _plan(
    ws: Workspace,
    corpus_id: int,
    options: SegmentOptions,
    dictionary: Path | None = None,
    tokenizer: Path | None = None,
    stop_words: Path | None = None,
    *,
    job: Job,
) -> CutPlan:
    """What is asked for, with the pieces of words learnt or read."""
    if wrong := faults(options):
        raise SpecError(wrong)
    row, folder = ws.corpus(corpus_id), ws.corpus_folder(corpus_id)
    if options.by == "given" and not has_given(folder):
        raise AppError(
            "The texts of {name} came without words. Choose another segmenter, or import files "
            "with words between spaces, word/tag or CoNLL-U.", name=row.name,
        )  # fmt: skip
    if options.sentences == "auto":
        options = replace(options, sentences=auto_sentences(row))
    plan = CutPlan(
        options,
        Path(dictionary).absolute() if dictionary and options.by == "jieba" else None,
        cache_folder() / "jieba",
        Path(tokenizer).absolute() if tokenizer else None,
        Path(stop_words).absolute() if stop_words else None,
    )
    if tokenizer or options.by in SUBWORD:
        return job.call(with_pieces, folder, plan, cache_folder() / "pieces")
    return plan


@contextmanager
def _kept(words: Sequence[str] | None) -> Iterator[Path | None]:
    """A file of words for the worker, as long as the block lasts."""
    if words is None:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "words.json")
        write_json(path, list(words))
        yield path


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
    stopped = plan.stop_words if plan.options.by not in SUBWORD else None
    return {
        "options": asdict(plan.options),
        "axis": encoded.meta.axis,
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
        "stop_words": stopped and {
            "name": stopped.name,
            "words": len(plan.stopped()),
            "tokens": encoded.stopped,
        },
    }  # fmt: skip


def _pieces_facts(
    encoded: Encoded, plan: CutPlan, corpus: Path, loaded: Path | None
) -> Facts | None:
    if plan.options.by not in SUBWORD:
        return None
    share = None if loaded else learnt_share(corpus, plan.options.by)
    return {"name": loaded.name if loaded else "", "pieces": encoded.vocabulary - 2, "share": share}


def _notes(facts: Facts, user_words: UserDictionary | None) -> list[Message]:
    notes = list(user_words.warnings) if user_words else []
    if facts["axis"]:
        notes.append(Message(AXES[facts["axis"]]))
    pieces = facts["tokenizer"]
    if pieces and (pieces["share"] or 1) < 1:
        notes.append(
            Message(
                "The pieces are learnt from {percent} % of the train part, evenly chosen.",
                {"percent": round(100 * pieces["share"])},
            )
        )
    characters = sum(counts["characters"] for counts in facts["parts"].values())
    if pieces and facts["tokens"] > _SINGLE * characters:
        notes.append(
            Message(
                "Nearly every token is a single character: {pieces} pieces hold little more than "
                "the different characters of the text. Learn more of them.",
                {"pieces": pieces["pieces"]},
            )
        )
    if written := facts["literal_unknown"]:
        notes.append(
            Message("{count} tokens are written <unk> in the text itself.", {"count": written})
        )
    return notes + [_EMPTY[part] for part in _EMPTY if not facts["parts"][part]["tokens"]]
