"""Tables in; their rows, to be dragged to other panels as runs or as sentences, out."""

from functools import partial

from lmstudio.gui.dragged import RUN, SENTENCE, Dragged
from lmstudio.gui.rows_view import RowsView
from lmstudio.gui.state import AppState
from lmstudio.gui.tables import Table


def drag_runs(table: Table, state: AppState) -> None:
    """The keys of the rows are ids of runs; other keys (curves of other programs) stay."""
    table.drag_rows(partial(_run_at, state))


def drag_sentences(table: RowsView, *columns: str) -> None:
    """What stands in these columns, one behind the other."""
    table.drag_rows(partial(_text_at, columns))


def _run_at(state: AppState, view: RowsView, row: int) -> Dragged | None:
    assert isinstance(view, Table)
    key = view.rows()[row].key
    run = state.run_row(key) if isinstance(key, int) else None
    return Dragged(RUN, run.name, run.id) if run is not None else None


def _text_at(columns: tuple[str, ...], view: RowsView, row: int) -> Dragged | None:
    keys = view.column_keys()
    cells = (view.model().index(row, keys.index(key)).data() for key in columns if key in keys)
    text = "".join(str(cell) for cell in cells if cell).strip()
    return Dragged(SENTENCE, text) if text else None
