"""The program's entry: nothing, or paths, open the window; anything else is a command line.

The window does not wait for the verbs: importing all of them takes a second.
"""

import argparse
import multiprocessing
import os
import sys
from pathlib import Path


def main() -> int:
    """The command `lmstudio`."""
    multiprocessing.freeze_support()  # first, or a worker of a frozen program opens a window
    _use_utf8()
    try:
        if (asked := for_window(sys.argv[1:])) is not None:
            from lmstudio.gui import app

            return app.main(
                asked.workspace, files=asked.files, sample=asked.sample, tour=asked.tour
            )
        from lmstudio import cli

        return cli.main()
    except KeyboardInterrupt:  # Ctrl+C before there was anything to stop
        return 130


def main_gui() -> int:
    """The command `lmstudio-gui`: the window, and files to import into it."""
    sys.argv[1:1] = ["gui"]
    return main()


def for_window(words: list[str]) -> argparse.Namespace | None:
    """What a command line wants the window for; None if it wants something else.

    Files dropped on the program's icon come as bare paths. What is not understood here, the command
    line explains.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--workspace", type=Path)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--tour", action="store_true")
    parser.add_argument("files", nargs="*")
    try:
        asked, others = parser.parse_known_args(words)
    except argparse.ArgumentError:
        return None
    first = asked.files[0] if asked.files else "gui"
    if others or not (first == "gui" or _is_path(first)):
        return None
    asked.files = [Path(file) for file in asked.files[first == "gui" :]]
    return asked


def _is_path(word: str) -> bool:
    """No verb has a dot or a slash."""
    return any(mark in word for mark in (".", "/", os.sep)) and os.path.exists(word)


def _use_utf8() -> None:
    """What is printed is UTF-8 in a file or pipe, whatever the locale; no stream is no trouble."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(
                encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace"
            )


if __name__ == "__main__":
    sys.exit(main())
