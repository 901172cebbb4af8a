"""The Chinese texts beside the repository -> lines of characters and of words, and these -> ids.

Text to ids is part of what is timed: of characters through a table of code points, of words through
a table and a dictionary, so that two words never share an id.
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
_BLOCK, _BLOCK_OF_WORDS = 1 << 16, 1 << 18  # bytes
_SLOT_BITS, _EMPTY = 20, -1
_KEPT = np.array([(1 << 8 * size) - 1 for size in range(9)], np.uint64)  # the lowest bytes
_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


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
    reader, parts = _WordReader(), [np.array([BOS], np.int32)]
    with path.open("rb") as file:
        while lines := file.readlines(_BLOCK_OF_WORDS):
            parts.append(reader.ids(b"".join(lines)))
    return np.concatenate(parts)[:-1], [word.decode() for word in reader.words]


class _Words(dict[bytes, int]):
    """The ids of words, given as they come."""

    def __init__(self) -> None:
        super().__init__({word.encode(): number for number, word in enumerate(SPECIALS)})

    def __missing__(self, word: bytes) -> int:
        self[word] = number = len(self)
        return number


class _WordReader:
    """Whole lines of words between spaces, in UTF-8, to ids.

    A word of up to 15 bytes is, with its length, two 64-bit numbers. A table tells its id where it
    holds just these numbers in the slot that a hash of them points to; each slot belongs to the
    first word that came there. The dictionary is asked for all others.
    """

    def __init__(self) -> None:
        self.words = _Words()
        self._heads, self._tails = np.zeros((2, 1 << _SLOT_BITS), np.uint64)
        self._ids = np.full(1 << _SLOT_BITS, _EMPTY, np.int32)

    def ids(self, text: bytes) -> np.ndarray:
        """int32, with `</s>` and `<s>` after each line."""
        codes = np.frombuffer(text, np.uint8)
        ends = ((codes == ord(" ")) | (codes == ord("\n"))).nonzero()[0]
        starts = np.concatenate([[0], ends[:-1] + 1])
        heads, tails = _numbers(text, starts, ends - starts)
        slots = (heads ^ tails * _MULTIPLIER) * _MULTIPLIER >> np.uint64(64 - _SLOT_BITS)
        slots = slots.view(np.int64)
        ids = self._ids.take(slots)
        own = (self._heads.take(slots) == heads) & (self._tails.take(slots) == tails) & (ids >= 0)
        asked = (~own).nonzero()[0]
        bounds = zip(starts[asked].tolist(), ends[asked].tolist(), strict=True)
        ids[asked] = [self.words[text[start:end]] for start, end in bounds]
        free = asked[(self._ids.take(slots[asked]) == _EMPTY) & ((ends - starts)[asked] < 16)]
        _, firsts = np.unique(slots[free], return_index=True)
        new = free[firsts]
        self._heads[slots[new]], self._tails[slots[new]] = heads[new], tails[new]
        self._ids[slots[new]] = ids[new]
        last = (codes.take(ends) == ord("\n")).nonzero()[0] + 1
        return np.insert(ids, np.repeat(last, 2), np.tile([EOS, BOS], len(last)))


def _numbers(text: bytes, starts: np.ndarray, sizes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N,) the first 8 bytes of each word, and the next 7 with its length; zeros behind its end."""
    padded = text + bytes(16)
    eights = np.ndarray(len(text) + 8, "<u8", padded, strides=(1,))  # from each byte on
    heads = eights[starts] & _KEPT.take(np.minimum(sizes, 8))
    tails = eights[starts + 8] & _KEPT.take(np.clip(sizes - 8, 0, 7))
    return heads, tails | np.minimum(sizes, 16).astype(np.uint64) << np.uint64(56)


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
