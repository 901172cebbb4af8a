"""What the weights of a network are called here and in transformers.

A name of ours stands for its weight and its bias. Theirs are written as checkpoints have them
without the prefix of the model, by which some have it and some have not.
"""

import re
from dataclasses import dataclass, field

_OLD = (("LayerNorm.gamma", "LayerNorm.weight"), ("LayerNorm.beta", "LayerNorm.bias"))
_BUFFERS = re.compile(r"(position_ids|token_type_ids|attn\.(masked_)?bias)$")


@dataclass(frozen=True)
class Naming:
    """One architecture: ours -> theirs."""

    prefix: str  # of everything below the heads: "bert."
    body: dict[str, str]
    layer: str  # what stands before the names of a layer
    block: dict[str, str]
    qkv: tuple[str, ...]  # queries, keys and values: three layers, or all in one
    head: dict[str, str] = field(default_factory=dict)  # of the blanks
    head_bias: str = ""
    decoder: str = ""  # a second name of the table, where a file holds it twice
    turned: bool = False  # linear layers have weights (in, out), as Conv1D of GPT-2

    def known(self, name: str) -> str:
        """A name in a file, as it is called today and without prefixes."""
        name = name.removeprefix("module.")
        for old, new in _OLD:
            name = name.replace(old, new)
        return name.removeprefix(self.prefix)

    def in_layer(self, number: int, name: str) -> str:
        """The name of a part of a layer."""
        return self.layer.format(layer=number) + name


def is_buffer(name: str) -> bool:
    """Whether a tensor of a file can be worked out and is no weight."""
    return _BUFFERS.search(name) is not None


_BERT_BODY = {
    "embedding": "embeddings.word_embeddings",
    "positions": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "norm": "embeddings.LayerNorm",
}
_BERT_BLOCK = {
    "attention.output": "attention.output.dense",
    "norm1": "attention.output.LayerNorm",
    "mlp.inner": "intermediate.dense",
    "mlp.output": "output.dense",
    "norm2": "output.LayerNorm",
}
_BERT_QKV = ("attention.self.query", "attention.self.key", "attention.self.value")

BERT = Naming(
    "bert.", _BERT_BODY, "encoder.layer.{layer}.", _BERT_BLOCK, _BERT_QKV,
    {"blank.dense": "cls.predictions.transform.dense",
     "blank.norm": "cls.predictions.transform.LayerNorm"},
    "cls.predictions.bias", "cls.predictions.decoder.weight",
)  # fmt: skip
PAIR = {"pair.pooler": "pooler.dense", "pair.output": "cls.seq_relationship"}
"""BERT's head of sentence pairs: the pooler stands below its prefix, the other does not."""

ELECTRA = Naming(
    "electra.", _BERT_BODY | {"projection": "embeddings_project"}, "encoder.layer.{layer}.",
    _BERT_BLOCK, _BERT_QKV,
    {"blank.dense": "generator_predictions.dense", "blank.norm": "generator_predictions.LayerNorm"},
    "generator_lm_head.bias", "generator_lm_head.weight",
)  # fmt: skip
"""A discriminator has no such head."""

ALBERT = Naming(
    "albert.", _BERT_BODY | {"projection": "encoder.embedding_hidden_mapping_in"},
    "encoder.albert_layer_groups.{layer}.albert_layers.0.",
    {"attention.output": "attention.dense", "norm1": "attention.LayerNorm", "mlp.inner": "ffn",
     "mlp.output": "ffn_output", "norm2": "full_layer_layer_norm"},
    ("attention.query", "attention.key", "attention.value"),
    {"blank.dense": "predictions.dense", "blank.norm": "predictions.LayerNorm"},
    "predictions.bias", "predictions.decoder.weight",
)  # fmt: skip
"""All layers are the first, which is the whole of a group."""

DISTILBERT = Naming(
    "distilbert.",
    {"embedding": "embeddings.word_embeddings", "positions": "embeddings.position_embeddings",
     "norm": "embeddings.LayerNorm"},
    "transformer.layer.{layer}.",
    {"attention.output": "attention.out_lin", "norm1": "sa_layer_norm", "mlp.inner": "ffn.lin1",
     "mlp.output": "ffn.lin2", "norm2": "output_layer_norm"},
    ("attention.q_lin", "attention.k_lin", "attention.v_lin"),
    {"blank.dense": "vocab_transform", "blank.norm": "vocab_layer_norm"},
    "vocab_projector.bias", "vocab_projector.weight",
)  # fmt: skip

GPT2 = Naming(
    "transformer.", {"embedding": "wte", "positions": "wpe", "norm": "ln_f"}, "h.{layer}.",
    {"norm1": "ln_1", "attention.output": "attn.c_proj", "norm2": "ln_2", "mlp.inner": "mlp.c_fc",
     "mlp.output": "mlp.c_proj"},
    ("attn.c_attn",), decoder="lm_head.weight", turned=True,
)  # fmt: skip

NAMINGS = {"bert": BERT, "electra": ELECTRA, "albert": ALBERT, "distilbert": DISTILBERT,
           "gpt2": GPT2}  # fmt: skip
"""By transformers' model_type."""
