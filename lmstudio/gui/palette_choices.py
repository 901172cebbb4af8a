"""A window in; everything that its palette finds out: panels, actions, help, runs, corpora."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial

from PySide6.QtGui import QAction

from lmstudio import help_pages
from lmstudio.gui import rooms
from lmstudio.gui.actions import ACTIONS
from lmstudio.gui.palette_search import Choice
from lmstudio.gui.state import AppState
from lmstudio.gui.tours import TOURS
from lmstudio.messages import in_all_languages, msg, tr
from lmstudio.operations import findings, tags

_HELP = msg("Help: {title}")


def choices(
    state: AppState, actions: Iterable[QAction], show_panel: Callable[[str], object],
    show_page: Callable[[str], object],
) -> Iterator[Choice]:  # fmt: skip
    """Tags are found like the names that they are told beside, all else in every language."""
    panels = [entry for room in rooms.ROOMS for entry in room.panels]
    for entry in panels:
        also = in_all_languages(entry.title)
        yield Choice(tr("Panel"), tr(entry.title), "", partial(show_panel, entry.key), also)
    titles = {entry.key: entry.title for entry in ACTIONS}
    titles |= {f"tour_{tour.key}": tour.title for tour in TOURS}
    for action in actions:
        also = in_all_languages(titles.get(action.objectName(), ""))
        keys = action.shortcut().toString()
        yield Choice(tr("Action"), action.text(), keys, action.trigger, also)
    known = help_pages.names()
    for entry in panels:
        if entry.key in known:
            also = f"{in_all_languages(entry.title)} {in_all_languages(_HELP)}"
            title = tr(_HELP, title=tr(entry.title))
            yield Choice(tr("Help page"), title, "", partial(show_page, entry.key), also)
    if not state.has_workspace:
        return
    ws = state.workspace
    words = tags.tags(ws, "run")
    for run in state.runs():
        go = partial(_show_run, state, show_panel, run.id)
        yield Choice(tr("Run"), _tagged(run.name, words.get(run.id, ())), "", go)
    for task in state.tasks():
        yield Choice(tr("Task"), task.name, "", partial(_show_task, state, show_panel, task.id))
    for run in ws.tuned_runs():
        go = partial(_show_tuned, state, show_panel, run.id)
        yield Choice(tr("Run"), _tagged(run.name, words.get(run.id, ())), "", go)
    words = tags.tags(ws, "corpus")
    for corpus in state.corpora():
        go = partial(_show_corpus, state, show_panel, corpus.id)
        yield Choice(tr("Corpus"), _tagged(corpus.name, words.get(corpus.id, ())), "", go)
    words = tags.tags(ws, "finding")
    for row in findings.findings(ws):
        title = _tagged(row.title, words.get(row.id, ()))
        yield Choice(tr("Finding"), title, "", partial(state.show_finding, row.id))


def _tagged(name: str, words: tuple[str, ...]) -> str:
    return "  #".join([name, *words])


def _show_run(state: AppState, show_panel: Callable[[str], object], run_id: int) -> None:
    state.select_segmentation(state.workspace.run(run_id).segmentation_id)
    show_panel("curves")
    state.select_runs((run_id,))


def _show_corpus(state: AppState, show_panel: Callable[[str], object], corpus_id: int) -> None:
    state.select_corpus(corpus_id)
    show_panel("corpora")


def _show_task(state: AppState, show_panel: Callable[[str], object], task_id: int) -> None:
    state.tuned.choose_task(task_id)
    show_panel("tasks")


def _show_tuned(state: AppState, show_panel: Callable[[str], object], run_id: int) -> None:
    state.tuned.choose_run(state.workspace.run(run_id))
    show_panel("task_results")
