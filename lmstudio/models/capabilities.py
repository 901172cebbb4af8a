"""A family and a question in; why it cannot answer it, out. Free of torch, for what is offered.

The methods that answer are in models.base; QUESTIONS names them by what a person asks.
"""

from lmstudio.messages import Message, msg
from lmstudio.models.registry import MODELS, TRAINABLE, Config

_FROM_THE_LEFT = ("ngram", "class-ngram", "ffnn", "rnn", "lstm", "gru", "elmo", "gpt")
_VECTORS = msg("it holds vectors and predicts nothing")
_NETWORKS = tuple(name for name, info in MODELS.items() if info.kind == "neural")

QUESTIONS: dict[str, tuple[tuple[str, ...], str]] = {
    "score": (tuple(TRAINABLE), _VECTORS),
    "next": (_FROM_THE_LEFT, msg("it reads both sides")),
    "fill": (tuple(TRAINABLE), _VECTORS),
    "table": ((*_NETWORKS, "vectors"), msg("it has no vectors")),
    "layers": ((*_NETWORKS, "vectors"), msg("it has no vectors of words in a sentence")),
    "context": (
        ("rnn", "lstm", "gru", "elmo", "gpt", "bert"),
        msg("it has no vectors of words in a sentence"),
    ),
    "attention": (("gpt", "bert"), msg("it has no attention")),
    "norms": (("gpt", "bert"), msg("it is no transformer")),
    "gates": (("lstm", "gru", "elmo"), msg("it has no gates")),
    "directions": (("elmo",), msg("it does not read from both ends")),
    "inside": (("lstm", "gru", "elmo", "gpt", "bert"), msg("it has neither gates nor attention")),
}
"""By question: the families that answer it, and why the others cannot."""


def reason(model: str, question: str, config: Config | None = None) -> Message | None:
    """Why a model of a family, with these settings, cannot answer; None where it can."""
    able, why = QUESTIONS[question]
    if model not in able:
        return Message(_VECTORS if question == "next" and model not in TRAINABLE else why)
    if question == "next" and getattr(config, "head", "") == "joint":
        return Message(why)
    return None
