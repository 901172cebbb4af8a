"""Texts of one model: what is drawn, where they end, and beams against all texts there are."""

import math
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from lmstudio.analysis.generation.beams import BeamTexts
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.sampled_texts import SampledTexts
from lmstudio.analysis.generation.token import Line, candidates
from lmstudio.data.layout import BOS, EOS, UNK
from lmstudio.models.reading import WindowReading
from lmstudio.options import faults
from lmstudio.text.joining import Joiner

TYPES = ["<unk>", "<s>", "</s>", "猫", "爱", "the", "cat"]
TABLE = np.random.default_rng(3).dirichlet(np.ones(len(TYPES)), (len(TYPES), len(TYPES)))
TABLE[:, :, BOS] = 0
TABLE /= TABLE.sum(2, keepdims=True)


def next_probs(ids) -> np.ndarray:
    """A trigram model out of the air."""
    before = [BOS, BOS, *ids][-2:]
    return TABLE[before[0], before[1]]


def reading(prefix=()):
    return WindowReading(next_probs, 2, np.array(prefix, int))


def line(before="", *, line_ends=False):
    return Line(TYPES, Joiner("words", before), line_ends)


def write(kind=SampledTexts, prefix=(), kept=(), **options):
    chosen = GenerationOptions(**({"sentences": 99, "length": 12} | options))
    assert not faults(chosen)
    texts = kind(reading(prefix), line(), chosen, kept)
    while not texts.done:
        texts.step()
    return texts.texts()


def ids(text):
    return [token.id for token in text.tokens]


def probability(written) -> float:
    """Of ids after nothing; a sentence end begins the next sentence."""
    total, seen = 0.0, []
    for number in written:
        total += math.log(next_probs(seen)[number])
        seen = [] if number == EOS else [*seen, number]
    return total


def test_case_h2_greedy_is_the_same_for_every_seed():
    found = [write(temperature=0, seed=seed)[0] for seed in range(5)]
    assert all(text == found[0] for text in found)
    seen = []
    for number in ids(found[0]):
        probs = next_probs(seen).copy()
        probs[UNK] = 0
        assert number == probs.argmax()
        seen = [] if number == EOS else [*seen, number]


def test_a_seed_gives_the_same_text_again():
    assert write(seed=4) == write(seed=4)
    assert len({write(seed=seed)[0].text for seed in range(8)}) > 1


def test_a_text_is_the_same_however_many_there_are():
    one, three = write(seed=2), write(seed=2, count=3)
    assert one[0] == three[0]
    assert len({text.text for text in three}) == 3


def test_tokens_have_the_models_own_figures():
    [text] = write(temperature=0.5, top_k=3, unknown=True, length=20)
    seen = []
    for token, others in zip(text.tokens, text.alternatives, strict=True):
        probs = next_probs(seen)
        assert token.p == probs[token.id]
        assert token.rank == 1 + sum(probs > token.p)
        kept = np.sort(probs)[-3:] ** 2
        assert token.share == pytest.approx(token.p**2 / kept.sum())
        assert others == candidates(probs, TYPES, 8)
        assert [other.p for other in others] == sorted((other.p for other in others), reverse=True)
        assert BOS not in [other.id for other in others]
        seen = [] if token.id == EOS else [*seen, token.id]
    assert text.log_p == pytest.approx(probability(ids(text)))


def test_draws_follow_the_model():
    texts = write(count=64, length=1, unknown=True)
    for seed in range(2, 30):
        texts += write(count=64, length=1, unknown=True, seed=seed)
    counts = np.bincount([ids(text)[0] for text in texts], minlength=len(TYPES)) / len(texts)
    np.testing.assert_allclose(counts, next_probs([]), atol=0.04)


def test_the_unknown_token_can_be_left_out():
    texts = write(count=20, length=40)
    assert all(UNK not in ids(text) for text in texts)
    assert any(UNK in ids(text) for text in write(count=20, length=40, unknown=True))


def test_texts_end_after_sentences_or_tokens():
    for text in write(count=20, sentences=2, length=30):
        ends = ids(text).count(EOS)
        assert text.end == ("sentences" if ends == 2 else "length")
        assert len(text.tokens) == 30 or ids(text)[-1] == EOS


def test_a_text_stops_where_a_word_of_the_user_is():
    for text in write(count=30, stop="猫爱|cat", length=30):
        assert "猫爱" not in text.text
        assert "cat" not in text.text
        whole = "".join(token.text for token in text.tokens)
        assert whole.startswith(text.text)
        assert (text.end == "stop") == (whole != text.text)
    assert any(text.end == "stop" for text in write(count=30, stop="猫爱|cat", length=30))


def test_stops_may_hold_new_lines():
    assert GenerationOptions(stop="\\n|。").stops == ("\n", "。")
    texts = SampledTexts(reading(), line(line_ends=True), GenerationOptions(stop="\\n", length=99))
    while not texts.done:
        texts.step()
    assert texts.texts()[0].end == "stop"
    assert texts.texts()[0].tokens[-1].id == EOS


def test_what_is_kept_stands_at_the_beginning_and_luck_is_the_same_after_it():
    [text] = write(seed=5, unknown=True)
    first = ids(text)
    [again] = write(seed=5, unknown=True, kept=first[:4])
    assert ids(again) == first
    assert [token.share for token in again.tokens[:4]] == [1.0] * 4
    assert again.log_p == pytest.approx(text.log_p)
    other = next(number for number in range(3, 7) if number != first[2])
    [branch] = write(seed=5, kept=[*first[:2], other])
    assert ids(branch)[:3] == [*first[:2], other]


def test_nothing_is_written_where_nothing_is_defined():
    nowhere = WindowReading(lambda ids: np.full(len(TYPES), np.nan), 2, np.array([]))
    for kind, beam in ((SampledTexts, 1), (BeamTexts, 3)):
        texts = kind(nowhere, line(), GenerationOptions(beam=beam))
        texts.step()
        assert texts.done
        [text] = texts.texts()
        assert (text.tokens, text.end) == ((), "undefined")


def all_texts(length, penalty):
    """Every text there is, the best first: (score, ids)."""
    found = []
    for size in range(1, length + 1):
        for body in product((3, 4, 5, 6), repeat=size - 1):
            last = (3, 4, 5, 6, EOS) if size == length else (EOS,)
            found += [[*body, number] for number in last]
    scored = [(probability(text) / ((5 + len(text)) / 6) ** penalty, text) for text in found]
    return sorted(scored, reverse=True)


@pytest.mark.parametrize("penalty", [0.0, 0.6, 2.0])
def test_a_wide_beam_finds_the_best_of_all_texts(penalty):
    expected = all_texts(3, penalty)[:5]
    found = write(BeamTexts, beam=64, count=5, length=3, sentences=1, length_penalty=penalty)
    assert [ids(text) for text in found] == [text for _, text in expected]
    for text, (score, _) in zip(found, expected, strict=True):
        assert text.score == pytest.approx(score)
        assert text.log_p == pytest.approx(probability(ids(text)))


def test_a_beam_of_one_token_is_greedy():
    """A beam of two keeps the greedy text, so it never finds a worse one."""
    options = {"length": 8, "sentences": 1, "length_penalty": 0.0}
    [greedy] = write(temperature=0, **options)
    [found] = write(BeamTexts, beam=2, **options)
    assert found.log_p >= greedy.log_p - 1e-12


def test_beams_stop_and_keep_too():
    found = write(BeamTexts, beam=4, count=4, stop="cat", length=6)
    assert all("cat" not in text.text for text in found)
    for text in write(BeamTexts, beam=4, count=4, kept=[3, 5], length=6):
        assert ids(text)[:2] == [3, 5]
    assert len({text.text for text in found}) > 1


def test_a_beam_has_no_more_texts_than_it_is_wide():
    options = GenerationOptions(beam=2, count=3)
    assert [fault.field for fault in faults(options)] == ["count"]
    assert not faults(replace(options, beam=1))
