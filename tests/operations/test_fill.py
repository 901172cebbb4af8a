"""Blanks asked of trained runs: exact against whole sentences, and saved as tables."""

import csv

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.fill import search
from lmstudio.data.layout import BOS, EOS
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, fill, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.gui.panels.run_workspace import text
from tests.operations.families import network

SENTENCE = "小河边有大树，大树上有白云。"


@pytest.fixture(scope="module")
def ws(tmp_path_factory):
    """A corpus by characters with an n-gram and networks of four steps."""
    with Workspace(tmp_path_factory.mktemp("ws")) as ws:
        corpus = corpora.import_text(ws, text(), name="山水", job=Job()).new_id
        made = segmentations.create(ws, corpus, SegmentOptions(by="characters"), job=Job())
        counted = RunSpec.from_json({"model": "ngram", "config": {"order": 3}})
        for spec in (counted, *map(network, ("ffnn", "lstm", "elmo", "bert", "gpt"))):
            training.train(ws, made.new_id, spec, name=spec.model, job=Job())
        yield ws


def test_an_ngram_is_exact(ws):
    answer = fill.fill(ws, "ngram", fill.question(SENTENCE, ["树"]), top=1000, job=Job())
    opened = answering(asked(ws, "ngram"), job=Job())
    pieces = opened.pieces(SENTENCE, job=Job())
    ids = [piece.id for piece in pieces]
    place = [piece.text for piece in pieces].index("树")
    scores = {}
    for number, word in enumerate(opened.types):
        if number not in (BOS, EOS):
            stream = [BOS, *ids[:place], number, *ids[place + 1 :], EOS]
            scores[word] = opened.model.logprobs(np.array(stream, np.int32)).sum()
    total = np.logaddexp.reduce(list(scores.values()))
    (blank,) = answer.blanks
    found = {guess.text: guess.probability for guess in blank.guesses}
    for word, p in found.items():
        assert p == pytest.approx(np.exp(scores[word] - total), rel=1e-5)
    assert sum(found.values()) == pytest.approx(1, abs=1e-3)
    assert blank.rank == 1 + sum(score > scores["树"] for score in scores.values())
    assert (answer.method, blank.unscored, blank.left, blank.right) == ("exact", 0, 2, 2)


@pytest.mark.parametrize("run", ["ngram", "ffnn", "lstm", "elmo", "bert", "gpt"])
def test_case_h1_every_family_fills_marks_and_words(ws, run):
    asked_for = fill.question("小河边有［mask］[MASK]，大树上有白云。", ["白云"])
    answer = fill.fill(ws, run, asked_for, top=3, job=Job())
    first, second, third = answer.blanks
    assert (first.truth, second.rank) == (None, 0)
    assert (third.pieces, third.truth.text) == (2, "白云")
    assert third.rank >= 1
    assert all(len(blank.guesses) == 3 for blank in answer.blanks)
    assert answer.text.startswith("小河边有")
    assert answer.text.endswith("。")
    assert not set(answer.text) & set(" [］")  # no marks, no spaces between characters
    for blank in answer.blanks:
        assert sum(guess.probability for guess in blank.guesses) <= 1.0001
        assert fill.how(answer, blank)
        assert fill.formula(answer, blank)


def test_an_ngram_tells_that_it_tried_some_beginnings_only(ws, monkeypatch):
    monkeypatch.setattr(search, "BEGINNINGS", 2)
    answer = fill.fill(ws, "ngram", fill.question("小河边有[MASK]白云", ["白云"]), job=Job())
    one, two = answer.blanks
    assert (one.unscored, two.unscored > 0) == (0, True)
    assert fill.how(answer, one) == "Every word scored, exact"
    assert fill.how(answer, two) == "Likeliest beginnings scored, exact · 2 tokens"


def test_a_text_without_a_blank_gets_a_hint():
    with pytest.raises(AppError, match=r"\[MASK\]"):
        fill.question(SENTENCE)
    with pytest.raises(AppError, match="does not stand"):
        fill.question(SENTENCE, ["海"])


def test_vectors_are_asked_of_those_that_have_some(ws):
    blank, words = fill.question("小河边有[MASK]。"), ("山", "水")
    found = fill.similarity(ws, "bert", blank, 0, words, job=Job())
    assert len(found.cosines) == 2
    with pytest.raises(AppError, match="no vectors"):
        fill.similarity(ws, "ngram", blank, 0, words, job=Job())


def test_answers_are_saved_with_the_true_word_last(ws, tmp_path):
    asked_for = fill.question(SENTENCE, ["大树"])
    answers = {run: fill.fill(ws, run, asked_for, top=2, job=Job()) for run in ("bert", "ngram")}
    fill.save_answers(asked_for, answers, tmp_path / "fill.csv", job=Job())
    with (tmp_path / "fill.csv").open(encoding="utf-8-sig", newline="") as file:
        header, *rows = csv.reader(file)
    assert header[0] == "Run"
    for run, answer in answers.items():
        own = [row for row in rows if row[0] == run]
        truths = [row for row in own if row[6] == "yes"]
        assert [row[4] for row in truths] == ["大树"]
        assert int(truths[0][3]) == answer.blanks[0].rank
        assert float(truths[0][5]) == answer.blanks[0].truth.probability


def test_sentences_are_taken_from_the_corpus(ws):
    lines = text().split("\n")
    found = {fill.another_sentence(ws, "山水", seed, job=Job()) for seed in range(8)}
    assert len(found) > 3
    assert found < set(lines)


def test_the_training_view_draws_on_the_typed_sentence(ws):
    [cut] = ws.segmentations()
    drawn = fill.lottery(ws, cut.id, SENTENCE, 3, job=Job())
    assert "".join(token.text for token in drawn.tokens) == SENTENCE
    assert drawn.chosen == 2  # 15 % of 14 characters and two marks
    assert len(fill.units(ws, cut.id, SENTENCE, job=Job()).tokens) == 14
    pair = fill.sentence_pair(ws, cut.id, 1, job=Job())
    assert pair.first
    assert pair.second
