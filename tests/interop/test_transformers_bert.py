"""The same weights in transformers' BERT give the same numbers (it is no dependency of ours)."""

import pytest
import torch

from lmstudio.data.batches import IGNORE
from lmstudio.data.layout import BOS, EOS
from lmstudio.models.bert import Bert, BertModel
from lmstudio.models.config import BertConfig

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]  # of another library
transformers = pytest.importorskip("transformers")

ROWS, WINDOW = 40, 24
TOLERANCE = 2e-5
NEVER = [BOS, EOS, ROWS - 1]


@pytest.fixture
def ours():
    """A BERT whose logits differ by about 1."""
    torch.manual_seed(1)
    config = BertConfig(layers=3, width=32, heads=4, window=WINDOW, next_sentence=True)
    module = Bert(config, ROWS)
    for parameter in module.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    with torch.no_grad():
        for part in module.modules():
            if isinstance(part, torch.nn.LayerNorm):
                part.weight += 1
    return module.eval()


def settings(ours):
    config = ours.config
    return transformers.BertConfig(
        vocab_size=ROWS, hidden_size=config.width, num_hidden_layers=config.layers,
        num_attention_heads=config.heads, intermediate_size=config.between,
        max_position_embeddings=config.window, attn_implementation="eager",
    )  # fmt: skip


def copied(ours):
    """{name in transformers: ours} of all weights."""
    found = {
        "bert.embeddings.word_embeddings": ours.embedding,
        "bert.embeddings.position_embeddings": ours.positions,
        "bert.embeddings.token_type_embeddings": ours.types,
        "bert.embeddings.LayerNorm": ours.norm,
        "bert.pooler.dense": ours.pair.pooler,
        "cls.seq_relationship": ours.pair.output,
        "cls.predictions.transform.dense": ours.blank.dense,
        "cls.predictions.transform.LayerNorm": ours.blank.norm,
    }
    weights = {f"{name}.{key}": value for name, part in found.items()
               for key, value in part.state_dict().items()}  # fmt: skip
    weights["cls.predictions.bias"] = ours.blank.bias
    for number, block in enumerate(ours.blocks):
        place = f"bert.encoder.layer.{number}"
        parts = {
            "attention.output.dense": block.attention.output,
            "attention.output.LayerNorm": block.norm1,
            "intermediate.dense": block.mlp.inner,
            "output.dense": block.mlp.output,
            "output.LayerNorm": block.norm2,
        }
        for name, part in parts.items():
            for key, value in part.state_dict().items():
                weights[f"{place}.{name}.{key}"] = value
        for key, value in block.attention.qkv.state_dict().items():
            for name, third in zip(("query", "key", "value"), value.chunk(3), strict=True):
                weights[f"{place}.attention.self.{name}.{key}"] = third
    return weights


def filled(theirs, ours):
    """`theirs` with our weights, those that it has."""
    own = theirs.state_dict()
    weights = {name: value for name, value in copied(ours).items() if name in own}
    missing, unexpected = theirs.load_state_dict(weights, strict=False)
    assert not unexpected
    assert all("decoder" in name or "position_ids" in name for name in missing)
    theirs.tie_weights()
    return theirs.eval()


@pytest.fixture
def pairs():
    """Two pairs, the second shorter: ids, types, segments."""
    torch.manual_seed(2)
    ids = torch.randint(3, ROWS - 1, (2, WINDOW))
    ids[:, 0], ids[:, 9], ids[0, -1], ids[1, 15] = BOS, EOS, EOS, EOS
    ids[:, 4] = ROWS - 1  # [MASK]
    types = (torch.arange(WINDOW) > 9).long().repeat(2, 1)
    segments = torch.zeros(2, WINDOW, dtype=torch.long)
    segments[1, 16:] = -1
    return ids, types, segments


@torch.no_grad()
def test_pre_training_heads_equal(ours, pairs):
    ids, types, segments = pairs
    theirs = filled(transformers.BertForPreTraining(settings(ours)), ours)
    found = theirs(ids, attention_mask=(segments >= 0).long(), token_type_ids=types)
    x = ours.hidden(ids, segments=segments, types=types)
    logits = ours.blank(x.flatten(0, 1)) @ ours.embedding.weight.t() + ours.blank.bias
    real = segments >= 0
    assert found.prediction_logits.std() > 0.5
    difference = logits.unflatten(0, ids.shape) - found.prediction_logits
    assert difference[real].abs().max() < TOLERANCE
    assert (ours.pair(x[:, 0]) - found.seq_relationship_logits).abs().max() < TOLERANCE


@torch.no_grad()
def test_masked_language_model_equals(ours, pairs):
    ids, types, segments = pairs
    theirs = filled(transformers.BertForMaskedLM(settings(ours)), ours)
    found = theirs(ids, attention_mask=(segments >= 0).long(), token_type_ids=types)
    logits = found.logits.clone()
    logits[:, :, NEVER] = -torch.inf
    kept = ids == ROWS - 1
    x = ours.hidden(ids, segments=segments, types=types, kept=kept)
    expected = torch.log_softmax(logits[kept], 1)
    difference = (ours.guess(x) - expected)[:, 3:-1]
    assert difference.abs().max() < TOLERANCE


@torch.no_grad()
def test_inner_vectors_and_attention_equal(ours):
    theirs = filled(transformers.BertForMaskedLM(settings(ours)), ours)
    model, words = BertModel(ours), [5, 9, 30, 7]
    found = theirs(
        torch.tensor([[BOS, *words, EOS]]), output_hidden_states=True, output_attentions=True
    )
    layers, attention = model.layers(words), model.attention(words)
    for number, expected in enumerate(found.hidden_states[1:], 1):
        assert abs(layers[number] - expected[0].numpy()).max() < TOLERANCE
    for number, expected in enumerate(found.attentions):
        assert abs(attention[number] - expected[0].numpy()).max() < TOLERANCE


def test_losses_equal(ours, pairs):
    ids, types, segments = pairs
    theirs = filled(transformers.BertForPreTraining(settings(ours)), ours)
    targets = torch.full_like(ids, IGNORE)
    targets[:, 4], targets[:, 6] = torch.tensor([11, 20]), torch.tensor([12, 21])
    follows = torch.tensor([1, 0])
    batch = {
        "ids": ids, "types": types, "segments": segments, "targets": targets,
        "positions": torch.arange(WINDOW).repeat(2, 1),
        "starts": torch.zeros(2, 1, dtype=torch.long), "follows": follows[:, None],
    }  # fmt: skip
    with torch.no_grad():
        ours.blank.bias[NEVER] = -1e4  # so that theirs cannot predict them either
        theirs.load_state_dict({"cls.predictions.bias": ours.blank.bias}, strict=False)
    found = theirs(
        ids, attention_mask=(segments >= 0).long(), token_type_ids=types,
        labels=targets.masked_fill(targets == IGNORE, -100), next_sentence_label=1 - follows,
    ).loss  # fmt: skip
    sums, events = ours.losses(batch), ours.events(batch)
    loss = sum(sums[name] / events[name] for name in events)
    assert loss.item() == pytest.approx(found.item(), abs=TOLERANCE)
