"""Figures of runs in, one self-contained HTML page out, in the language in use.

The page needs no scripts and no other files; it follows the reader's light or dark setting.
"""

import math
from dataclasses import dataclass
from html import escape

from lmstudio import messages
from lmstudio.figures import count, decimal, duration
from lmstudio.formats.chart import Curve, chart
from lmstudio.formats.chart_style import CHART, FONTS, variables
from lmstudio.formats.markers import marker
from lmstudio.messages import tr


@dataclass(frozen=True)
class ReportRun:
    """A row of the table and a curve. Figures that were not computed are None."""

    name: str
    family: str  # a key of MODELS
    segmentation: str
    parameters: int | None
    seconds: float  # of training
    valid: float | None  # bits per character
    test: float | None  # bits per character
    perplexity: float | None  # an event, of the test part
    events: int | None
    unknown: int | None
    zero_probability: int | None  # events that got p = 0
    context: str  # "sentence" or "document"
    curve: tuple[tuple[float, float], ...] = ()  # (seconds, bits per character of valid)
    comparable: bool = True  # scored the same text as the others: may share the axis
    state: str = ""  # what became of a run that did not end by itself, in the language in use
    why: str = ""  # it is not comparable, in the language in use
    note: str = ""  # what the user wrote of it


@dataclass(frozen=True)
class ReportCorpus:
    """A corpus and what was trained on it."""

    name: str
    facts: tuple[tuple[str, str], ...]  # (label, value), in the language in use
    runs: tuple[ReportRun, ...]
    oracle: float | None = None  # bits per character of valid that no model can beat, if known
    notes: tuple[str, ...] = ()  # what is to be known of its text, in the language in use


@dataclass(frozen=True)
class Report:
    """All that a page shows."""

    corpora: tuple[ReportCorpus, ...]
    made: str  # when, in words
    version: str


def html(report: Report) -> str:
    """The page."""
    title = escape(tr("Language models on one axis"))
    sections = "".join(_corpus(corpus) for corpus in report.corpora)
    sections = sections or _note(tr("There is no run yet."))
    foot = tr("Made by LM Workbench {version}, {made}", version=report.version, made=report.made)
    return (
        f'<!doctype html>\n<html lang="{messages.language().replace("_", "-")}"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{title}</title><style>{_style()}</style></head><body><h1>{title}</h1>"
        f"{sections}<footer>{escape(foot)}</footer></body></html>\n"
    )


def _corpus(corpus: ReportCorpus) -> str:
    facts = "".join(
        f"<div><dt>{escape(label)}</dt><dd>{escape(value)}</dd></div>"
        for label, value in corpus.facts
    )
    caption = escape(tr("lower is better · the same held-out text (valid) · against training time"))
    drawing = chart([_curve(run) for run in corpus.runs if run.comparable], corpus.oracle)
    return (
        f"<section><h2>{escape(corpus.name)}</h2><dl>{facts}</dl>"
        f"<figure><figcaption><b>{escape(tr('Bits per character'))}</b> {caption}</figcaption>"
        f'<div class="wide">{drawing}</div></figure>{_table(corpus)}{_notes(corpus)}</section>'
    )


def _curve(run: ReportRun) -> Curve:
    """Where there is only the final figure (counting), one point: what that much time bought."""
    value = math.nan if run.valid is None else run.valid
    return Curve(run.name, run.family, run.curve or ((run.seconds, value),), value)


def _table(corpus: ReportCorpus) -> str:
    heads = (
        tr("Run"), tr("Segmentation"), tr("Parameters"), tr("Time"), tr("Valid bits/char"),
        tr("Test bits/char"), tr("Perplexity"), tr("Events"), tr("Unknown"), tr("Zero events"),
        tr("Context"),
    )  # fmt: skip
    head = "".join(f"<th>{escape(text)}</th>" for text in heads)
    ordered = sorted(corpus.runs, key=_rank)
    rows = "".join(f"<tr>{_cells(run)}</tr>" for run in ordered)
    table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>"
    return f'<div class="wide">{table}</div>'


def _rank(run: ReportRun) -> tuple[bool, float]:
    """Best first; runs without a figure, and those of another axis, last."""
    figure = run.valid if run.valid is not None else run.test
    return not run.comparable, math.inf if figure is None or math.isnan(figure) else figure


def _cells(run: ReportRun) -> str:
    mark = f'<svg viewBox="-8 -8 16 16" aria-hidden="true">{marker(run.family, 0, 0)}</svg>'
    star = "" if run.comparable else " *"
    state = f' <span class="state">{escape(run.state)}</span>' if run.state else ""
    note = f'<div class="state">{escape(run.note)}</div>' if run.note else ""
    context = {"sentence": tr("sentence"), "document": tr("document")}.get(run.context, "")
    cells = (
        f"{mark}{escape(run.name)}{star}{state}{note}", escape(run.segmentation),
        count(run.parameters), escape(duration(run.seconds or None)), decimal(run.valid),
        decimal(run.test), decimal(run.perplexity), count(run.events), count(run.unknown),
        count(run.zero_probability), escape(context),
    )  # fmt: skip
    return "".join(f"<td>{cell}</td>" for cell in cells)


def _notes(corpus: ReportCorpus) -> str:
    notes = [
        *corpus.notes,
        tr(
            "Bits per character: -Σ log₂ p over all events, divided by the characters of the text "
            "without white space. Unknown words are spelled out at their cost, so that every "
            "segmentation is measured on the same text."
        ),
        tr(
            "Perplexity, events, unknown words and zero events are those of the test part; events "
            "are its tokens and sentence ends."
        ),
    ]
    others = [run.why for run in corpus.runs if not run.comparable]
    reasons = dict.fromkeys(filter(None, others))
    notes += [tr("* {reason}", reason=reason) for reason in reasons]
    if others and not reasons:
        notes.append(tr("* scores other events and is not on the axis."))
    if any(run.zero_probability for run in corpus.runs):
        notes.append(tr("∞: the model gave probability zero to something that occurred."))
    return "".join(map(_note, notes))


def _note(text: str) -> str:
    return f'<p class="note">{escape(text)}</p>'


def _style() -> str:
    return f"{variables()}{_CSS}{CHART}"


_CSS = """
body{margin:32px auto;max-width:1160px;padding:0 16px;background:var(--bg);color:var(--text);
 font:13px/1.5 FONTS;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0 0 16px}
h2{font-size:20px;margin:0 0 12px}
section{background:var(--surface);border:1px solid var(--line);border-radius:8px;padding:16px;
 margin-bottom:12px}
dl{display:flex;flex-wrap:wrap;gap:8px 32px;margin:0 0 16px}
dt{color:var(--muted);font-size:12px}
dd{margin:0}
figure{margin:0 0 16px}
figcaption{color:var(--muted);font-size:12px;margin-bottom:8px}
figcaption b{color:var(--text);font-size:15px;margin-right:8px}
.wide{overflow-x:auto}
figure svg{display:block;width:100%;min-width:720px;height:auto}
table{border-collapse:collapse;width:100%;white-space:nowrap}
th{color:var(--muted);font-weight:normal;font-size:12px;border-bottom:1px solid var(--line)}
th,td{text-align:right;padding:4px 8px}
th:nth-child(-n+2),td:nth-child(-n+2),th:last-child,td:last-child{text-align:left}
td svg{width:16px;height:16px;vertical-align:-3px;margin-right:6px}
.state{color:var(--muted);font-size:12px}
div.state{white-space:normal;max-width:40em}
.note,footer{color:var(--muted);font-size:12px;margin:8px 0 0}
""".replace("FONTS", FONTS)
