"""PRESETS: settings that give a useful model in a given time. UNUSED: what does not apply."""

Preset = dict[str, dict[str, object]]


def _preset(minutes: float, rate: float, batch: int, **model: object) -> Preset:
    """A model of that size, trained for so many minutes on any computer, 40 epochs at most."""
    training = {"minutes": minutes, "epochs": 40, "learning_rate": rate, "batch": batch}
    return {"model": model, "training": dict[str, object](training)}


PRESETS: dict[str, dict[str, Preset]] = {
    "ngram": {},
    "class-ngram": {},
    "vectors": {},
    "ffnn": {
        "small": _preset(1, 0.005, 256, order=5, width=64, hidden=128),
        "base": _preset(10, 0.003, 256, order=5, width=128, hidden=256),
        "large": _preset(60, 0.002, 512, order=7, width=256, hidden=512, dropout=0.2),
    },
    "rnn": {
        "small": _preset(1, 0.005, 32, layers=1, width=128),
        "base": _preset(10, 0.003, 32, layers=1, width=256, dropout=0.3),
        "large": _preset(60, 0.002, 32, layers=2, width=512, dropout=0.4),
    },
    "gru": {
        "small": _preset(1, 0.01, 16, layers=1, width=128),
        "base": _preset(10, 0.006, 16, layers=1, width=256, dropout=0.3),
        "large": _preset(60, 0.003, 32, layers=2, width=512, dropout=0.4),
    },
    "lstm": {  # one wide layer learned more in a given time than two narrow ones
        "small": _preset(1, 0.01, 16, layers=1, width=128),
        "base": _preset(10, 0.01, 16, layers=1, width=256, dropout=0.2),
        "large": _preset(60, 0.005, 20, layers=1, width=512, dropout=0.4),
    },
    "elmo": {
        "small": _preset(1, 0.01, 16, layers=2, width=96, cell=128),
        "base": _preset(10, 0.006, 16, layers=2, width=128, cell=256),
        "large": _preset(60, 0.003, 32, layers=2, width=256, cell=512, dropout=0.2),
    },
    "bert": {  # 800 steps at 0.005 came to 5.50 nats, at 0.01 to 5.55; 400 steps equally far; in
        # thousands, 0.01 never left the frequencies of characters
        "small": _preset(1, 0.01, 16, layers=2, width=128, heads=4),
        "base": _preset(10, 0.005, 16, layers=4, width=128, heads=4),
        "large": _preset(60, 0.005, 16, layers=4, width=256, heads=4),
    },
    "gpt": {
        "small": _preset(1, 0.01, 12, layers=2, width=128, heads=4),
        "base": _preset(10, 0.01, 12, layers=4, width=128, heads=4),
        "large": _preset(60, 0.005, 16, layers=6, width=256, heads=4, dropout=0.1),
    },
}
"""By model and name, what a preset changes from the defaults of model and training."""

UNUSED: dict[str, tuple[str, ...]] = {"ffnn": ("length",), "bert": ("length",), "gpt": ("length",)}
"""Settings of TrainingConfig that mean nothing to a model: it has a window of its own."""
