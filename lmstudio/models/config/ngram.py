"""What can be set of models that count."""

from dataclasses import dataclass, replace

from lmstudio.errors import Fault
from lmstudio.messages import Message, listed, msg
from lmstudio.options import option, options_of

SMOOTHINGS = (
    "maximum-likelihood", "add-one", "add-k", "good-turing", "katz", "absolute-discounting",
    "witten-bell", "jelinek-mercer", "kneser-ney", "modified-kneser-ney", "stupid-backoff",
)  # fmt: skip
SCORES_ONLY = ("stupid-backoff",)
"""Smoothings whose figures are no probabilities, so that a perplexity of them tells nothing."""
STORED = "stored"
"""In place of a smoothing: probabilities and weights came in a file, nothing is estimated."""
DISCOUNTING = ("absolute-discounting", "kneser-ney", "modified-kneser-ney")
_SHORTENING = ("katz", "witten-bell", "jelinek-mercer", *DISCOUNTING)  # ask shorter n-grams
_EITHER_WAY = ("witten-bell", *DISCOUNTING)  # exist interpolated and backing off
SETTINGS: dict[str, tuple[str, ...]] = {
    "k": ("add-k",),
    "discount": ("absolute-discounting", "kneser-ney"),
    "cutoff": ("katz",),
    "interpolate": _EITHER_WAY,
    "uniform": tuple(name for name in _SHORTENING if name != "katz"),
    "min_counts": _SHORTENING,
    "prune": _SHORTENING,
}
"""By setting of NgramConfig, the smoothings that it means something to."""


@dataclass(frozen=True)
class NgramConfig:
    """A count-based model of the last n - 1 tokens."""

    order: int = option(
        3, msg("Order"), msg("n: a token is predicted from the n - 1 before it"), low=1, high=7
    )
    smoothing: str = option(
        "modified-kneser-ney", msg("Smoothing"), msg("How probability is kept for unseen n-grams"),
        choices=SMOOTHINGS, kept=(STORED,),
    )  # fmt: skip
    k: float = option(
        0.1,
        msg("k"),
        msg("add-k: the count that every n-gram is given"),
        low=1e-9,
        high=100,
    )
    discount: float = option(
        0.0, msg("Discount D"),
        msg("absolute-discounting and kneser-ney: what is taken from every count; 0: estimated "
            "from the counts"),
        low=0, high=1, more=True,
    )  # fmt: skip
    cutoff: int = option(
        7, msg("Cut-off"), msg("Katz: counts above it are trusted as they are"),
        low=1, high=100, more=True,
    )  # fmt: skip
    interpolate: bool = option(
        True, msg("Interpolate"),
        msg("absolute-discounting, witten-bell, (modified-)kneser-ney: mix in the shorter n-gram "
            "always; off: ask it only for what was not seen (back-off)"),
        more=True,
    )  # fmt: skip
    uniform: bool = option(
        True, msg("Open vocabulary"),
        msg("Interpolating smoothings: give every word a share of 1/V; off: a word that was not "
            "seen has no probability"),
        more=True,
    )  # fmt: skip
    min_counts: str = option(
        "1", msg("Minimum counts"),
        msg("Smoothings that ask shorter n-grams: rarer ones are left out, by order; 1,1,2 drops "
            "longer ones that were seen once"),
        more=True,
    )  # fmt: skip

    prune: float = option(
        0.0, msg("Pruning"),
        msg("Smoothings that ask shorter n-grams: leave out those without which the perplexity "
            "rises by less than this share"),
        low=0, high=1, more=True,
    )  # fmt: skip

    @property
    def minima(self) -> list[int]:
        """The minimum count of each order. ValueError if `min_counts` does not say it."""
        given = [int(number) for number in self.min_counts.split(",")]
        return (given + given[-1:] * self.order)[: self.order]

    def faults(self) -> list[Fault]:
        """What the limits of single settings do not tell."""
        try:
            falls = min(self.minima) < 1 or sorted(self.minima) != self.minima
        except ValueError:
            falls = True
        if falls:
            wrong = Message("must be whole numbers from 1 that do not fall, as in 1,1,2")
            return [Fault("min_counts", wrong)]
        less = {"min_counts": self.minima[-1] > 1, "prune": self.prune > 0}
        longer = self.smoothing in _SHORTENING
        return [Fault(name, Message("is for smoothings that ask shorter n-grams"))
                for name, asked in less.items() if asked and not longer]  # fmt: skip

    def applied(self) -> "NgramConfig":
        """The same model, without settings that its smoothing does not ask for."""
        usual = NgramConfig(self.order, self.smoothing)
        idle = {name: getattr(usual, name) for name, smoothings in SETTINGS.items()
                if self.smoothing not in smoothings}  # fmt: skip
        return replace(self, **idle)

    def idle(self) -> list[Fault]:
        """What was set to no effect; a config that was stored may hold it, a new one should not."""
        usual, options = NgramConfig(), options_of(self)
        found = [
            Fault(name, Message("is a setting of {smoothings} only, not of {smoothing}",
                                {"smoothings": listed(smoothings), "smoothing": self.smoothing}),
                  options[name][1].label)
            for name, smoothings in SETTINGS.items()
            if self.smoothing not in smoothings and getattr(self, name) != getattr(usual, name)
        ]  # fmt: skip
        given = self.min_counts.count(",") + 1
        if given > self.order:
            wrong = Message("names {given} orders, but the model has {order}",
                            {"given": given, "order": self.order})  # fmt: skip
            found.append(Fault("min_counts", wrong, options["min_counts"][1].label))
        return found


@dataclass(frozen=True)
class ClassNgramConfig:
    """An n-gram model of classes of words that are found in the text (Brown et al. 1992)."""

    order: int = option(
        3, msg("Order"), msg("n: a token is predicted from the n - 1 before it"), low=1, high=7
    )
    classes: int = option(
        100, msg("Word classes"), msg("How many groups the words are put into"), low=1, high=1000
    )
    smoothing: str = option(
        "modified-kneser-ney", msg("Smoothing"), msg("How probability is kept for unseen n-grams"),
        choices=SMOOTHINGS,
    )  # fmt: skip
    sweeps: int = option(
        10, msg("Rounds"), msg("How often every word is tried in every class, at most"),
        low=0, high=100, more=True,
    )  # fmt: skip
