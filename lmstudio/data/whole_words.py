"""A segmentation folder to where words begin among its tokens: what is masked as a whole.

Tokens of a word are hidden together ("whole word masking" of Devlin et al. 2019; for Chinese Cui
et al. 2021, "Pre-training with whole word masking for Chinese BERT"). The words are the user's:
those the tokens are, those the files gave, and jieba's elsewhere.
"""

import re
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

from lmstudio.data.cut_from import corpus_of
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.encode import plan_of
from lmstudio.data.given import GivenWords, has_given
from lmstudio.data.layout import SEGMENT_AGAIN, CorpusText, SegmentationMeta, Tokens, mapped
from lmstudio.data.line_cutter import LineCutter
from lmstudio.files import reading, written
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.options import from_dict
from lmstudio.text.segment_options import OF_WORDS, SegmentOptions

WORDS = "words.bin"
"""A byte for each token: 1 where a word begins. Made at first need."""

_SPACE = re.compile(r"\s")
_LINES = 500  # cut between two ticks


def word_starts(segmentation: Path, *, job: Job) -> np.ndarray | None:
    """(N,) bool: whether a word begins with a token; None where every token is a word.

    Cut the first time and kept with the segmentation. AppError where the corpus is gone.
    """
    options, _ = from_dict(SegmentOptions, SegmentationMeta.load(segmentation).options)
    if _are_words(options):
        return None
    path, tokens = segmentation / WORDS, Tokens(segmentation)
    if not path.exists():
        with tempfile.TemporaryDirectory() as cache:  # jieba's dictionary, read once
            plan = words_plan(plan_of(segmentation, options, Path(cache)))
            starts = _starts(corpus_of(segmentation), tokens, plan, job)
        with written(path) as temporary:
            starts.tofile(temporary)
    with reading(path, SEGMENT_AGAIN):
        starts = mapped(path, np.dtype("?"), SEGMENT_AGAIN)
        if len(starts) != len(tokens.ids):
            raise ValueError("damaged")
    return starts


def _are_words(options: SegmentOptions) -> bool:
    """No token is part of a word; where words overlap, each stands for itself."""
    whole = options.by in OF_WORDS and options.unknown == "unk"
    return whole or options.overlapping


def words_plan(plan: CutPlan) -> CutPlan:
    """How the words are cut whose parts are the tokens of a plan."""
    options = plan.options
    if options.by not in OF_WORDS:
        options = replace(options, by="jieba", mode="accurate", hmm=True)
    return replace(plan, options=options, tokenizer=None, stop_words=None)


def _starts(corpus: Path, tokens: Tokens, plan: CutPlan, job: Job) -> np.ndarray:
    """(N,) bool; a token that begins inside a word, or inside a character, begins none."""
    text, cutter = CorpusText(corpus), LineCutter(corpus, plan, job.check)
    given = GivenWords(corpus) if has_given(corpus) else None
    sentences = tokens.sentences
    bounds = np.searchsorted(sentences["line"][:-1], np.arange(len(text) + 1))
    firsts = sentences["token"][bounds]  # of each line
    starts = np.zeros(len(tokens.ids), bool)
    for first in range(0, len(text), _LINES):
        job.tick(first, len(text), Message("Looking for the words to hide as a whole"))
        last = min(first + _LINES, len(text))
        lines = list(enumerate(text.texts(first, last), first))
        for (number, line), cut in zip(lines, cutter.cut(lines), strict=True):
            begins = np.zeros(len(line) + 1, bool)
            words = given.of(number)[0] if given is not None else []
            begins[[start for start, _ in words]] = True
            if not words:
                begins[[s.start + start for s in cut for start, _ in s.spans]] = True
            begins[[match.start() for match in _SPACE.finditer(line)]] = True  # of " a"
            own = slice(int(firsts[number]), int(firsts[number + 1]))
            places = tokens.offsets["start"][own]
            starts[own] = begins[places] & (np.diff(places, prepend=-1) != 0)
    starts[sentences["token"][:-1][np.diff(sentences["token"]) > 0]] = True
    return starts
