"""A run in; its model, opened once and kept to be asked again, out.

The worker of questions keeps the models that were asked last, so that only the first question to
a run waits for its file. Free of torch until a network is opened.
"""

from dataclasses import dataclass
from pathlib import Path

from lmstudio.analysis.last_used import LastUsed
from lmstudio.analysis.loading import load
from lmstudio.data.cut_plan import CutPlan
from lmstudio.data.token_preview import Piece, token_preview
from lmstudio.data.vocab import Vocabulary
from lmstudio.jobs import Job
from lmstudio.models.base import LanguageModel
from lmstudio.models.checkpoint_folder import WEIGHTS, checkpoint
from lmstudio.training.fit_ngram import MODEL_FILE
from lmstudio.training.spec import RunSpec

KEPT = 8
"""Models that are kept open."""


@dataclass(frozen=True)
class Asked:
    """All that a worker needs to know of a run to answer for it."""

    name: str
    segmentation_folder: Path
    run_folder: Path
    spec: RunSpec
    plan: CutPlan  # how texts are cut for it
    keep: bool = True  # what is worked out on the way may be kept beside its files


class Answering:
    """A run whose model is open."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.vocabulary = Vocabulary.load(asked.segmentation_folder)
        self.model: LanguageModel = load(asked.run_folder, asked.spec, self.rows, asked.name)

    @property
    def rows(self) -> int:
        """Ids of the vocabulary, `<s>` included."""
        return self.vocabulary.rows

    @property
    def types(self) -> list[str]:
        """The vocabulary by id."""
        return self.vocabulary.types

    def pieces(self, text: str, *, job: Job) -> list[Piece]:
        """The tokens of a text, all its sentences one after another."""
        return token_preview(self.asked.segmentation_folder, self.asked.plan, text, job=job).pieces


_Stamp = tuple[tuple[int, int], ...]
_open = LastUsed[Answering](KEPT)


def answering(asked: Asked, *, job: Job) -> Answering:
    """The run's model: the one kept, where its files are still those that it was read from.

    AppError where it is missing or damaged.
    """

    def opened() -> Answering:
        job.check()
        return Answering(asked)

    return _open.get(asked.run_folder, (model_state(asked), asked), opened)


def model_state(asked: Asked) -> _Stamp:
    """Time and size of the files that an answer depends on."""
    weights = [
        folder / WEIGHTS
        for name in ("best", "last") if (folder := checkpoint(asked.run_folder, name))
    ]  # fmt: skip
    files = [asked.segmentation_folder / "vocab.json", asked.run_folder / MODEL_FILE, *weights]
    found = [path.stat() for path in files if path.exists()]
    return tuple((facts.st_mtime_ns, facts.st_size) for facts in found)
