"""Lists of words -> the files of a corpus and of its segmentation, without a segmenter."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import OFFSET, PART_NAMES
from tests.data.corpus_files import write_corpus
from tests.segmentations import write_segmentation


@dataclass(frozen=True)
class WordFiles:
    corpus: Path
    segmentation: Path


def write_words(folder: Path, **parts: list[list[str]]) -> WordFiles:
    """`train=[["我", "爱"], ...]`: a line and sentence each; words of train are the vocabulary."""
    corpus = write_corpus(
        folder / "corpus", **{part: ["".join(line) for line in parts[part]] for part in parts}
    )
    segmentation = write_segmentation(
        folder / "segmentation",
        **{part: [" ".join(line) for line in parts[part]] for part in parts},
    )
    spans = []
    for line in (line for part in PART_NAMES for line in parts.get(part, [])):
        ends = np.cumsum([len(word) for word in line])
        spans += [(end - len(word), end) for end, word in zip(ends, line, strict=True)]
    np.array(spans, OFFSET).tofile(segmentation / "offsets.bin")
    return WordFiles(corpus, segmentation)
