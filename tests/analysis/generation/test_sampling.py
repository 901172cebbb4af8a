"""What is drawn, and with what share: case H-2 and the definitions of the papers."""

import numpy as np
import pytest

from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.sampling import drawn, rank, ranked, shares
from lmstudio.data.layout import UNK
from lmstudio.options import faults, from_dict

P = np.array([0.1, 0.0, 0.2, 0.4, 0.05, 0.25])


def of(probs=P, written=(), **options):
    return shares(np.array(probs), GenerationOptions(unknown=True, **options), written)


def test_case_h2_temperature_0_is_greedy():
    logits = np.array([1.0, 2.0, 0.5])
    probs = np.exp(logits) / np.exp(logits).sum()
    np.testing.assert_array_equal(of(probs, temperature=0), [0, 1, 0])
    assert all(drawn(of(probs, temperature=0), luck) == 1 for luck in (0.0, 0.3, 0.999999))
    np.testing.assert_array_equal(of([0.4, 0.2, 0.4], temperature=0), [1, 0, 0])  # first of equals


def test_case_h2_top_k_above_the_vocabulary_is_no_limit():
    probs = np.random.default_rng(1).dirichlet(np.ones(24))
    np.testing.assert_array_equal(of(probs, top_k=10_000), of(probs))
    np.testing.assert_array_equal(of(probs, top_k=24), of(probs))


@pytest.mark.parametrize("wrong", [-1.0, None, "", float("nan")])
def test_case_h2_wrong_temperatures_are_refused(wrong):
    options, refused = from_dict(GenerationOptions, {"temperature": wrong})
    assert [fault.field for fault in refused] == ["temperature"]
    assert [fault.field for fault in faults(options)] == ["temperature"]


def test_nothing_set_leaves_the_model_as_it_is():
    np.testing.assert_allclose(of(), P, atol=1e-15)


def test_temperature_divides_logits():
    for temperature in (0.5, 2.0, 0.001, 100):
        expected = (P / P.max()) ** (1 / temperature)
        np.testing.assert_allclose(of(temperature=temperature), expected / expected.sum())


def test_top_k_keeps_the_likeliest():
    np.testing.assert_allclose(of(top_k=2), [0, 0, 0, 0.4 / 0.65, 0, 0.25 / 0.65])
    np.testing.assert_allclose(of([0.25] * 4, top_k=3), [1 / 3, 1 / 3, 1 / 3, 0])


def test_top_p_keeps_the_smallest_set_that_reaches_it():
    np.testing.assert_allclose(of(top_p=0.65), [0, 0, 0, 0.4 / 0.65, 0, 0.25 / 0.65])
    np.testing.assert_allclose(of(top_p=0.66), np.array([0, 0, 0.2, 0.4, 0, 0.25]) / 0.85)
    np.testing.assert_allclose(of(top_p=1e-9), [0, 0, 0, 1, 0, 0])  # never none


def test_min_p_is_a_share_of_the_likeliest():
    np.testing.assert_allclose(of(min_p=0.5), np.array([0, 0, 0.2, 0.4, 0, 0.25]) / 0.85)
    np.testing.assert_allclose(of(min_p=1), [0, 0, 0, 1, 0, 0])


def test_they_come_one_after_another():
    flat = P**0.5 / (P**0.5).sum()
    three = np.where(flat >= np.sort(flat)[-3], flat, 0)
    three /= three.sum()  # 0.2, 0.4, 0.25 to the power 1/2
    kept = np.where(three >= np.sort(three)[-2], three, 0)
    found = of(temperature=2, top_k=3, top_p=float(three.max()) + 0.01)
    np.testing.assert_allclose(found, kept / kept.sum())


def test_the_repetition_penalty_multiplies_ln_p():
    penalised = P.copy()
    penalised[[3, 5]] **= 1.5
    np.testing.assert_allclose(of(written={3, 5}, repetition=1.5), penalised / penalised.sum())
    assert of(written={3}, repetition=3, temperature=0).argmax() == 5


def test_the_unknown_token_is_left_out_or_not():
    probs = np.array([0.6, 0.0, 0.1, 0.3])
    found = shares(probs, GenerationOptions())
    np.testing.assert_allclose(found, [0, 0, 0.25, 0.75])
    assert shares(probs, GenerationOptions(unknown=True))[UNK] == pytest.approx(0.6)


def test_nothing_is_drawn_where_nothing_is_defined():
    assert not of([np.nan] * 4).any()
    assert not shares(np.array([1.0, 0, 0]), GenerationOptions()).any()


def test_drawing_follows_the_shares():
    found = of(top_k=3)
    luck = (np.arange(10_000) + 0.5) / 10_000
    counts = np.bincount([drawn(found, one) for one in luck], minlength=6) / 10_000
    np.testing.assert_allclose(counts, found, atol=2e-4)
    assert drawn(np.array([0.5, 0.5, 0.0]), 1 - 1e-17) == 1
    assert drawn(np.array([0.0, 0.5, 0.5]), 0.0) == 1


def test_ranks_count_equals_by_place():
    probs = np.array([0.2, 0.3, 0.2, 0.3])
    assert ranked(probs, 3).tolist() == [1, 3, 0]
    assert ranked(probs, 9).tolist() == [1, 3, 0, 2]
    assert [rank(probs, number) for number in range(4)] == [3, 1, 4, 2]
    assert ranked(np.array([np.nan, 0.5]), 2).tolist() == [1, 0]
