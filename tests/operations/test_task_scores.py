"""What is told of an example that a run gets wrong."""

from lmstudio.analysis.tasks.prediction import FoundSpan, Prediction
from lmstudio.data.labelled.example import Example, Span
from lmstudio.operations import task_scores


def found(*spans):
    return Prediction("王建国任董事长", spans=tuple(FoundSpan(*one, 1.0) for one in spans))


def test_of_spans_those_are_told_that_are_not_the_same():
    example = Example("王建国任董事长", spans=(Span(0, 3, "NAME"), Span(4, 7, "TITLE")))
    said = found((0, 3, "NAME"), (4, 6, "TITLE"))
    assert task_scores.apart("tag", example, said) == ("董事长/TITLE", "董事/TITLE")
    assert task_scores.apart("tag", example, found((0, 3, "NAME"))) == ("董事长/TITLE", "")
    same = found((0, 3, "NAME"), (4, 7, "TITLE"))
    whole = "王建国/NAME, 董事长/TITLE"
    assert task_scores.apart("tag", example, same) == (whole, whole)


def test_of_classes_both_are_told():
    example = Example("一", label="好")
    assert task_scores.apart("classify", example, Prediction("一", label="坏")) == ("好", "坏")
