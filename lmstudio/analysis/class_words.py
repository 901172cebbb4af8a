"""The model of a class-based run in, its classes as words out: how often each, and which.

Brown et al. 1992 show their classes so, the frequent words first.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import EOS, SPECIALS
from lmstudio.data.vocab import Vocabulary
from lmstudio.formats import ngram_file
from lmstudio.jobs import Job
from lmstudio.models.ngram.word_classes import members
from lmstudio.training.fit_ngram import MODEL_FILE


@dataclass(frozen=True)
class WordClass:
    """One class of words."""

    number: int  # from 1, as the run's record lists them
    share: float  # of the tokens of the train part
    size: int  # words in all
    words: list[str]  # the most frequent, falling


def class_of_ids(run_folder: Path) -> np.ndarray:
    """(rows,) the class of each id of the vocabulary."""
    return ngram_file.load_classes(run_folder / MODEL_FILE).class_of


def word_classes(
    segmentation_folder: Path, run_folder: Path, *, most: int, job: Job
) -> list[WordClass]:
    """The classes, that of most tokens first, each with at most `most` of its words.

    Those of `<unk>`, `<s>` and `</s>` are left out. AppError if a file is missing or damaged.
    """
    vocabulary = Vocabulary.load(segmentation_folder)
    counts, types = vocabulary.counts, vocabulary.types
    tokens = max(int(counts.sum() - counts[EOS]), 1)
    class_of = class_of_ids(run_folder)
    found = []
    for place, ids in enumerate(members(class_of, counts)):
        job.check()
        if place >= len(SPECIALS):
            words = [types[i] for i in ids[:most]]
            number, share = place - len(SPECIALS) + 1, float(counts[ids].sum()) / tokens
            found.append(WordClass(number, share, len(ids), words))
    return sorted(found, key=lambda found: -found.share)
