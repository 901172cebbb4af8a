"""What is told of runs that say the same whatever they are given."""

import pytest

from lmstudio.analysis.tasks.errors import scored
from lmstudio.analysis.tasks.one_sided import one_sided
from lmstudio.analysis.tasks.prediction import Answer, FoundSpan, Prediction, TaggedToken
from lmstudio.data.labelled.example import Example, Span
from lmstudio.training.fit_task import Way
from lmstudio.training.task_config import TaskConfig

TAGS = ("O", "B-LOC", "I-LOC", "B-PER", "I-PER")


def told(kind, examples, predictions, labels=()):
    way = Way(kind, labels, TaskConfig(kind=kind), may_be_none=True)
    found = one_sided(scored(way, "test", examples, predictions))
    return None if found is None else str(found)


@pytest.mark.parametrize(
    ("gold", "said", "expected"),
    [("ab", "aa", "It takes every example of test for a."), ("ab", "ab", None), ("ab", "ba", None),
     ("aa", "aa", None), ("aa", "bb", None)],
    ids=["one of two", "right", "wrong", "only one there", "only another there"],
)  # fmt: skip
def test_classes(gold, said, expected):
    examples = [Example("x", label=label) for label in gold]
    predictions = [Prediction("x", label=label, probabilities=(1.0,)) for label in said]
    assert told("classify", examples, predictions, ("a", "b")) == expected


def tagged(*tags):
    """What is said of a text of a token a character."""
    tokens = tuple(TaggedToken(n, n + 1, tag, 1.0) for n, tag in enumerate(tags))
    spans = tuple(FoundSpan(n, n + 1, tag[2:], 1.0) for n, tag in enumerate(tags) if tag != "O")
    return Prediction("x" * len(tags), spans=spans, tokens=tokens)


@pytest.mark.parametrize(
    ("tags", "expected"),
    [(("O", "O"), "It found no span in any text of test."),
     (("B-LOC", "O"), "All spans that it found in test are of the type LOC."),
     (("B-LOC", "B-PER"), None), (("I-LOC", "B-PER"), None)],
    ids=["none", "one type", "both", "both, one written wrong"],
)  # fmt: skip
def test_spans(tags, expected):
    example = Example("xx", spans=(Span(0, 1, "LOC"), Span(1, 2, "PER")))
    assert told("tag", [example], [tagged(*tags)], TAGS) == expected


def test_one_type_of_span_is_no_choice():
    example = Example("xx", spans=(Span(0, 1, "LOC"),))
    assert told("tag", [example], [tagged("O", "B-LOC")], TAGS[:3]) is None
    assert told("tag", [Example("xx")], [tagged("O", "O")], TAGS[:3]) is None


def test_answers():
    example, none = Example("xyz", "?", spans=(Span(0, 1),)), Example("xyz", "?")
    silent = Prediction("xyz", "?", answers=(Answer("", 0, 0, 1.0, 0.0),))
    answered = Prediction("xyz", "?", answers=(Answer("x", 0, 1, 1.0, 0.0),))
    assert told("qa", [example, none], [silent, silent]) == (
        "It found no answer to any question of test."
    )
    assert told("qa", [example, none], [answered, silent]) is None
    assert told("qa", [none], [silent]) is None
