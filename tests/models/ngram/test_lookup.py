"""N-grams are found however many are looked for, and however wide their keys are."""

import numpy as np
import pytest

from lmstudio.models.ngram import lookup as lookup_module
from lmstudio.models.ngram.counts import count
from lmstudio.models.ngram.lookup import UNSEEN, Lookup
from tests.models.ngram.texts import ignore


@pytest.mark.parametrize("rows", [50, 2**20])
@pytest.mark.parametrize("few", [0, 1000])
def test_many_and_few_are_found_alike(monkeypatch, rows, few):
    rng = np.random.default_rng(2)
    stream = np.concatenate([[1], rng.integers(3, 40, 3000), [2]]).astype(np.int32)
    table = count(stream, rows, 2, ignore)[1]
    monkeypatch.setattr(lookup_module, "_FEW", few)
    numbers, first = rng.integers(0, 45, 500), rng.integers(0, 45, 500)
    found = Lookup(rows, [table.keys]).find(2, numbers, first)
    places = {int(key): place for place, key in enumerate(table.keys)}
    keys = (numbers * rows + first).tolist()
    assert found.tolist() == [places.get(key, UNSEEN) for key in keys]


def test_keys_that_leave_no_room_beside_them_are_sorted_too(monkeypatch):
    monkeypatch.setattr(lookup_module, "_FEW", 0)
    keys = np.array([5, 2**61, 2**62 + 3])
    found = Lookup(2**31, [keys]).find(
        2, np.array([2**31, 0, 2**30, 0, 2**31]), np.array([3, 5, 0, 6, 3])
    )
    assert found.tolist() == [2, 0, 1, UNSEEN, 2]
