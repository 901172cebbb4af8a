"""ELMo: each direction sees its own side only, exact scores, blanks, states that do not leak."""

import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS, SPECIALS
from lmstudio.data.vocab import Vocabulary, read_counts
from lmstudio.files import write_json
from lmstudio.models import elmo, elmo_model, projected_lstm
from lmstudio.models.config import ElmoConfig
from lmstudio.models.elmo import Elmo
from lmstudio.models.elmo_model import ElmoModel
from lmstudio.training.curve import figures

ROWS = 11
HEADS = ("separate", "joint")


def make(**settings: object) -> Elmo:
    torch.manual_seed(1)
    config = ElmoConfig(**{"width": 8, "cell": 12, "dropout": 0.0, "filters": 2, **settings})
    counts = np.array([5, 0, 20, 40, 10, 5, 3, 3, 2, 1, 1])
    module = Elmo(config, ROWS, counts)
    if config.characters:
        generator = torch.Generator().manual_seed(1)
        module.words.spelled.random_(1, 258, generator=generator)
        module.words.spelled[:, 10:] = 261
    return module.eval()


def sentence(*words: int) -> np.ndarray:
    return np.array([BOS, *words, EOS], np.int32)


def batch_of(*sentences: np.ndarray, width: int = 0) -> dict[str, torch.Tensor]:
    """Sentences as rows, padded to `width` or the longest."""
    width = max(width, *(len(s) - 1 for s in sentences))
    ids = torch.full((len(sentences), width), EOS)
    targets = torch.full((len(sentences), width), IGNORE)
    for row, s in enumerate(sentences):
        ids[row, : len(s) - 1] = torch.from_numpy(s[:-1]).long()
        targets[row, : len(s) - 1] = torch.from_numpy(s[1:]).long()
    return {"ids": ids, "targets": targets}


@pytest.mark.parametrize("settings", [
    {}, {"layers": 3, "width": 5}, {"head": "joint"}, {"characters": True, "filters": 3},
])  # fmt: skip
def test_parameters_are_what_the_config_says(settings):
    module = make(**settings)
    counted = sum(p.numel() for p in module.parameters())
    assert counted == sum(count for _, _, count in module.config.parameters(ROWS))


@pytest.mark.parametrize(("width", "cell", "highways", "published"), [
    (512, 4096, 2, 93_600_864), (256, 2048, 1, 28_027_744), (128, 1024, 1, 13_593_312),
])  # fmt: skip
def test_published_models_have_their_number_of_parameters(width, cell, highways, published):
    config = ElmoConfig(width=width, cell=cell, characters=True, filters=7, highways=highways)
    terms = [*config.word_terms(800_000), *config.layer_terms()]
    assert sum(count for _, _, count in terms) == published


@pytest.mark.parametrize("settings", [
    {}, {"head": "joint"}, {"characters": True}, {"carried": True}, {"cell_clip": 0.0},
])  # fmt: skip
def test_overfits_one_batch(settings):
    module = make(width=16, cell=24, **settings).train()
    batch = batch_of(sentence(3, 4, 5, 6), sentence(3, 4, 8), sentence(3, 4, 8))
    optimizer = torch.optim.Adam(module.parameters(), lr=0.03)
    for _ in range(60):
        optimizer.zero_grad()
        sums, events = module.losses(batch), module.events(batch)
        loss = sum(sums[name] / events[name] for name in sums)
        loss.backward()
        optimizer.step()
    open_ends = 0.0 if module.joint else 2 * 3 * np.log(3) / 13  # of 3 sentences, either way
    assert loss.item() < open_ends + 0.1


def test_each_direction_sees_its_own_side_only():
    model = ElmoModel(make())
    one, other = sentence(3, 4, 5, 6), sentence(3, 4, 5, 9)
    assert np.array_equal(model.logprobs(one)[:3], model.logprobs(other)[:3])
    assert model.logprobs(one)[3] != model.logprobs(other)[3]
    one, other = sentence(3, 4, 5, 6), sentence(9, 4, 5, 6)
    assert np.array_equal(model.backward_logprobs(one)[2:], model.backward_logprobs(other)[2:])
    assert (model.backward_logprobs(one)[:2] != model.backward_logprobs(other)[:2]).all()


def test_both_together_see_everything_but_the_word():
    model = ElmoModel(make(head="joint"))
    words = [3, 4, 5, 6, 7]
    scored = model.logprobs(sentence(*words))
    for place in range(5):
        changed = model.logprobs(sentence(*words[:place], 9, *words[place + 1 :]))
        others = [i for i in range(5) if i != place]
        assert (changed[others] != scored[others]).all()
        at_place = model.fill_probs(np.array(words), place)
        assert np.log(at_place[9] / at_place[words[place]]) == pytest.approx(
            changed[place] - scored[place], abs=1e-5
        )


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("width", [8, 16, 32])
def test_case_d2_padding_never_enters_the_loss(head, width):
    module = make(head=head)
    alone, padded = batch_of(sentence(3, 4, 5)), batch_of(sentence(3, 4, 5), width=width)
    filled = {**padded, "ids": padded["ids"].masked_fill(padded["targets"] == IGNORE, 7)}
    for name, loss in module.losses(alone).items():
        assert module.losses(padded)[name].item() == pytest.approx(loss.item(), abs=1e-5)
        assert module.losses(filled)[name].item() == pytest.approx(loss.item(), abs=1e-5)
        (evaluated,) = module.evaluate(padded)
        assert evaluated[name].item() == pytest.approx(loss.item(), abs=1e-5)
    assert module.events(padded) == module.events(alone)


@pytest.mark.parametrize("head", HEADS)
def test_losses_are_those_of_the_scores(head):
    module = make(head=head)
    sentences = [sentence(3, 4, 5), sentence(), sentence(6, 7, 8, 9, 10)]
    stream = np.concatenate(sentences)
    sums, events = module.losses(batch_of(*sentences)), module.events(batch_of(*sentences))
    scored = {"forward": module.model().logprobs(stream),
              "backward": module.model().backward_logprobs(stream)}  # fmt: skip
    if module.joint:
        scored = {"both": scored["forward"]}
    assert {name: int(count) for name, count in events.items()} == {
        name: int(np.isfinite(logprobs).sum()) for name, logprobs in scored.items()
    }
    for name, loss in sums.items():
        assert loss.item() == pytest.approx(-np.nansum(scored[name]), abs=1e-4)
    asked = figures(*({k: v.item() for k, v in x.items()} for x in (sums, events)), module.headline)
    assert asked["loss"] == pytest.approx(-np.nanmean(module.model().logprobs(stream)), abs=1e-5)


def test_distributions_sum_to_one_without_the_sentence_start():
    model = ElmoModel(make())
    for prefix in ([], [3], [3, 4, 0, 9]):
        probs = model.next_probs(np.array(prefix, np.int32))
        assert probs.shape == (ROWS,)
        assert probs.sum() == pytest.approx(1, abs=1e-9)
        assert probs[BOS] == 0


def test_logprobs_agree_with_next_probs():
    model, words = ElmoModel(make()), [3, 4, 0, 9]
    scored = model.logprobs(sentence(*words))
    for i, word in enumerate([*words, EOS]):
        expected = np.log(model.next_probs(np.array(words[:i], np.int32))[word])
        assert scored[i] == pytest.approx(expected, abs=1e-5)


def test_read_from_the_right_it_is_the_mirror_image():
    module, mirror = make(), make()
    for layer, mirrored in zip(module.layers, mirror.layers, strict=True):
        mirrored.left, mirrored.right = layer.right, layer.left
    with torch.no_grad():
        mirror.words.weight[[BOS, EOS]] = module.words.weight[[EOS, BOS]]
    words = [3, 4, 5, 6, 6, 7]
    backward = ElmoModel(module).backward_logprobs(sentence(*words))
    forward = ElmoModel(mirror).logprobs(sentence(*words[::-1]))
    assert backward == pytest.approx(forward[::-1], abs=1e-6)


@pytest.mark.parametrize("settings", [{}, {"head": "joint"}, {"characters": True}])
def test_scores_stand_in_the_order_of_the_stream(settings, monkeypatch):
    model = ElmoModel(make(**settings))
    sentences = [sentence(3, 4, 5, 6), sentence(7), sentence(), sentence(8, 9, 10)]
    for ask in (model.logprobs, model.backward_logprobs):
        together = ask(np.concatenate(sentences))
        alone = np.concatenate([ask(s) for s in sentences])
        assert together == pytest.approx(alone, abs=1e-6, nan_ok=True)
        assert ask(np.empty(0, np.int32)).shape == (0,)
    monkeypatch.setattr(elmo_model, "EXACT_ROWS", 1)
    monkeypatch.setattr(elmo, "EXACT_LENGTH", 2)
    monkeypatch.setattr(projected_lstm, "STEPS", 3)
    again = model.backward_logprobs(np.concatenate(sentences))
    assert again == pytest.approx(together, abs=1e-6, nan_ok=True)


def test_joint_scores_are_pseudo_log_likelihoods():
    model = ElmoModel(make(head="joint"))
    assert not model.proper
    scored = model.logprobs(np.concatenate([sentence(3, 4), sentence(), sentence(5)]))
    assert np.isnan(scored).tolist() == [False, False, True, True, False, True]
    assert np.isnan(model.backward_logprobs(sentence(3, 4))).all()
    assert np.isnan(model.next_probs(np.array([3]))).all()
    assert ElmoModel(make()).proper


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("place", [0, 2, 4])
def test_blanks_are_filled_from_both_sides(head, place):
    model = ElmoModel(make(head=head))
    words = np.array([3, 4, 5, 6, 7])
    probs = model.fill_probs(words, place)
    assert probs.shape == (ROWS,)
    assert probs.sum() == pytest.approx(1, abs=1e-9)
    assert probs[BOS] == probs[EOS] == 0
    changed = words.copy()
    changed[place] = 9
    assert np.array_equal(model.fill_probs(changed, place), probs)
    for other in range(5):
        if other != place:
            changed = words.copy()
            changed[other] = 9
            assert not np.allclose(model.fill_probs(changed, place), probs, atol=1e-9)


def test_what_training_never_showed_cannot_fill_a_blank():
    counts = np.array([0, 0, 20, 40, 10, 5, 3, 3, 0, 1, 1])  # <unk> and the id 8 never occur
    torch.manual_seed(1)
    module = Elmo(ElmoConfig(width=8, cell=12, dropout=0.0), ROWS, counts).eval()
    module.head.bias.data[0] += 3.0  # what divided by a p(<unk>) near 0 would be nearly 1
    model, words, place = ElmoModel(module), np.array([3, 4, 5, 6]), 2
    shares = (counts + 1) / (counts + 1).sum()
    expected = np.zeros(ROWS)
    for word in (3, 4, 5, 6, 7, 9, 10):
        line = sentence(*words[:place], word, *words[place + 1 :])
        logs = model.logprobs(line)[place] + model.backward_logprobs(line)[place + 1]
        expected[word] = np.exp(logs) / shares[word]
    found = model.fill_probs(words, place)
    assert found == pytest.approx(expected / expected.sum(), abs=1e-6)
    assert found[[0, BOS, EOS, 8]].tolist() == [0, 0, 0, 0]
    vectors = model.streams(words)[-1]  # the lens and both directions answer the same
    both = np.concatenate([vectors[place, :8], vectors[place + 2, 8:]])[None]
    np.testing.assert_allclose(model.guesses(both)[0], found, atol=1e-6)


def test_separate_directions_fill_a_blank_by_the_rule_of_bayes():
    module = make()
    model, words, place = ElmoModel(module), [3, 4, 5, 6], 1
    scores = np.full(ROWS, -np.inf)
    for word in (0, *range(3, ROWS)):
        candidate = sentence(*words[:place], word, *words[place + 1 :])
        both = model.logprobs(candidate)[place] + model.backward_logprobs(candidate)[place + 1]
        scores[word] = both - module.unigrams[word].item()
    expected = np.exp(scores) / np.exp(scores).sum()
    assert model.fill_probs(np.array(words), place) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("settings", [{}, {"characters": True}])
def test_case_g4_a_sentence_has_the_same_vectors_whatever_was_read_before(settings):
    module = make(**settings)
    model, generator = ElmoModel(module), np.random.default_rng(1)
    words = np.array([3, 4, 5, 6, 3])
    first = model.layers(words)
    assert model.layers(words) == pytest.approx(first, abs=1e-6)
    for size in generator.integers(1, 30, 100):
        model.layers(generator.integers(3, ROWS, size))
    assert model.layers(words) == pytest.approx(first, abs=1e-6)
    others = [generator.integers(3, ROWS, size) for size in (9, 1, 5, 20, 3, 2, 7)]
    sentences = [sentence(*ids) for ids in (*others[:4], words, *others[4:])]
    ids = torch.full((8, 22), EOS)
    for row, s in enumerate(sentences):
        ids[row, : len(s)] = torch.from_numpy(s).long()
    sizes = torch.tensor([len(s) for s in sentences])
    with torch.no_grad():
        together, _ = module.embed(ids, sizes)
    assert together[:, 4, :7].numpy() == pytest.approx(first, abs=1e-6)


def test_layers_begin_with_the_word_twice():
    module = make(layers=3)
    found = ElmoModel(module).layers(np.array([3, 4]))
    assert found.shape == (4, 4, 16)
    assert found.dtype == np.float32
    table = module.words.weight.detach().numpy()
    assert np.array_equal(found[0], np.tile(table[[BOS, 3, 4, EOS]], 2))
    assert list(ElmoModel(module).shown(np.array([3, 4]))) == [BOS, 3, 4, EOS]


def test_carried_states_change_vectors_and_never_figures():
    module = make(carried=True)
    model, words = ElmoModel(module), np.array([3, 4, 5])
    first, scored = model.layers(words), model.logprobs(sentence(3, 4, 5))
    again = model.layers(words)
    assert np.array_equal(again[0], first[0])
    assert not np.allclose(again[1:], first[1:], atol=1e-4)
    assert np.array_equal(model.logprobs(sentence(3, 4, 5)), scored)
    assert np.array_equal(ElmoModel(module).layers(words), first)


def test_carried_states_go_on_from_batch_to_batch_of_any_size():
    module = make(carried=True)
    module.losses(batch_of(sentence(3, 4, 5), sentence(6)))
    carried = {f"carried.{name}": rows for name, rows in module.carried.items()}
    assert {name: tuple(rows.shape) for name, rows in carried.items()} == {
        "carried.h": (2, 2, 2, 8), "carried.c": (2, 2, 2, 12)
    }  # fmt: skip
    batch = batch_of(sentence(3, 4), sentence(6, 7), sentence(8))
    anew, on = module.losses(batch)["forward"], module.losses({**batch, **carried})["forward"]
    assert on.item() != pytest.approx(anew.item(), abs=1e-4)
    last = module.losses(batch_of(sentence(8)))["forward"].item()
    first_two = module.losses({**batch_of(sentence(3, 4), sentence(6, 7)), **carried})["forward"]
    assert on.item() == pytest.approx(first_two.item() + last, abs=1e-5)


def test_states_are_those_after_the_last_token_of_each_row():
    module = make(carried=True)
    module.losses(batch_of(sentence(3, 4, 5, 6), sentence(6)))
    padded = {name: rows[1].clone() for name, rows in module.carried.items()}
    module.losses(batch_of(sentence(6)))
    for name, rows in module.carried.items():
        assert torch.allclose(rows[0], padded[name], atol=1e-6)


def test_gates_make_the_cell():
    module = make(layers=2)
    found = ElmoModel(module).gates(np.array([3, 4, 5]))
    assert set(found) == {"candidate", "input", "forget", "output", "cell"}
    assert all(x.shape == (2, 5, 24) for x in found.values())
    left, right = ({name: x[..., side] for name, x in found.items()}
                   for side in (slice(12), slice(12, None)))  # fmt: skip
    right = {name: x[:, ::-1] for name, x in right.items()}
    for gates in (left, right):
        cell = gates["input"] * gates["candidate"]
        assert gates["cell"][:, 0] == pytest.approx(cell[:, 0], abs=1e-6)
        cell[:, 1:] += gates["forget"][:, 1:] * gates["cell"][:, :-1]
        assert gates["cell"] == pytest.approx(cell, abs=1e-6)


def test_starts_as_the_unigrams():
    probs = ElmoModel(make()).next_probs(np.array([3], np.int32))
    assert probs[3] == pytest.approx(41 / 111, rel=0.3)


@pytest.mark.parametrize("characters", [False, True])
def test_saved_and_loaded_it_answers_the_same(tmp_path, characters):
    types = [*SPECIALS, "我", "爱", "北京", "你", "he", "him", "his", "她"]
    Vocabulary(types, np.array([5, 0, 20, 40, 10, 5, 3, 3, 2, 1, 1])).save(tmp_path)
    torch.manual_seed(1)
    config = ElmoConfig(width=8, cell=12, characters=characters)
    module = elmo.build(config, read_counts(tmp_path), tmp_path)
    folder = tmp_path / "run" / "checkpoints" / "best"
    folder.mkdir(parents=True)
    save_file(module.state_dict(), folder / "weights.safetensors")
    write_json(folder / "meta.json", {"progress": {"early": {"best_loss": 1.0}}})
    asked = elmo.load(tmp_path / "run", config, ROWS)
    words = np.array([3, 4, 5, 10])
    assert np.array_equal(asked.layers(words), module.model().layers(words))
    assert np.array_equal(asked.fill_probs(words, 1), module.model().fill_probs(words, 1))


def test_all_weights_learn():
    for settings in ({}, {"characters": True}, {"head": "joint"}):
        module = make(**settings)
        sum(module.losses(batch_of(sentence(3, 4, 5), sentence(6, 7))).values()).backward()
        for name, parameter in module.named_parameters():
            assert parameter.grad.abs().sum() > 0, name
