"""A batch in parts, because memory ran out, gives the figures and weights of a whole one."""

from dataclasses import replace

import pytest
import torch
from safetensors.torch import load_file

from lmstudio.training import compiling, loop
from lmstudio.training.curve import figures
from lmstudio.training.fit_neural import fit
from lmstudio.training.gradients import rows_of, with_carried
from tests.training.networks import VARIANTS, Watched, small_text, spec_of

EXACT = [variant for variant in VARIANTS if "sampled" not in variant]


@pytest.fixture(autouse=True)
def _every_step_is_logged(monkeypatch):
    monkeypatch.setattr(loop, "LOG_SECONDS", 0.0)


def trained(variant, folder, segmentation):
    spec = spec_of(variant, max_steps=6, validate_every=3)
    spec = replace(spec, config=replace(spec.config, dropout=0.0))
    job = Watched()
    facts = fit(segmentation, folder, spec, job=job)
    return job, facts, load_file(folder / "checkpoints/last/weights.safetensors")


@pytest.mark.parametrize("variant", EXACT)
def test_memory_that_runs_out_changes_no_figure(variant, tmp_path, monkeypatch):
    segmentation = small_text(tmp_path / "segmentation")
    whole, _, expected = trained(variant, tmp_path / "whole", segmentation)
    plain = compiling.Losses.__call__

    def small_memory(self, batch):
        if rows_of(batch) > 1:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB")
        return plain(self, batch)

    monkeypatch.setattr(compiling.Losses, "__call__", small_memory)
    parts, facts, weights = trained(variant, tmp_path / "parts", segmentation)
    assert ["Memory ran out; from here on a batch is computed in {parts} parts.",
            {"parts": 4}] in facts["notes"]  # fmt: skip
    for name in ("loss", "valid_loss"):
        assert list(parts.curve(name).values()) == pytest.approx(
            list(whole.curve(name).values()), abs=1e-5
        )
    for name, weight in expected.items():
        assert torch.allclose(weights[name], weight, atol=2e-4), name


def test_rows_go_on_or_begin_anew():
    state = {"h": torch.tensor([[1.0], [2.0]])}
    more = with_carried({"ids": torch.zeros(3, 4)}, state)
    assert more["carried.h"].tolist() == [[1.0], [2.0], [0.0]]
    fewer = with_carried({"ids": torch.zeros(1, 4)}, state)
    assert fewer["carried.h"].tolist() == [[1.0]]
    assert with_carried({"ids": torch.zeros(1, 4)}, {}).keys() == {"ids"}


def test_figures_have_the_names_of_their_losses():
    sums = {"masked": 6.0, "masked_correct": 1.0, "next": 1.0, "next_correct": 2.0}
    found = figures(sums, {"masked": 3, "next": 2}, ("masked",))
    assert found == {
        "loss": 2.0, "total_loss": 2.5, "masked_loss": 2.0, "next_loss": 0.5,
        "masked_accuracy": 1 / 3, "next_accuracy": 1.0,
    }  # fmt: skip


def test_a_single_loss_needs_no_other_name():
    assert figures({"tokens": 6.0}, {"tokens": 3}) == {"loss": 2.0}


def test_a_loss_of_nothing_is_left_out():
    assert figures({"masked": 0.0, "next": 1.0}, {"masked": 0, "next": 2}, ("masked",)) == {
        "total_loss": 0.5, "next_loss": 0.5,
    }  # fmt: skip
