"""The arithmetic of a cell on real numbers, against the weights of the model itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

from lmstudio.analysis.attending.cell import cell
from lmstudio.analysis.attending.text import Question
from lmstudio.errors import AppError
from lmstudio.jobs import Job

TEXT = "a b x c a"
IDS = np.array([3, 4, 0, 5, 3])


def test_a_cell_is_worked_out(made, family):
    asked, model = made()
    found = cell(asked, Question(TEXT), (1, 0), 4, 2, job=Job())
    q, k, v = (part[0].astype(float) for part in model.projections(IDS, 1))
    scores = [sum(q[4, i] * k[to, i] for i in range(4)) for to in range(len(k))]
    seen = scores[:5] if family == "gpt" else scores
    assert (found.row, found.column, found.dimensions, found.pairs) == ("c", "b", 4, 1)
    assert found.product == pytest.approx(scores[2], rel=1e-5)
    assert found.scaled == pytest.approx(scores[2] / math.sqrt(4), rel=1e-5)
    assert found.exponential == pytest.approx(math.exp(scores[2] / 2), rel=1e-5)
    assert found.row_sum == pytest.approx(sum(math.exp(s / 2) for s in seen), rel=1e-5)
    assert found.weight == pytest.approx(found.exponential / found.row_sum, rel=1e-5)
    assert found.weight == pytest.approx(model.attention(IDS)[1, 0, 4, 2], abs=1e-6)
    assert found.given == pytest.approx(found.weight * v[2], rel=1e-5)
    rows = list(found.rows())
    assert [row[0] for row in rows] == [1, 2, 3, 4]
    assert sum(row[3] for row in rows) == pytest.approx(found.product, rel=1e-5)


def test_what_is_later_is_not_seen(made, family):
    asked, _ = made()
    found = cell(asked, Question(TEXT), (0, 0), 1, 3, job=Job())
    assert found.seen == (family == "bert")
    assert (found.weight > 0) == found.seen
    assert (found.exponential > 0) == found.seen


def test_of_words_it_is_the_strongest_pair(made, plan):
    asked, model = made()
    asked = replace(asked, plan=replace(plan, options=replace(plan.options, by="characters")))
    found = cell(asked, Question("ab xc a", "spaces"), (1, 1), 2, 1, job=Job())
    part = model.attention(IDS)[1, 1, 3:5, 1:3]
    assert found.pairs == 4
    assert found.weight == pytest.approx(part.max(), abs=1e-6)
    assert found.row in "xc"
    assert found.column in "ab"


def test_heads_that_are_off_count(made):
    asked, model = made()
    found = cell(asked, Question(TEXT, off=((0, 1),)), (1, 0), 4, 1, job=Job())
    on = np.array([[True, False], [True, True]])
    assert found.weight == pytest.approx(model.attention(IDS, on)[1, 0, 4, 1], abs=1e-6)


def test_there_must_be_such_a_cell(made, family):
    asked, _ = made()
    number = 7 if family == "bert" else 6
    with pytest.raises(AppError, match=f"There are {number} rows"):
        cell(asked, Question(TEXT), (0, 0), number, 0, job=Job())
