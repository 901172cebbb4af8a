"""Errors that a user can act on; everything else that is raised is a bug.

AppError                a sentence with its values, translated when it is shown
├── SpecError           several faults of one form or file, listed together
├── WorkspaceError      the workspace cannot be opened or written
└── WorkerDied          the process that did the work has ended by itself
Cancelled               not an error: the user pressed stop
"""

import errno
import re
from dataclasses import dataclass

from lmstudio.messages import Message, phrases, tr


class AppError(Exception):
    """One sentence that tells the user what to do.

    `AppError("{name} holds no usable text.", name="a.txt")`: the first argument is the English
    sentence and the key of its translation; `str(error)` is in the language of the moment.
    """

    def __init__(self, sentence: str, **values: object) -> None:
        super().__init__(sentence)
        self.message = Message(sentence, values)

    def __str__(self) -> str:
        return str(self.message)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.message, self.__dict__)


def _rebuild(kind: type[AppError], message: Message, state: dict[str, object]) -> AppError:
    """Errors cross from a worker process to the window; their values go with them."""
    error = kind.__new__(kind)
    Exception.__init__(error, message.sentence)
    error.__dict__.update(state)
    return error


@dataclass(frozen=True)
class Fault:
    """What is wrong with one field; `field` is its name in the form and the spec."""

    field: str
    message: Message
    label: str = ""  # what the form calls the field, a catalogue sentence

    def __str__(self) -> str:
        label = tr(self.label) if self.label else self.field
        if label.lower() == self.field:
            return f"{self.field}: {self.message}"
        return tr(
            "{label} ({field}): {message}",
            label=label, field=self.field, message=self.message,
        )  # fmt: skip


class SpecError(AppError):
    """All faults of a specification at once, so that they can be mended at once."""

    def __init__(self, faults: list[Fault]) -> None:
        super().__init__("{faults}", faults=phrases(map(str, faults)))
        self.faults = faults

    def __str__(self) -> str:
        return phrases(map(str, self.faults))


class WorkspaceError(AppError):
    """The workspace is locked, newer than this program, damaged, or not a workspace."""


class WorkerDied(AppError):
    """A worker process ended without an answer: killed, out of memory, or crashed."""


DISK_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))
_FULL_TEXTS = re.compile(
    r"No space left|Disk quota exceeded|os error 112\b|"
    r"PytorchStreamWriter failed writing|\d+ requested and \d+ written"
)
"""What safetensors, torch and numpy say, which lose the error number."""
_TOO_LARGE_TEXT = "File too large"  # the system's words for EFBIG, as safetensors repeats them


_MEMORY_TEXTS = re.compile(
    r"can't allocate memory|out of memory|Cannot allocate memory|"
    r"could not create a primitive(?! descriptor)|"
    r"failed to map segment from shared object|cannot map zero-fill pages"
)
"""What the allocators of the CPU, CUDA and MPS say, the loader of libraries, and oneDNN."""


def is_out_of_memory(error: BaseException) -> bool:
    """Whether memory ran out, by its kind or by what is said."""
    return isinstance(error, MemoryError) or _MEMORY_TEXTS.search(str(error)) is not None


def refusal(error: BaseException) -> AppError | None:
    """The sentence for an error that no code can prevent; None where `error` is a bug."""
    if isinstance(error, AppError):
        return error
    if getattr(error, "errno", None) in DISK_FULL or _FULL_TEXTS.search(str(error)):
        return AppError("The disk is full. Free some space and start again.")
    if getattr(error, "errno", None) == errno.EFBIG or _TOO_LARGE_TEXT in str(error):
        return AppError(
            "The file became larger than this disk, or a limit of the system, lets files be: FAT32 "
            "ends at 4 GB. Choose another disk."
        )
    if is_out_of_memory(error):
        return AppError(
            "There is not enough memory for this. Close other programs, take less at once (a "
            "smaller batch, length or model, a shorter text), or raise the limit in the settings."
        )
    if getattr(error, "errno", None) == errno.ENAMETOOLONG:
        return AppError("The name of a file or folder is too long. Choose a shorter one.")
    return refusal(error.__cause__) if error.__cause__ else None


class Cancelled(Exception):
    """Raised inside a job at the first tick after the user pressed stop."""
