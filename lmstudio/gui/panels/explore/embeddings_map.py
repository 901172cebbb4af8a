"""MapCard: a run in; its words on a map that can be pulled, grouped, searched and replayed, out."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QWidget

from lmstudio.analysis.word_groups import Groups
from lmstudio.analysis.word_map import WordMap
from lmstudio.errors import AppError
from lmstudio.gui.dialogs.export_plot import ExportDialog
from lmstudio.gui.panels.explore.embeddings_asking import MapAsking
from lmstudio.gui.panels.explore.embeddings_controls import MapControls
from lmstudio.gui.panels.explore.embeddings_film import FilmRow
from lmstudio.gui.panels.explore.embeddings_points import MARKED, Marks
from lmstudio.gui.panels.progress_row import ProgressRow
from lmstudio.gui.save_as import SaveAs
from lmstudio.gui.state import AppState
from lmstudio.gui.widgets import Card, ElidedLabel, button, hairline, tool
from lmstudio.gui.widgets.fading import fade
from lmstudio.gui.widgets.scatter_layers import Points
from lmstudio.gui.widgets.scatter_map import ScatterMap
from lmstudio.jobs import Job
from lmstudio.messages import tr
from lmstudio.operations import embeddings
from lmstudio.store.rows import RunRow


class MapCard(Card):
    """While its film stands at the end the map is what is now; before that, it is the past."""

    chosen = Signal(str)  # a word
    lassoed = Signal(list)  # words
    mapped = Signal()  # there is another map

    def __init__(self, state: AppState, parent: QWidget | None = None) -> None:
        super().__init__(tr("Map of words"), parent=parent)
        self._state = state
        self.controls, self.film = MapControls(self), FilmRow(self)
        self.map = ScatterMap(tr("Map of words"), self)
        self.progress = ProgressRow(self)
        self.save = SaveAs(state, self)
        self.found: WordMap | None = None
        self.groups: Groups | None = None
        self.selection: list[str] = []  # the words that alone are mapped
        self.marks = Marks()
        self._inside: list[str] = []  # the line that was drawn last
        self._said = ElidedLabel(size=12, tone="muted")
        self._asking = MapAsking(state, self)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.lasso = tool("lasso", tr("Draw a line round words  L"), parent=self)
        self.lasso.setCheckable(True)
        self.alone = button(tr("Map these alone"), "link", parent=self)
        self.every = button(tr("All words"), "link", parent=self)
        picture = tool("export", tr("Export the chart"), parent=self)
        picture.clicked.connect(self.export_picture)
        csv = tool("table", tr("Save where the words stand as CSV"), parent=self)
        csv.clicked.connect(self.save_csv)
        for widget in (self.progress, self.alone, self.every, self.controls.method, self.lasso, csv,
                       picture):  # fmt: skip
            self.row.add_tool(widget)
        for one in (self.alone, self.every):
            one.hide()
        self.body.addWidget(self.controls)
        self.body.addWidget(self.map, 1)
        self.body.addWidget(self._said)
        self.body.addWidget(hairline(self))
        self.body.addWidget(self.film)

    def _connect(self) -> None:
        self.controls.changed.connect(self.ask)
        self.controls.run_changed.connect(self.ask_film)
        self.controls.regrouped.connect(self.ask_groups)
        self.controls.finder.textChanged.connect(self._search)
        self.controls.finder.returnPressed.connect(self._found)
        self.map.chosen.connect(self._click)
        self.map.lassoed.connect(self._take_lasso)
        self.map.lasso_changed.connect(self.lasso.setChecked)
        self.map.export_wanted.connect(self.export_picture)
        self.lasso.toggled.connect(self.map.set_lasso)
        self.alone.clicked.connect(self._map_alone)
        self.every.clicked.connect(self._map_all)
        self.film.moved.connect(self._show_frame)
        self.progress.cancelled.connect(self.cancel)
        self._asking.mapped.connect(self._take)
        self._asking.failed.connect(self._fail)
        self._asking.advanced.connect(self._advance)
        self._asking.filmed.connect(self.film.take)
        self._asking.grouped.connect(self._take_groups)
        self._asking.ungrouped.connect(self._fail_groups)
        self.map.search_wanted.connect(self.search)

    # what is asked

    def run(self) -> RunRow | None:
        """The run that is mapped."""
        return self.controls.chosen_run()

    def offer(self, runs: Sequence[RunRow]) -> None:
        """Map one of these runs; asks where it is another than before."""
        before = self.run()
        self.controls.offer(runs)
        now = self.run()
        if now is not None and (before is None or now.id != before.id or self.found is None):
            self.ask_film()
            self.ask()

    @Slot()
    def ask(self) -> None:
        """Ask for the map; what is under way is dropped."""
        run = self.run()
        if run is None:
            return
        self.cancel()
        options = self.controls.options()
        self.progress.begin()
        fade(self.map, self.found is not None and options.method == "pca")
        self._asking.map(run.id, options, self.selection)

    @Slot()
    def ask_film(self) -> None:
        """Ask for the film of the run."""
        if (run := self.run()) is not None:
            self.film.take(None)
            self._asking.film(run.id)

    @Slot()
    def ask_groups(self) -> None:
        """Ask for the groups of the words on the map."""
        run = self.run()
        self.groups = None
        if run is not None and self.found is not None:
            self._asking.group(run.id, self.found, self.controls.by.currentData())
            self._draw()

    @Slot()
    def cancel(self) -> None:
        """Drop the map that is being made; the one before comes back."""
        self._asking.cancel()
        self.progress.end()
        fade(self.map, False)
        self._show()

    # what comes of it

    @Slot(object)
    def _take(self, found: WordMap) -> None:
        self.progress.end()
        fade(self.map, False)
        self.found, self.groups = found, None
        self._show()
        self.ask_groups()
        self.mapped.emit()

    @Slot(object)
    def _advance(self, job: Job) -> None:
        """t-SNE on its way: dots without names, until it is known whose they are."""
        self.progress.advance(job)
        if isinstance(job.partial, np.ndarray) and self.film.frame() < 0:
            self.map.show_points(Points(places=job.partial))

    @Slot(object)
    def _fail(self, error: AppError) -> None:
        self.progress.end()
        fade(self.map, False)
        self._said.setText(str(error))

    @Slot(object)
    def _take_groups(self, groups: Groups) -> None:
        self.groups = groups
        self._draw()

    @Slot(object)
    def _fail_groups(self, error: AppError) -> None:
        self._draw()
        self._said.setText(str(error))

    # what is drawn

    def _show(self) -> None:
        """The map in a view that holds all of it."""
        self.map.show_points(self._points(), frame=self._frame_places())
        self._tell()

    def _draw(self) -> None:
        """The same view with other marks."""
        self.map.change(self._points())
        self._tell()

    @Slot(int)
    def _show_frame(self, frame: int) -> None:
        if frame < 0 or self.map.points().words != self._film_words():
            self._show()
        else:
            self._draw()

    def _film_words(self) -> list[str]:
        return self.film.found.words if self.film.found else []

    def _frame_places(self) -> np.ndarray | None:
        """All places of the film, so that nothing but the words moves; None for what is now."""
        film = self.film.found
        return film.places.reshape(-1, 2) if film and self.film.frame() >= 0 else None

    def _points(self) -> Points:
        film, frame = self.film.found, self.film.frame()
        self.marks.wanted = self.controls.finder.text().strip()
        self.marks.take_groups(self.found, self.groups)
        if film is not None and frame >= 0:
            return self.marks.on(film.words, film.places[frame], film.counts)
        if self.found is None:
            return Points()
        return self.marks.on(self.found.words, self.found.places, self.found.counts)

    def _tell(self) -> None:
        film = self.film.found
        if film is not None and self.film.frame() >= 0:
            self._said.setText(tr("The plane of the last step (PCA) holds all steps: what moves "
                                  "has moved in the network."))  # fmt: skip
        elif self.found is not None:
            self._said.setText(embeddings.said_of(self.found))
        if self.found is not None and len(self.found.words) != len(self.selection):
            least = int(self.found.counts.min())
            self.row.set_note(tr("the most frequent · count ≥ {least}", least=least))
        elif self.found is not None:
            self.row.set_note(tr("the words chosen"))

    def said(self) -> str:
        """The line under the map."""
        return self._said.full_text()

    # which word

    def choose(self, word: str, near: Sequence[str] = ()) -> None:
        """Mark a word and its nearest; pull the map to it."""
        other = word != self.marks.word
        self.marks.word, self.marks.near = word, list(near)
        self._draw()
        point = self.map.points().chosen
        if point >= 0 and other:
            self.map.bring(point)

    @Slot(int)
    def _click(self, point: int) -> None:
        self.chosen.emit(self.map.points().words[point])

    @Slot()
    def search(self) -> None:
        """Put the cursor into the search field."""
        self.controls.finder.setFocus()
        self.controls.finder.selectAll()

    @Slot()
    def _search(self) -> None:
        self._draw()

    @Slot()
    def _found(self) -> None:
        if word := self.controls.finder.text().strip():
            self.chosen.emit(word)

    # some of them

    @Slot(list)
    def _take_lasso(self, points: list[int]) -> None:
        words = [self.map.points().words[point] for point in points]
        self._inside = words
        self.alone.show()
        self.alone.setToolTip(" ".join(words[:MARKED]))
        self._said.setText(tr("{count} words in the line", count=len(words)))
        self.lassoed.emit(words)

    @Slot()
    def _map_alone(self) -> None:
        self.map_only(self._inside)

    @Slot()
    def _map_all(self) -> None:
        self.map_only([])

    def map_only(self, words: list[str]) -> None:
        """Lay out these words alone; none for the most frequent."""
        self.selection = list(words)
        self.alone.hide()
        self.every.setVisible(bool(words))
        self.map.set_lasso(False)
        self.ask()

    # files

    @Slot()
    def export_picture(self) -> None:
        """The map as PNG, SVG or PDF."""
        caption = f"{self.controls.run.currentText()} · {self.said()}"
        ExportDialog(self._state, self.map, caption, self.window()).open()

    @Slot()
    def save_csv(self) -> None:
        """Where the words stand, as CSV: of the film while it is not at its end."""
        if self.film.frame() >= 0:
            self.save.ask("film", embeddings.save_film, self.film.found)
        elif self.found is not None:
            self.save.ask("map", embeddings.save_map, self.found, self.groups)
