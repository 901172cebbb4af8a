"""What a run tells of the programs and the computer it was trained with."""

import platform

import torch

from lmstudio import __version__
from lmstudio.training.environment import environment


def test_what_counts_is_told_without_torch():
    found = environment()
    assert found["lmstudio"] == __version__
    assert found["python"] == platform.python_version()
    assert found["processor"]
    assert not {"torch", "threads"} & set(found)


def test_of_a_network_torch_and_its_threads_are_told():
    found = environment(torch.device("cpu"))
    assert torch.__version__.startswith(found["torch"])
    assert type(found["torch"]) is str  # the pipe to the window takes nothing else
    assert found["threads"] == torch.get_num_threads()
    assert "card" not in found
