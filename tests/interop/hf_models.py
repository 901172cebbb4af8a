"""Small models of transformers with random weights, saved as people find them."""

import json

import torch
import transformers

MARKS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
PIECES = [*MARKS, *"我爱北京上海他你是人ab", "##a", "##b", "，", "。"]
ROWS = len(PIECES)
SIZES = {"vocab_size": ROWS, "initializer_range": 0.3}
BERT = {"hidden_size": 24, "num_hidden_layers": 2, "num_attention_heads": 3,
        "intermediate_size": 40, "max_position_embeddings": 20}  # fmt: skip
TEXT = "我爱北京上海"


def pieces(folder):
    """The files of a WordPiece tokenizer."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("".join(f"{piece}\n" for piece in PIECES), "utf-8")
    (folder / "tokenizer_config.json").write_text(json.dumps({"do_lower_case": False}))


def bert(kind=transformers.BertForMaskedLM, **more):
    torch.manual_seed(1)
    return spread(kind(transformers.BertConfig(**SIZES, **BERT, **more)))


def distilbert():
    torch.manual_seed(2)
    config = transformers.DistilBertConfig(
        **SIZES, dim=24, n_layers=2, n_heads=3, hidden_dim=40, max_position_embeddings=20
    )
    return spread(transformers.DistilBertForMaskedLM(config))


def electra(kind=transformers.ElectraForPreTraining, table=24, **more):
    torch.manual_seed(3)
    config = transformers.ElectraConfig(**SIZES, **BERT, embedding_size=table, **more)
    return spread(kind(config))


def albert(kind=transformers.AlbertForMaskedLM, table=12, **more):
    torch.manual_seed(4)
    config = transformers.AlbertConfig(**SIZES, **BERT, embedding_size=table, **more)
    return spread(kind(config))


def gpt2(rows=ROWS, **more):
    torch.manual_seed(5)
    config = transformers.GPT2Config(
        vocab_size=rows, n_embd=24, n_layer=2, n_head=3, n_positions=20, initializer_range=0.3,
        **more,
    )  # fmt: skip
    return spread(transformers.GPT2LMHeadModel(config))


def spread(model):
    """With biases and norms that are not 0 and 1."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter += 0.2 * torch.randn(parameter.shape)
    return model.eval()


def byte_pairs(folder, *, merges=()):
    """A GPT-2 tokenizer of bytes in vocab.json and merges.txt; the number of its pieces."""
    from tokenizers.pre_tokenizers import ByteLevel

    folder.mkdir(parents=True, exist_ok=True)
    names = [*sorted(ByteLevel.alphabet()), *("".join(pair) for pair in merges), "<|endoftext|>"]
    numbers = {name: number for number, name in enumerate(names)}
    (folder / "vocab.json").write_text(json.dumps(numbers, ensure_ascii=False), "utf-8")
    lines = ["#version: 0.2", *(" ".join(pair) for pair in merges)]
    (folder / "merges.txt").write_text("\n".join(lines) + "\n", "utf-8")
    return len(names)
