"""The environment that torchrun makes -> which of its processes this is. Torch-free at import.

    torchrun --nproc-per-node 2 -m lmstudio train ...

starts the program several times. The first one is the program as ever; the others open no
workspace and write nothing: they `follow`, and help with each network that the first one trains.
"""

import os
import sys
from typing import NoReturn


def rank() -> int:
    """0, 1, ...; 0 too where the program was started alone."""
    return int(os.environ.get("RANK", "0")) if count() > 1 else 0


def count() -> int:
    """How many there are on all machines."""
    return int(os.environ.get("WORLD_SIZE", "1"))


def follow() -> NoReturn:
    """Train along until the first process says that it is done, and end."""
    from lmstudio.jobs import Job
    from lmstudio.training import distributed
    from lmstudio.training.fit_neural import fit

    distributed.join()
    while order := distributed.told(None):
        segmentation, run, spec, resume, warm = order
        fit(segmentation, run, spec, resume=resume, warm=warm, job=Job())
    _end(0)


def dismiss(code: int = 0) -> None:
    """Tell the others, if there are any, that no more is to be done; then end, too, with `code`."""
    if count() > 1:
        from lmstudio.training import distributed

        distributed.join()
        distributed.told(())
        _end(code)


def _end(code: int) -> NoReturn:
    """Part from the others and end at once.

    Threads of gloo that live on abort an interpreter that is taken down in the usual way.
    """
    from lmstudio.training import distributed

    distributed.leave()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    os._exit(code)
