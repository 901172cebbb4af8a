"""Facts of runs in, one self-contained HTML page out, to be printed or handed in.

`html` needs no scripts and no other files, and follows the reader's light or dark setting. `paper`
is the same page for Qt's text documents, which know neither variables nor drawings of SVG: it is
light, and its drawings are named files that stand beside it.
"""

import re
from dataclasses import dataclass
from html import escape

from lmstudio import messages
from lmstudio.formats.chart import Curve, MadeAxis, chart
from lmstudio.formats.chart_axis import time_axis
from lmstudio.formats.chart_style import CHART, FONTS, alone, light, variables
from lmstudio.messages import listed, tr

Rows = tuple[tuple[str, str], ...]

PAPER_WIDTH = 640
"""Pixels, 96 an inch, that a drawing is wide on paper: within the margins of A4."""


@dataclass(frozen=True)
class Figure:
    """Curves of one kind on one chart."""

    title: str
    note: str  # how it is to be read
    curves: tuple[Curve, ...]
    oracle: float | None = None
    axis: MadeAxis = time_axis


@dataclass(frozen=True)
class Table:
    """A header and rows; the first column is words, the others are numbers."""

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class SheetRun:
    """All that is said of a run."""

    name: str
    lead: str  # what it is, in a line
    figure: Figure | None
    scores: Table | None
    sections: tuple[tuple[str, Rows], ...]  # title, (label, value)
    commands: Rows  # (what it does, command line)
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class Sheet:
    """One run, or several that are compared."""

    runs: tuple[SheetRun, ...]
    made: str  # when and by what
    figure: Figure | None = None  # of several, together
    table: Table | None = None


@dataclass(frozen=True)
class Paper:
    """A page and its drawings, SVG by name."""

    html: str
    drawings: dict[str, str]


def html(sheet: Sheet) -> str:
    """The page."""
    return (
        f'<!doctype html>\n<html lang="{messages.language().replace("_", "-")}"><head>'
        '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        '<meta name="color-scheme" content="light dark">'
        f"<title>{escape(_title(sheet))}</title><style>{variables()}{_CSS}{CHART}</style></head>"
        f"<body>{_body(sheet)}</body></html>\n"
    )


def paper(sheet: Sheet) -> Paper:
    """The page to be printed, and what is drawn in it."""
    drawings: dict[str, str] = {}

    def put_aside(found: re.Match[str]) -> str:
        name = f"chart-{len(drawings)}.svg"
        drawings[name] = alone(found[0], "")
        return f'<img src="{name}" width="{PAPER_WIDTH}">'

    body = re.sub(r"<svg .*?</svg>", put_aside, _body(sheet), flags=re.S)
    body = body.replace('<table class="', '<table width="100%" class="').replace("<hr>", "")
    body = body.replace("<tr><th>", '<tr><th width="40%">')
    colours = light()
    css = re.sub(r"var\(--([\w-]+)\)", lambda found: colours[found[1]], _PAPER_CSS)
    return Paper(f"<html><head><style>{css}</style></head><body>{body}</body></html>", drawings)


def _title(sheet: Sheet) -> str:
    names = listed(run.name for run in sheet.runs)
    return tr("Run sheet: {names}", names=names)


def _body(sheet: Sheet) -> str:
    foot = f"<p class=foot>{escape(sheet.made)}</p>"
    if len(sheet.runs) == 1:
        return _run(sheet.runs[0], "h1") + foot
    names = listed(run.name for run in sheet.runs)
    head = f"<h1>{escape(tr('Runs compared'))}</h1><p class=lead>{escape(names)}</p>"
    runs = "".join(f"<hr>{_run(run, 'h2')}" for run in sheet.runs)
    return f"{head}{_figure(sheet.figure)}{_table(sheet.table)}{runs}{foot}"


def _run(run: SheetRun, heading: str) -> str:
    facts = "".join(_section(title, rows) for title, rows in run.sections)
    return (
        f"<{heading}>{escape(run.name)}</{heading}><p class=lead>{escape(run.lead)}</p>"
        f"{_figure(run.figure)}{_table(run.scores)}"
        f'<div class="columns">{facts}</div>{_commands(run)}'
    )


def _figure(figure: Figure | None) -> str:
    if figure is None:
        return ""
    drawing = chart(list(figure.curves), figure.oracle, axis=figure.axis, name=figure.title,
                    whole=len(figure.curves) == 1)  # fmt: skip
    return (
        f"<p class=caption><b>{escape(figure.title)}</b> {escape(figure.note)}</p>"
        f'<div class="wide">{drawing}</div>'
    )


def _table(table: Table | None) -> str:
    if table is None:
        return ""
    rows = "".join(_cells(row, "td") for row in table.rows)
    head = _cells(table.header, "th")
    return f'<div class="wide"><table class="scores">{head}{rows}</table></div>'


def _cells(row: tuple[str, ...], kind: str) -> str:
    """Words first, then numbers."""
    first, *others = map(escape, row)
    numbers = "".join(f"<{kind}>{cell}</{kind}>" for cell in others)
    return f'<tr><{kind} class="first">{first}</{kind}>{numbers}</tr>'


def _section(title: str, rows: Rows) -> str:
    cells = "".join(
        f"<tr><th>{escape(label)}</th><td>{escape(value)}</td></tr>" for label, value in rows
    )
    return (
        f'<div class="section"><h3>{escape(title)}</h3><table class="facts">{cells}</table></div>'
    )


def _commands(run: SheetRun) -> str:
    lines = "".join(
        f"<p class=note>{escape(label)}</p><pre>{escape(command)}</pre>"
        for label, command in run.commands
    )
    remarks = "".join(f"<p class=note>{escape(remark)}</p>" for remark in run.remarks)
    return f"<h3>{escape(tr('To repeat it'))}</h3>{lines}{remarks}"


_MONO = "ui-monospace,Consolas,Menlo,monospace"
_CSS = """
body{margin:32px auto;max-width:900px;padding:0 16px;background:var(--surface);color:var(--text);
 font:13px/1.5 FONTS;font-variant-numeric:tabular-nums}
h1{font-size:28px;margin:0}
h2{font-size:20px;margin:24px 0 0}
h3{font-size:15px;margin:16px 0 4px}
.lead{color:var(--muted);margin:0 0 16px}
.caption{color:var(--muted);font-size:12px;margin:0 0 8px}
.caption b{color:var(--text);font-size:15px;margin-right:8px}
.wide{overflow-x:auto;margin-bottom:16px}
.wide svg{display:block;width:100%;min-width:640px;height:auto}
table{border-collapse:collapse}
.scores{width:100%;white-space:nowrap}
.scores th{color:var(--muted);font-weight:normal;font-size:12px;
 border-bottom:1px solid var(--line)}
.scores th,.scores td{text-align:right;padding:3px 8px}
.scores .first{text-align:left;padding-left:0}
.columns{columns:2;column-gap:32px}
.section{break-inside:avoid-column;margin-bottom:8px}
.section h3{margin-top:0}
.facts{width:100%}
.facts th{color:var(--muted);font-weight:normal;text-align:left;width:40%}
.facts th,.facts td{vertical-align:top;padding:2px 8px 2px 0;border-bottom:1px solid var(--line);
 overflow-wrap:anywhere}
pre{background:var(--sunken);border-radius:6px;padding:8px 12px;margin:0 0 8px;
 white-space:pre-wrap;overflow-wrap:anywhere;font:12px/1.5 MONO}
hr{border:0;border-top:1px solid var(--line);margin:32px 0 0}
.note,.foot{color:var(--muted);font-size:12px;margin:4px 0}
.foot{margin-top:24px}
@media (max-width:700px){.columns{columns:1}}
@media print{body{margin:0;max-width:none}hr{break-after:page;border:0}h3{break-after:avoid}}
""".replace("FONTS", FONTS).replace("MONO", _MONO)
_PAPER_CSS = """
body{color:var(--text);font-size:9pt}
h1{font-size:18pt;margin:0}
h2{font-size:14pt;margin:0;page-break-before:always}
h3{font-size:11pt;margin-top:14px;margin-bottom:3px}
.lead,.caption,.note,.foot{color:var(--muted)}
.lead{margin-top:0}
.note{margin-bottom:0}
.caption b{color:var(--text)}
.scores th{color:var(--muted);font-weight:normal;text-align:right;padding:2px 10px}
.scores td{text-align:right;padding:2px 10px}
.scores .first{text-align:left;padding-left:0}
.facts th{color:var(--muted);font-weight:normal;text-align:left;padding:1px 8px 1px 0}
.facts td{padding:1px 0}
pre{font-family:monospace;font-size:8pt;background-color:var(--sunken);margin:3px 0;
 white-space:pre-wrap}
"""
