"""Surprisals beside what a model says of one event at a time, and sums beside sums by hand."""

import math

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.sentence_walk import walk
from lmstudio.analysis.surprisal import Scored, surprisals
from lmstudio.analysis.surprisal_figures import (
    character_bits,
    end_bits,
    events,
    figures,
    ranks,
    token_bits,
    word_bits,
)
from lmstudio.data.layout import BOS, EOS
from lmstudio.data.token_preview import Piece
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "小猫爱吃鱼。\n小狗爱吃肉。\n小鸟爱唱歌。\n" * 12


@pytest.fixture
def cut(workspace):
    corpus = corpora.import_text(workspace, TEXT, name="t", job=Job())
    made = segmentations.create(
        workspace, corpus.new_id, SegmentOptions(by="characters"), job=Job()
    )
    return made.new_id


def trained(workspace, cut, spec):
    run = training.train(workspace, cut, spec, job=Job()).new_id
    return asked(workspace, run, "score")


def counted(**config):
    return RunSpec.from_json({"model": "ngram", "config": config})


def by_hand(text, words, logprobs, kind="chain", spelling=0.0):
    """A sentence of one-character tokens, of which ％ is unknown."""
    pieces = tuple(Piece(i, i + 1, c, c, 0 if c == "％" else 9, c == "％")
                   for i, c in enumerate(text) if not c.isspace())  # fmt: skip
    ends = np.array([end for _, end in words])
    word_of = ends.searchsorted([piece.start for piece in pieces], side="right")
    costs = np.array([spelling if piece.unknown else 0.0 for piece in pieces])
    return Scored(text, pieces, tuple(words), word_of, {kind: np.array(logprobs)}, costs)


@pytest.mark.parametrize("model", ["ffnn", "rnn", "lstm", "gru", "elmo", "gpt"])
def test_each_event_is_what_the_network_gives_the_next_token(workspace, cut, model):
    one = trained(workspace, cut, network(model))
    found = surprisals(one, ["小猫爱吃肉。", "鱼唱歌"], "tokens", job=Job())
    assert found.kinds == ("chain",)
    asking = answering(one, job=Job()).model
    for sentence in found.sentences:
        ids = [piece.id for piece in sentence.pieces]
        probs = [asking.next_probs(np.array(ids[:n], np.int32))[i]
                 for n, i in enumerate([*ids, EOS])]  # fmt: skip
        assert sentence.logprobs["chain"] == pytest.approx(np.log(probs), abs=1e-4)
    alone = surprisals(one, ["鱼唱歌"], "tokens", job=Job()).sentences[0]
    assert alone.logprobs["chain"] == pytest.approx(found.sentences[1].logprobs["chain"], abs=1e-5)


@pytest.mark.parametrize("smoothing", ["add-one", "kneser-ney", "katz", "good-turing",
                                       "maximum-likelihood", "stupid-backoff"])  # fmt: skip
def test_an_ngram_model_tells_what_its_walk_tells(workspace, cut, smoothing):
    one = trained(workspace, cut, counted(order=3, smoothing=smoothing))
    found = surprisals(one, ["小猫爱小唱鱼", "肉吃"], "tokens", job=Job())
    assert found.kinds == (("scores",) if smoothing == "stupid-backoff" else ("chain",))
    asking = answering(one, job=Job()).model
    for sentence in found.sentences:
        steps = walk(asking, [piece.id for piece in sentence.pieces])
        told = events(sentence, found.kinds[0])
        assert [event.probability for event in told] == pytest.approx(
            [step.probability for step in steps], nan_ok=True
        )
        assert [event.order for event in told] == [step.order for step in steps]
        paid = [math.prod(step.weights) for step in steps]
        assert [event.paid for event in told] == pytest.approx(paid, rel=1e-6)


def test_pseudo_log_likelihoods_in_both_kinds(workspace, cut):
    """Original: each token without itself; within words: without what is behind it there too."""
    one = trained(workspace, cut, network("bert"))
    found = surprisals(one, ["小猫 爱吃鱼。"], "spaces", job=Job())
    assert found.kinds == ("original", "within-word")
    sentence, asking = found.sentences[0], answering(one, job=Job()).model
    ids = np.array([piece.id for piece in sentence.pieces], np.int32)
    for place, number in enumerate(ids.tolist()):
        p = asking.fill_probs(ids, place)[number]
        assert sentence.logprobs["original"][place] == pytest.approx(math.log(p), abs=1e-5)
    hiding = asking.logprobs_hiding(np.array([BOS, *ids, EOS]), np.array([2, 2, 6, 6, 6, 6]))
    assert sentence.logprobs["within-word"] == pytest.approx(hiding[:-1])
    assert sentence.logprobs["within-word"][[1, 5]] == pytest.approx(
        sentence.logprobs["original"][[1, 5]], abs=1e-6
    )
    assert figures(found.sentences, "original").events == 6  # the end is none
    assert figures(found.sentences, "original").pseudo
    assert not found.comparable
    alone = surprisals(one, ["小猫爱吃鱼。"], "tokens", job=Job())
    assert alone.kinds == ("original",)  # no word has two tokens


def test_elmo_that_sees_both_sides_has_the_original_kind_only(workspace, cut):
    one = trained(workspace, cut, network("elmo", {"head": "joint"}))
    assert surprisals(one, ["小猫"], "spaces", job=Job()).kinds == ("original",)


@pytest.mark.parametrize("model", ["lstm", "gpt"])
def test_sentences_are_read_by_themselves_also_where_text_goes_on(workspace, cut, model):
    one = trained(workspace, cut, network(model, {"context": "document"}))
    both = surprisals(one, ["小猫爱吃鱼。", "小狗"], "tokens", job=Job())
    alone = surprisals(one, ["小狗"], "tokens", job=Job())
    assert both.sentences[1].logprobs["chain"] == pytest.approx(
        alone.sentences[0].logprobs["chain"], abs=1e-6
    )
    assert "each is read by itself" in str(both.notes[0])
    stream = np.array([BOS, *(piece.id for piece in both.sentences[0].pieces), EOS], np.int32)
    assert both.sentences[0].logprobs["chain"] == pytest.approx(
        answering(one, job=Job()).model.logprobs(stream), abs=1e-5
    )


def test_unknown_tokens_are_spelled_where_characters_are_counted(workspace, cut):
    one = trained(workspace, cut, counted(order=2))
    sentence = surprisals(one, ["小猫爱𠮷。"], "tokens", job=Job()).sentences[0]
    told = figures([sentence], "chain")
    assert (told.unknown, told.tokens, told.characters) == (1, 5, 5)
    assert told.spelling_bits > 15  # one of a million characters, and its end
    assert told.bits_per_character == pytest.approx((told.bits + told.spelling_bits) / 5)
    assert sentence.spelling.tolist().index(told.spelling_bits) == 3
    literal = surprisals(one, ["小<unk>"], "tokens", job=Job()).sentences[0]
    assert literal.pieces[1].unknown
    assert not literal.spelling.any()


def test_every_accounting_by_hand():
    """Of 小％ and its end: 1/2, 1/4 (the unknown one), 1/8."""
    logs = np.log([1 / 2, 1 / 4, 1 / 8])
    sentence = by_hand("小％", [(0, 2)], logs, spelling=10.0)
    told = figures([sentence], "chain")
    assert (told.events, told.tokens, told.unknown, told.bits) == (3, 2, 1, pytest.approx(6))
    assert told.perplexity == pytest.approx(4)
    assert told.without_end == pytest.approx(2**1.5)
    assert told.without_unknown == pytest.approx(4)
    assert told.without_both == pytest.approx(2)
    assert told.text_bits == pytest.approx(16)
    assert told.bits_per_character == pytest.approx(8)


def test_case_c6_sentences_are_pooled():
    """(a) of the cases: two pieces of 4 and 1 events, 7 nats in all."""
    pieces = [by_hand("", [], [-1.5] * 4), by_hand("", [], [-1.0])]
    assert figures(pieces, "chain").perplexity == pytest.approx(4.055200, abs=1e-6)


def test_case_c7_figures_by_word_and_by_character():
    """20 nats over 5 words of 8 characters: e^4 a word, 3.606738 bits a character."""
    sentence = by_hand("12345678", [(0, 1)], [-2.5] * 8)
    told = figures([sentence], "chain")
    assert told.bits_per_character == pytest.approx(3.606738, abs=1e-6)
    five = by_hand("12345", [(0, 1)], [-4.0] * 5)
    assert figures([five], "chain").perplexity == pytest.approx(54.598150, abs=1e-6)


def test_surprisal_is_summed_over_words_and_spread_over_characters():
    logs = np.log([1 / 2, 1 / 4, 1 / 8, 1 / 2])
    sentence = by_hand("小猫 ％", [(0, 2), (3, 4)], logs, spelling=5.0)
    assert token_bits(sentence, "chain") == pytest.approx([1, 2, 3])
    assert word_bits(sentence, "chain") == pytest.approx([3, 8])
    assert word_bits(sentence, "chain", spelled=False) == pytest.approx([3, 3])
    assert character_bits(sentence, "chain") == pytest.approx([1, 2, np.nan, 8], nan_ok=True)
    assert end_bits(sentence, "chain") == pytest.approx(1)
    long = Scored("ab c", (Piece(0, 2, "ab", "ab", 9, False), Piece(2, 4, " c", " c", 9, False)),
                  ((0, 2), (3, 4)), np.array([0, 1]), {"chain": np.log([1 / 4, 1 / 8])},
                  np.zeros(2))  # fmt: skip
    assert character_bits(long, "chain") == pytest.approx([1, 1, np.nan, 3], nan_ok=True)
    assert long.crossing == 0
    assert end_bits(by_hand("小", [(0, 1)], [-1.0], "original"), "original") is None


def test_a_token_over_two_words_counts_where_it_begins(workspace, cut):
    corpus = workspace.segmentation(cut).corpus_id
    words = segmentations.create(workspace, corpus, SegmentOptions(by="whitespace"), job=Job())
    one = trained(workspace, words.new_id, counted(order=2))
    sentence = surprisals(one, ["小猫爱吃鱼。 小猫"], "spaces", job=Job()).sentences[0]
    assert sentence.crossing == 0
    crossing = Scored("小猫爱", sentence.pieces[:1], ((0, 2), (2, 3)), np.array([0]),
                      {"chain": np.array([-1.0])}, np.zeros(1))  # fmt: skip
    assert crossing.crossing == 1
    assert word_bits(crossing, "chain") == pytest.approx([1 / math.log(2), 0])


def test_nothing_is_infinite_or_undefined_in_silence():
    logs = np.array([-1.0, -math.inf, math.nan])
    told = figures([by_hand("小猫", [(0, 2)], logs)], "chain")
    assert (told.zero, told.undefined) == (1, 1)
    assert told.perplexity == told.nats == told.without_end == math.inf
    undefined = figures([by_hand("小猫", [(0, 2)], [-1.0, math.nan, math.nan])], "chain")
    assert math.isnan(undefined.perplexity)
    assert math.isnan(undefined.text_bits)
    assert word_bits(by_hand("小猫", [(0, 2)], logs[[1, 2, 0]]), "chain") == [math.inf]
    none = figures([by_hand("", [], [], "original")], "original")
    assert math.isnan(none.perplexity)
    assert math.isnan(none.bits_per_character)


def test_ranks():
    assert ranks([3.0, 1.0, math.nan, 3.0 + 1e-12, math.inf]) == [2, 1, 5, 2, 4]
