"""The state of the window in; the runs on all segmentations of the corpus selected, out."""

from lmstudio.gui.state import AppState
from lmstudio.store.rows import RunRow


def corpus_runs(state: AppState) -> list[RunRow]:
    """Oldest first; none without a corpus."""
    if state.corpus is None:
        return []
    cuts = {cut.id for cut in state.workspace.segmentations(state.corpus.id)}
    return [run for run in state.runs() if run.segmentation_id in cuts]
