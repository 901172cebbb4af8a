"""Windows over a text: each target once, cut elsewhere each epoch, the same for the same step."""

import numpy as np
import pytest

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.data.windows import WindowBatches, bounds_of, half, overlapping, whole_windows
from tests.data.test_batches import BOUNDS, TOKENS, random_sentences

TEXT = [3, 4, EOS, EOS, 5, 6, 7, 8, 9, EOS]  # TOKENS as one text


def batches(rows=2, window=4, seed=1, tokens=TOKENS, bounds=BOUNDS, rare=None):
    return WindowBatches(tokens, bounds, rows=rows, window=window, seed=seed, rare=rare)


def epoch(found, number=0):
    return [found.at(step) for step in range(number * len(found), (number + 1) * len(found))]


def test_a_window_reads_what_stands_before_its_targets():
    ring = np.array(TEXT * 3)
    for batch in (batch for number in range(9) for batch in epoch(batches(), number)):
        for ids, targets in zip(batch["ids"], batch["targets"], strict=True):
            assert ids[1:].tolist() == targets[:-1].tolist()
            found = [i for i in range(1, 11) if ring[i : i + 4].tolist() == targets.tolist()]
            before = BOS if ring[found[0] - 1] == EOS else ring[found[0] - 1]
            assert ids[0] == before


def test_an_epoch_holds_every_target():
    tokens, bounds = random_sentences(100)
    found = batches(rows=8, window=16, tokens=tokens, bounds=bounds)
    events = len(tokens) + 100
    assert events <= found.events < events + 16
    for number in (0, 1):
        targets = np.concatenate([batch["targets"].ravel() for batch in epoch(found, number)])
        assert len(targets) == found.events
        assert set(targets) == {*tokens, EOS}
        assert len(np.unique(targets)) == len(tokens) + 1


def test_a_step_alone_decides_its_batch():
    tokens, bounds = random_sentences(50)
    straight, jumping = (batches(tokens=tokens, bounds=bounds) for _ in range(2))
    ids = [straight.at(step)["ids"] for step in range(3 * len(straight))]
    for step in (len(ids) - 1, 0, 5):
        assert np.array_equal(jumping.at(step)["ids"], ids[step])
    assert not np.array_equal(ids[0], ids[len(straight)])
    other = batches(tokens=tokens, bounds=bounds, seed=2)
    assert not np.array_equal(other.at(0)["ids"], ids[0])


def test_windows_are_cut_at_other_places_each_epoch():
    tokens, bounds = random_sentences(50)
    found = batches(rows=100, window=16, tokens=tokens, bounds=bounds)
    firsts = [set(found.at(number)["targets"][:, 0]) - {EOS} for number in (0, 1)]
    assert len(firsts[0] & firsts[1]) < len(firsts[0]) / 2


@pytest.mark.parametrize(("window", "windows", "read"), [(10, 1, 10), (64, 1, 10), (9, 2, 9)])
def test_case_d7_window_plus_one_tokens_are_one_window(window, windows, read):
    found = batches(rows=4, window=window)  # <s> and the 10 targets are 11 tokens
    assert found.at(0)["ids"].shape == (windows, read)
    assert found.events == windows * read


def test_half_of_the_rare_tokens_are_read_as_unknown():
    tokens, bounds = random_sentences(400)
    tokens = 3 + tokens % 20
    rare = np.zeros(23, bool)
    rare[3:6] = True
    with_rare, plain = (
        batches(rows=8, window=32, tokens=tokens, bounds=bounds, rare=kinds)
        for kinds in (rare, None)
    )
    met = forgotten = 0
    for batch, before in zip(epoch(with_rare), epoch(plain), strict=True):
        changed = batch["targets"] != before["targets"]
        assert set(batch["targets"][changed]) <= {UNK}
        assert np.array_equal(batch["ids"][:, 1:], batch["targets"][:, :-1])
        met += np.isin(before["targets"], (3, 4, 5)).sum()
        forgotten += changed.sum()
    assert 0.4 < forgotten / met < 0.6


# --- to be scored -----------------------------------------------------------------------------


def test_overlapping_windows():
    found = overlapping(np.array([10, 3, 4, 5]), window=4, stride=2)
    assert found.tolist() == [
        (0, 0, 4, 0), (0, 2, 4, 2), (0, 4, 4, 2), (0, 6, 4, 2),
        (1, 0, 3, 0), (2, 0, 4, 0), (3, 0, 4, 0), (3, 2, 3, 2),
    ]  # fmt: skip


@pytest.mark.parametrize("window", [2, 3, 4, 10, 99])
@pytest.mark.parametrize("stride", [0, 1, 2])
@pytest.mark.parametrize("rows", [1, 3])
def test_case_c6_each_target_is_scored_once_in_order(window, stride, rows):
    scored, least = [], []
    for batch in whole_windows(TOKENS, BOUNDS, rows, window, stride):
        chosen = batch["targets"] != IGNORE
        scored += batch["targets"][chosen].tolist()
        least += np.nonzero(chosen)[1].tolist()
        assert batch["ids"].shape == batch["targets"].shape
    assert scored == TEXT
    sure = window - (stride or half(window))
    assert all(seen >= min(sure, place) for place, seen in enumerate(least))


def test_the_first_token_that_is_read():
    (batch,) = whole_windows(TOKENS, BOUNDS, 99, 4)
    assert batch["ids"].tolist() == [
        [BOS, 3, 4, EOS], [4, EOS, EOS, 5], [BOS, 5, 6, 7], [6, 7, 8, 9]
    ]  # fmt: skip
    assert batch["targets"].tolist() == [
        [3, 4, EOS, EOS], [IGNORE, IGNORE, 5, 6], [IGNORE, IGNORE, 7, 8], [IGNORE, IGNORE, 9, EOS]
    ]  # fmt: skip


def test_nothing_to_score():
    assert not list(whole_windows(TOKENS, BOUNDS[:0], 4, 8))


def test_the_sentences_of_a_stream():
    stream = np.array([BOS, 3, 4, EOS, BOS, EOS, BOS, 5, EOS])
    assert bounds_of(stream).tolist() == [[1, 3], [5, 5], [7, 8]]
    assert bounds_of(stream[:0]).shape == (0, 2)
