"""BERT: guesses from both sides, keeps packed sentences apart, weighs what was published."""

import numpy as np
import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.masked import MaskedBatches, single
from lmstudio.data.masking import Masking
from lmstudio.data.pairs import NextSentencePairs
from lmstudio.models import bert, blocks, softmax
from lmstudio.models.bert import Bert, BertModel
from lmstudio.models.config import BertConfig
from lmstudio.models.texts import Texts

ROWS = 30  # of the vocabulary
MASK = ROWS
SMALL = {"layers": 2, "width": 16, "heads": 2, "window": 32, "dropout": 0.0}


def stirred(**settings) -> Bert:
    """A module whose weights are all of some size."""
    torch.manual_seed(1)
    module = bert.build(BertConfig(**SMALL | settings), np.arange(ROWS) + 1)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    return module.eval()


def sentence(*words: int) -> np.ndarray:
    return np.array([BOS, *words, EOS], np.int32)


def rows_of(*rows: list[list[int]], width: int = 0) -> dict[str, torch.Tensor]:
    """A batch of rows of sentences, whose second word is hidden."""
    width = max(width, *(sum(len(s) + 2 for s in row) for row in rows))
    arrays = {"ids": EOS, "targets": IGNORE, "positions": 0, "segments": -1, "types": 0}
    batch = {name: np.full((len(rows), width), pad) for name, pad in arrays.items()}
    for number, row in enumerate(rows):
        start = 0
        for segment, words in enumerate(row):
            here = slice(start, start + len(words) + 2)
            batch["ids"][number, here] = sentence(*words)
            batch["ids"][number, start + 2] = MASK
            batch["targets"][number, start + 2] = words[1]
            batch["positions"][number, here] = np.arange(len(words) + 2)
            batch["segments"][number, here] = segment
            start = here.stop
    return {name: torch.from_numpy(array) for name, array in batch.items()}


# --- learning -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_overfits_a_few_dozen_sentences_from_scratch():
    """The region of the smoke test of google-research/bert: accuracies 0.985 and 1.0."""
    generator = np.random.default_rng(1)
    tokens = generator.integers(3, 60, 40 * 6).astype(np.int32)
    ends = np.arange(6, len(tokens) + 1, 6)
    pairs = NextSentencePairs(np.stack([ends - 6, ends], 1), np.arange(40) // 8)
    data = MaskedBatches(
        tokens, lambda rng: pairs.examples(32, rng), Masking(60), rows=8, window=32, seed=1,
        dynamic=False,
    )  # fmt: skip
    torch.manual_seed(1)
    config = BertConfig(layers=2, width=64, heads=4, window=32, dropout=0.0, next_sentence=True)
    module = bert.build(config, np.bincount(tokens, minlength=60))
    optimizer = torch.optim.Adam(module.parameters(), lr=3e-3)
    for step in range(150):
        batch = {name: torch.from_numpy(a) for name, a in data.at(step).items()}
        losses, events = module.losses(batch), module.events(batch)
        optimizer.zero_grad()
        sum(losses[name] / events[name] for name in events).backward()
        optimizer.step()
    right, events = np.zeros(2), np.zeros(2)
    for batch in data.once():
        batch = {name: torch.from_numpy(a) for name, a in batch.items()}
        sums, counts = module.losses(batch), module.events(batch)
        right += [sums["masked_correct"].item(), sums["next_correct"].item()]
        events += [counts["masked"].item(), counts["next"].item()]
    masked, following = right / events
    assert masked > 0.9
    assert following > 0.95


def test_case_d1_short_lines_never_make_a_loss_of_nothing():
    tokens = np.arange(3, 27, dtype=np.int32)
    ends = np.cumsum([1, 2, 3, 1, 2, 3, 3, 1, 2, 3, 2, 1])
    bounds = np.stack([np.append(0, ends[:-1]), ends], 1)
    examples = single(bounds, 8)
    data = MaskedBatches(tokens, lambda _: examples, Masking(ROWS), rows=1, window=8, seed=1)
    torch.manual_seed(1)
    module = bert.build(BertConfig(**SMALL | {"width": 8, "layers": 1}), np.ones(ROWS))
    optimizer = torch.optim.Adam(module.parameters(), lr=1e-3)
    for step in range(200):
        batch = {name: torch.from_numpy(a) for name, a in data.at(step).items()}
        loss = module.losses(batch)["masked"] / module.events(batch)["masked"]
        assert torch.isfinite(loss)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert all(torch.isfinite(p).all() for p in module.parameters())


def test_starts_as_the_unigrams():
    torch.manual_seed(1)
    counts = np.arange(ROWS) * 10
    model = BertModel(bert.build(BertConfig(**SMALL), counts))
    shares = (counts + 1.0) * (np.arange(ROWS) != BOS) * (np.arange(ROWS) != EOS)
    found = model.fill_probs(np.array([5, 6, 7]), 1)
    assert found == pytest.approx(shares / shares.sum(), rel=0.5)


# --- apart in a row -------------------------------------------------------------------------------

SENTENCES = [[3, 4, 5], [6, 7, 8, 9, 10], [11, 12], [13, 14, 15, 16]]


@pytest.mark.parametrize("width", [0, 16, 32])
def test_case_d2_packed_or_padded_a_sentence_is_the_same(width):
    module = stirred()
    apart = [module.losses(rows_of([words]))["masked"].item() for words in SENTENCES]
    packed = module.losses(rows_of(SENTENCES[:2], SENTENCES[2:], width=width))["masked"]
    assert packed.item() == pytest.approx(sum(apart), abs=1e-5)
    for words, alone in zip(SENTENCES, apart, strict=True):
        padded = module.losses(rows_of([words], width=max(width, 8)))["masked"]
        assert padded.item() == pytest.approx(alone, abs=1e-5)


def test_texts_attend_as_a_mask_would_have_it():
    torch.manual_seed(1)
    segments = torch.full((3, 40), -1)
    segments[0, :7], segments[0, 7:40] = 0, 1
    segments[1, :17], segments[1, 17:18], segments[1, 18:30] = 0, 1, 2
    layer = blocks.MultiHeadAttention(8, 2, causal=False)
    found = []
    for mask in (Texts(segments), blocks.segment_mask(segments, causal=False)):
        torch.manual_seed(2)
        x = torch.randn(3, 40, 8, requires_grad=True)
        y = layer(x, mask)[segments >= 0]
        (y**3).sum().backward()
        found.append((y, x.grad))
    for ours, expected in zip(*found, strict=True):
        assert (ours - expected).abs().max() < 1e-5


def test_a_batch_of_padding_only_has_no_texts():
    segments = torch.tensor([[0, 0, -1], [-1, -1, -1]])
    layer = blocks.MultiHeadAttention(8, 2, causal=False)
    assert torch.isfinite(layer(torch.randn(2, 3, 8), Texts(segments))).all()


# --- order ----------------------------------------------------------------------------------------


def vectors(model: BertModel, *words: int) -> np.ndarray:
    """The last vectors of the words, in an order that depends on their values alone."""
    found = model.layers(np.array(words))[-1]
    return found[np.lexsort(found.T)]


@pytest.mark.parametrize(("positions", "alike"), [
    ("none", True), ("learned", False), ("sinusoidal", False),
])  # fmt: skip
def test_i_love_you_and_you_love_me(positions, alike):
    model = BertModel(stirred(positions=positions))
    one, other = vectors(model, 3, 4, 5), vectors(model, 5, 4, 3)
    assert (np.abs(one - other).max() < 1e-5) == alike


# --- asking ---------------------------------------------------------------------------------------


def test_a_blank_is_guessed_from_both_sides_and_not_from_itself():
    model = BertModel(stirred())
    probs = model.fill_probs(np.array([3, 4, 5]), 1)
    assert probs.shape == (ROWS,)
    assert probs.sum() == pytest.approx(1, abs=1e-6)
    assert probs[BOS] == probs[EOS] == 0
    assert np.array_equal(probs, model.fill_probs(np.array([3, 9, 5]), 1))
    assert not np.allclose(probs, model.fill_probs(np.array([9, 4, 5]), 1))
    assert not np.allclose(probs, model.fill_probs(np.array([3, 4, 9]), 1))


def test_scores_are_those_of_blanks_and_sentence_ends_have_none():
    model = BertModel(stirred())
    sentences = [[3, 4, 5], [6], [7, 8, 9, 10], [11, 12, 13]]
    found = model.logprobs(np.concatenate([sentence(*words) for words in sentences]))
    expected: list[float] = []
    for words in sentences:
        fills = [model.fill_probs(np.array(words), i)[word] for i, word in enumerate(words)]
        expected += [*np.log(fills), np.nan]
    assert found == pytest.approx(np.array(expected), abs=1e-5, nan_ok=True)
    assert model.logprobs(np.empty(0, np.int32)).shape == (0,)
    assert np.isnan(model.logprobs(sentence())).tolist() == [True]
    assert not model.proper


def test_of_a_long_sentence_what_is_near_is_read():
    model = BertModel(stirred(window=12))
    words = np.random.default_rng(1).integers(3, ROWS, 40)
    found = model.logprobs(sentence(*words))
    near = model.fill_probs(words[15:25], 5)[words[20]]
    assert found[20] == pytest.approx(np.log(near), abs=1e-5)
    last = model.fill_probs(words[30:], 9)[words[39]]
    assert found[39] == pytest.approx(np.log(last), abs=1e-5)
    assert len(model.shown(words)) == 12


def test_later_pieces_of_a_word_are_hidden_too():
    """Kauf & Ivanova 2023: of 3 4 | 5 6 7, 3 is guessed without 4, and 5 without 6 and 7."""
    model, words, ends = BertModel(stirred()), [3, 4, 5, 6, 7], [2, 5]
    found = model.logprobs_hiding(sentence(*words), np.array([2, 2, 5, 5, 5]))
    for place, end in enumerate([ends[0]] * 2 + [ends[1]] * 3):
        ids = torch.tensor([[BOS, *words[:place], *[MASK] * (end - place),
                             *words[end:], EOS]])  # fmt: skip
        with torch.no_grad():
            logs = model.module(ids)[0, place + 1]
        assert found[place] == pytest.approx(float(logs[words[place]]), abs=1e-5)
    assert np.isnan(found[-1])
    assert found[[1, 4]] == pytest.approx(model.logprobs(sentence(*words))[[1, 4]], abs=1e-5)


def test_what_comes_next_is_not_known():
    assert np.isnan(BertModel(stirred()).next_probs(np.array([3]))).all()


def test_looking_inside():
    model, words = BertModel(stirred()), np.array([3, 4, 5])
    assert model.shown(words).tolist() == [BOS, 3, 4, 5, EOS]
    layers, attention, norms = model.layers(words), model.attention(words), model.norms(words)
    assert layers.shape == (3, 5, 16)
    table = model.module.embedding.weight.detach().numpy()
    assert np.array_equal(layers[0], table[model.shown(words)])
    assert attention.shape == (2, 2, 5, 5)
    assert attention.sum(3) == pytest.approx(np.ones((2, 2, 5)), abs=1e-5)
    assert set(norms) == {"input", "attention", "middle", "mlp", "output"}
    assert norms["output"] == pytest.approx(np.linalg.norm(layers[1:], axis=2), rel=1e-5)


def test_right_guesses_are_counted():
    torch.manual_seed(1)
    hidden, table, offsets = torch.randn(9, 4), torch.randn(7, 4), torch.randn(7)
    logits = hidden @ table.t() + offsets
    targets = logits.argmax(1)
    targets[:4] = logits[:4].argmin(1)
    loss, right = softmax.cross_entropy_and_right(hidden, table, offsets, targets)
    assert right == 5
    expected = torch.nn.functional.cross_entropy(logits, targets, reduction="sum")
    assert loss.item() == pytest.approx(expected.item(), abs=1e-4)


# --- what it weighs -------------------------------------------------------------------------------


def weights(module: torch.nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


@pytest.mark.parametrize(("rows", "layers", "width", "heads", "expected"), [
    (21128, 12, 768, 12, 102_267_648),  # bert-base-chinese
    (30522, 12, 768, 12, 109_482_240),  # bert-base-uncased
    (28996, 12, 768, 12, 108_310_272),  # bert-base-cased
    (30522, 24, 1024, 16, 335_141_888),  # bert-large-uncased
])  # fmt: skip
def test_published_sizes_with_the_pooler(rows, layers, width, heads, expected):
    config = BertConfig(layers=layers, width=width, heads=heads, window=512, next_sentence=True)
    with torch.device("meta"):
        module = Bert(config, rows)
    heads_only = weights(module.blank) + weights(module.pair.output)
    assert weights(module) - heads_only == expected
    assert sum(count for _, _, count in config.parameters(rows)) == weights(module)


def test_the_parts_of_bert_base_chinese():
    config = BertConfig(layers=12, width=768, heads=12, window=512, next_sentence=True)
    with torch.device("meta"):
        module = Bert(config, 21128)
    assert weights(module) == 102_882_442  # for pre-training
    assert weights(module) - weights(module.pair) == 102_290_312  # for masked tokens only
    assert weights(module.embedding) == 16_226_304
    assert (weights(module.positions), weights(module.types)) == (393_216, 1_536)
    assert weights(module.blocks) == 85_054_464
    assert weights(module.pair.pooler) == 590_592
    assert weights(module.blank) == 590_592 + 1_536 + 21_128
    assert weights(module.pair.output) == 1_538
