"""What goes on inside: tokens as they stand in the text, beside values of the same length."""

import numpy as np
import pytest
import torch

from lmstudio.analysis import inside as looking
from lmstudio.analysis.inside import inside, kind_of, look
from lmstudio.data.encode import plan_of
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.assembly import build
from tests.segmentations import write_segmentation
from tests.training.networks import spec_of

COUNTS = np.array([10, 0, 20, 30, 20, 10])


@pytest.fixture
def folder(tmp_path):
    return write_segmentation(tmp_path / "segmentation", train=["a b a", "a c"])


@pytest.fixture
def ask(folder, tmp_path, monkeypatch):
    """`inside` of a model that was not trained, in a segmentation of words between spaces."""

    def ask(variant: str, text: str):
        torch.manual_seed(1)
        spec = spec_of(variant)
        model = build(spec, COUNTS, folder).model()
        monkeypatch.setattr(looking, "load", lambda *_: model)
        plan = plan_of(folder, SegmentOptions(by="whitespace", sentences="line"), tmp_path)
        return inside(folder, plan, tmp_path, spec, text, job=Job())

    return ask


@pytest.mark.parametrize(("variant", "kind", "names", "width"), [
    ("lstm", "gates", {"input", "forget", "output", "candidate", "cell"}, 8),
    ("gru", "gates", {"reset", "update", "candidate"}, 8),
    ("elmo", "gates", {"input", "forget", "output", "candidate", "cell"}, 16),
    ("gpt", "norms", {"input", "attention", "middle", "mlp", "output"}, 0),
    ("bert", "norms", {"input", "attention", "middle", "mlp", "output"}, 0),
])  # fmt: skip
def test_values_stand_beside_their_tokens(ask, variant, kind, names, width):
    found = ask(variant, "a x b")
    ends = ["</s>"] if variant in ("elmo", "bert") else []
    assert found.tokens == ["<s>", "a", "x", "b", *ends]  # x is unknown, and stands there
    assert found.kind == kind
    assert set(found.values) == names
    layers = 1 if variant == "gru" else 2
    shape = (layers, len(found.tokens), *([width] if width else []))
    assert all(values.shape == shape for values in found.values.values())


def test_rows_say_where_a_value_stands(ask):
    found = ask("lstm", "a b")
    rows = list(found.rows())
    assert len(rows) == 5 * 2 * 3 * 8
    by_place = {row[1:5]: (row[0], row[5]) for row in rows}
    assert by_place[3, 2, "forget", 8] == ("b", pytest.approx(found.values["forget"][1, 2, 7]))
    (first, *_) = ask("gpt", "a b").rows()
    assert first[:5] == ("<s>", 1, 1, "input", 1)


@pytest.mark.parametrize("variant", ["gpt", "bert"])
def test_what_does_not_fit_into_the_window_is_left_out(ask, variant):
    found = ask(variant, " ".join("ab" * 20))
    assert len(found.tokens) == found.values["input"].shape[1] == 16
    assert found.tokens[:3] == ["<s>", "a", "b"]
    assert found.tokens[-1] == ("</s>" if variant == "bert" else "a")


def test_networks_without_gates_or_norms_say_so(ask):
    with pytest.raises(AppError, match="FFNN has neither gates nor"):
        ask("ffnn", "a b")
    with pytest.raises(AppError, match="RNN has neither gates nor"):
        ask("rnn", "a b")
    with pytest.raises(AppError, match="no token in this text"):
        ask("lstm", " ")


def test_ids_can_be_given(folder):
    model = build(spec_of("lstm"), COUNTS, folder).model()
    assert kind_of(model) == "gates"
    found = look(model, "gates", ["a", "b"], [3, 4])
    expected = model.gates(np.array([3, 4]))
    assert np.array_equal(found.values["cell"], expected["cell"])
