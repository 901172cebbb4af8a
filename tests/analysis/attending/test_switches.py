"""What is lost without a head, against a model whose weights of it are zero."""

import copy

import numpy as np
import pytest
import torch

from lmstudio.analysis.attending import switches, text
from lmstudio.analysis.attending.switches import ALL, effect, head_changes
from lmstudio.analysis.attending.text import Question
from lmstudio.data.layout import BOS, EOS
from lmstudio.errors import AppError
from lmstudio.jobs import Job

TEXT = "a b x c a"
IDS = np.array([3, 4, 0, 5, 3])


def without(model, *off):
    """The model with heads whose output goes nowhere."""
    module = copy.deepcopy(model.module)
    with torch.no_grad():
        for layer, head in off:
            module.blocks[layer].attention.output.weight[:, head * 4 : head * 4 + 4] = 0
    return module.model()


def scored(model) -> np.ndarray:
    found = model.logprobs(np.array([BOS, *IDS, EOS], np.int32))
    return found[np.isfinite(found)]


def test_each_head_is_missed_by_what_the_loss_says(made):
    asked, model = made()
    found = head_changes(asked, Question(TEXT), job=Job())
    base = -scored(model).mean()
    assert found.loss == pytest.approx(base, abs=1e-5)
    assert (found.scored, found.guessed) == (len(scored(model)),) * 2
    heads = [(one.layer, one.head) for one in found.changes]
    assert heads == [(0, 0), (0, 1), (0, ALL), (1, 0), (1, 1), (1, ALL)]
    for one in found.changes:
        off = [(one.layer, h) for h in (0, 1)] if one.head == ALL else [(one.layer, one.head)]
        assert one.change == pytest.approx(-scored(without(model, *off)).mean() - base, abs=1e-5)
    ordered = [one.change for one in found.sorted()]
    assert ordered == sorted(ordered, reverse=True)


def test_layers_can_be_asked_one_by_one(made):
    asked, _ = made()
    every = head_changes(asked, Question(TEXT), job=Job()).changes
    second = head_changes(asked, Question(TEXT), (1,), job=Job()).changes
    assert second == every[3:]
    with pytest.raises(AppError, match="no layer 3"):
        head_changes(asked, Question(TEXT), (2,), job=Job())


def test_heads_besides_those_that_are_off(made):
    asked, model = made()
    found = head_changes(asked, Question(TEXT, off=((0, 1),)), job=Job())
    assert [(one.layer, one.head) for one in found.changes][:2] == [(0, 0), (0, ALL)]
    base = -scored(without(model, (0, 1))).mean()
    assert found.loss == pytest.approx(base, abs=1e-5)
    second = -scored(without(model, (0, 1), (1, 0))).mean() - base
    assert found.changes[2].change == pytest.approx(second, abs=1e-5)


def test_the_prediction_and_the_loss_change(made):
    asked, model = made()
    off = ((0, 1), (1, 0))
    found = effect(asked, Question(TEXT, off=off), 4, job=Job())
    after = without(model, *off)
    assert found.token == "c"
    assert found.p[0] == pytest.approx(np.exp(scored(model)[3]), rel=1e-4)
    assert found.p[1] == pytest.approx(np.exp(scored(after)[3]), rel=1e-4)
    assert found.loss[0] == pytest.approx(-scored(model).mean(), abs=1e-5)
    assert found.loss[1] == pytest.approx(-scored(after).mean(), abs=1e-5)
    assert found.change == found.loss[1] - found.loss[0]
    ask = model.fill_probs if hasattr(model, "fill_probs") else None
    probabilities = ask(IDS, 3) if ask else model.next_probs(IDS[:3])
    types = ["<unk>", "<s>", "</s>", "a", "b", "c"]
    assert found.guess[0] == types[int(probabilities.argmax())]
    assert found.guess_p[0] == pytest.approx(probabilities.max(), rel=1e-4)


def test_nothing_is_predicted_at_marks_and_blanks(made, family):
    asked, _ = made()
    found = effect(asked, Question(TEXT, off=((0, 0),)), 0, job=Job())
    assert np.isnan(found.p[0])
    assert found.guess == ("", "")
    assert np.isfinite(found.loss).all()
    if family == "bert":
        blank = effect(asked, Question("a [MASK] c", off=((0, 0),)), 2, job=Job())
        assert np.isnan(blank.p[0])
        assert blank.guess[0]  # but something is guessed
        assert blank.scored == 2


def test_of_a_long_text_some_tokens_are_guessed(made, family, monkeypatch):
    asked, model = made(512)
    monkeypatch.setattr(switches, "READ", 600)
    long = " ".join("abc"[n % 3] for n in range(100))
    found = head_changes(asked, Question(long), (0,), job=Job())
    if family == "gpt":
        assert (found.scored, found.guessed) == (101, 101)  # one pass guesses them all
        return
    assert (found.scored, found.guessed) == (switches.LEAST, 100)
    ids = np.array([3 + n % 3 for n in range(100)])
    logs = model.logprobs(np.array([BOS, *ids, EOS], np.int32))
    some = np.linspace(0, 99, switches.LEAST).round().astype(int)
    assert found.loss == pytest.approx(-logs[some].mean(), abs=1e-4)


def test_where_a_text_is_cut_no_end_is_guessed(made, family, monkeypatch):
    asked, model = made()
    monkeypatch.setattr(text, "LONGEST", 4)
    found = head_changes(asked, Question(TEXT), (0,), job=Job())
    assert (found.scored, found.guessed) == (4, 4)
    logs = model.logprobs(np.array([BOS, *IDS[:4], EOS], np.int32))[:4]
    assert found.loss == pytest.approx(-logs.mean(), abs=1e-5)
