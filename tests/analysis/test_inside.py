"""What goes on inside: tokens as they stand in the text, beside values of the same length."""

import pytest

from lmstudio.analysis.inside import inside
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from tests.analysis.networks import untrained


@pytest.fixture
def ask(tmp_path, monkeypatch):
    """`inside` of a model that was not trained, in a segmentation of words between spaces."""

    def ask(variant: str, text: str):
        return inside(untrained(tmp_path, monkeypatch, variant), text, job=Job())

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


def test_a_blank_is_a_token_of_bert(ask):
    found = ask("bert", "a [MASK] b")
    assert found.tokens == ["<s>", "a", "[MASK]", "b", "</s>"]
    assert ask("bert", "a 【mask】b").tokens == found.tokens
    with pytest.raises(AppError, match="never learned from blanks"):
        ask("gpt", "a <mask>")


def test_networks_without_gates_or_norms_say_so(ask):
    with pytest.raises(AppError, match="neither gates nor attention"):
        ask("ffnn", "a b")
    with pytest.raises(AppError, match="neither gates nor attention"):
        ask("rnn", "a b")
    with pytest.raises(AppError, match="no token in this text"):
        ask("lstm", " ")
