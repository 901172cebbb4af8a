"""The search for word classes, kept in the folder of its run so that a stopped one goes on.

classes.npz   class_of (rows,) int32, -1: none yet; at [sweep, place, moved]; seconds [spent]
"""

import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from lmstudio.files import written
from lmstudio.models.ngram.word_classes import Found

FILE = "classes.npz"
_EVERY = 5.0  # seconds between two times that it is written, or told


class ClassSearch:
    """What is known of a search: read at the start, written now and then and at a stop."""

    def __init__(self, run_folder: Path, rows: int) -> None:
        """A file that is damaged, or of another vocabulary, is as if there were none."""
        self.rows, self._path = rows, run_folder / FILE
        self.begun: Found | None = None
        self._found: Found | None = None
        self._before = 0.0
        try:
            with self._path.open("rb") as file, np.load(file) as stored:
                class_of = stored["class_of"]
                sweep, place, moved = map(int, stored["at"])
                self._before = float(stored["seconds"][0])
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            class_of = np.empty(0)
        if len(class_of) == rows:
            self.begun = Found(class_of.astype(np.int64), sweep, place, moved)
        self._started = self._saved = self._told = time.monotonic()

    @property
    def seconds(self) -> float:
        """Spent on the run, with all that was spent before it was stopped."""
        return self._before + time.monotonic() - self._started

    def seconds_to_tell(self) -> float | None:
        """The seconds, if the last time was some ago."""
        if time.monotonic() - self._told < _EVERY:
            return None
        self._told = time.monotonic()
        return self.seconds

    def keep(self, found: Found) -> None:
        """Remember how far it has come; written when the last time was some seconds ago."""
        self._found = found
        if time.monotonic() - self._saved > _EVERY:
            self._save()

    @contextmanager
    def saved(self) -> Iterator[None]:
        """Whatever ends the work inside early, what was found is written."""
        try:
            yield
        except BaseException:
            self._save()
            raise

    def remove(self) -> None:
        """The model is there; nothing is left to go on with."""
        self._path.unlink(missing_ok=True)

    def _save(self) -> None:
        if self._found is None:
            return
        found, self._saved = self._found, time.monotonic()
        with written(self._path) as temporary, temporary.open("wb") as file:
            np.savez(
                file, class_of=found.class_of.astype("<i4"), seconds=np.array([self.seconds]),
                at=np.array([found.sweep, found.place, found.moved]),
            )  # fmt: skip
