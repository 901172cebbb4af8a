"""Names of corpora, segmentations and runs: what may be one, a free one, and a list of them."""

import re
from collections.abc import Container, Sequence

from lmstudio import messages
from lmstudio.errors import AppError
from lmstudio.messages import Message

NAME_LENGTH = 100
"""Characters that a name may have."""
CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""What would break or hide the line that it is shown on; no name may hold it."""
HALF_CHARACTERS = re.compile(r"[\ud800-\udfff]")
"""What nothing can store."""
_SHOWN = 10  # of what there is, where a name is not found


def check(name: str) -> None:
    """Raise AppError if `name` is empty, too long or cannot be shown."""
    if not name.strip():
        raise AppError("A name is needed.")
    if CONTROLS.search(name):
        raise AppError("The name holds a tab, a line end or another control character. Remove it.")
    if HALF_CHARACTERS.search(name):
        raise AppError("The name holds half a character. Remove it.")
    if len(name) > NAME_LENGTH:
        raise AppError("The name has {count} characters. At most {most} are allowed.",
                       count=len(name), most=NAME_LENGTH)  # fmt: skip


def free(name: str, taken: Container[str], by: str = " ") -> str:
    """`name`, or `name 2`, `name 3`... `by` blanks if it is taken; shortened to what is allowed."""
    number, found = 2, name[:NAME_LENGTH]
    while found in taken:
        end = f"{by}{number}"
        found, number = name[: NAME_LENGTH - len(end)] + end, number + 1
    return found


def listed(names: Sequence[str]) -> Message | str:
    """The last of the names, each in quotes, and how many there are besides."""
    told = messages.listed(f"“{name}”" for name in names[-_SHOWN:]) or "–"
    if len(names) <= _SHOWN:
        return told
    more = len(names) - _SHOWN
    return Message("{names} and {count} older ones", {"names": told, "count": more})


def unknown(sentence: str, name: str, known: Sequence[str]) -> AppError:
    """The error for a name that is not `known`; several runs may have been made by it.

    Those of seeds and of sweeps are called "name, seed 1" and "name=1", in any language.
    """
    made = re.compile(re.escape(name) + r"(?:[,，][^,，=]*\d|=.+)")
    runs = [one for one in known if made.fullmatch(one)]
    if runs:
        return AppError("{name} is a setting of {count} runs: {runs}. Name one of them.",
                        name=name, count=len(runs), runs=listed(runs))  # fmt: skip
    told = listed(known) if known else Message("none yet")
    return AppError(sentence, name=name, known=told)
