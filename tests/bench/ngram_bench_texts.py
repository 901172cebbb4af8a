"""The Chinese texts beside the repository -> lines of characters and of words, and these -> ids.

Text to ids is part of what is timed: of characters through a table of code points, of words through
a dictionary, so that two words never share an id.
"""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import rjieba

from lmstudio.data.layout import BOS, EOS, SPECIALS

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "lm"
NAMES = (
    "hongloumeng_utf8_crlf.txt", "sanguo_gb18030.txt", "xiyouji_utf8_crlf.txt", "luxun_dev.txt",
    "laws_shandong_henan.txt.gz", "tang_poems_trad.tsv.gz", "song_poems_trad_60k.tsv.gz",
)  # fmt: skip
TRAIN_BYTES = 42_000_000
KINDS = ("characters", "words")
_BLOCK = 1 << 16


def write_texts(folder: Path) -> None:
    """train.KIND and held.KIND, tokens between spaces, a sentence a line; what follows is held."""
    lines = [line for name in NAMES for line in _lines(SHARED / name)]
    ends = np.cumsum([len(line.encode()) for line in lines])
    cut = int(np.searchsorted(ends, TRAIN_BYTES))
    for part, chosen in (("train", lines[:cut]), ("held", lines[cut:])):
        for kind, split in zip(KINDS, (list, rjieba.cut), strict=True):
            text = "".join(" ".join(split(line)) + "\n" for line in chosen)
            (folder / f"{part}.{kind}").write_text(text, encoding="utf-8")


def _lines(path: Path) -> Iterator[str]:
    data = path.read_bytes()
    data = gzip.decompress(data) if path.suffix == ".gz" else data
    text = data.decode("gb18030" if "gb18030" in path.name else "utf-8-sig")
    columns = (line.split("\t")[-1] for line in text.splitlines())  # poems: title, author, text
    return filter(None, ("".join(column.split()) for column in columns))


def read_ids(path: Path) -> tuple[np.ndarray, list[str]]:
    """int32 `<s> w ... </s> <s> ...` of a file, and the words by id."""
    if path.suffix == ".characters":
        return _characters(path)
    words = _Words()
    parts = [np.array([BOS], np.int32)]
    with path.open(encoding="utf-8") as file:
        while lines := file.readlines(_BLOCK):
            tokens = "".join(lines).replace("\n", " </s> <s> ").split()
            parts.append(np.fromiter(map(words.__getitem__, tokens), np.int32, len(tokens)))
    return np.concatenate(parts)[:-1], list(words)


class _Words(dict[str, int]):
    """The ids of words, given as they come."""

    def __init__(self) -> None:
        super().__init__({word: number for number, word in enumerate(SPECIALS)})

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def _characters(path: Path) -> tuple[np.ndarray, list[str]]:
    """The same where each word is one character."""
    stream, filled = np.empty(path.stat().st_size // 2 + 1, np.int32), 0
    used = np.zeros(0x110000, bool)
    with path.open(encoding="utf-8") as file:
        while lines := file.readlines(_BLOCK):
            text = "".join(lines).replace(" ", "").replace("\n", "\n\r")
            codes = np.frombuffer(text.encode("utf-32-le"), np.int32)
            stream[filled : filled + len(codes)] = codes
            filled += len(codes)
            used[codes] = True
    stream = stream[: filled - 1]  # the sentence that \r begins after the last does not come
    used[[ord("\n"), ord("\r")]] = False
    codes = np.flatnonzero(used)
    id_of = np.zeros(0x110000, np.int32)
    id_of[codes] = np.arange(len(codes)) + len(SPECIALS)
    id_of[ord("\n")], id_of[ord("\r")] = EOS, BOS
    ids = np.empty(len(stream) + 1, np.int32)
    ids[0] = BOS
    for start in range(0, len(stream), _BLOCK):
        ids[start + 1 : start + 1 + _BLOCK] = id_of.take(stream[start : start + _BLOCK])
    return ids, [*SPECIALS, *map(chr, codes)]


def held_out(path: Path, words: list[str]) -> np.ndarray:
    """The stream of another file; a word that is not among `words` is `<unk>`."""
    id_of = {word: number for number, word in enumerate(words)}
    lines = path.read_text(encoding="utf-8").splitlines()
    ids = [i for line in lines for i in (BOS, *(id_of.get(w, 0) for w in line.split()), EOS)]
    return np.array(ids, np.int32)
