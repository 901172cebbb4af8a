"""User words into a jieba tokenizer of their own, and into the same dictionary for rjieba.

Nothing is shared between tokenizers but jieba's own dictionary, which is never changed, and kept
ready in a folder that is ours: jieba's own place is shared by all accounts of a machine.
"""

import logging
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import ModuleType
from typing import Any

from lmstudio.text.dictionary_pass import DictionaryPass, can_hold, latin_words
from lmstudio.text.userdict import UserWord

Kind = Callable[[Any, Mapping[str, int], Sequence[str], Mapping[str, int]], DictionaryPass]
"""DictionaryPass or DictionaryPlaces."""


def tokenizer(
    words: Iterable[UserWord], cache: Path, kind: Kind = DictionaryPass
) -> tuple[Any, DictionaryPass | None]:
    """A jieba.Tokenizer that knows `words`, and a `kind` of pass by rjieba with the same words.

    None where rjieba is not installed or would treat one of the words otherwise: then all is
    jieba's, and slower.
    """
    made = jieba().Tokenizer()
    base, made.total = base_dictionary(cache)
    made.FREQ, made.initialized = base, True
    words = list(words)
    if not words:
        return made, _stock_pass(cache, kind)
    made.FREQ = dict(base)
    return made, _pass(kind, cache, {word.word: _add(made, word) for word in words})


def _add(made: Any, word: UserWord) -> int:
    """`Tokenizer.add_word` without its entries in tables that all tokenizers share."""
    frequency: int = word.frequency if word.frequency is not None else made.suggest_freq(word.word)
    made.FREQ[word.word] = frequency
    made.total += frequency
    for end in range(1, len(word.word)):
        made.FREQ.setdefault(word.word[:end], 0)
    return frequency


def _pass(kind: Kind, cache: Path, added: Mapping[str, int]) -> DictionaryPass | None:
    try:
        import rjieba
    except ImportError:
        return None
    base, _ = base_dictionary(cache)
    return kind(rjieba, base, _latin_words(cache), added) if can_hold(added, base) else None


@lru_cache(maxsize=2)
def _stock_pass(cache: Path, kind: Kind) -> DictionaryPass | None:
    return _pass(kind, cache, {})


@lru_cache(maxsize=1)
def _latin_words(cache: Path) -> list[str]:
    return latin_words(base_dictionary(cache)[0])


@lru_cache(maxsize=1)
def base_dictionary(cache: Path) -> tuple[dict[str, int], int]:
    """jieba's own dictionary: frequencies by word and by prefix of a word (0), and their sum.

    Kept in `cache` where that can be written.
    """
    made = jieba().Tokenizer()
    made.tmp_dir = str(cache)
    try:
        cache.mkdir(parents=True, exist_ok=True)
    except OSError:
        logging.getLogger(__name__).info("no cache for jieba in %s", cache)
    made.initialize()
    return made.FREQ, made.total


@lru_cache(maxsize=1)
def jieba() -> ModuleType:
    """jieba, quiet: it warns when it is imported, and logs to the terminal."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import jieba
    logger = logging.getLogger("jieba")
    logger.setLevel(logging.CRITICAL)
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    return jieba
