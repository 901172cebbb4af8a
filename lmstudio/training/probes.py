"""A module while it is trained -> answers to the same few questions, kept to replay its learning.

At each validation one line is added to run_folder/probes.jsonl: what it expects in blanks of the
valid part, which words are nearest to some frequent ones, a line it writes. Nothing here draws
from the random numbers of the training. Free of torch at import.
"""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lmstudio.data.layout import EOS, SPECIALS, Tokens
from lmstudio.data.vocab import Vocabulary
from lmstudio.files import written

if TYPE_CHECKING:
    from torch import Tensor, nn

    from lmstudio.models.base import LanguageModel
    from lmstudio.models.trainable import Trainable

FILE = "probes.jsonl"
BLANKS = 5
GUESSES = 5
NEIGHBOURS = 5
LENGTHS = (4, 24)  # tokens of sentences with blanks
LONGEST_LINE = 20  # tokens
RANKS = (10, 25, 50, 100, 200)  # of the frequent tokens whose neighbours are looked for
SEED = 1

Guess = tuple[str, float]


@dataclass(frozen=True)
class Blank:
    """What a model expects in one place."""

    before: list[str]  # tokens
    after: list[str]  # empty where the model reads from the left only
    truth: str
    guesses: list[Guess]  # the likeliest tokens and their p


@dataclass(frozen=True)
class Neighbours:
    """What stands nearest to a token in the look-up table."""

    token: str
    nearest: list[Guess]  # tokens and their cosine


@dataclass(frozen=True)
class ProbeRecord:
    """The answers at one step."""

    step: int
    seconds: float  # of training
    blanks: list[Blank]
    neighbours: list[Neighbours]
    line: list[str]  # tokens; empty where the model does not write

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "ProbeRecord":
        """The record that `asdict` made plain."""
        blanks = [
            Blank(**(blank | {"guesses": _pairs(blank["guesses"])})) for blank in data["blanks"]
        ]
        neighbours = [Neighbours(n["token"], _pairs(n["nearest"])) for n in data["neighbours"]]
        return cls(data["step"], data["seconds"], blanks, neighbours, data["line"])


class Probe(Protocol):
    """What is asked at each validation, and keeps a record of the answers in the run's folder."""

    def ask(self, module: "Trainable", step: int, seconds: float) -> None:
        """Add a record."""
        ...

    def forget_after(self, step: int) -> None:
        """Drop the records of steps that will be done once more."""
        ...


def read(run_folder: Path) -> list[ProbeRecord]:
    """The records of a run, by step; none where it has not been validated yet."""
    path = run_folder / FILE
    return [ProbeRecord.from_json(json.loads(line)) for line in _lines(path)]


class Probes:
    """The questions that one run is asked."""

    def __init__(self, run_folder: Path, segmentation_folder: Path) -> None:
        """Chosen from the valid part, from the train part where that is empty."""
        self._path = run_folder / FILE
        vocabulary = Vocabulary.load(segmentation_folder)
        self._types = vocabulary.types
        self._blanks = _sentences(Tokens(segmentation_folder))
        self._frequent = _frequent(vocabulary)

    def forget_after(self, step: int) -> None:
        """Drop the records of steps that will be done once more."""
        kept = [line for line in _lines(self._path) if json.loads(line)["step"] <= step]
        if self._path.exists():
            with written(self._path) as temporary:
                temporary.write_text("".join(kept), encoding="utf-8")

    def ask(self, module: "Trainable", step: int, seconds: float) -> None:
        """Add a record."""
        model = module.model()
        record = ProbeRecord(
            step, seconds, self._filled(model), self._nearest(module), self._written(model)
        )
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(record)) + "\n")

    def _filled(self, model: "LanguageModel") -> list[Blank]:
        found = []
        for ids, place in self._blanks:
            probs, both = _probs(model, ids, place)
            before, after = self._words(ids[:place]), self._words(ids[place + 1 :] if both else [])
            found.append(Blank(before, after, self._types[ids[place]], self._best(probs, GUESSES)))
        return found

    def _nearest(self, module: "Trainable") -> list[Neighbours]:
        """None where words have no rows of their own."""
        table = _table(module, len(self._types))
        if table is None or not self._frequent:
            return []
        table = table / table.norm(dim=1, keepdim=True).clamp(min=1e-9)
        cosines = (table[self._frequent] @ table.t()).float().cpu().numpy()[:, : len(self._types)]
        for row, number in enumerate(self._frequent):
            cosines[row, number] = cosines[row, : len(SPECIALS)] = -np.inf
        return [
            Neighbours(self._types[number], self._best(row, NEIGHBOURS))
            for number, row in zip(self._frequent, cosines, strict=True)
        ]

    def _written(self, model: "LanguageModel") -> list[str]:
        """A line drawn with the same luck each time; models that read both sides write none."""
        generator = np.random.default_rng(SEED)
        line: list[int] = []
        while len(line) < LONGEST_LINE:
            probs = np.asarray(model.next_probs(np.array(line, np.int32)), np.float64)
            if np.isnan(probs).any():
                return []
            number = int(np.searchsorted(probs.cumsum(), generator.random() * probs.sum()))
            if number == EOS:
                break
            line.append(number)
        return self._words(line)

    def _best(self, scores: np.ndarray, count: int) -> list[Guess]:
        """The highest scores that are numbers."""
        scores = np.nan_to_num(scores, nan=-np.inf)
        best = np.argsort(-scores, kind="stable")[:count].tolist()
        return [(self._types[i], float(scores[i])) for i in best if scores[i] > -np.inf]

    def _words(self, ids: Any) -> list[str]:
        return [self._types[number] for number in ids]


def _probs(model: "LanguageModel", ids: np.ndarray, place: int) -> tuple[np.ndarray, bool]:
    """(rows,) p of each token at a place of a sentence, and whether both sides were read."""
    if hasattr(model, "fill_probs"):
        return np.asarray(model.fill_probs(ids, place)), True
    return model.next_probs(ids[:place]), False


def _sentences(tokens: Tokens) -> list[tuple[np.ndarray, int]]:
    """Sentences of middling length from evenly all over the part, and a place in each."""
    bounds = tokens.bounds("valid")
    bounds = bounds if len(bounds) else tokens.bounds("train")
    sizes = bounds[:, 1] - bounds[:, 0]
    fitting = np.flatnonzero((sizes >= LENGTHS[0]) & (sizes <= LENGTHS[1]))
    fitting = fitting if len(fitting) else np.flatnonzero(sizes)
    spread = np.linspace(0, max(len(fitting) - 1, 0), min(len(fitting), BLANKS)).astype(int)
    chosen = bounds[fitting[spread]]
    sentences = [np.asarray(tokens.ids[start : min(end, start + LENGTHS[1])])
                 for start, end in chosen]  # fmt: skip
    return [(ids, 2 * len(ids) // 3) for ids in sentences]


def _frequent(vocabulary: Vocabulary) -> list[int]:
    """Words at some ranks of frequency, so that not all of them are grammar."""
    words = [i for i, word in enumerate(vocabulary.types) if i >= len(SPECIALS) and word.isalnum()]
    words.sort(key=lambda i: (-vocabulary.counts[i], i))
    ranks = [rank for rank in RANKS if rank < len(words)] or range(min(len(words), len(RANKS)))
    return [words[rank] for rank in ranks]


def _table(module: "Trainable", rows: int) -> "Tensor | None":
    """The weights (rows or more, D) of the look-up table of tokens."""
    for part in module.modules():
        if getattr(part, "num_embeddings", 0) in (rows, rows + 1):
            table: nn.Parameter = part.weight  # type: ignore[assignment]
            return table.detach()
    return None


def _pairs(guesses: list[list[Any]]) -> list[Guess]:
    return [(word, score) for word, score in guesses]


def _lines(path: Path) -> list[str]:
    """Whole lines of the file; the last may have been cut short by a kill."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    except FileNotFoundError:
        return []
    return [line for line in lines if line.endswith("\n")]
