"""A corpus in; its speller out, kept in the corpus's folder where that may and can be written.

Elsewhere, as in a workspace that is read only, it is fitted in memory, once in this process.
"""

from contextlib import suppress
from pathlib import Path

from lmstudio.analysis.last_used import LastUsed
from lmstudio.errors import AppError
from lmstudio.formats.ngram_file import load_speller, save_speller
from lmstudio.jobs import Job
from lmstudio.models.ngram.spelling import Speller
from lmstudio.training.fit_ngram import SPELLER_FILE, learn_speller

_KEPT = 4
_read, _fitted = LastUsed[Speller](_KEPT), LastUsed[Speller](_KEPT)  # of files, of corpora


def corpus_speller(corpus: Path, *, keep: bool, job: Job) -> Speller:
    """The speller of a corpus's folder, learned the first time it is asked for.

    `keep`: write it there then; where that fails, there is still the one in memory. AppError where
    there is no train part to learn from.
    """
    path = corpus / SPELLER_FILE
    if path.exists():
        with suppress(AppError):  # damaged: it is learned anew
            return _read.get(path, path.stat().st_mtime_ns, lambda: load_speller(path))
    state = corpus.stat().st_mtime_ns
    fitted = _fitted.get(corpus, state, lambda: learn_speller(corpus, job=job))
    if keep:
        with suppress(OSError):  # no room, or no right to write
            save_speller(path, fitted)
    return fitted
