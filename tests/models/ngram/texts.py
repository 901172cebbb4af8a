"""Lines of words -> streams of ids, folders of corpora, and models, for the tests of n-grams."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np

from lmstudio.data.layout import BOS, EOS, LINE, PART_NAMES, SHIFT, SPECIALS, UNK
from lmstudio.models.config import NgramConfig
from lmstudio.models.ngram.model import NgramModel

TINY = ["我 爱 北京", "我 爱 上海", "他 爱 我"]  # c_tiny.txt of the cases


class Text:
    """A training text with its vocabulary; `<unk>` written in it is the token `<unk>`."""

    def __init__(self, lines: list[str], min_count: int = 1) -> None:
        counts = Counter(word for line in lines for word in line.split())
        counts.pop("<unk>", None)
        kept = [word for word in counts if counts[word] >= min_count]
        self.types = [*SPECIALS, *sorted(kept, key=lambda word: (-counts[word], word))]
        self._ids = {word: number for number, word in enumerate(self.types)}
        self.stream = self.encode(lines)

    @property
    def rows(self) -> int:
        return len(self.types)

    def ids(self, line: str) -> list[int]:
        return [self._ids.get(word, UNK) for word in line.split()]

    def encode(self, lines: list[str]) -> np.ndarray:
        return np.array([i for line in lines for i in (BOS, *self.ids(line), EOS)], np.int32)

    def fit(self, order: int, smoothing: str = "modified-kneser-ney", **how) -> NgramModel:
        config = NgramConfig(order, smoothing, **how)
        return NgramModel.fit(self.stream, self.rows, config, ignore)[0]


def ignore(share: float) -> None:
    """Progress that nobody watches."""


def perplexity(model: NgramModel, stream: np.ndarray) -> float:
    return float(np.exp(-model.logprobs(stream).mean()))


def read_ptb(shared: Path) -> dict[str, list[str]]:
    """The lines of its three parts, one sentence a line."""
    folder = shared / "data" / "lm_en"
    with gzip.open(folder / "ptb.train.txt.gz", "rt", encoding="utf-8") as file:
        lines = {"train": file.read().splitlines()}
    for part in ("valid", "test"):
        lines[part] = (folder / f"ptb.{part}.txt").read_text(encoding="utf-8").splitlines()
    return lines


def write_corpus(folder: Path, **parts: list[str]) -> Path:
    """`train=[lines]`, `valid=`, `test=` as the folder of a corpus."""
    folder.mkdir(parents=True, exist_ok=True)
    text, records = b"", []
    for part, name in enumerate(PART_NAMES):
        for line in parts.get(name, []):
            data = line.encode("utf-8")
            records.append((len(text), len(data), part, part))
            text += data + b"\n"
    (folder / "text.utf8").write_bytes(text)
    np.array(records, LINE).tofile(folder / "lines.idx")
    np.array([], SHIFT).tofile(folder / "shifts.idx")
    return folder
