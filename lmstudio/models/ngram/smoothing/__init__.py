"""SMOOTHINGS: the one table of how counts become probabilities; one small file a family."""

from lmstudio.models.ngram.smoothing.absolute import AbsoluteDiscounting
from lmstudio.models.ngram.smoothing.additive import Additive
from lmstudio.models.ngram.smoothing.base import Arrays, Facts, Scores, Smoothing
from lmstudio.models.ngram.smoothing.good_turing import GoodTuring
from lmstudio.models.ngram.smoothing.jelinek_mercer import JelinekMercer
from lmstudio.models.ngram.smoothing.katz import Katz
from lmstudio.models.ngram.smoothing.kneser_ney import KneserNey
from lmstudio.models.ngram.smoothing.maximum_likelihood import MaximumLikelihood
from lmstudio.models.ngram.smoothing.stupid_backoff import StupidBackoff
from lmstudio.models.ngram.smoothing.witten_bell import WittenBell

SMOOTHINGS: dict[str, type[Smoothing]] = {
    "maximum-likelihood": MaximumLikelihood,
    "add-one": Additive,
    "add-k": Additive,
    "good-turing": GoodTuring,
    "katz": Katz,
    "absolute-discounting": AbsoluteDiscounting,
    "witten-bell": WittenBell,
    "jelinek-mercer": JelinekMercer,
    "kneser-ney": KneserNey,
    "modified-kneser-ney": KneserNey,
    "stupid-backoff": StupidBackoff,
}
"""By the names of `models.config.SMOOTHINGS`."""

__all__ = ["SMOOTHINGS", "Arrays", "Facts", "Scores", "Smoothing"]
