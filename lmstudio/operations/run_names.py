"""A run's settings, state and axis become words that a person reads."""

from dataclasses import asdict
from typing import Any

from lmstudio.messages import listed, msg, tr
from lmstudio.models.config import SCORES_ONLY
from lmstudio.models.config.ngram import STORED
from lmstudio.models.registry import MODELS
from lmstudio.operations import segmentations
from lmstudio.options import options_of
from lmstudio.store.rows import Facts, RunRow, SegmentationRow
from lmstudio.text.segment_options import AXES
from lmstudio.training.spec import RunSpec

_SHORT = {
    "maximum-likelihood": msg("ML"), "add-one": msg("add-one"), "add-k": msg("add-k"),
    "good-turing": msg("Good-Turing"), "katz": msg("Katz"),
    "absolute-discounting": msg("abs. discounting"), "witten-bell": msg("Witten-Bell"),
    "jelinek-mercer": msg("Jelinek-Mercer"), "kneser-ney": msg("KN"),
    "modified-kneser-ney": msg("mod. KN"), "stupid-backoff": msg("stupid back-off"),
    STORED: msg("as in its file"),
}  # fmt: skip
_SCORES = msg(
    "Its scores are no probabilities: they do not sum to one, so no perplexity of them can be "
    "compared."
)
_PSEUDO = msg(
    "It sees both sides of a token that it scores: its figures are pseudo log-likelihoods, without "
    "sentence ends, and are not comparable with those of models that read from the left."
)
_SPECIAL: dict[tuple[str, object], str] = {
    ("context", "sentence"): msg("sentence"), ("context", "document"): msg("document"),
    ("activation", "relu"): msg("ReLU"), ("head", "joint"): msg("joint"),
    ("characters", True): msg("from characters"), ("carried", True): msg("carried state"),
    ("next_sentence", True): msg("next sentence"), ("whole_words", True): msg("whole words"),
    ("positions", "sinusoidal"): msg("sinusoidal positions"),
    ("positions", "none"): msg("no positions"),
}  # fmt: skip
"""What the name of a network tells besides its size, by setting and value."""


def describe(spec: RunSpec) -> str:
    """A short name for a run of `spec`, such as "5-gram mod. KN", "LSTM 2×256" or "GPT 4×128".

    What makes it another model than its family is by default follows: "LSTM 2×256, document".
    """
    config = asdict(spec.config)
    if spec.model in ("ngram", "class-ngram"):
        return _counted(spec.model, config)
    title = tr(MODELS[spec.model].title)
    if spec.model == "vectors":
        return f"{title} {config['width']}"
    if spec.model == "ffnn":
        sizes = f"{config['width']}/{config['hidden']}"
        return tr("{model} {order}-gram {sizes}", model=title, order=config["order"], sizes=sizes)
    name = f"{title} {config['layers']}×{config['width']}"
    return listed([name, *_what_is_special(spec, config)], clauses=True)


def _counted(model: str, config: dict[str, Any]) -> str:
    smoothing = tr(_SHORT[config["smoothing"]])
    if model == "class-ngram":
        return tr("{order}-gram of {classes} classes, {smoothing}", order=config["order"],
                  classes=config["classes"], smoothing=smoothing)  # fmt: skip
    if config["smoothing"] == "add-k":
        smoothing = f"{smoothing}={config['k']:g}"
    return tr("{order}-gram {smoothing}", order=config["order"], smoothing=smoothing)


def _what_is_special(spec: RunSpec, config: dict[str, Any]) -> list[str]:
    """Choices that make another model of a network of the same size."""
    usual = {name: field.default for name, (field, _) in options_of(type(spec.config)).items()}
    return [tr(sentence) for (name, value), sentence in _SPECIAL.items()
            if config.get(name) == value != usual[name]]  # fmt: skip


def own_axis(run: RunRow, cut: SegmentationRow) -> str:
    """Why a run is not on the axis of the others, a catalogue sentence; "" where it is on it."""
    if run.spec.get("config", {}).get("smoothing") in SCORES_ONLY:
        return _SCORES
    if sees_both_sides(run.spec):
        return _PSEUDO
    return AXES.get(segmentations.axis(cut), "")


def sees_both_sides(spec: Facts) -> bool:
    """Whether the model of a RunSpec's JSON is shown what follows a token that it scores."""
    return spec.get("model") == "bert" or spec.get("config", {}).get("head") == "joint"


def state_name(state: str) -> str:
    """The state of a run in the language in use."""
    return {
        "queued": tr("queued"), "running": tr("training"), "done": tr("done"),
        "stopped": tr("stopped"), "interrupted": tr("interrupted"), "failed": tr("failed"),
    }[state]  # fmt: skip
