"""The lines of a text file to how it lays labelled examples out."""

from collections.abc import Sequence
from itertools import islice

from lmstudio.data.labelled.reading.json_values import is_json
from lmstudio.data.labelled.reading.token_lines import names_columns
from lmstudio.data.labelled.tags import OUTSIDE, are_of_tokens, is_tag
from lmstudio.text.lines import is_blank
from lmstudio.text.marked import marked_format

_SAMPLE = 2000  # lines
_NEARLY_ALL = 0.8
_TOKEN = 30  # characters; a longer one is no token
_MEAN_TOKEN = 12
_FEW = 0.2  # share of the tokens that may be different tags


def layout_of(text: str, kind: str, *, table: bool) -> str:
    """ "json", "columns" (a token a line), "conllu", "table", "words" or "tagged".

    `kind`: of task, or "auto". `table`: the file is named as one.
    """
    if is_json(text, table=table):
        return "json"
    lines = list(islice(text.splitlines(), _SAMPLE))
    if kind in ("auto", "tag"):
        if marked_format(lines) == "conllu":
            return "conllu"
        if _are_tags(lines, sure=kind == "tag") or (
            not table and _are_columns(lines, sure=kind == "tag")
        ):
            return "columns"
    if kind == "tag":
        found = marked_format(lines)
        if found == "tagged":
            return found
        return "table" if table else "words"
    return "table"


def are_tokens(text: str) -> bool:
    """A token in every line and nothing else."""
    full = [line.split() for line in full_lines(text.splitlines())]
    alone = all(len(cells) == 1 and "," not in cells[0][1:] for cells in full)
    return alone and 0 < _mean_token(full) <= _MEAN_TOKEN


def full_lines(lines: Sequence[str]) -> list[str]:
    """Those that hold tokens: neither blank nor remarks."""
    return [line for line in lines if not is_blank(line) and not line.startswith("-DOCSTART-")]


def _rows(lines: Sequence[str]) -> list[list[str]]:
    """Their cells, without a first line that names the columns."""
    full = [line.split() for line in full_lines(lines)]
    return full[1:] if full and names_columns(full[0][0], full[0][-1]) else full


def _are_tags(lines: Sequence[str], *, sure: bool) -> bool:
    """A token and a tag such as B-PER in nearly every line, and sentences or spans to be seen."""
    full = _rows(lines)
    if not full:
        return False
    tagged = [cells for cells in full
              if len(cells) > 1 and is_tag(cells[-1]) and len(cells[0]) <= _TOKEN]  # fmt: skip
    if len(tagged) < _NEARLY_ALL * len(full):
        return False
    if any(cells[-1] != OUTSIDE and len(cells[-1]) > 1 for cells in tagged):
        return sure or _has_breaks(lines) or are_of_tokens([cells[-1] for cells in tagged])
    return _has_breaks(lines) and _mean_token(tagged) <= 4  # noqa: PLR2004 - words, not sentences


def _are_columns(lines: Sequence[str], *, sure: bool) -> bool:
    """A word and a tag of its own in every line, with blank lines between sentences."""
    full = _rows(lines)
    widths = {len(cells) for cells in full}
    if len(widths) != 1 or min(widths) < 2 or not _has_breaks(lines):  # noqa: PLR2004
        return False
    few = len({cells[-1] for cells in full}) <= max(2, _FEW * len(full))
    return _mean_token(full) <= _MEAN_TOKEN and (sure or few)


def _has_breaks(lines: Sequence[str]) -> bool:
    return any(is_blank(line) for line in lines[:-1])


def _mean_token(rows: Sequence[Sequence[str]]) -> float:
    return sum(len(cells[0]) for cells in rows) / max(1, len(rows))
