"""The program as a library: open a workspace, list its runs, load a model and ask it.

    import lmstudio

    with lmstudio.open_workspace("W") as library:
        model = library.load("gpt")
        model.token_logprobs("小猫爱吃鱼。")

Nothing is written, and a workspace may be open in the window or in other programs meanwhile. What
cannot be answered raises AppError, whose text says why. Numbers are those of the panels.
"""

from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Self

import numpy as np

from lmstudio.analysis import surprisal
from lmstudio.analysis.asked import Answering, Asked, answering
from lmstudio.analysis.fill import fill as filling
from lmstudio.analysis.generation import next_table
from lmstudio.analysis.typed_sentence import typed_sentence
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations.asked import asked
from lmstudio.operations.fill import question
from lmstudio.store.rows import Facts, Part, RunRow
from lmstudio.store.workspace import Workspace


@dataclass(frozen=True)
class Candidate:
    """A token, or a word for a blank, and p of it there."""

    text: str
    probability: float


class Model:
    """A trained run that can be asked. Texts are cut as its own segmentation was."""

    def __init__(self, library: "Library", run: RunRow) -> None:
        """Opens the model's files; AppError where the run has none, or they are damaged."""
        self._library, self._run = library, run
        self._answering()

    @property
    def name(self) -> str:
        """What the run is called."""
        return self._run.name

    @property
    def family(self) -> str:
        """One of the names of models.registry.MODELS, such as "gpt"."""
        return self._run.model

    @property
    def proper(self) -> bool:
        """Whether log p are those of a text; False: pseudo log-likelihoods (BERT), or scores."""
        return self._answering().model.proper

    def tokens(self, text: str) -> list[str]:
        """The T tokens of a text."""
        return [piece.text for piece in self._answering().pieces(text, job=Job())]

    def token_logprobs(self, sentence: str) -> np.ndarray:
        """Natural log p of each token of one sentence, and of its end.

        (T + 1,) float64; (T,) where the end is no event (see `proper`). -inf where p is zero.
        """
        opened = self._answering("score")
        kind = surprisal.kinds_of(opened.model)[:1]
        (found,) = surprisal.score(opened, [sentence], "tokens", kind, origins=False, job=Job())
        return found.logprobs[kind[0]]

    def next(self, text: str, top: int = 10) -> list[Candidate]:
        """The likeliest next tokens after a text, with exact p. AppError of BERT."""
        found = next_table.next_table(self._asked("next"), text, count=top, job=Job())
        return [Candidate(one.piece, one.p) for one in found.guesses]

    def fill(self, text: str, top: int = 10) -> list[list[Candidate]]:
        """What belongs into each [MASK] of a text, the likeliest first."""
        found = filling.fill(self._asked("fill"), question(text), top=top, job=Job())
        return [[Candidate(one.text, one.probability) for one in blank.guesses]
                for blank in found.blanks]  # fmt: skip

    def embed(self, sentence: str, layer: int = -1) -> np.ndarray:
        """(T, D) float32: the vectors of the tokens of a sentence in a layer; 0 is the look-up
        table, -1 the last. AppError for models that count, and where it is longer than is read."""
        read = typed_sentence(self._asked("table"), sentence, job=Job())
        if notes := read.notes:
            raise AppError("{note} Give a shorter sentence.", note=notes[0])
        layers = read.network.layers(read.ids)
        if not -len(layers) <= layer < len(layers):
            raise AppError("{name} has layers 0 to {last}.", name=self.name, last=len(layers) - 1)
        return layers[layer, 1 : 1 + len(read.ids)]

    def evaluation(self, part: Part = "test") -> Facts:
        """The figures of the run on a part, such as "perplexity" and "bits_per_character".

        Empty where it was not evaluated on that.
        """
        return self._library.workspace.evaluation(self._run.id, part) or {}

    def _asked(self, what: str = "") -> Asked:
        return asked(self._library.workspace, self._run.id, what)

    def _answering(self, what: str = "") -> Answering:
        """The open model: one of the last that were asked is kept, others are opened again."""
        return answering(self._asked(what), job=Job())


class Library:
    """A workspace that is read, and its models."""

    def __init__(self, folder: str | PathLike[str]) -> None:
        """AppError where the folder holds no workspace."""
        self.workspace = Workspace(Path(folder), read_only=True)

    def runs(self) -> list[RunRow]:
        """The runs of language models: `name`, `model`, `state`, `parameters`, `seconds`, ..."""
        return self.workspace.runs()

    def load(self, run: str | int) -> Model:
        """The model of a run, by its name or number."""
        return Model(self, self.workspace.run(run))

    def close(self) -> None:
        """Let go of the files."""
        self.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_workspace(folder: str | PathLike[str]) -> Library:
    """Open a workspace to read it. AppError where the folder holds none."""
    return Library(folder)
