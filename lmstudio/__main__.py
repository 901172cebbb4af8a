"""The program's entry: no arguments open the window, any others are a command line."""

import multiprocessing
import sys


def main() -> int:
    """The command `lmstudio`."""
    multiprocessing.freeze_support()  # first, or a worker of a frozen program opens a window
    _use_utf8()
    try:
        from lmstudio import cli

        return cli.main()
    except KeyboardInterrupt:  # Ctrl+C before there was anything to stop
        return 130


def main_gui() -> int:
    """The command `lmstudio-gui`: the window, and files to import into it."""
    sys.argv[1:1] = ["gui"]
    return main()


def _use_utf8() -> None:
    """What is printed is UTF-8 in a file or pipe, whatever the locale; no stream is no trouble."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(
                encoding=stream.encoding if stream.isatty() else "utf-8", errors="backslashreplace"
            )


if __name__ == "__main__":
    sys.exit(main())
