"""A fine-tuning learns from a share of the examples where that is set."""

from lmstudio.data.labelled.example import Example
from lmstudio.training.fit_task import drawn

ROWS = [Example(str(number)) for number in range(50)]


def test_all_of_them_are_the_examples_themselves():
    assert drawn(ROWS, 1.0, 1) is ROWS


def test_a_share_keeps_its_order_and_depends_on_the_seed_alone():
    found = drawn(ROWS, 0.2, 1)
    assert len(found) == 10
    assert found == sorted(found, key=ROWS.index)
    assert found == drawn(ROWS, 0.2, 1) != drawn(ROWS, 0.2, 2)


def test_one_is_left_at_least():
    assert len(drawn(ROWS, 0.001, 1)) == 1
