"""What is offered is what the classes of the models have."""

import numpy as np
import pytest
import torch

from lmstudio.models.capabilities import QUESTIONS, reason
from lmstudio.models.registry import MODELS
from lmstudio.training.assembly import build
from tests.segmentations import write_segmentation
from tests.training.networks import spec_of

METHODS = {"layers": "layers", "attention": "attention", "norms": "norms", "gates": "gates"}


@pytest.mark.parametrize("model", ["ffnn", "rnn", "gru", "lstm", "elmo", "gpt", "bert"])
def test_networks_have_the_methods_they_are_said_to_have(model, tmp_path):
    folder = write_segmentation(tmp_path / "segmentation", train=["a b a", "a c"])
    torch.manual_seed(1)
    made = build(spec_of(model), np.array([10, 0, 20, 30, 20, 10]), folder).model()
    for question, method in METHODS.items():
        assert hasattr(made, method) == (reason(model, question) is None)
    probs = made.next_probs(np.array([3], np.int32))
    assert np.isnan(probs).all() == (reason(model, "next") is not None)


def test_every_family_is_known_to_every_question():
    for able, why in QUESTIONS.values():
        assert set(able) <= set(MODELS)
        assert why or set(able) == set(MODELS)


def test_a_joint_head_reads_both_sides():
    config = spec_of("elmo, joint").config
    assert reason("elmo", "next", config) is not None
