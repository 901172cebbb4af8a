"""Models of transformers, saved in every layout, give the same numbers when they are imported."""

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file

from lmstudio.analysis.asked import Answering
from lmstudio.data.layout import BOS, EOS
from lmstudio.jobs import Job
from lmstudio.operations import exchange
from lmstudio.operations.asked import asked

transformers = pytest.importorskip("transformers")
hf_models = pytest.importorskip("tests.interop.hf_models")
PIECES, TEXT = hf_models.PIECES, hf_models.TEXT

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of another library
TOLERANCE = 2e-5


def imported(ws, folder):
    changes = exchange.import_model(ws, folder, job=Job())
    return Answering(asked(ws, changes.new_id)), changes


def theirs(text, first="[CLS]", last="[SEP]"):
    names = [first, *text, last] if last else [first, *text]
    return torch.tensor([[PIECES.index(name) for name in names]])


@torch.no_grad()
def same_layers(answering, model, text=TEXT):
    ids = answering.vocabulary.encode(list(text))
    found = answering.model.layers(ids)
    body = getattr(model, model.base_model_prefix, model)
    expected = body(theirs(text), output_hidden_states=True).hidden_states
    for number, layer in enumerate(expected[1:], 1):
        assert np.abs(found[number] - layer[0].numpy()).max() < TOLERANCE


@torch.no_grad()
def same_guesses(answering, model, text=TEXT, place=2):
    ids = answering.vocabulary.encode(list(text))
    found = answering.model.fill_probs(ids, place)
    shown = theirs(text)
    shown[0, place + 1] = PIECES.index("[MASK]")
    expected = torch.softmax(model(shown).logits[0, place + 1].double(), 0).numpy()
    for name in PIECES:
        ours = 0 if name == "[UNK]" else answering.vocabulary.types.index(name)
        assert found[ours] == pytest.approx(expected[PIECES.index(name)], abs=TOLERANCE)


@pytest.mark.parametrize("act", ["gelu", "gelu_new"])
def test_bert(workspace, tmp_path, act):
    model = hf_models.bert(hidden_act=act)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m" / "vocab.txt")
    same_layers(answering, model)
    same_guesses(answering, model)


def test_distilbert(workspace, tmp_path):
    model = hf_models.distilbert()
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    same_layers(answering, model)
    same_guesses(answering, model)


@pytest.mark.parametrize("table", [12, 24])
def test_albert(workspace, tmp_path, table):
    model = hf_models.albert(table=table)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, changes = imported(workspace, tmp_path / "m")
    same_layers(answering, model)
    same_guesses(answering, model)
    run = workspace.run(changes.new_id)
    assert run.parameters == sum(p.numel() for p in answering.model.module.parameters())
    assert run.spec["config"]["shared"]


def test_an_electra_generator(workspace, tmp_path):
    model = hf_models.electra(transformers.ElectraForMaskedLM, table=12)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    same_layers(answering, model)
    same_guesses(answering, model)


@pytest.mark.parametrize("table", [12, 24])
def test_an_electra_discriminator_has_vectors(workspace, tmp_path, table):
    model = hf_models.electra(table=table)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, changes = imported(workspace, tmp_path / "m")
    same_layers(answering, model)
    assert workspace.run(changes.new_id).facts["imported"]["untrained"]


@torch.no_grad()
def test_pairs_of_sentences(workspace, tmp_path):
    model = hf_models.bert(transformers.BertForPreTraining)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    module = answering.model.module
    ids = torch.tensor([[BOS, *answering.vocabulary.encode(list(TEXT)), EOS]])
    found = module.pair(module.hidden(ids)[:, 0])
    expected = model(theirs(TEXT)).seq_relationship_logits
    assert (found - expected).abs().max() < TOLERANCE


def test_layouts_of_files(workspace, tmp_path):
    """Old names, no prefix, half precision, buffers, pickles of both kinds, shards."""
    model = hf_models.bert()
    hf_models.pieces(tmp_path / "first")
    model.save_pretrained(tmp_path / "first")
    state = load_file(tmp_path / "first" / "model.safetensors")
    old = {name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias",
           "LayerNorm.beta"): value for name, value in state.items()}  # fmt: skip
    old["bert.embeddings.position_ids"] = torch.arange(20)[None]
    old["cls.predictions.decoder.weight"] = state["bert.embeddings.word_embeddings.weight"].clone()
    bare = {name.removeprefix("bert."): value for name, value in state.items()}
    layouts = {
        "pickle": lambda to: torch.save(old, to / "pytorch_model.bin"),
        "old": lambda to: torch.save(
            old, to / "pytorch_model.bin", _use_new_zipfile_serialization=False
        ),
        "bare": lambda to: save_file(bare, to / "model.safetensors"),
        "shards": lambda to: model.save_pretrained(to, max_shard_size="10KB"),
    }
    for name, write in layouts.items():
        folder = tmp_path / name
        hf_models.pieces(folder)
        (folder / "config.json").write_bytes((tmp_path / "first" / "config.json").read_bytes())
        write(folder)
        answering, changes = imported(workspace, folder)
        same_layers(answering, model)
        same_guesses(answering, model)
        assert not workspace.run(changes.new_id).facts["notes"]
    assert (tmp_path / "shards" / "model.safetensors.index.json").exists()


@pytest.mark.parametrize("kind", ["bert", "albert", "electra"])
def test_what_layer_norms_add_to_the_variance(workspace, tmp_path, kind):
    made = {
        "bert": hf_models.bert,
        "albert": hf_models.albert,
        "electra": lambda **more: hf_models.electra(transformers.ElectraForMaskedLM, **more),
    }
    model = made[kind](layer_norm_eps=0.05)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, changes = imported(workspace, tmp_path / "m")
    same_layers(answering, model)
    same_guesses(answering, model)
    assert workspace.run(changes.new_id).spec["config"]["norm_epsilon"] == 0.05


@torch.no_grad()
def test_what_the_layer_norms_of_a_gpt2_add(workspace, tmp_path):
    model = hf_models.gpt2(layer_norm_epsilon=0.05)
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    expected = torch.softmax(model(theirs(TEXT, last=None)).logits[0, -1].double(), 0).numpy()
    found = answering.model.next_probs(answering.vocabulary.encode(list(TEXT)))
    types = answering.vocabulary.types
    for piece in "我爱北京":
        assert found[types.index(piece)] == pytest.approx(
            expected[PIECES.index(piece)], abs=TOLERANCE
        )


def test_half_precision(workspace, tmp_path):
    model = hf_models.bert().half()
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    same_layers(answering, model.float())


@torch.no_grad()
def test_a_chinese_gpt2_with_the_pieces_of_a_bert(workspace, tmp_path):
    model = hf_models.gpt2()
    hf_models.pieces(tmp_path / "m")
    model.save_pretrained(tmp_path / "m")
    answering, _ = imported(workspace, tmp_path / "m")
    logits = model(theirs(TEXT, last=None)).logits[0, -1].double()
    expected = torch.softmax(logits, 0).numpy()
    found = answering.model.next_probs(answering.vocabulary.encode(list(TEXT)))
    names = ["[UNK]" if i == 0 else "[SEP]" if i == EOS else name
             for i, name in enumerate(answering.vocabulary.types)]  # fmt: skip
    for number, name in enumerate(names):
        if number != BOS and (name != "[SEP]" or number == EOS):
            assert found[number] == pytest.approx(expected[PIECES.index(name)], abs=TOLERANCE)
    assert found.sum() == pytest.approx(1)


@torch.no_grad()
@pytest.mark.parametrize("tied", [True, False])
def test_gpt2_with_pairs_of_bytes(workspace, tmp_path, tied):
    """It has no piece for what is unknown, and one mark for both ends."""
    rows = hf_models.byte_pairs(tmp_path / "m", merges=[("a", "b"), ("ab", "a")])
    model = hf_models.gpt2(rows, tie_word_embeddings=tied, bos_token_id=rows - 1,
                           eos_token_id=rows - 1)  # fmt: skip
    model.save_pretrained(tmp_path / "m")
    answering, changes = imported(workspace, tmp_path / "m")
    tokenizer = transformers.GPT2TokenizerFast.from_pretrained(tmp_path / "m")
    text = "aba 爱b"
    ids = [rows - 1, *tokenizer(text)["input_ids"]]
    expected = torch.softmax(model(torch.tensor([ids])).logits[0, -1].double(), 0).numpy()
    pieces = answering.pieces(text, job=Job())
    assert [p.piece for p in pieces] == tokenizer.convert_ids_to_tokens(ids[1:])
    found = answering.model.next_probs(np.array([p.id for p in pieces]))
    types = answering.vocabulary.types
    for number, piece in enumerate(tokenizer.convert_ids_to_tokens(range(rows - 1))):
        assert found[types.index(piece)] == pytest.approx(expected[number], abs=TOLERANCE)
    assert found[EOS] == pytest.approx(expected[rows - 1], abs=TOLERANCE)
    assert found[0] == 0  # <unk>
