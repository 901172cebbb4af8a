"""A run -> what is said of it below its figures: settings, lineage, how it ended, notes."""

from lmstudio import figures, options
from lmstudio.gui.panels.compare.run_board import RunBoard, RunEntry
from lmstudio.gui.panels.compare.run_series import CONTEXTS
from lmstudio.gui.panels.settings.setting_names import value_name
from lmstudio.messages import Message, listed, phrases, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import runs
from lmstudio.operations.run_recorder import LOGGED_TO
from lmstudio.training.spec import RunSpec


def facts(board: RunBoard, entry: RunEntry) -> list[str]:
    """Lines about a run, the most telling first; empty ones are left out."""
    row = entry.row
    lines = [" · ".join(settings(RunSpec.read(row.spec)[0])), *_axis(entry),
             *_lineage(board, entry)]  # fmt: skip
    if row.facts.get("device"):
        lines.append(tr("Trained on {device}, {steps} steps.", device=row.facts["device"],
                        steps=figures.count(row.step)))  # fmt: skip
    if row.facts.get("why_ended"):
        lines.append(str(Message(*row.facts["why_ended"])))
    if LOGGED_TO in row.facts:
        lines.append(tr("Its curves are in {path} too, for TensorBoard.",
                        path=row.facts[LOGGED_TO]))  # fmt: skip
    if row.facts.get("ngrams"):
        sizes = " · ".join(map(figures.count, row.facts["ngrams"]))
        lines.append(tr("n-grams by order: {sizes}", sizes=sizes))
    if row.facts.get("discounts"):
        lines.append(tr("Discounts by order: {values}", values=_discounts(row.facts["discounts"])))
    lines += map(str, entry.leaks.values())
    lines += [*map(str, runs.notes(row.facts)), runs.message(row)]
    return [line for line in lines if line]


def _axis(entry: RunEntry) -> list[str]:
    """What it sees of a token's surroundings, and why it may not stand beside the others."""
    if not entry.comparable:
        return [tr(entry.own_axis)]
    evaluation = entry.valid or entry.test
    if not evaluation or evaluation["context"] not in CONTEXTS:
        return []
    context = tr(CONTEXTS[evaluation["context"]])
    return [tr("Sees the words before it in the same {context}.", context=context)]


def _lineage(board: RunBoard, entry: RunEntry) -> list[str]:
    """The runs that it comes from, that come from it, and that it was planned with."""
    row, lines = entry.row, []
    if row.parent is not None:
        parent = board.entry(row.parent)
        name = parent.row.name if parent else figures.DASH
        lines.append(tr("Began with the weights of {name}.", name=name))
    children = [other.row.name for other in board.entries() if other.row.parent == row.id]
    if children:
        lines.append(tr("Its weights are the beginning of {names}.", names=listed(children)))
    if row.sweep:
        lines.append(tr("Part of the sweep {name}.", name=row.sweep))
    return lines


def settings(spec: RunSpec) -> list[str]:
    """What was set: the whole config, and of the training what differs from the default."""
    shown = [
        f"{tr(opt.label)} {value_name(getattr(spec.config, name))}"
        for name, (_, opt) in options.options_of(spec.config).items()
    ]
    if MODELS[spec.model].kind == "neural":
        shown += [
            f"{tr(opt.label)} {value_name(getattr(spec.training, name))}"
            for name, (field, opt) in options.options_of(spec.training).items()
            if getattr(spec.training, name) != field.default
        ]
    return shown


def _discounts(discounts: list[list[float]]) -> str:
    """D1, D2, D3+ of each order."""
    return phrases(" / ".join(f"{d:.3f}" for d in order) for order in discounts)
