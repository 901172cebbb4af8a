"""Bytes to the encoding they are in, with how sure that is and what else they might be.

In order: a byte-order mark; zero bytes as in UTF-16; strict UTF-8, of which damaged text is nothing
else; then GB18030, Big5 and UTF-16 by how familiar the characters are that each gives, since almost
any Big5 text also decodes as GB18030, to rare characters. Other encodings are the last resort and
are left to charset-normalizer.
"""

import codecs
import re
from dataclasses import dataclass

from lmstudio.errors import AppError
from lmstudio.text.frequency import familiarity

_MARKS = (  # the longer first: a UTF-32 mark begins with a UTF-16 one
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_CHINESE = ("gb18030", "big5", "utf-16-le", "utf-16-be")
WIDER = {"big5": "cp950", "cp950": "big5hkscs", "gbk": "gb18030"}
"""Encodings that hold more characters than the one that was found, for bytes seen later."""

_FAMILIAR = 0.3  # below, familiar characters are no more than chance
_FAMILIAR_FEW = 0.1  # the same for a few words, of which nobody else can tell more
_FEW = 64  # bytes
_OTHERS = ["cp932", "euc_jp", "cp949", "cp1252", "cp1251", "koi8_r"]
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f\x7f]")  # in no plain text
_SEQUENCE = re.compile(  # of one character in UTF-8; a half of one in UTF-16 is written so too
    rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}"
)
_CUT_SEQUENCE = re.compile(rb"([\xc2-\xf4]|[\xe0-\xf4][\x80-\xbf]|[\xf0-\xf4][\x80-\xbf]{2})\Z")
_BEYOND_ASCII = re.compile(rb"[\x80-\xff]+")
_NEARLY_UTF8 = 0.9  # share of the bytes beyond ASCII; Chinese in GB18030 or Big5 has 0.2 to 0.4
_NO_CHARACTER_SETS = {"undefined", "idna", "punycode", "unicode_escape", "raw_unicode_escape"}
_SUPERSETS = {"gb2312": "gb18030", "gbk": "gb18030", "utf_8_sig": "utf-8"}


@dataclass(frozen=True)
class Guess:
    """An encoding that a sample may be in, with the sample as it then reads."""

    encoding: str
    confidence: float  # 0 to 1
    text: str


def utf8(text: str) -> bytes:
    """Text that a user gave in UTF-8. Raises AppError if a character in it is cut in half."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise AppError(
            "Character {position} of the text is half a character. Remove it.",
            position=error.start + 1,
        ) from error


def known_encoding(name: str) -> str:
    """The encoding that a user calls `name`. Raises AppError if there is none."""
    try:
        codec = codecs.lookup(name)
    except (LookupError, ValueError):  # ValueError: a name with a zero byte or half a character
        codec = None
    found = codec.name.replace("-", "_") if codec else ""
    if not codec or not codec._is_text_encoding or found in _NO_CHARACTER_SETS:
        raise AppError(
            "There is no encoding called {name}. Try utf-8, gb18030, big5 or utf-16.", name=name
        )
    return _SUPERSETS.get(found, codec.name)


def guesses(sample: bytes, *, whole: bool) -> list[Guess]:
    """What the bytes may be, likeliest first; empty if they are no text, or damaged UTF-8.

    `whole`: the sample is the whole file, so its last character is not cut.
    """
    for mark, encoding in _MARKS:
        if sample.startswith(mark):
            return [Guess(encoding, 1.0, decoded(sample, encoding, whole=whole) or "")]
    likely = _utf16_guesses(sample, whole) if _CONTROL.search(sample) else []
    if likely or b"\0" in sample:
        return likely
    utf8 = decoded(sample, "utf-8", whole=whole)
    if utf8 is not None:
        return [Guess("utf-8", 1.0, utf8)]
    if utf8_fault(sample) is not None:
        return []
    chinese = _chinese_guesses(_cut_at_line_end(sample, whole), whole)
    enough = _FAMILIAR if len(sample) > _FEW else _FAMILIAR_FEW
    if chinese and chinese[0].confidence >= enough:
        return chinese
    return sorted(_other_guesses(sample) + chinese, key=lambda guess: -guess.confidence)


def utf8_fault(data: bytes) -> int | None:
    """The first byte, from 0, that is not UTF-8 in what otherwise is; None if the data is not so.

    That is a text cut inside its last character, or one with a few bytes of something else.
    """
    sequences = _SEQUENCE.findall(data)
    beyond = _BEYOND_ASCII.findall(_CUT_SEQUENCE.sub(b"", data))
    if len(sequences) < 2 or _bytes(sequences) < _NEARLY_UTF8 * _bytes(beyond):
        return None  # one alone may be chance
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start
    return None


def _bytes(pieces: list[bytes]) -> int:
    return sum(map(len, pieces))


def decoded(sample: bytes, encoding: str, *, whole: bool) -> str | None:
    """The sample in an encoding, without a byte-order mark; None if it is not in it."""
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        return decoder.decode(sample, whole).removeprefix("\ufeff")
    except UnicodeDecodeError:
        return None


def _utf16_guesses(sample: bytes, whole: bool) -> list[Guess]:
    found = _scored(("utf-16-le", "utf-16-be"), sample, whole)
    return [guess for guess in found if _is_plain(guess.text)]


def _chinese_guesses(sample: bytes, whole: bool) -> list[Guess]:
    return _scored(_CHINESE, sample, whole)


def _scored(encodings: tuple[str, ...], sample: bytes, whole: bool) -> list[Guess]:
    """Those that decode the sample, the most familiar first; a tie goes to the first named."""
    found = []
    for encoding in encodings:
        name, text = encoding, decoded(sample, encoding, whole=whole)
        while text is None and name in WIDER:
            name = WIDER[name]
            text = decoded(sample, name, whole=whole)
        if text is not None:
            found.append(Guess(name, max(0.0, familiarity(text)), text))
    return sorted(found, key=lambda guess: -guess.confidence)


def _is_plain(text: str) -> bool:
    """Most characters are ones that plain text is made of, as ASCII or Chinese."""
    ascii_share = sum(" " <= c <= "~" or c in "\t\r\n" for c in text) / max(1, len(text))
    return "\0" not in text and (ascii_share > 0.7 or familiarity(text) >= _FAMILIAR)


def _cut_at_line_end(sample: bytes, whole: bool) -> bytes:
    """Without the last, half line, unless that is all there is."""
    end = sample.rfind(b"\n")
    return sample if whole or end < 0 else sample[: end + 1]


def _other_guesses(sample: bytes) -> list[Guess]:
    from charset_normalizer import from_bytes  # slow to import and seldom needed

    best = from_bytes(sample[:16384], cp_isolation=_OTHERS).best()
    if best is None:
        return []
    text = decoded(sample, best.encoding, whole=False)
    confidence = max(_FAMILIAR, 0.9 - best.chaos)
    return [] if text is None else [Guess(known_encoding(best.encoding), confidence, text)]
