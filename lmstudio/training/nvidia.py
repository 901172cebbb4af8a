"""This computer -> its NVIDIA driver: the newest CUDA it can run, and the cards it shows.

The driver's own library is asked, as every CUDA program asks it; torch need not be there. The
installer reads this file too, before anything is installed: nothing but the standard library.
"""

import ctypes
import sys
from typing import NamedTuple

_MAJOR, _MINOR = 75, 76  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
_NAME_LENGTH = 100

Version = tuple[int, int]


class Card(NamedTuple):
    """A card that programs may use."""

    name: str
    capability: Version  # (7, 5) is Turing, (9, 0) Hopper


class Driver(NamedTuple):
    """What is installed."""

    cuda: Version  # the newest it can run
    cards: tuple[Card, ...] = ()


def driver() -> Driver | None:
    """The driver, or None where there is none. Cards hidden by CUDA_VISIBLE_DEVICES are none."""
    try:
        cuda = ctypes.CDLL("nvcuda.dll" if sys.platform == "win32" else "libcuda.so.1")
    except OSError:
        return None
    number = ctypes.c_int()
    if cuda.cuDriverGetVersion(ctypes.byref(number)) != 0 or number.value == 0:
        return None  # the library without the driver, as in containers
    return Driver((number.value // 1000, number.value % 1000 // 10), tuple(_cards(cuda)))


def _cards(cuda: ctypes.CDLL) -> list[Card]:
    count = ctypes.c_int()
    if cuda.cuInit(0) != 0 or cuda.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return []
    return [_card(cuda, index) for index in range(count.value)]


def _card(cuda: ctypes.CDLL, index: int) -> Card:
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    name = ctypes.create_string_buffer(_NAME_LENGTH)
    cuda.cuDeviceGet(ctypes.byref(device), index)
    cuda.cuDeviceGetName(name, _NAME_LENGTH, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(major), _MAJOR, device)
    cuda.cuDeviceGetAttribute(ctypes.byref(minor), _MINOR, device)
    return Card(name.value.decode("utf-8", "replace"), (major.value, minor.value))
