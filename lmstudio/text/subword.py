"""A line into the pieces of a subword vocabulary: a vocab.txt or tokenizer.json and their rules.

The work is done by the `tokenizers` library (https://github.com/huggingface/tokenizers). What its
files ask for beyond cutting (marks around a sentence, shortening, padding) is left out here.
"""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio.errors import AppError
from lmstudio.files import reading, refuse_special
from lmstudio.messages import msg
from lmstudio.text.marks import unknown_type
from lmstudio.text.segment_options import SegmentOptions

if TYPE_CHECKING:
    from tokenizers import Tokenizer

Span = tuple[int, int]

UNUSABLE = msg("{path} holds no pieces of words. Choose a vocab.txt or a tokenizer.json.")
KINDS = {"WordPiece": "wordpiece", "BPE": "bpe", "Unigram": "unigram", "WordLevel": "wordpiece"}
_UNKNOWN = "<unk>"
_UNKNOWN_NAMES = ("[UNK]", _UNKNOWN, "<UNK>", "UNK")
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*\{\s*"\w+"\s*:')
_MOST_IN_WORD = 100  # code points; as BERT's: a longer word is unknown
_NO_SPACE = str.maketrans(dict.fromkeys("\x1c\x1d\x1e\x1f", " "))
"""White space to Python, and so to our counts, but not to the library."""


class Subwords:
    """The pieces of one file. Text that no piece covers is an unknown token, never left out."""

    longest = 4000  # code points; the library's memory grows with what it is given

    def __init__(self, path: Path, options: SegmentOptions) -> None:
        """`options` say how a vocab.txt is used; a tokenizer.json brings its own rules.

        Raises AppError where the file is none of the two.
        """
        self.version = library_version()
        self._tokenizer = load(path, options)
        rules = json.loads(self._tokenizer.to_str())
        self.keeps_spaces = _keeps_spaces(rules)
        self._folded = _folds(rules["normalizer"])
        self.axis = "folded" if self._folded else "spaces" if self.keeps_spaces else ""
        self._unknown = _unknown_id(rules)
        pieces = sorted(self._tokenizer.get_vocab().items(), key=lambda entry: entry[1])
        self.vocabulary = tuple(piece for piece, number in pieces if number != self._unknown)

    def cut(self, text: str) -> list[Span]:
        """(start, end) of each piece; pieces of one character share its span."""
        return self.pieces(text)[0]

    def pieces(self, text: str) -> tuple[list[Span], list[str]]:
        """The spans, and the type of each: the piece, or `unknown_type` of the text there."""
        given = text if self.keeps_spaces else text.translate(_NO_SPACE)
        found = self._tokenizer.encode(given, add_special_tokens=False)
        spans: list[Span] = []
        types: list[str] = []
        covered = 0
        for number, piece, (start, end) in zip(found.ids, found.tokens, found.offsets, strict=True):
            if start > covered and not self._folded:
                _leave_unknown(text, covered, start, spans, types)
            covered = max(covered, end)
            if number != self._unknown:
                spans.append((start, end))
                types.append(piece)
            elif start < end:
                spans.append((start, end))
                types.append(unknown_type(text[start:end]))
        if not self._folded:
            _leave_unknown(text, covered, len(text), spans, types)
        return spans, types


def library_version() -> str:
    """The library and its version, with which pieces and cuts may change."""
    import tokenizers

    return f"tokenizers {tokenizers.__version__}"


def _leave_unknown(text: str, start: int, end: int, spans: list[Span], types: list[str]) -> None:
    """What a vocabulary without an unknown piece has dropped is unknown all the same."""
    for index in range(start, end):
        if not text[index].isspace():
            spans.append((index, index + 1))
            types.append(unknown_type(text[index]))


def kind_of(path: Path) -> str:
    """The segmenter, a name of SUBWORD, that a file of pieces belongs to. AppError: see `load`."""
    rules = json.loads(load(path, SegmentOptions()).to_str())
    kind = KINDS[rules["model"]["type"]]
    return "byte-bpe" if kind == "bpe" and _keeps_spaces(rules) else kind


def load(path: Path, options: SegmentOptions) -> "Tokenizer":
    """The tokenizer in a vocab.txt (a piece a line) or a tokenizer.json."""
    from tokenizers import Tokenizer

    refuse_special(path)
    with reading(path, UNUSABLE):
        written = path.read_bytes()
        text = written.decode("utf-8-sig")
    if not is_json(written):
        return _from_lines(path, text, options)
    # the library raises a bare Exception for all that is wrong with a file
    with reading(path, UNUSABLE, Exception):
        tokenizer = Tokenizer.from_str(_with_unknown(json.loads(text)))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokenizer.post_processor = None  # it would trim spans
    return tokenizer


def _with_unknown(rules: dict[str, Any]) -> str:
    """The JSON of a tokenizer that has a piece for what is unknown.

    Without one BPE leaves out what it does not know, and its offsets go wrong; the others fail.
    """
    model = rules["model"]
    kind, pieces = model["type"], model["vocab"]
    if kind not in KINDS:
        raise ValueError("unknown kind")
    if kind == "Unigram" and model.get("unk_id") is None:
        model["unk_id"] = len(pieces)
        pieces.append([_UNKNOWN, 0.0])
    elif kind != "Unigram" and model.get("unk_token") not in pieces:
        model["unk_token"] = _UNKNOWN
        pieces.setdefault(_UNKNOWN, max(pieces.values(), default=-1) + 1)
    return json.dumps(rules)


def is_json(written: bytes) -> bool:
    """Whether a file of pieces is a tokenizer.json; a vocab.txt has lines."""
    return _JSON.match(written) is not None


def _from_lines(path: Path, text: str, options: SegmentOptions) -> "Tokenizer":
    """BERT's rules over the pieces of a vocab.txt, whose line numbers are kept."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece

    lines = text.removesuffix("\n").split("\n")
    if all(line.endswith("\r") for line in lines[:-1]):
        lines = [line.removesuffix("\r") for line in lines]
    vocabulary = {piece: number for number, piece in enumerate(lines)}
    unknown = next((name for name in _UNKNOWN_NAMES if name in vocabulary), None)
    if unknown is None:
        raise AppError(
            "{path} is no vocabulary: it has no line [UNK] for unknown words. Choose a vocab.txt "
            "or a tokenizer.json.", path=path,
        )  # fmt: skip
    model = WordPiece(vocabulary, unk_token=unknown, max_input_chars_per_word=_MOST_IN_WORD)
    tokenizer = Tokenizer(model)
    apply_rules(tokenizer, options)
    return tokenizer


def apply_rules(tokenizer: "Tokenizer", options: SegmentOptions) -> None:
    """Clean and split text as BERT does, as far as `options` ask for it."""
    from tokenizers import normalizers, pre_tokenizers

    apart = options.han_apart and options.by == "wordpiece"
    if options.folds or apart:
        tokenizer.normalizer = normalizers.BertNormalizer(
            clean_text=options.clean, handle_chinese_chars=apart,
            strip_accents=options.strip_accents, lowercase=options.lower,
        )  # fmt: skip
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()


def _unknown_id(rules: dict[str, Any]) -> int | None:
    model = rules["model"]
    if model["type"] == "Unigram":
        return model["unk_id"]
    name = model.get("unk_token")
    return None if name is None else model["vocab"].get(name)


def _keeps_spaces(rules: dict[str, Any]) -> bool:
    """White space becomes part of pieces: bytes, or marked by a low line."""
    written = json.dumps([rules["pre_tokenizer"], rules["normalizer"]], ensure_ascii=False)
    return any(sign in written for sign in ('"ByteLevel"', '"Metaspace"', "▁"))


def _folds(normalizer: dict[str, Any] | None) -> bool:
    """Whether two texts may become one. What only moves white space does not fold."""
    if normalizer is None:
        return False
    kind = normalizer["type"]
    if kind == "Sequence":
        return any(map(_folds, normalizer["normalizers"]))
    if kind == "BertNormalizer":
        accents = normalizer["strip_accents"]
        lower = normalizer["lowercase"]
        return normalizer["clean_text"] or lower or bool(accents)
    return kind not in ("Prepend", "Replace", "Strip")
