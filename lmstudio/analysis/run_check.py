"""The files of a run that came from elsewhere -> nothing, or an AppError: they are not trusted.

Nothing is opened here that could carry out code, or be larger than it says.
"""

import math
import re
from collections.abc import Sequence
from pathlib import Path

from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.layout import PART_NAMES, SegmentationMeta
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.formats import ngram_file
from lmstudio.formats.weight_shapes import shapes
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg
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
_MOST = 4  # times the weights in the file that settings may ask for: some are counted, not stored


def check(
    folder: Path, vocabulary: int, specs: Sequence[tuple[str, RunSpec]], *, job: Job
) -> None:  # fmt: skip
    """Check what was unpacked: `specs` are names and settings of the runs, in their order.

    `vocabulary`: the types that their models predict. AppError where something is damaged or does
    not belong to the rest.
    """
    cut = folder / "segmentation"
    words, _ = Vocabulary.load(cut), SegmentationMeta.load(cut)
    if words.size != vocabulary:
        raise AppError("The vocabulary of this run has {count} words, and should have {known}. Get "
                       "the file of the run again.", count=words.size,
                       known=vocabulary)  # fmt: skip
    for number, (name, spec) in enumerate(specs):
        job.tick(number, len(specs), Message("Checking {name}", {"name": name}))
        _check_run(folder / "runs" / str(number), name, spec, words.rows, job)
    if (folder / "corpus" / "speller.ngram").exists():
        ngram_file.check(folder / "corpus" / "speller.ngram", job=job)
    for part in PART_NAMES:
        read_part(folder / "task", part)


def _check_run(folder: Path, name: str, spec: RunSpec, rows: int, job: Job) -> None:
    if MODELS[spec.model].kind == "count":
        path = folder / "model.ngram"
        ngram_file.check(path, job=job)
        if ngram_file.load_either(path).rows != rows:
            raise AppError(_UNFIT, name=name)
        return
    for path in folder.glob("checkpoints/*/weights.safetensors"):
        job.check()
        found = sum(math.prod(shape) for shape in shapes(path).values())
        terms: list[Term] = spec.config.parameters(rows)  # type: ignore[union-attr]
        asked = sum(count for _, _, count in terms)
        if asked > _MOST * found:  # a small file must not ask for a large memory
            raise AppError(_UNFIT, name=name)
    if spec.task is not None:
        read_labels(folder)
