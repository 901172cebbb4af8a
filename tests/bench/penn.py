"""The words of the Penn Treebank as ids, in Mikolov's preparation: 10,000 types, <unk> and N.

The files are not part of this project; ../shared/data/SOURCES.md says where they are from.
"""

import gzip
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from lmstudio.data.layout import EOS, UNK

FOLDER = Path(__file__).resolve().parents[3] / "shared/data/lm_en"
TRAIN_EVENTS = 929_589
TEST_EVENTS = 82_430


@dataclass
class Penn:
    """Ids by frequency, <unk> 0, <s> 1, </s> 2."""

    parts: dict[str, tuple[np.ndarray, np.ndarray]]  # tokens, and bounds (S, 2) of sentences
    counts: np.ndarray  # (rows,) of the train part

    def stream(self, part: str) -> np.ndarray:
        """`<s> w ... </s> <s> ...` (int32)."""
        tokens, bounds = self.parts[part]
        marks = [np.array([2, 1], np.int32)] * len(bounds)  # </s> <s>
        sentences = [tokens[begin:end] for begin, end in bounds]
        woven = [piece for pair in zip(marks, sentences, strict=True) for piece in pair]
        return np.concatenate([*woven, marks[0][:1]])[1:]


def penn() -> Penn:
    """Read the three parts."""
    texts = {part: (FOLDER / f"ptb.{part}.txt").read_text("utf-8") for part in ("valid", "test")}
    with gzip.open(FOLDER / "ptb.train.txt.gz", "rt", encoding="utf-8") as file:
        texts["train"] = file.read()
    found = Counter(texts["train"].split())
    unknown = found.pop("<unk>")
    kinds = sorted(found, key=lambda word: (-found[word], word))
    number = {"<unk>": UNK} | {word: i for i, word in enumerate(kinds, 3)}
    parts = {}
    for part, text in texts.items():
        lines = [[number[word] for word in line.split()] for line in text.splitlines()]
        sizes = np.array([len(line) for line in lines])
        ends = np.cumsum(sizes)
        tokens = np.array([word for line in lines for word in line], np.int32)
        parts[part] = tokens, np.stack([ends - sizes, ends], 1)
    counts = np.array([unknown, 0, 0, *(found[word] for word in kinds)])
    counts[EOS] = len(parts["train"][1])
    return Penn(parts, counts)
