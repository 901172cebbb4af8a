"""Where the frozen program begins; PyInstaller asks for a script rather than a function."""

import multiprocessing
import sys

if __name__ == "__main__":
    multiprocessing.freeze_support()  # before any import, or each worker takes its seconds twice
    from lmstudio.__main__ import main

    sys.exit(main())
