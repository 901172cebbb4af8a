"""Many items -> the same one by one, work on which can be cancelled on the way."""

from collections.abc import Iterable, Iterator
from typing import TypeVar

from lmstudio.jobs import Job

EVERY = 100
"""Items from one look at the job to the next: lines, texts or examples."""

T = TypeVar("T")


def watched(items: Iterable[T], job: Job) -> Iterator[T]:
    """The items in their order. Raises Cancelled where the job is stopped."""
    for number, item in enumerate(items):
        if number % EVERY == 0:
            job.check()
        yield item
