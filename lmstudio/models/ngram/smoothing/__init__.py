"""SMOOTHINGS: the one table of how counts become probabilities; one small file a family."""

from lmstudio.models.ngram.smoothing.additive import Additive
from lmstudio.models.ngram.smoothing.base import Arrays, Facts, Smoothing
from lmstudio.models.ngram.smoothing.kneser_ney import KneserNey
from lmstudio.models.ngram.smoothing.maximum_likelihood import MaximumLikelihood

SMOOTHINGS: dict[str, type[Smoothing]] = {
    "maximum-likelihood": MaximumLikelihood,
    "add-one": Additive,
    "add-k": Additive,
    "modified-kneser-ney": KneserNey,
}
"""By the names of `models.config.SMOOTHINGS`."""

__all__ = ["SMOOTHINGS", "Arrays", "Facts", "Smoothing"]
