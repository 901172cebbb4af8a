"""A small spec of each network that is here, for tests of what is done with all of them."""

import importlib.util

from lmstudio.models.registry import MODELS
from lmstudio.training.spec import RunSpec

_LAYERS = {"layers": 1, "width": 8, "heads": 2, "window": 16}
CONFIGS = {
    "ffnn": {"order": 3, "width": 8, "hidden": 8}, "rnn": {"width": 8}, "lstm": {"width": 8},
    "gru": {"width": 8}, "elmo": {"width": 8, "cell": 8, "layers": 1}, "gpt": _LAYERS,
    "bert": _LAYERS,
}  # fmt: skip
NETWORKS = [name for name in CONFIGS if importlib.util.find_spec(MODELS[name].module)]


def network(model, config=None, **training):
    """A spec of four steps with one validation."""
    training = {"max_steps": 4, "batch": 4, "validate_every": 4, "warmup": 1} | training
    config = CONFIGS[model] | (config or {})
    return RunSpec.from_json({"model": model, "config": config, "training": training})
