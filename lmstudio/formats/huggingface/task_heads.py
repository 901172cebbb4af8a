"""The head of a fine-tuned run -> that of a class of transformers which gives the same logits.

Theirs for whole texts reads the first mark through a dense layer and a tanh, ours reads it as it
is. A dense layer that makes vectors so small that the tanh leaves them as they are, and an output
that makes up for it, give the same: powers of two are exact. That of GPT-2 reads the last token, as
ours does, but has no bias: the shift of the norm before it takes on what the bias adds.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lmstudio.errors import AppError

if TYPE_CHECKING:
    from torch import Tensor

WHOLE = ("classify", "pair")
"""Kinds that read texts as a whole."""
SMALL = 2.0**-12
"""tanh of what is about 1 times this is off by a ten-millionth of it."""
_FAMILIES = {"bert": "Bert", "albert": "Albert", "electra": "Electra", "gpt2": "GPT2"}
_POOLERS = {"bert": "bert.pooler.dense", "albert": "albert.pooler"}
"""The dense layer before the tanh, of those that have no other."""
_OUTPUTS = {"classify": "classifier", "pair": "classifier", "tag": "classifier", "qa": "qa_outputs"}
_AUTO = {"classify": "SequenceClassification", "pair": "SequenceClassification",
         "tag": "TokenClassification", "qa": "QuestionAnswering"}  # fmt: skip


@dataclass(frozen=True)
class TaskHead:
    """What a run was fine-tuned for."""

    kind: str  # classify, pair, tag or qa
    labels: tuple[str, ...]  # by number; of qa none


def loader_of(kind: str) -> str:
    """The class of transformers by which the head of a kind of task is loaded."""
    return f"AutoModelFor{_AUTO[kind]}"


def refuse(layout: str, kind: str) -> None:
    """AppError where transformers has no such head on a network of a model_type."""
    if kind in WHOLE and layout not in _POOLERS and layout != "gpt2":
        raise AppError("transformers has no head like this one on a {model}; it cannot be written.",
                       model=_FAMILIES[layout])  # fmt: skip


def settings(layout: str, head: TaskHead) -> dict[str, Any]:
    """What config.json tells of the head."""
    found: dict[str, Any] = {"architectures": [f"{_FAMILIES[layout]}For{_AUTO[head.kind]}"]}
    if head.labels:
        found["id2label"] = {str(number): name for number, name in enumerate(head.labels)}
        found["label2id"] = {name: number for number, name in enumerate(head.labels)}
    if head.kind in WHOLE:
        found["problem_type"] = "single_label_classification"
    return found


def split(state: "dict[str, Tensor]") -> "tuple[dict[str, Tensor], dict[str, Tensor]]":
    """The weights of the encoder, without its own heads, and those of the task's head."""
    encoder = {name.removeprefix("encoder."): tensor for name, tensor in state.items()
               if name.startswith("encoder.")}  # fmt: skip
    kept = {name: tensor for name, tensor in encoder.items()
            if not name.startswith(("blank.", "pair.", "output."))}  # fmt: skip
    head = {name.removeprefix("head."): tensor for name, tensor in state.items()
            if name.startswith("head.")}  # fmt: skip
    return kept, head


def named(
    weights: "dict[str, Tensor]", head: TaskHead, layout: str
) -> "dict[str, Tensor]":  # fmt: skip
    """The weights of a head by the names of transformers, on a network of a model_type."""
    import torch

    output, bias = weights["output.weight"], weights["output.bias"]
    name = _OUTPUTS[head.kind]
    if head.kind not in WHOLE:
        return {f"{name}.weight": output, f"{name}.bias": bias}
    if layout == "gpt2":
        return {"score.weight": output}
    width = output.shape[1]
    return {
        f"{_POOLERS[layout]}.weight": SMALL * torch.eye(width),
        f"{_POOLERS[layout]}.bias": torch.zeros(width),
        f"{name}.weight": output / SMALL, f"{name}.bias": bias,
    }  # fmt: skip


def shift(weights: "dict[str, Tensor]") -> "Tensor":
    """(D,) what to add to the vectors that an output reads, in place of its bias.

    AppError where there is nothing that does: more classes than the vectors are wide.
    """
    import torch

    output, bias = weights["output.weight"].double(), weights["output.bias"].double()
    found = torch.linalg.pinv(output) @ bias
    if not torch.allclose(output @ found, bias, atol=1e-6):
        raise AppError("The head has more classes than its vectors are wide; transformers has no "
                       "such head on a GPT-2.")  # fmt: skip
    return found.float()
