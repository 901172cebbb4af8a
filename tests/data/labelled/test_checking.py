"""What the check of a task's examples finds, with the first places and their texts."""

import pytest

from lmstudio.data.labelled.checking import UNLABELLED, UNSPANNED, check
from lmstudio.data.labelled.example import Example, Span
from lmstudio.data.labelled.problems import Problems
from lmstudio.jobs import Job


@pytest.mark.parametrize(("sentence", "labelled"), [(UNSPANNED, True), (UNLABELLED, False)],
                         ids=["nothing tagged", "no labels"])  # fmt: skip
def test_examples_without_tags_are_listed_with_their_texts(sentence, labelled):
    rows = [Example(text, place=f"line {n}", labelled=labelled)
            for n, text in enumerate(("今天好", "明天见"), 1)]  # fmt: skip
    rows.append(Example("我爱北京", spans=(Span(2, 4, "LOC"),), place="line 3"))
    found = check("tag", {"train": rows}, Problems(), job=Job()).problems
    (problem,) = (one for one in found if one.sentence == sentence)
    assert problem.count == 2
    assert list(problem.places) == [("line 1", "今天好"), ("line 2", "明天见")]
