"""A state whose jobs run at once in this process, and a corpus whose words are given."""

from contextlib import contextmanager

from lmstudio.data.import_options import ImportOptions
from lmstudio.gui.state import AppState
from lmstudio.jobs import Job, JobQueue, run
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import Settings
from lmstudio.text.document import ReadOptions
from lmstudio.training.machine import Machine


class InlineQueue(JobQueue):
    """No threads and no worker processes: what is submitted is done."""

    def __init__(self):
        """Nothing to start."""

    def submit(self, lane, job, function, *args):
        """Do it."""
        run(job, lambda job: function(*args, job=job))
        return job

    def waiting(self, lane):
        """Nothing ever waits."""
        return []

    def close(self, seconds=4.0):
        """Nothing is left."""


@contextmanager
def opened(folder):
    """A state over a new workspace."""
    state = AppState(Settings(theme="light"), InlineQueue())
    state.machine = Machine(cores=2, memory_bytes=16_000_000_000)
    assert state.open_workspace(folder)
    yield state
    state.close()
    state.deleteLater()


def add_text(state, text, name="小样"):
    """Import a text and select it."""
    made = corpora.import_text(state.workspace, text, name=name, job=Job()).new_id
    state.apply(Changes(corpora=True, new_id=made))
    return state.corpus


def add_words(state, folder, lines, name="自带词"):
    """Import lines of words between spaces as given words, and select them."""
    file = folder / f"{name}.txt"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="words"))
    made = corpora.import_files(
        state.workspace, [file], name=name, options=options, job=Job()
    ).new_id
    state.apply(Changes(corpora=True, new_id=made))
    return state.corpus


def finished(state, qtbot):
    """Wait until every answer was taken in."""
    qtbot.waitUntil(lambda: not state.jobs.busy)


# the panel that cuts


def choose(panel, side, key):
    """Choose a segmenter as a user does."""
    box = panel.choices[side].segmenter
    box.setCurrentIndex(box.findData(key))


def counted(panel, qtbot):
    """Wait until the sentences are cut, the text is counted and the dictionary is read."""
    qtbot.waitUntil(
        lambda: not panel.state.jobs.busy and not panel.surveys.waiting()
        and not panel.dictionary.editor.busy,
    )  # fmt: skip


def words(panel, side=0, sentence=0):
    """The tokens of a sentence as they are shown."""
    shown = panel.comparison.flows[side].sentences()[sentence]
    return [shown.text[a:b] for a, b in shown.spans]
