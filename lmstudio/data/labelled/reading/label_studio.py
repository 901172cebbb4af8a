"""An annotated item of Label Studio -> a plain object, as the other readers know it.

    {"data": {"text": ...}, "annotations": [{"result": [{"type": "labels", "value": {...}}]}]}

A stretch is {"start", "end", "text", "labels": [type]}, a choice {"choices": [class]}. What Label
Studio calls JSON-MIN is plain already. The first annotation that was not given up counts.
"""

from collections.abc import Iterator
from typing import Any


def plain(value: object) -> object:
    """The object that an item is; anything else as it is."""
    if not isinstance(value, dict) or not isinstance(value.get("data"), dict):
        return value
    given = value.get("annotations", value.get("completions"))
    if not isinstance(given, list):
        return value
    found = dict(value["data"])
    results = next(_results(given), None)
    if results is None:
        return found
    choices = [choice for one in results for choice in _listed(one, "choices")]
    if choices:
        return found | {"label": choices}
    spans = [one["value"] for one in results if _listed(one, "labels")]
    return found | {"spans": spans}


def _results(given: list[Any]) -> Iterator[list[dict[str, Any]]]:
    for one in given:
        if isinstance(one, dict) and not one.get("was_cancelled"):
            results = one.get("result")
            if isinstance(results, list):
                yield [each for each in results if isinstance(each, dict)]


def _listed(result: dict[str, Any], name: str) -> list[Any]:
    value = result.get("value")
    found = value.get(name) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []
