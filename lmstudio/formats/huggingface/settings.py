"""config.json of transformers <-> our config of a network; what we lack is refused."""

from typing import Any, TypeVar

from lmstudio.errors import AppError, SpecError
from lmstudio.formats.huggingface import own_settings
from lmstudio.messages import listed
from lmstudio.models.config import BertConfig, GptConfig
from lmstudio.options import from_dict

_Config = TypeVar("_Config", BertConfig, GptConfig)

KINDS = {"bert": "bert", "distilbert": "bert", "electra": "bert", "albert": "bert", "gpt2": "gpt"}
"""transformers' model_type -> our kind of network."""
_ACTIVATIONS = {"gelu": "erf", "gelu_new": "tanh", "gelu_pytorch_tanh": "tanh", "gelu_fast": "tanh"}
_NAMES = {
    "bert": ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size",
             "hidden_act", "hidden_dropout_prob"),
    "distilbert": ("n_layers", "dim", "n_heads", "hidden_dim", "activation", "dropout"),
    "gpt2": ("n_layer", "n_embd", "n_head", "n_inner", "activation_function", "resid_pdrop"),
}  # fmt: skip
_EPSILONS = {"bert": "layer_norm_eps", "albert": "layer_norm_eps", "electra": "layer_norm_eps",
             "gpt2": "layer_norm_epsilon"}  # fmt: skip
"""What layer norms add to the variance; DistilBERT has no such setting."""
UNTOLD_CONTEXT = "sentence"
"""Of a GPT-2 whose folder does not tell it: to it a text ends at <|endoftext|>, as sentences here
end at </s>, and what stands before that is another text."""
_NEEDED = 3  # of those names
_NARROW = 128  # width of a table where config.json does not tell it
_REFUSED: dict[str, tuple[object, ...]] = {
    "is_decoder": (False, None), "position_embedding_type": ("absolute", None),
    "num_hidden_groups": (1, None), "inner_group_num": (1, None),
    "scale_attn_by_inverse_layer_idx": (False, None), "scale_attn_weights": (True, None),
    "add_cross_attention": (False, None), "type_vocab_size": (1, 2, None),
}  # fmt: skip
"""Settings under which the network is another one, with the values under which it is not."""


def kind_of(config: dict[str, Any]) -> str:
    """The model_type of a config.json. AppError where it is none of KINDS."""
    kind = str(config.get("model_type", ""))
    if kind not in KINDS:
        raise AppError(
            "Models of the type {kind} cannot be imported. Those of the types {known} can.",
            kind=kind or "?", known=listed(KINDS),
        )  # fmt: skip
    return kind


def ours(config: dict[str, Any], *, pair: bool) -> BertConfig | GptConfig:
    """Our settings of the network; `pair`: it has the head of sentence pairs.

    AppError where ours cannot be made to compute the same, SpecError for sizes out of limits.
    """
    kind = kind_of(config)
    _refuse_others(config, kind)
    names = _NAMES.get(kind, _NAMES["bert"])
    for name in names[:_NEEDED]:
        if name not in config:
            raise AppError("config.json does not tell {name}. Get the files of the model again.",
                           name=name)  # fmt: skip
    layers, width, heads, inner, _, dropout = map(config.get, names)
    window = config.get("n_positions") or config.get("n_ctx") or 1024
    data = {
        "layers": layers, "width": width, "heads": heads,
        "window": config.get("max_position_embeddings", 512) if kind != "gpt2" else window,
        "inner": 0 if inner is None or inner == 4 * (width or 0) else inner,
        "dropout": 0.1 if dropout is None else dropout,
        "gelu": _gelu(config, kind),
    }  # fmt: skip
    if (epsilon := config.get(_EPSILONS.get(kind, ""))) is not None:
        data["norm_epsilon"] = epsilon
    if kind == "gpt2":
        tied = config.get("tie_word_embeddings", True)
        usual = {"tied": tied, "context": UNTOLD_CONTEXT}
        return _checked(GptConfig, data | usual | own_settings.network(config, GptConfig))
    narrow = config.get("embedding_size", _NARROW) if kind in ("albert", "electra") else 0
    if kind == "electra" and narrow == width:
        narrow = 0  # and no projection either
    lite = {"table_width": narrow, "shared": kind == "albert"}
    own = own_settings.network(config, BertConfig)
    return _checked(BertConfig, data | {"next_sentence": pair} | lite | own)


def _checked(kind: type[_Config], data: dict[str, Any]) -> _Config:
    found, faults = from_dict(kind, data)
    if faults:
        raise SpecError(faults)
    return found


def _refuse_others(config: dict[str, Any], kind: str) -> None:
    for name, usual in _REFUSED.items():
        if config.get(name) not in usual:
            raise AppError("This model has {name} = {value}; such networks cannot be imported.",
                           name=name, value=config[name])  # fmt: skip


def _gelu(config: dict[str, Any], kind: str) -> str:
    name = config.get(_NAMES.get(kind, _NAMES["bert"])[4])
    if name is None:
        name = "gelu_new" if kind == "gpt2" else "gelu"
    if not isinstance(name, str) or name not in _ACTIVATIONS:
        raise AppError("This model has {name} = {value}; such networks cannot be imported.",
                       name="activation", value=name)  # fmt: skip
    return _ACTIVATIONS[name]


def layout(config: BertConfig | GptConfig) -> str:
    """The model_type of transformers that computes what a network of ours does.

    A table as wide as the layers makes a BERT, whose layers may well all be the same.
    """
    if isinstance(config, GptConfig):
        return "gpt2"
    if not config.table_width:
        return "bert"
    if not config.shared and config.gelu != "erf":
        raise AppError("transformers has no network with a narrow table, layers of their own and "
                       "the GELU by tanh; it cannot be written.")  # fmt: skip
    return "albert" if config.shared else "electra"


def theirs(config: BertConfig | GptConfig, rows: int, window: int) -> dict[str, Any]:
    """config.json for a table of `rows` rows and so many positions, without ids of marks."""
    gelu = {"erf": "gelu", "tanh": "gelu_new"}[config.gelu]
    common = {"vocab_size": rows, "dtype": "float32", "initializer_range": 0.02}
    if isinstance(config, GptConfig):
        return common | {
            "model_type": "gpt2", "architectures": ["GPT2LMHeadModel"], "n_layer": config.layers,
            "n_embd": config.width, "n_head": config.heads, "n_positions": window,
            "n_ctx": window, "n_inner": config.between, "activation_function": gelu,
            "resid_pdrop": config.dropout, "embd_pdrop": config.dropout,
            "attn_pdrop": config.dropout, "layer_norm_epsilon": config.norm_epsilon,
            "tie_word_embeddings": config.tied,
        }  # fmt: skip
    kind = layout(config)
    heads = {"bert": "BertForPreTraining" if config.next_sentence else "BertForMaskedLM",
             "albert": "AlbertForMaskedLM", "electra": "ElectraForMaskedLM"}  # fmt: skip
    if kind != "bert":
        common |= {"embedding_size": config.table_width}
    return common | {
        "model_type": kind, "architectures": [heads[kind]], "num_hidden_layers": config.layers,
        "hidden_size": config.width, "num_attention_heads": config.heads,
        "intermediate_size": config.between, "hidden_act": gelu,
        "hidden_dropout_prob": config.dropout, "attention_probs_dropout_prob": config.dropout,
        "max_position_embeddings": window, "type_vocab_size": 2,
        "layer_norm_eps": config.norm_epsilon, "tie_word_embeddings": True,
    }  # fmt: skip
