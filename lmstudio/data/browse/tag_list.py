"""The words that a corpus came with into the list of their tags, by falling count."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np

from lmstudio.data.browse.listing import Column, Listing
from lmstudio.data.browse.tagged_words import TaggedWords
from lmstudio.data.browse.words import CHUNK
from lmstudio.data.layout import PART_NAMES
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg


@dataclass(frozen=True)
class TagList(Listing):
    """The tags of a corpus; of CoNLL-U the universal ones (UPOS)."""

    tag: Annotated[list[str], Column(msg("Tag"))]
    count: Annotated[np.ndarray, Column(msg("Count"))]
    """(T,) words with it"""
    words: int  # with or without a tag


def tag_list(corpus: Path, part: str = "", *, job: Job) -> TagList:
    """Count the tags of a corpus folder, or of one part. AppError if it came without tags."""
    given = TaggedWords(corpus)
    of_line = given.text.lines["part"]
    counts = np.zeros(len(given.tags), np.int64)
    for start in range(0, len(given), CHUNK):
        job.tick(start, len(given), Message("Counting the tags"))
        some = given.records[start : start + CHUNK]
        if part:
            some = some[of_line[some["line"]] == PART_NAMES.index(part)]
        counts += np.bincount(some["tag"], minlength=len(counts))
    order = [tag for tag in np.argsort(-counts, kind="stable").tolist() if tag and counts[tag]]
    return TagList([given.tags[tag] for tag in order], counts[order], int(counts.sum()))
