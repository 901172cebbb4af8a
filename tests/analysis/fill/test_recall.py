"""What rescoring finds of the likeliest words, against scoring the whole vocabulary."""

import random

import numpy as np
import pytest
import torch

from lmstudio.analysis.fill import search
from lmstudio.analysis.fill.search import Context
from lmstudio.analysis.fill.sentence import Hole
from lmstudio.data.layout import BOS, EOS
from lmstudio.models import ffnn, gpt, lstm
from lmstudio.models.config import FfnnConfig, GptConfig, LstmConfig
from tests.models.networks import batch_of, learn, sentence

NOUNS, VERBS, PLACES = range(3, 63), range(63, 93), range(93, 123)
ROWS = 123


def spoken(count: int) -> list[list[int]]:
    """Noun, verb, noun, place: each word likes some that come after it."""
    rng = random.Random(5)

    def liked(word: int, among: range) -> int:
        return among[(word * 7 + rng.randint(0, 9)) % len(among)]

    found = []
    for _ in range(count):
        noun = rng.choice(NOUNS)
        verb = liked(noun, VERBS)
        other = liked(verb, NOUNS)
        found.append([noun, verb, other, liked(other, PLACES)])
    return found


@pytest.fixture(scope="module", params=["lstm", "gpt"])
def trained(request):
    torch.manual_seed(1)
    texts = spoken(300)
    counts = np.bincount([word for text in texts for word in text], minlength=ROWS)
    module = (lstm.build(LstmConfig(width=24), counts) if request.param == "lstm"
              else gpt.build(GptConfig(width=24, heads=2, layers=1, window=8), counts))  # fmt: skip
    if request.param == "gpt":  # a batch of rows, each read for itself
        counts[EOS] = len(texts)
    learn(module, batch_of(*(sentence(*text) for text in texts)), steps=40, rate=0.02)
    return module.model(), counts


def exhaustive(model, text, place) -> np.ndarray:
    """The ids, the likeliest first, by scoring all of them as whole sentences."""
    rows = np.array([[word, *text[place + 1 :], EOS] for word in range(ROWS)])
    logs = model.continuations(np.array(text[:place], int), rows).sum(1)
    logs[[BOS, EOS]] = -np.inf
    return np.argsort(-logs, kind="stable")


def test_candidates_named_from_the_left_hold_nearly_all_that_is_likely(trained, monkeypatch):
    model, counts = trained
    monkeypatch.setattr(search, "SMALL", 0)
    monkeypatch.setattr(search, "RESCORED", 48)
    monkeypatch.setattr(search, "FREQUENT", 12)
    monkeypatch.setattr(search, "FULLY", 16)
    kept = wanted = 0
    for text in spoken(312)[300:]:
        for place in range(4):
            hole = Hole(place, 1, np.array(text[place : place + 1]))
            hidden = np.arange(4) == place
            found = search.search(model, Context(np.array(text), hidden, hole), counts, 8)
            assert found.scored <= 49
            best = exhaustive(model, text, place)[:5]
            kept += len(set(best) & set(found.words[:8, 0].tolist()))
            wanted += 5
    assert kept / wanted > 0.9


def test_with_a_small_vocabulary_nothing_is_left_out(trained):
    model, counts = trained
    text = spoken(310)[309]
    for place in range(4):
        hole = Hole(place, 1, np.array(text[place : place + 1]))
        context = Context(np.array(text), np.arange(4) == place, hole)
        found = search.search(model, context, counts, 8)
        best = exhaustive(model, text, place)
        assert found.unscored == 0
        assert found.words[:5, 0].tolist() == best[:5].tolist()
        assert found.rank == best.tolist().index(text[place]) + 1


def test_what_comes_after_alone_makes_likely_is_listed(trained, monkeypatch):
    model, counts = trained
    monkeypatch.setattr(search, "RESCORED", 16)  # rows read at once; no bound to what is scored
    text = spoken(311)[310]
    hole = Hole(1, 1, None)
    context = Context(np.array(text), np.arange(4) == 1, hole)
    found = search.search(model, context, counts, 8)
    assert (found.scored, found.unscored) == (ROWS - 2, 0)
    assert sorted(found.words[:10, 0]) == sorted(exhaustive(model, text, 1)[:10])


def test_a_window_s_events_are_all_scored_for_every_word(monkeypatch):
    torch.manual_seed(1)
    monkeypatch.setattr(search, "FULLY", 2)
    model = ffnn.build(FfnnConfig(order=4, width=8, hidden=8), np.ones(ROWS, int)).model()
    with torch.no_grad():
        for weights in model.module.parameters():
            weights.add_(torch.randn_like(weights))
    text = np.arange(3, 12)
    context = Context(text, np.arange(9) == 4, Hole(4, 1, None))
    found = search.search(model, context, np.ones(ROWS), 3, windowed=True)
    rows = np.array([[word, *text[5:], EOS] for word in range(ROWS)])
    logs = model.continuations(text[:4], rows).sum(1)
    logs[[BOS, EOS]] = -np.inf
    shares = np.exp(logs - logs.max())
    best = np.argsort(-shares)[: len(found.words)]
    assert found.words[:, 0].tolist() == best.tolist()
    assert found.probs == pytest.approx((shares / shares.sum())[best], rel=1e-3)
