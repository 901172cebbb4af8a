"""The best validation loss, and when to stop looking for a better one."""

import math

import pytest

from lmstudio.training.early_stopping import EarlyStopping


def looks(early: EarlyStopping, losses: list[float]) -> list[float]:
    """The losses looked at until it says stop."""
    seen = []
    for step, loss in enumerate(losses, start=1):
        early.update(loss, step)
        seen.append(loss)
        if early.reason():
            break
    return seen


def test_case_d5_nan_is_never_the_best():
    nan = math.nan
    early = EarlyStopping(patience=2)
    assert len(looks(early, [2.0, nan, 1.9, nan, nan, 1.8])) == 5
    assert (early.best_loss, early.best_step) == (1.9, 3)
    assert "NaN" in str(early.reason())
    assert "step 3" in str(early.reason())


def test_a_first_loss_of_nan_is_not_the_best():
    early = EarlyStopping(patience=2)
    assert not early.update(math.nan, 1)
    assert early.update(2.0, 2)
    assert (early.best_loss, early.best_step) == (2.0, 2)


@pytest.mark.parametrize("loss", [math.inf, -math.inf, math.nan])
def test_infinite_losses_are_not_the_best(loss):
    assert not EarlyStopping(patience=1).update(loss, 1)


def test_an_equal_loss_is_not_better():
    early = EarlyStopping(patience=2)
    assert looks(early, [2.0, 2.0, 2.0, 1.0]) == [2.0, 2.0, 2.0]
    assert "NaN" not in str(early.reason())


def test_patience_zero_never_stops():
    early = EarlyStopping(patience=0)
    assert len(looks(early, [1.0] + [2.0] * 50)) == 51
