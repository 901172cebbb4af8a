"""Batches for BERT: everything once, kept apart, the same for the same step."""

import numpy as np
import pytest

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.data.masked import MaskedBatches, examples_of, single
from lmstudio.data.masking import Masking
from lmstudio.data.pairs import NextSentencePairs
from lmstudio.errors import AppError

ROWS, WINDOW = 50, 16


def text(sentences: int = 60, longest: int = 12) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(3)
    ends = np.cumsum(generator.integers(1, longest, sentences))
    bounds = np.stack([np.append(0, ends[:-1]), ends], 1)
    return generator.integers(3, ROWS, ends[-1]).astype(np.int32), bounds


def batches(tokens, bounds, pairs=False, **more) -> MaskedBatches:
    if pairs:
        made = NextSentencePairs(bounds, np.arange(len(bounds)) // 6)
        return MaskedBatches(tokens, lambda rng: made.examples(WINDOW, rng), Masking(ROWS),
                             rows=4, window=WINDOW, seed=1, **more)  # fmt: skip
    examples = single(bounds, WINDOW)
    return MaskedBatches(
        tokens, lambda _: examples, Masking(ROWS), rows=4, window=WINDOW, seed=1, **more
    )


def original(batch) -> list[list[int]]:
    """The examples of a batch, what is hidden put back."""
    ids = np.where(batch["targets"] == IGNORE, batch["ids"], batch["targets"])
    return [
        ids[row][segments == number].tolist()
        for row, segments in enumerate(batch["segments"])
        for number in range(segments.max() + 1)
    ]


def epoch(data: MaskedBatches, number: int = 0) -> list[dict[str, np.ndarray]]:
    return [data.at(step) for step in range(number * len(data), (number + 1) * len(data))]


@pytest.mark.parametrize("dynamic", [True, False])
def test_every_sentence_once_an_epoch(dynamic):
    tokens, bounds = text()
    data = batches(tokens, bounds, dynamic=dynamic)
    expected = sorted([BOS, *tokens[a:b].tolist(), EOS] for a, b in bounds)
    for number in (0, 1, 2):
        assert sorted(sum(map(original, epoch(data, number)), [])) == expected
    assert sorted(sum(map(original, data.once()), [])) == expected


def test_long_sentences_come_in_pieces():
    tokens = np.arange(3, 43, dtype=np.int32)
    data = batches(tokens, np.array([[0, 40]]))
    found = sorted(sum(map(original, epoch(data)), []))
    assert found == [[BOS, *range(a, min(a + 14, 43)), EOS] for a in (3, 17, 31)]


def test_positions_begin_anew_and_padding_is_marked():
    for batch in epoch(batches(*text())):
        for row, segments in enumerate(batch["segments"]):
            for number in range(segments.max() + 1):
                inside = segments == number
                assert batch["positions"][row][inside].tolist() == list(range(inside.sum()))
        padded = batch["segments"] < 0
        assert (batch["targets"][padded] == IGNORE).all()
        assert (batch["ids"].shape[1]) <= WINDOW
        assert {array.shape for array in batch.values()} == {batch["ids"].shape}
        assert (batch["types"] == 0).all()


def test_rows_are_well_filled():
    cells = [batch["segments"] >= 0 for batch in epoch(batches(*text(400)))]
    assert sum(inside.sum() for inside in cells) / sum(inside.size for inside in cells) > 0.95


def test_case_d1_and_d2b_every_example_has_targets_and_padding_none():
    tokens, bounds = text(50, longest=4)
    data = batches(tokens, bounds)
    for batch in epoch(data) + epoch(data, 1):
        hidden = batch["targets"] != IGNORE
        assert not hidden[batch["segments"] < 0].any()
        for row, segments in enumerate(batch["segments"]):
            counts = [hidden[row][segments == number].sum() for number in range(segments.max() + 1)]
            assert min(counts) == 1
    assert data.events == 50


def test_blanks_are_new_each_epoch_or_stay():
    tokens, bounds = text()

    def blanks(data, number):
        return sorted((batch["segments"].tolist(), batch["ids"].tolist())
                      for batch in epoch(data, number))  # fmt: skip

    static = batches(tokens, bounds, dynamic=False)
    assert blanks(static, 0) == blanks(static, 3)
    order = [[batch["ids"].tolist() for batch in epoch(static, number)] for number in (0, 3)]
    assert order[0] != order[1]  # of the batches
    dynamic = batches(tokens, bounds)
    assert blanks(dynamic, 0) != blanks(dynamic, 3)


@pytest.mark.parametrize("pairs", [False, True])
@pytest.mark.parametrize("dynamic", [False, True])
def test_the_step_alone_decides(pairs, dynamic):
    tokens, bounds = text()
    data = batches(tokens, bounds, pairs, dynamic=dynamic)
    steps = [3, 40, 7, 3, 0]
    again = batches(tokens, bounds, pairs, dynamic=dynamic)
    for step in steps:
        one, other = data.at(step), again.at(step)
        assert one.keys() == other.keys()
        assert all(np.array_equal(one[name], other[name]) for name in one)


def test_pairs_are_marked():
    tokens, bounds = text(longest=6)
    data = batches(tokens, bounds, pairs=True)
    seen = []
    for batch in epoch(data) + epoch(data, 1):
        real = batch["follows"] != IGNORE
        seen += batch["follows"][real].tolist()
        for row, number in zip(*np.nonzero(real), strict=True):
            start = batch["starts"][row, number]
            assert batch["ids"][row, start] == BOS
            assert batch["positions"][row, start] == 0
            inside = batch["segments"][row] == number
            example, types = batch["ids"][row][inside], batch["types"][row][inside]
            marks = np.flatnonzero((example == EOS) & (batch["targets"][row][inside] == IGNORE))
            middle = np.flatnonzero(np.diff(types))[0]
            assert middle in marks
            assert types.tolist() == [0] * (middle + 1) + [1] * (len(types) - middle - 1)
            assert example[-1] == EOS
        assert real.sum() == sum(segments.max() + 1 for segments in batch["segments"])
    assert set(seen) == {0, 1}


def test_rare_words_are_unknown_now_and_then():
    tokens, bounds = text(200)
    rare = np.arange(ROWS) < 10
    seen = np.concatenate([np.concatenate(original(batch))
                           for batch in epoch(batches(tokens, bounds, rare=rare))])  # fmt: skip
    before = (tokens < 10).sum()
    assert (seen == UNK).sum() == pytest.approx(before / 2, rel=0.3)
    assert ((seen > 2) & (seen < 10)).sum() == pytest.approx(before / 2, rel=0.3)


def test_words_are_hidden_as_a_whole():
    tokens = np.tile(np.arange(3, 13, dtype=np.int32), 30)
    bounds = np.stack([np.arange(0, 300, 10), np.arange(10, 310, 10)], 1)
    begins = np.arange(300) % 2 == 0  # words of two
    for batch in epoch(batches(tokens, bounds, begins=begins)):
        for row, segments in zip(batch["targets"], batch["segments"], strict=True):
            for number in range(segments.max() + 1):
                words = (row[segments == number][1:-1] != IGNORE).reshape(-1, 2)
                assert (words.all(1) == words.any(1)).all()
                assert words.any()


def test_a_window_too_small_is_told(tmp_path):
    with pytest.raises(AppError, match="3 tokens at least"):
        examples_of(tmp_path, np.array([[0, 2]]), 2, pairs=False)
    with pytest.raises(AppError, match="5 tokens at least"):
        examples_of(tmp_path, np.array([[0, 2]]), 4, pairs=True)
