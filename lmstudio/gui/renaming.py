"""Names and tags of things in; changed at once, so that Ctrl+Z changes them back, out."""

from collections.abc import Callable, Sequence
from functools import partial

from lmstudio.gui.state import AppState
from lmstudio.messages import tr
from lmstudio.operations import tags
from lmstudio.operations.changes import Changes
from lmstudio.store.tags import Noun


def rename(
    state: AppState, operation: Callable[..., Changes], key: int, before: str, name: str
) -> None:
    """`operation` is the `rename` of the noun."""
    said = tr("{before} is called {name} now.", before=before, name=name)
    ways = (partial(operation, state.workspace, key, called) for called in (name, before))
    state.deletions.change(said, *ways)


def set_tags(state: AppState, noun: Noun, key: int, name: str, words: Sequence[str]) -> None:
    """Put tags on a thing, instead of those it had."""
    before = tags.tags(state.workspace, noun).get(key, ())
    if sorted(before) != sorted(words):
        said = tr("{name} has other tags now.", name=name)
        ways = (
            partial(tags.set_tags, state.workspace, noun, key, kept) for kept in (words, before)
        )
        state.deletions.change(said, *ways)
