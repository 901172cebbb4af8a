"""What an operation changed, so that every view knows whether to read again."""

from dataclasses import dataclass

from lmstudio.messages import Message


@dataclass(frozen=True)
class Changes:
    """The nouns that changed, the row that is new, and what the user should be told."""

    corpora: bool = False
    segmentations: bool = False
    runs: bool = False
    dictionaries: bool = False
    findings: bool = False
    tasks: bool = False
    trash: bool = False
    deleted: tuple[int, ...] = ()  # the numbers in the trash of what went there
    new_id: int | None = None
    notes: tuple[Message, ...] = ()
