"""Tokens, one after another, into the text that they write: spaces only where a script has them.

Chinese stands without spaces, English with them, `##ing` goes to the word before it, bytes become
characters when the last of them is there. What a segmentation has dropped cannot come back: the
letters of one that cuts into characters stand side by side, and a closing mark sticks to its word.
"""

import codecs
import json
import unicodedata
from functools import cache
from pathlib import Path
from typing import Self

from lmstudio.files import reading, refuse_special
from lmstudio.text.segment_options import SUBWORD, SegmentOptions
from lmstudio.text.subword import UNUSABLE, is_json

_CONTINUES, _ENDS_WORD, _LOW_LINE = "##", "</w>", "▁"
_UNSPACED = ("THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN")  # and all that is wide but Korean
_CLOSES = frozenset(",.;:!?%)]}’”'…、。，；：！？）》」』】")
_OPENS = frozenset("([{‘“$（《「『【#")
_QUOTE = '"'


class Joiner:
    """The end of a text, and how what is added to it is to be written."""

    def __init__(self, kind: str, before: str = "") -> None:
        """`kind`: "characters", "words", "pieces" (`##` goes on), "spaced" (▁ is a space), "ended"
        (`</w>` ends a word) or "bytes"; `before`: the text.
        """
        self._kind = kind
        self._last = before[-1:]
        self._quoted = before.count(_QUOTE) % 2 == 1
        self._goes_on = False  # the last token ended no word
        self._bytes = codecs.getincrementaldecoder("utf-8")("replace")

    def add(self, token: str) -> str:
        """What is to be written for the next token: often itself, with a space before it or not.

        "" while a character lacks bytes.
        """
        written = self._written(token)
        self._goes_on = self._kind == "ended" and not token.endswith(_ENDS_WORD)
        self._quoted ^= written.count(_QUOTE) % 2 == 1
        self._last = written[-1:] or self._last
        return written

    def end_line(self) -> str:
        """A new line."""
        self._last, self._quoted = "\n", False
        return "\n"

    def copy(self) -> Self:
        """One that goes on by itself."""
        made = type(self)(self._kind)
        made._last, made._quoted, made._goes_on = self._last, self._quoted, self._goes_on
        made._bytes.setstate(self._bytes.getstate())
        return made

    def _written(self, token: str) -> str:
        if self._kind == "characters":
            return token
        if self._kind == "bytes":
            return self._decoded(token)
        if self._kind == "spaced":
            spaced = token.replace(_LOW_LINE, " ")
            return spaced if self._last.strip() else spaced.lstrip()
        if self._kind == "pieces" and token.startswith(_CONTINUES):
            return token.removeprefix(_CONTINUES)
        if self._kind == "ended":
            token = token.removesuffix(_ENDS_WORD)
        return f" {token}" if not self._goes_on and self._apart(token) else token

    def _decoded(self, token: str) -> str:
        table = _byte_of()
        if any(character not in table for character in token):  # <unk>, [MASK]
            return token
        return self._bytes.decode(bytes(table[character] for character in token))

    def _apart(self, token: str) -> bool:
        """Whether a space is wanted before a token."""
        last, first = self._last, token[:1]
        if not last or last.isspace() or not first or first.isspace():
            return False
        if _unspaced(last) or _unspaced(first) or last in _OPENS or first in _CLOSES:
            return False
        if _QUOTE in (last, first):  # the first of a pair opens
            return not self._quoted
        return token != "n't"


def joiner(options: SegmentOptions, tokenizer: Path | None, before: str = "") -> Joiner:
    """How the tokens of a segmentation are joined after a text. AppError for an unusable file."""
    kind = "characters" if options.by == "characters" else "words"
    if options.by in SUBWORD and tokenizer is not None:
        kind = _kind_of_pieces(tokenizer)
    return Joiner(kind, before)


def _kind_of_pieces(path: Path) -> str:
    refuse_special(path)
    with reading(path, UNUSABLE):
        written = path.read_bytes()
        if not is_json(written):
            return "pieces"
        rules = json.loads(written.decode("utf-8-sig"))
        ended = rules["model"].get("end_of_word_suffix")
    spaces = json.dumps([rules.get("pre_tokenizer"), rules.get("normalizer")], ensure_ascii=False)
    if '"ByteLevel"' in spaces:
        return "bytes"
    if '"Metaspace"' in spaces or _LOW_LINE in spaces:
        return "spaced"
    return "ended" if ended == _ENDS_WORD else "pieces"


@cache
def _unspaced(character: str) -> bool:
    """Whether the script of a character, or a mark of such a script, knows no spaces."""
    name = unicodedata.name(character, "")
    if name.startswith("HANGUL"):
        return False
    return unicodedata.east_asian_width(character) in "WF" or name.startswith(_UNSPACED)


@cache
def _byte_of() -> dict[str, int]:
    """The byte that each character of a byte-level vocabulary stands for.

    Those that can be printed stand for themselves, the others are moved up (Radford et al. 2019,
    the code of GPT-2: `bytes_to_unicode`).
    """
    printed = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in printed]
    table = {chr(byte): byte for byte in printed}
    return table | {chr(256 + place): byte for place, byte in enumerate(others)}
