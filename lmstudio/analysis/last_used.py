"""Things that are slow to make and asked for again: the last few are kept, each as it was made."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

_Thing = TypeVar("_Thing")


class LastUsed(Generic[_Thing]):
    """The `most` things that were asked for last."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._things: OrderedDict[Hashable, tuple[object, _Thing]] = OrderedDict()

    def get(self, key: Hashable, state: object, make: Callable[[], _Thing]) -> _Thing:
        """The thing of `key`, made anew where what it was made of is not in the same `state`."""
        kept = self._things.pop(key, None)
        if kept is None or kept[0] != state:
            kept = state, make()
        self._things[key] = kept
        while len(self._things) > self._most:
            self._things.popitem(last=False)
        return kept[1]
