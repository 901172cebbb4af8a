"""What the program logs -> a file that does not grow without end, never the terminal."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

LOG_BYTES = 1_000_000
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


@contextmanager
def logged_to(path: Path) -> Iterator[None]:
    """Send the log to `path` while the block runs; it works without console (stderr is None)."""
    root = logging.getLogger()
    if any(isinstance(handler, _LogFile) for handler in root.handlers):
        yield  # the window, opened from the command line
        return
    handler, level = _handler(path), root.level
    root.addHandler(handler)
    root.setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield
    finally:
        logging.captureWarnings(False)
        root.setLevel(level)
        root.removeHandler(handler)
        handler.close()


class _LogFile(RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:
        """A disk that is full must not stop the sentence that says so."""


def _handler(path: Path) -> logging.Handler:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handler = _LogFile(path, maxBytes=LOG_BYTES, backupCount=2, encoding="utf-8")
    except OSError:
        return logging.NullHandler()
    handler.setFormatter(logging.Formatter(_FORMAT))
    return handler
