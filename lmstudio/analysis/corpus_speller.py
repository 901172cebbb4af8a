"""A corpus in; its speller out, kept in the corpus's folder where that may and can be written.

Elsewhere, as in a workspace that is read only, it is fitted in memory, once in this process.
"""

from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.formats.ngram_file import load_speller, save_speller
from lmstudio.jobs import Job
from lmstudio.models.ngram.spelling import Speller
from lmstudio.training.fit_ngram import SPELLER_FILE, learn_speller

_KEPT = 4
_fitted: dict[tuple[Path, int], Speller] = {}  # by corpus and the state of its folder


def corpus_speller(corpus: Path, *, keep: bool, job: Job) -> Speller:
    """The speller of a corpus's folder, learned the first time it is asked for.

    `keep`: write it there then; where that fails, there is still the one in memory. AppError where
    there is no train part to learn from.
    """
    path = corpus / SPELLER_FILE
    if path.exists():
        with suppress(AppError):  # damaged: it is learned anew
            return _opened(path, path.stat().st_mtime_ns)
    key = corpus, corpus.stat().st_mtime_ns
    if key not in _fitted:
        while len(_fitted) >= _KEPT:
            del _fitted[next(iter(_fitted))]
        _fitted[key] = learn_speller(corpus, job=job)
    if keep:
        with suppress(OSError):  # no room, or no right to write
            save_speller(path, _fitted[key])
    return _fitted[key]


@lru_cache(maxsize=_KEPT)
def _opened(path: Path, state: int) -> Speller:
    """Kept from one question to the next, until the file's `state` changes."""
    return load_speller(path)
