"""Settings, data and speed -> how many steps a run has, and when it looks at the valid part.

A plan is made once, as a run begins, and kept in its checkpoints: what is resumed goes on alike,
on a slower computer too. Free of torch.
"""

import math
from dataclasses import dataclass, replace

from lmstudio.training.spec import TrainingConfig

LOOKS = 10  # validations an epoch at most, or in all where there is less than an epoch
MOST_LOOKS = 50  # in many epochs: the text is short, and looking takes longer than training
VALID_SHARE = 0.2  # of the time of training, at most, goes into validation
LEAST_TOKENS = 1000  # to look at in a validation, however slow it is


@dataclass(frozen=True)
class Speed:
    """Of one training on one computer, measured."""

    step: float  # seconds of a step
    valid_token: float  # seconds for a token of the valid part
    memory: int = 0  # bytes on the device: weights, optimiser, and what a step keeps


@dataclass(frozen=True)
class Plan:
    """The course of a run."""

    total: int  # steps
    validate_every: int  # steps
    batch: int = 0  # rows of a batch
    valid_tokens: int = 0  # about so many of the valid part are looked at; 0: all
    minutes: float = 0.0  # that were asked for; 0: none
    most: int = 0  # steps after which it ended anyway
    since: int = 0  # the step at which a run that was to be shorter took up this plan
    look: float = 0.0  # what a validation costs, in steps; 0: it is not counted

    def seconds(self, speed: Speed, valid: int) -> float:
        """How long it takes, with a valid part of so many tokens."""
        looks = math.ceil(self.total / self.validate_every) if valid else 0
        shown = min(valid, self.valid_tokens or valid)
        return self.total * speed.step + looks * shown * speed.valid_token


def plan(
    config: TrainingConfig, epoch: int, *, valid: int = 0, speed: Speed | None = None,
    look: float = 0.0,
) -> Plan:  # fmt: skip
    """The plan of a fresh run whose epochs have `epoch` batches, its valid part `valid` tokens.

    Without `speed` the minutes that `config` asks for are not counted. `look`: as of Plan.
    """
    most = total_steps(epoch, config)
    every = _every(config, epoch, most, look)
    whole = Plan(most, every, config.batch, most=most, look=look)
    if speed is None or not config.minutes:
        return whole
    whole = replace(whole, minutes=config.minutes)
    if whole.seconds(speed, valid) <= config.minutes * 60:
        return whole
    return _fitted(config, epoch, valid, speed, whole)


def longer(
    before: Plan, config: TrainingConfig, epoch: int, *, step: int, seconds: float
) -> Plan | None:
    """The plan of a run that is gone on with at `step`; None where nothing else is asked for.

    The learning rate goes on along the line of the new length, after a warm-up from zero. Minutes
    are those of all sittings together, at the speed of the first `step` steps in `seconds`.
    """
    most = total_steps(epoch, config)
    if (before.minutes, before.most) == (config.minutes, most):
        return None
    total = most
    if config.minutes and step:
        total = min(most, max(step, round(config.minutes * 60 * step / max(seconds, 1e-9))))
    return replace(
        before, total=total, validate_every=_every(config, epoch, total, before.look),
        batch=config.batch, most=most, minutes=config.minutes, since=step,
    )  # fmt: skip


def total_steps(epoch: int, config: TrainingConfig) -> int:
    """Steps of a whole run whose epochs have `epoch` batches, whatever time it takes."""
    steps = config.epochs * epoch
    return min(steps, config.max_steps) if config.max_steps else steps


def _every(config: TrainingConfig, epoch: int, total: int, look: float) -> int:
    """As often as LOOKS and MOST_LOOKS allow, and VALID_SHARE, which leaves one an epoch though."""
    if config.validate_every:
        return config.validate_every
    once = min(epoch, total)
    often = max(math.ceil(once / LOOKS), math.ceil(total / MOST_LOOKS))
    return max(1, often, min(once, math.ceil(look / VALID_SHARE)))


def _fitted(config: TrainingConfig, epoch: int, valid: int, speed: Speed, whole: Plan) -> Plan:
    """The steps and validations that fit into the minutes: fewer looks first, then shorter ones."""
    budget = config.minutes * 60
    for_looks = VALID_SHARE * budget if valid else 0.0
    total = max(1, min(whole.most, int((budget - for_looks) / speed.step)))
    every, shown = _every(config, epoch, total, whole.look), valid
    if valid and math.ceil(total / every) * valid * speed.valid_token > for_looks:
        every = config.validate_every or max(1, math.ceil(total / LOOKS))
        looks = math.ceil(total / every)
        shown = min(valid, max(LEAST_TOKENS, int(for_looks / looks / speed.valid_token)))
    looking = shown * speed.valid_token / every  # seconds a step
    total = max(1, min(whole.most, int(budget / (speed.step + looking))))
    tokens = 0 if shown >= valid else shown
    return replace(whole, total=total, validate_every=every, valid_tokens=tokens)
