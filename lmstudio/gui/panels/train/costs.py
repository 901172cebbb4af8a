"""A spec and a segmentation in; what its parameters are made of out."""

from lmstudio import figures
from lmstudio.data.layout import SPECIALS, PartCounts
from lmstudio.gui.panels.train.cost import Cost
from lmstudio.messages import tr
from lmstudio.models.config import ClassNgramConfig, NgramConfig, Term
from lmstudio.models.registry import table_rows
from lmstudio.store.rows import SegmentationRow
from lmstudio.training.spec import RunSpec


def cost_of(spec: RunSpec, cut: SegmentationRow) -> Cost:
    """Exact for networks; for counts, what the text allows at most."""
    if not isinstance(spec.config, NgramConfig | ClassNgramConfig):
        rows = table_rows(spec.config, cut.vocabulary + 1)
        return Cost(spec.model, spec.config.parameters(rows), exact=True)
    vocabulary = cut.vocabulary + 1
    if isinstance(spec.config, NgramConfig):
        return _counting(spec, vocabulary, cut, [])
    classes = min(spec.config.classes, vocabulary - len(SPECIALS)) + len(SPECIALS)
    words = (tr("Class and share of each word"), f"2 × {figures.count(cut.vocabulary)}",
             2 * cut.vocabulary)  # fmt: skip
    return _counting(spec, classes, cut, [words])


def _counting(spec: RunSpec, vocabulary: int, cut: SegmentationRow, others: list[Term]) -> Cost:
    """Probabilities of all orders, and back-off weights of all but the longest, and `others`.

    `vocabulary` is what the n-grams are made of, `<s>` included: words or their classes.
    """
    config = spec.config
    assert isinstance(config, NgramConfig | ClassNgramConfig)
    events = PartCounts(**cut.facts["parts"]["train"]).events
    terms = list(others)
    for order in range(1, config.order + 1):
        most = vocabulary if order == 1 else min(events, vocabulary**order)
        twice = 2 if order < config.order else 1
        arithmetic = (
            f"≤ {twice} × {figures.count(most)}" if twice > 1 else f"≤ {figures.count(most)}"
        )
        terms.append((tr("{order}-grams", order=order), arithmetic, twice * most))
    note = tr(
        "Known after counting. The training part has {events} events, so no order has more "
        "n-grams than that; counting takes seconds.",
        events=figures.count(events),
    )
    return Cost(spec.model, terms, exact=False, note=note)
