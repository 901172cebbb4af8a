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
_BLOCK, _WORD_BLOCK = 1 << 16, 1 << 22
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
    words, parts = _Words(), [np.array([BOS], np.int32)]
    with path.open(encoding="utf-8") as file:
        while lines := file.readlines(_WORD_BLOCK):
            parts.append(_of_words("".join(lines).encode("utf-16-le"), words))
    return np.concatenate(parts)[:-1], list(words)


class _Words(dict[str, int]):
    """The ids of words, given as they come."""

    def __init__(self) -> None:
        super().__init__({word: number for number, word in enumerate(SPECIALS)})

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


def _of_words(text: bytes, words: _Words) -> np.ndarray:
    """The ids of whole lines in UTF-16, with `</s>` and `<s>` after each.

    A word of up to four code units is a 64-bit number. Sorted by a hash of it, equal words stand
    together, and the dictionary is asked once for them all; of two that only share the hash, both.
    """
    codes = np.frombuffer(text, np.uint16)
    ends = np.flatnonzero(codes <= ord(" "))
    starts = np.concatenate([[0], ends[:-1] + 1])
    keys = np.zeros(len(ends), np.uint64)
    for unit in range(4):
        code = codes.take(np.minimum(starts + unit, len(codes) - 1)).astype(np.uint64)
        keys |= np.where(starts + unit < ends, code << np.uint64(16 * unit), np.uint64(0))
    bits = len(ends).bit_length()
    packed = keys * _MULTIPLIER >> np.uint64(bits) << np.uint64(bits)
    packed |= np.arange(len(ends), dtype=np.uint64)
    packed.sort()
    places = (packed & np.uint64((1 << bits) - 1)).astype(np.int64)
    keys = keys[places]
    new = np.ones(len(keys), bool)
    long = (ends - starts > 4)[places]
    new[1:] = (keys[1:] != keys[:-1]) | long[1:] | long[:-1]
    asked = places[new]
    bounds = zip((2 * starts[asked]).tolist(), (2 * ends[asked]).tolist(), strict=True)
    found = [words[text[start:end].decode("utf-16-le")] for start, end in bounds]
    ids = np.empty(len(ends), np.int32)
    ids[places] = np.array(found, np.int32)[np.cumsum(new) - 1]
    last = np.flatnonzero(codes[ends] == ord("\n")) + 1
    return np.insert(ids, np.repeat(last, 2), np.tile([EOS, BOS], len(last)))


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
