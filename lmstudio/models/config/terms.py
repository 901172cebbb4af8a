"""The parts that parameters are counted by, and settings that several networks share."""

from typing import Any

from lmstudio.errors import Fault
from lmstudio.messages import Message, msg
from lmstudio.options import option

Term = tuple[str, str, int]  # a catalogue sentence, its arithmetic, how many weights

CONTEXTS = ("sentence", "document")
POSITIONS = ("learned", "sinusoidal", "none")
SOFTMAXES = ("auto", "full", "sampled", "adaptive")
SAMPLED_FROM = 5000
"""Words in the vocabulary from which "auto" means "sampled": below, the full one is as fast."""


def table(name: str, rows: int, width: int) -> Term:
    """A matrix of `rows` times `width` weights."""
    return name, f"{rows} × {width}", rows * width


def linear(name: str, inputs: int, outputs: int) -> Term:
    """A matrix and a bias."""
    return name, f"{inputs} × {outputs} + {outputs}", inputs * outputs + outputs


def vector(name: str, size: int) -> Term:
    """A bias, or a scale."""
    return name, f"{size}", size


def norm(width: int, count: int = 1) -> Term:
    """`count` layer norms: a scale and a shift each."""
    times = f"{count} × " if count > 1 else ""
    return msg("Layer norms"), f"{times}2 × {width}", count * 2 * width


def adaptive_groups(rows: int, width: int) -> tuple[int, list[tuple[int, int, int]]]:
    """How an adaptive softmax over `rows` rows, one of them <s>, divides the words by rank.

    The number of frequent words, and of each group the length of its vectors, its first rank and
    the one after its last: each five times as far down, its vectors a quarter as long.
    """
    words, inner = rows - 1, width
    frequent = first = min(words, max(1, min(words // 5, 4000)))
    groups = []
    while first < words:
        last, inner = min(5 * first, words), max(1, inner // 4)
        groups.append((inner, first, last))
        first = groups[-1][2]
    return frequent, groups


def output(softmax: str, rows: int, width: int, *, tied: bool = False) -> list[Term]:
    """What predicts `rows` rows, <s> included, from vectors of length `width`."""
    if softmax != "adaptive":
        matrix = [] if tied else [table(msg("Output matrix"), rows, width)]
        return [*matrix, vector(msg("Output bias"), rows)]
    frequent, groups = adaptive_groups(rows, width)
    terms = [linear(msg("Frequent words and groups"), width, frequent + len(groups))]
    for inner, first, last in groups:
        name, arithmetic, count = linear(msg("Group of rarer words"), inner, last - first)
        terms.append((name, f"{width} × {inner} + {arithmetic}", width * inner + count))
    return terms


def blocks(count: int, width: int, inner: int) -> Term:
    """Transformer layers: four matrices of attention, two linear layers, two layer norms each."""
    attention, between = f"4 × ({width} × {width} + {width})", f"2 × {width} × {inner} + {inner}"
    arithmetic = f"{attention} + {between} + 5 × {width}"
    each = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
    times = f"{count} × ({arithmetic})" if count > 1 else arithmetic
    return msg("Layers of the network"), times, count * each


def epsilon_option(default: float) -> Any:  # noqa: ANN401 (a dataclass field)
    """What keeps layer norms from dividing by 0; networks that are imported have their own."""
    return option(
        default, msg("Layer norm ε"),
        msg("Added to the variance in layer norms; imported models keep their own"),
        low=0, high=1, above=True, more=True, formless=True,
    )  # fmt: skip


def heads_fault(width: int, heads: int) -> list[Fault]:
    """Heads share the width evenly."""
    if width % heads == 0:
        return []
    wrong = Message("must divide the width ({width}) without a rest", {"width": width})
    return [Fault("heads", wrong)]


def context_option(default: str) -> Any:  # noqa: ANN401
    """What a model that reads from the left may look at."""
    return option(
        default, msg("Context"),
        msg("Whether it sees only its own sentence, or the text before that too"),
        choices=CONTEXTS,
    )  # fmt: skip


def softmax_option() -> Any:  # noqa: ANN401
    """How the distribution over the vocabulary is learned."""
    return option(
        "auto", msg("Softmax"),
        msg("full: over all words; sampled: over some while training; adaptive: rare words in "
            "groups; auto: sampled for large vocabularies"),
        choices=SOFTMAXES, more=True,
    )  # fmt: skip


def position_option() -> Any:  # noqa: ANN401
    """How a transformer knows the order of its tokens."""
    return option(
        "learned", msg("Positions"),
        msg("How it knows where a token stands; with none, order means nothing to it"),
        choices=POSITIONS, more=True,
    )  # fmt: skip


def dropout_option(default: float) -> Any:  # noqa: ANN401
    """Regularisation by leaving out."""
    return option(
        default, msg("Dropout"), msg("Share of activations set to zero while training"),
        low=0, high=0.9,
    )  # fmt: skip


def tied_option() -> Any:  # noqa: ANN401
    """One matrix at both ends."""
    return option(True, msg("Shared embedding"), msg("Use the embedding also as the output matrix"))


def window_option(default: int) -> Any:  # noqa: ANN401
    """The longest text a transformer reads."""
    return option(default, msg("Window"), msg("Most tokens it reads at once"), low=2, high=8192)
