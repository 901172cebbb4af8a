"""The files of a run that came from elsewhere -> nothing, or an AppError: they are not trusted.

Nothing is opened here that could carry out code, or be larger than it says.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.layout import PART_NAMES, SegmentationMeta
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.files import reading
from lmstudio.formats import ngram_file
from lmstudio.formats.weight_shapes import shapes
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
from lmstudio.models.checkpoint_folder import TRAIN_AGAIN, asked
from lmstudio.models.config.terms import Term
from lmstudio.models.registry import MODELS
from lmstudio.training.fit_task import read_labels
from lmstudio.training.spec import RunSpec

PLACES = re.compile(
    r"rows\.json|corpus/speller\.ngram|task/(train|valid|test)\.jsonl"
    r"|segmentation/(vocab\.json|meta\.json|tokenizer\.json|vocab\.txt|dictionary\.txt"
    r"|stop_words\.txt)"
    r"|runs/[01]/(model\.ngram|labels\.json|log\.txt|probes\.jsonl|snapshots\.json|snapshots\.bin"
    r"|checkpoints/(best|last)/(weights\.safetensors|meta\.json|trainer\.pt))"
)
"""The names that files of a run have in the parcel that it travels in."""
STRANGE = msg("{path} holds what does not belong into the file of a run: {name}.")
_UNFIT = msg("The weights of {name} are not those of its settings. Get the file of the run again.")
UNUSABLE = msg("{path} cannot be used: {name} in it is missing or damaged. Get it again from where "
               "it came.")  # fmt: skip
_MOST = 4  # times the weights in the file that settings may ask for: some are counted, not stored


def check(
    path: Path, folder: Path, vocabulary: int, specs: Sequence[tuple[str, RunSpec]], *, job: Job
) -> None:  # fmt: skip
    """Check what the parcel `path` holds: `specs` are names and settings of the runs, in order.

    `vocabulary`: the types that their models predict. AppError where something is damaged or does
    not belong to the rest.
    """
    cut = folder / "segmentation"
    with told_of(path, "segmentation/vocab.json"):
        words = Vocabulary.load(cut)
    with told_of(path, "segmentation/meta.json"):
        SegmentationMeta.load(cut)
    if words.size != vocabulary:
        raise AppError("The vocabulary of this run has {count} words, and should have {known}. Get "
                       "the file of the run again.", count=words.size,
                       known=vocabulary)  # fmt: skip
    for number, (name, spec) in enumerate(specs):
        job.tick(number, len(specs), Message("Checking {name}", {"name": name}))
        home = f"runs/{number}"
        if MODELS[spec.model].kind == "count":
            with told_of(path, f"{home}/model.ngram"):
                ngram_file.check(folder / home / "model.ngram", job=job)
                counted = ngram_file.load_either(folder / home / "model.ngram")
            if counted.rows != words.rows:
                raise AppError(_UNFIT, name=name)
        else:
            _check_network(path, folder, home, name, spec, words.rows, job)
    if (folder / "corpus" / "speller.ngram").exists():
        with told_of(path, "corpus/speller.ngram"):
            ngram_file.check(folder / "corpus" / "speller.ngram", job=job)
    for part in PART_NAMES:
        with told_of(path, f"task/{part}.jsonl"):
            read_part(folder / "task", part)


@contextmanager
def told_of(path: Path, name: str) -> Iterator[None]:
    """What is wrong with a file of the parcel `path`, which the user never sees by itself."""
    try:
        yield
    except AppError as error:
        raise AppError(UNUSABLE, path=path, name=name) from error


def _check_network(
    path: Path, folder: Path, home: str, name: str, spec: RunSpec, rows: int, job: Job
) -> None:  # fmt: skip
    with told_of(path, f"{home}/checkpoints"):
        asked(folder / home)
    for checkpoint in sorted((folder / home / "checkpoints").iterdir()):
        job.check()
        weights = checkpoint / "weights.safetensors"
        with told_of(path, weights.relative_to(folder).as_posix()), reading(weights, TRAIN_AGAIN):
            found = sum(math.prod(shape) for shape in shapes(weights).values())
        terms: list[Term] = spec.config.parameters(rows)  # type: ignore[union-attr]
        wanted = sum(count for _, _, count in terms)
        if wanted > _MOST * found:  # a small file must not ask for a large memory
            raise AppError(_UNFIT, name=name)
    if spec.task is not None:
        with told_of(path, f"{home}/labels.json"):
            read_labels(folder / home)
