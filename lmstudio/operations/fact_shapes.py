"""Facts of rows that came in a file -> those that this program reads, each of its shape.

A shape is a type; a dataclass, whose fields stand in a dict; a dict of the names that must be
there; a tuple of shapes, any of which will do; or Each. What nothing here reads is left out, and a
fact of another shape means that somebody wrote the file by hand: ValueError.
"""

from dataclasses import MISSING, dataclass, fields, is_dataclass
from string import Formatter
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin

from lmstudio.analysis.perplexity import Evaluation
from lmstudio.data.import_options import ImportOptions
from lmstudio.data.labelled.checking import Report
from lmstudio.data.layout import PartCounts
from lmstudio.messages import INNER
from lmstudio.store.rows import PARTS, Facts
from lmstudio.text.segment_options import AXES
from lmstudio.training.plan import Plan

LARGEST = 1 << 62  # whole number that a database takes


@dataclass(frozen=True)
class Each:
    """A dict of any names, every value of which is of one shape."""

    shape: Any


_RUN: dict[str, Any] = {
    "parameters": int, "tuned_parameters": int, "seconds": float, "step": int,
    "steps_per_epoch": int, "tokens_per_step": float, "batch": int, "device": str,
    "precision": str, "processes": int, "best_step": int, "best_valid_loss": float | None,
    "valid_loss": float | None, "labels": list[str], "continued": list[int], "ngrams": list[int],
    "discounts": list[list[float]], "classes": list[list[int]], "information": float,
    "made_with": dict[str, str | int],
    "imported": {"folder": str, "type": str, "sha256": str, "untrained": list[str]},
    "why_ended": list, "notes": list, "course": (NoneType, Plan),
    "when_done": {"spec": dict, "step": int},
}  # fmt: skip
_LEAKS = {"lines": int, "leaked_lines": int, "characters": int, "leaked_characters": int,
          "stretches": int, "near_stretches": int, "examples": list[tuple[int, int]],
          "share": float}  # fmt: skip
_CORPUS: dict[str, Any] = {
    "options": dict, "parts": Each(dict[str, int]), "empty_lines": int, "joined_lines": int,
    "cut_lines": int, "blank_documents": int, "marks": int, "given_words": int, "tags": int,
    "leaks_dropped": int, "sources": int,
    "normalise": Each({"value": str | bool, "changed": int, "version": str}),
    "duplicates": dict[str, int | list[list[int]]], "leaks": Each(_LEAKS),
    "oracle": Each(dict[str, float]), "sample": dict[str, int], "pieces_of": str, "texts_of": str,
    "absent": bool,
}  # fmt: skip
_WORDS = {"name": str, "words": int}
_SEGMENTATION: dict[str, Any] = {
    "options": dict, "axis": str, "overlapping": bool, "version": str, "tokens": int, "types": int,
    "parts": dict.fromkeys(PARTS, PartCounts), "oov_rate_valid": float | None,
    "literal_unknown": int,
    "dictionary": (NoneType, _WORDS), "stop_words": (NoneType, _WORDS), "absent": str,
    "tokenizer": (NoneType, {"name": str, "pieces": int, "share": float | None}),
}  # fmt: skip
_TASK: dict[str, Any] = {
    "labels": list[str], "counts": dict[str, int], "report": Report, "files": dict[str, list[str]],
    "sample": str, "layout": str, "scheme": str, "columns": dict[str, str],
    "split": dict[str, float], "options": dict,
}  # fmt: skip


def of_run(facts: Facts) -> Facts:
    """The facts of a run; sentences that would fill in more than values are left out."""
    found = _known(facts, _RUN)
    found |= {name: [one for one in found[name] if is_plain(one)]
              for name in ("notes",) if name in found}  # fmt: skip
    if not is_plain(found.get("why_ended", ["", {}])):
        found["why_ended"] = ["", {}]
    return found


def of_corpus(facts: Facts) -> Facts:
    """The facts of a corpus."""
    found = _known(facts, _CORPUS)
    ImportOptions.from_json(found.get("options", {}))
    return found


def of_segmentation(facts: Facts) -> Facts:
    """The facts of a segmentation."""
    found = _known(facts, _SEGMENTATION, needed=("options", "parts", "tokens"))
    warnings = (found.get("dictionary") or {}).get("warnings", [])
    told = isinstance(warnings, list) and all(map(is_plain, warnings))
    if not told or found.get("axis") not in (None, "", *AXES):
        raise ValueError("warnings or axis")
    return found


def of_task(facts: Facts) -> Facts:
    """The facts of a task."""
    found = _known(facts, _TASK, needed=("labels", "counts"))
    for one in found.get("report", {}).get("problems", []):
        if not is_plain([one["sentence"], one.get("values", {}) | {"count": 0, "part": ""}]):
            raise ValueError("problems")
    return found


def figures(found: Facts, *, tuned: bool) -> Facts:
    """What was measured on a part: of a fine-tuned run its scores."""
    if not fits(found, dict[str, float | None] if tuned else Evaluation):
        raise ValueError("figures")
    return found


def _known(facts: Facts, shapes: dict[str, Any], needed: tuple[str, ...] = ()) -> Facts:
    found = {name: facts[name] for name in facts.keys() & shapes.keys()}
    for name in [*found, *needed]:
        if name not in found or not fits(found[name], shapes[name]):
            raise ValueError(name)
    return {name: found[name] for name in facts if name in found}


def fits(value: Any, shape: Any) -> bool:  # noqa: ANN401 (JSON and types)
    """Whether plain data is of a shape."""
    if isinstance(shape, tuple):
        return any(fits(value, one) for one in shape)
    if isinstance(shape, dict):
        return isinstance(value, dict) and all(
            name in value and fits(value[name], one) for name, one in shape.items()
        )
    if isinstance(shape, Each):
        return isinstance(value, dict) and all(fits(one, shape.shape) for one in value.values())
    if is_dataclass(shape):
        return _fits_fields(value, shape)
    if isinstance(shape, UnionType) or get_origin(shape) is Literal:
        return any(value == one if get_origin(shape) is Literal else fits(value, one)
                   for one in get_args(shape))  # fmt: skip
    return _fits_type(value, get_origin(shape) or shape, get_args(shape))


def _fits_fields(value: Any, kind: Any) -> bool:  # noqa: ANN401 (JSON and a type)
    """Whether a dict has the fields of a dataclass, and no others."""
    if not isinstance(value, dict):
        return False
    known = {field.name: field for field in fields(kind)}
    needed = {name for name, field in known.items()
              if field.default is MISSING and field.default_factory is MISSING}  # fmt: skip
    return needed <= value.keys() <= known.keys() and all(
        fits(one, known[name].type) for name, one in value.items()
    )


def _fits_type(value: Any, kind: Any, inner: tuple[Any, ...]) -> bool:  # noqa: ANN401
    """Of JSON's types, with what is in lists and dicts."""
    if kind is Any:
        return True
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if kind is tuple:
        return isinstance(value, list) and len(value) == len(inner) and all(map(fits, value, inner))
    if type(value) is not kind or (kind is int and abs(value) > LARGEST):
        return False
    if kind is dict and inner:
        return all(fits(one, inner[1]) for one in value.values())
    return kind is not list or not inner or all(fits(one, inner[0]) for one in value)


def is_plain(told: Any) -> bool:  # noqa: ANN401 (JSON)
    """Whether it is a sentence with its values, and its places hold names and nothing else."""
    try:
        sentence, values = told
        places = list(Formatter().parse(sentence))
        return isinstance(values, dict) and all(
            name is None or (name in values and not (spec or "").strip(",") and not conversion)
            for _, name, spec, conversion in places
        ) and all(is_plain(one[INNER]) for one in values.values()
                  if isinstance(one, dict) and INNER in one)  # fmt: skip
    except (ValueError, TypeError):
        return False
