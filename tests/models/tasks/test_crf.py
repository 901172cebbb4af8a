"""The CRF against all sequences, one by one."""

from itertools import product

import pytest
import torch

from lmstudio.models.tasks.crf import NEVER, Crf

TAGS = ("O", "B-X", "I-X")
SIZES = torch.tensor([4, 1, 3])


@pytest.fixture
def crf():
    torch.manual_seed(3)
    made = Crf(TAGS, "BIO")
    for parameter in made.parameters():
        torch.nn.init.normal_(parameter)
    return made.double()


@pytest.fixture
def scores():
    return torch.randn(3, 4, 3, generator=torch.Generator().manual_seed(4)).double()


def is_legal(sequence) -> bool:
    return all(
        tag != 2 or before != 0 for before, tag in zip((0, *sequence), sequence, strict=False)
    )


def score(crf, row, sequence) -> float:
    total = crf.starts[sequence[0]] + crf.ends[sequence[-1]]
    total = total + sum(row[place, tag] for place, tag in enumerate(sequence))
    return (
        total + sum(crf.transitions[a, b] for a, b in zip(sequence, sequence[1:], strict=False))
    ).item()


def shares(crf, row, size) -> dict[tuple[int, ...], float]:
    legal = [s for s in product(range(3), repeat=size) if is_legal(s)]
    found = torch.tensor([score(crf, row, s) for s in legal]).double()
    return dict(zip(legal, torch.softmax(found, 0).tolist(), strict=True))


def test_probabilities_are_those_of_all_legal_sequences(crf, scores):
    for row, size in enumerate(SIZES.tolist()):
        for sequence, share in shares(crf, scores[row], size).items():
            tags = torch.zeros(3, 4, dtype=torch.long)
            tags[row, :size] = torch.tensor(sequence)
            assert crf.log_probs(scores, SIZES, tags)[row].exp().item() == pytest.approx(share)


def test_the_best_sequence_is_found(crf, scores):
    found = crf.best(scores, SIZES)
    for row, size in enumerate(SIZES.tolist()):
        known = shares(crf, scores[row], size)
        assert tuple(found[row]) == max(known, key=known.get)


def test_marginals_are_sums_over_sequences(crf, scores):
    found = crf.marginals(scores, SIZES)
    for row, size in enumerate(SIZES.tolist()):
        known = torch.zeros(4, 3).double()
        for sequence, share in shares(crf, scores[row], size).items():
            known[range(size), list(sequence)] += share
        torch.testing.assert_close(found[row], known)


def test_what_the_scheme_bars_is_impossible(crf, scores):
    scores[:, :, 2] += 50  # I-X everywhere, if it were allowed
    for sequence in crf.best(scores, SIZES):
        assert is_legal(sequence)
    assert crf.marginals(scores, SIZES)[:, 0, 2].max() == 0
    tags = torch.full((3, 4), 2)
    assert crf.log_probs(scores, SIZES, tags).max() < NEVER / 2


@pytest.mark.parametrize(
    ("scheme", "tags", "allowed"),
    [
        # begin O B S; end O E S; O, E and S are followed by O, B, S; B and I by I, E
        ("BIOES", ("O", "B-X", "I-X", "E-X", "S-X"), 3 + 3 + 9 + 4),
        ("BIO", ("O", "B-X", "I-X", "B-Y", "I-Y"), 3 + 5 + 3 * 5 + 4),
        ("plain", ("n", "v"), 2 + 2 + 4),
    ],
)
def test_schemes_have_their_own_rules(scheme, tags, allowed):
    assert (~Crf(tags, scheme).barred).sum().item() == allowed


def test_gradients_reach_scores_and_weights(crf, scores):
    scores.requires_grad_()
    tags = torch.tensor([[1, 2, 0, 1], [0, 0, 0, 0], [0, 0, 1, 0]])
    crf.log_probs(scores, SIZES, tags).sum().backward()
    assert torch.isfinite(scores.grad).all()
    assert all(torch.isfinite(p.grad).all() for p in crf.parameters())
