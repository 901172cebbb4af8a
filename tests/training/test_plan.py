"""How many steps fit into the minutes, and how a longer plan is taken up."""

import pytest

from lmstudio.training.plan import Plan, Speed, longer, plan
from lmstudio.training.spec import TrainingConfig

EPOCH = 1000  # batches
VALID = 50_000  # tokens


def config(**settings) -> TrainingConfig:
    return TrainingConfig(**{"epochs": 4, "batch": 16} | settings)


def test_without_minutes_the_epochs_count():
    found = plan(config(), EPOCH, valid=VALID, speed=Speed(10.0, 1.0))
    assert found == Plan(total=4000, validate_every=100, batch=16, most=4000)


def test_most_steps_cut_epochs_short_and_spread_the_validations():
    assert plan(config(max_steps=50), EPOCH).total == 50
    assert plan(config(max_steps=50), EPOCH).validate_every == 5


@pytest.mark.parametrize("step", [0.001, 0.01, 0.1, 1.0, 20.0])
@pytest.mark.parametrize("valid_token", [1e-7, 1e-5, 1e-3])
@pytest.mark.parametrize("validate_every", [0, 7])
def test_a_plan_fills_the_minutes_and_no_more(step, valid_token, validate_every):
    speed = Speed(step, valid_token)
    asked = config(minutes=1, epochs=1000, validate_every=validate_every)
    found = plan(asked, EPOCH, valid=VALID, speed=speed)
    took = found.seconds(speed, VALID)
    looks = found.total / found.validate_every
    least = looks * 1000 * valid_token  # a look is never shorter
    assert took <= max(60 * 1.1, step + 2 * least + 1)
    assert took >= 45 or found.total == found.most or step >= 20
    assert found.minutes == 1


def test_a_run_shorter_than_the_minutes_is_left_alone():
    found = plan(config(minutes=10), EPOCH, valid=VALID, speed=Speed(0.01, 1e-6))
    assert (found.total, found.valid_tokens) == (4000, 0)


def test_looks_become_fewer_before_they_become_shorter():
    fewer = plan(config(minutes=1, epochs=100), 100, valid=VALID, speed=Speed(0.1, 2e-5))
    assert fewer.validate_every > 10
    assert fewer.valid_tokens == 0
    shorter = plan(config(minutes=1, epochs=100), 100, valid=VALID, speed=Speed(0.1, 2e-4))
    assert 1000 <= shorter.valid_tokens < VALID
    assert shorter.total / shorter.validate_every == pytest.approx(10, abs=1)


def test_the_same_settings_ask_for_no_longer_plan():
    before = plan(config(minutes=1), EPOCH, speed=Speed(1.0, 0))
    assert longer(before, config(minutes=1), EPOCH, step=30, seconds=40) is None


def test_more_epochs_are_a_longer_plan():
    before = plan(config(), EPOCH)
    found = longer(before, config(epochs=6), EPOCH, step=4000, seconds=100)
    assert (found.total, found.since) == (6000, 4000)


def test_more_minutes_go_on_at_the_speed_until_now():
    before = plan(config(minutes=1, epochs=100), EPOCH, speed=Speed(0.1, 0))
    found = longer(before, config(minutes=3, epochs=100), EPOCH, step=600, seconds=60)
    assert found.total == 1800


@pytest.mark.parametrize("epoch", [1, 9, 10, 13, 57, 99, 1000])
@pytest.mark.parametrize("epochs", [1, 3, 40])
@pytest.mark.parametrize("look", [0.0, 0.1, 4.0, 1000.0])
def test_looks_are_ten_an_epoch_at_most_and_a_fifth_of_the_time(epoch, epochs, look):
    found = plan(config(epochs=epochs), epoch, look=look)
    assert epoch / found.validate_every <= 10
    assert found.total / found.validate_every <= 50
    assert look / found.validate_every <= 0.2 or found.validate_every >= epoch
    assert found.validate_every <= max(epoch, -(-found.total // 50))
    again = longer(found, config(epochs=epochs + 1), epoch, step=1, seconds=1)
    assert again.look == look
    assert look / again.validate_every <= 0.2 or again.validate_every >= epoch


def test_asked_for_looks_are_made_whatever_they_cost():
    assert plan(config(validate_every=3), EPOCH, look=50.0).validate_every == 3
