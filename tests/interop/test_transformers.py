"""GPT with copied weights answers as GPT-2 of Hugging Face's transformers does."""

import numpy as np
import pytest
import torch

from lmstudio.data.layout import BOS
from lmstudio.models.config import GptConfig
from lmstudio.models.gpt import Gpt

transformers = pytest.importorskip("transformers")

pytestmark = pytest.mark.slow  # to import their classes takes seconds
TOLERANCE = 2e-5
NAMES = {
    "norm1": "ln_1",
    "attention.qkv": "attn.c_attn",
    "attention.output": "attn.c_proj",
    "norm2": "ln_2",
    "mlp.inner": "mlp.c_fc",
    "mlp.output": "mlp.c_proj",
}
"""What a part of a block is called here and there; their linear layers have weights (in, out)."""


def copied(module: Gpt, theirs) -> None:
    """Put the weights of `theirs` into `module`."""
    source = theirs.transformer
    weights = {
        "embedding.weight": source.wte.weight,
        "positions.weight": source.wpe.weight,
        "norm.weight": source.ln_f.weight,
        "norm.bias": source.ln_f.bias,
    }
    for i, block in enumerate(source.h):
        for ours, name in NAMES.items():
            part = block.get_submodule(name)
            turned = part.weight if "norm" in ours else part.weight.t()
            weights[f"blocks.{i}.{ours}.weight"] = turned.contiguous()
            weights[f"blocks.{i}.{ours}.bias"] = part.bias
    if module.output is not None:
        weights["output.weight"] = theirs.lm_head.weight
    module.load_state_dict(weights)


def both(gelu: str, *, tied: bool = True):
    """A GPT-2 with random weights whose logits vary by about 1, and ours with the same."""
    torch.manual_seed(1)
    config = transformers.GPT2Config(
        vocab_size=120, n_positions=32, n_embd=48, n_layer=3, n_head=4, initializer_range=0.15,
        activation_function={"erf": "gelu", "tanh": "gelu_new"}[gelu], tie_word_embeddings=tied,
    )  # fmt: skip
    theirs = transformers.GPT2LMHeadModel(config).eval()
    for name, p in theirs.named_parameters():
        if name.endswith("bias"):
            torch.nn.init.normal_(p, std=0.1)
    shape = GptConfig(layers=3, width=48, heads=4, window=32, gelu=gelu, tied=tied)
    ours = Gpt(shape, 120).eval()
    copied(ours, theirs)
    return ours, theirs


@pytest.fixture(params=["erf", "tanh"])
def pair(request):
    return both(request.param)


@pytest.fixture
def ids():
    return torch.randint(3, 120, (4, 32), generator=torch.Generator().manual_seed(1))


def close(ours, theirs) -> None:
    assert np.abs(np.asarray(ours) - theirs.detach().numpy()).max() < TOLERANCE


@torch.no_grad()
def test_logits(pair, ids):
    ours, theirs = pair
    expected = theirs(ids).logits
    assert 0.5 < expected.std() < 3
    found, _ = ours(ids)
    others = [i for i in range(120) if i != BOS]
    close(found[..., others], expected[..., others])
    assert (found[..., BOS] == -torch.inf).all()


@torch.no_grad()
def test_an_output_matrix_of_its_own(ids):
    ours, theirs = both("erf", tied=False)
    close(ours(ids)[0][..., 2:], theirs(ids).logits[..., 2:])


@torch.no_grad()
def test_layers_and_attention(pair, ids):
    ours, theirs = pair
    theirs.set_attn_implementation("eager")
    model, words = ours.model(), ids[0, :20].numpy()
    read = torch.from_numpy(model.shown(words))[None]
    expected = theirs(read, output_hidden_states=True, output_attentions=True)
    for found, hidden in zip(model.layers(words)[1:], expected.hidden_states[1:], strict=True):
        close(found, hidden[0])
    for found, attention in zip(model.attention(words), expected.attentions, strict=True):
        close(found, attention[0])


def test_gradients(pair, ids):
    """The mean loss over all but <s> has the same gradient: our softmax leaves <s> out."""
    ours, theirs = pair
    targets = ids.roll(-1, 1)
    (ours.losses({"ids": ids, "targets": targets})["tokens"] / targets.numel()).backward()
    logits = theirs(ids).logits.clone()
    logits[..., BOS] = -torch.inf
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten()).backward()
    close(ours.embedding.weight.grad, theirs.transformer.wte.weight.grad)
    for block, other in zip(ours.blocks, theirs.transformer.h, strict=True):
        for name, there in NAMES.items():
            expected = other.get_submodule(there).weight.grad
            close(
                block.get_submodule(name).weight.grad, expected if "norm" in name else expected.t()
            )


def test_random_numbers_of_the_beginning():
    """But for what the blocks add, which is zero here, both begin with the same deviations."""
    config = transformers.GPT2Config(vocab_size=500, n_positions=64, n_embd=64, n_layer=2, n_head=4)
    theirs = transformers.GPT2LMHeadModel(config).transformer
    ours = Gpt(GptConfig(layers=2, width=64, heads=4, window=64), 500)
    for found, expected in (
        (ours.embedding, theirs.wte), (ours.positions, theirs.wpe),
        (ours.blocks[0].mlp.inner, theirs.h[0].mlp.c_fc),
        (ours.blocks[1].attention.qkv, theirs.h[1].attn.c_attn),
    ):  # fmt: skip
        assert found.weight.std().item() == pytest.approx(expected.weight.std().item(), rel=0.05)
