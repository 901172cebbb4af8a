"""What documents() gives, in a form that tests can compare."""

from pathlib import Path

from lmstudio.text.document import ReadOptions, Refusal
from lmstudio.text.files import documents
from lmstudio.text.read import ReadError

CASES = Path(__file__).resolve().parents[2] / "data" / "cases"


def read(path, **options):
    """The documents of a file, and the sentences for what was left out."""
    taken, refused = [], []
    for item in documents(path, ReadOptions(**options)):
        if isinstance(item, Refusal):
            refused.append(str(item.reason))
            continue
        try:
            if item.marked is not None:
                item.marked = list(item.marked)
            else:
                item.chunks = "".join(item.chunks)
        except ReadError as error:
            refused.append(str(error))
        else:
            taken.append(item)
    return taken, refused


def texts(path, **options):
    taken, refused = read(path, **options)
    assert not refused
    return [item.chunks for item in taken]


def refusal(path, **options):
    """The one sentence for a file that gives nothing."""
    try:
        taken, refused = read(path, **options)
    except ReadError as error:
        return str(error)
    assert not taken
    assert len(refused) == 1
    return refused[0]
