"""A sentence in English and in Chinese in, the one for this user out, on stderr.

There is no catalogue yet when these are said, so both languages stand side by side.
"""

import locale
import os
import sys


class Failed(Exception):
    """The bootstrap cannot go on; its text tells the user what to do."""


def pick(english: str, chinese: str) -> str:
    """The sentence in the language that the user's system is set to."""
    variables = ("LMSTUDIO_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((os.environ[name] for name in variables if os.environ.get(name)), "")
    if not wanted:
        wanted = locale.getlocale()[0] or ""
    return chinese if wanted.lower().startswith(("zh", "chinese")) else english


def say(english: str, chinese: str) -> None:
    """One line of progress."""
    print(pick(english, chinese), file=sys.stderr, flush=True)
