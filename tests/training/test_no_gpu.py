"""Why a GPU lies idle: one sentence for each cause, with what to do about it."""

import ctypes
import subprocess
import sys

import pytest

from lmstudio import messages
from lmstudio.training import nvidia
from lmstudio.training.no_gpu import COMMAND, Build, explain
from lmstudio.training.nvidia import Card, Driver

CARD = Card("GeForce GTX 1060", (6, 1))
CPU, CUDA = Build(None), Build((13, 0))
FROZEN = Build(None, is_frozen=True)


@pytest.mark.parametrize(("build", "driver", "why", "cure"), [
    (CUDA, None, "no NVIDIA driver was found", "install its driver"),
    (CPU, None, "no NVIDIA driver was found", COMMAND),
    (FROZEN, None, "no NVIDIA driver was found", "start again"),
    (CPU, Driver((13, 0), (CARD,)), "the build for CPUs", COMMAND),
    (FROZEN, Driver((13, 0), (CARD,)), "the PyTorch for CPUs", COMMAND),
    (CUDA, Driver((12, 4), (CARD,)), "can run CUDA 12.4, this PyTorch needs 13.0", "Update"),
    (CUDA, Driver((13, 0), (CARD,)), "no code for a card of its generation", COMMAND),
    (CUDA, Driver((13, 0)), "the NVIDIA driver shows no card", "CUDA_VISIBLE_DEVICES"),
    (Build(None, is_rocm=True), None, "the build for AMD", "finds no AMD card"),
], ids=["no driver", "no driver, CPU build", "no driver, frozen", "CPU build", "frozen",
        "old driver", "old card", "hidden", "AMD"])  # fmt: skip
def test_each_cause_has_its_sentence(build, driver, why, cure):
    said = explain(build, driver)
    assert why in str(said)
    assert cure in str(said)
    if driver and driver.cards:
        assert CARD.name in str(said)
    messages.use("zh_CN")
    assert "GPU" in str(said) or CARD.name in str(said)
    assert "used" not in str(said)


class FakeDriver:
    """libcuda as far as it is asked."""

    def __init__(self, version=13020, failing=(), cards=(("Tesla T4", 7, 5), ("H200", 9, 0))):
        self.version, self.failing, self.cards = version, failing, cards

    def __getattr__(self, name):
        if name in self.failing:
            return lambda *_: 100
        return getattr(self, f"_{name}")

    def _cuDriverGetVersion(self, number):
        number._obj.value = self.version
        return 0

    def _cuInit(self, flags):
        return 0

    def _cuDeviceGetCount(self, count):
        count._obj.value = len(self.cards)
        return 0

    def _cuDeviceGet(self, device, index):
        device._obj.value = index
        return 0

    def _cuDeviceGetName(self, name, length, device):
        name.value = self.cards[device.value][0].encode()
        return 0

    def _cuDeviceGetAttribute(self, number, attribute, device):
        number._obj.value = self.cards[device.value][attribute - 74]
        return 0


@pytest.fixture
def loads(monkeypatch):
    """Let the driver's library be a stand-in."""
    return lambda fake: monkeypatch.setattr(ctypes, "CDLL", lambda name: fake)


def test_the_driver_tells_its_cuda_and_its_cards(loads):
    loads(FakeDriver())
    assert nvidia.driver() == Driver((13, 2), (Card("Tesla T4", (7, 5)), Card("H200", (9, 0))))


def test_hidden_cards_are_none(loads):
    loads(FakeDriver(failing=("cuInit",)))
    assert nvidia.driver() == Driver((13, 2))


@pytest.mark.parametrize("fake", [
    FakeDriver(version=0), FakeDriver(failing=("cuDriverGetVersion",)),
], ids=["no version", "no answer"])  # fmt: skip
def test_a_library_without_its_driver_is_none(loads, fake):
    loads(fake)
    assert nvidia.driver() is None


def test_no_library_is_no_driver(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(ctypes, "CDLL", missing)
    assert nvidia.driver() is None


def test_the_reason_is_there_without_torch():
    code = "import sys, lmstudio.training.no_gpu; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
