"""A task and an encoder -> a run that goes on pre-training on the texts of the task.

Gururangan et al. 2020, "Don't stop pretraining": what the task is about is learned without labels.
The texts become a corpus, a document each, that is cut as the encoder's was: with the same
pieces, user dictionary and stop words, and a vocabulary that holds the encoder's.
"""

import hashlib
import json
import tempfile
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.data.layout import SegmentationMeta
from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.operations import corpora, finetuning, runs, segmentations, training
from lmstudio.operations.changes import Changes
from lmstudio.operations.made_names import BY, made_name
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.training.estimate import Estimate
from lmstudio.training.plan import total_steps
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import TaskConfig

RATE = 2e-5
"""Learning rate of a model that was imported, as the authors of BERT advise to go on with theirs:
how it was trained is not known."""

_READING = ImportOptions(ReadOptions(encoding="utf-8", lines="paragraph", text_column="text"))
_UNUSABLE = ("failed", "interrupted")


@dataclass(frozen=True)
class Chain:
    """Runs that are queued to be trained one after the other."""

    pretrained: RunRow
    runs: tuple[RunRow, ...]  # those to start: `pretrained`, unless it is done, then the tuned ones
    notes: tuple[Message, ...]


def queue_chain(
    ws: Workspace, task: int | str, encoder: int | str, head: TaskConfig, how: TrainingConfig, *,
    name: str = "", seeds: int = 1, job: Job,
) -> Chain:  # fmt: skip
    """Queue a run that goes on pre-training, and those that are fine-tuned from it.

    As `pretrain_on` and `finetuning.queue_tuning`. One that went on before is not trained again.
    """
    spec = finetuning.spec_for(ws, ws.task(task), encoder, asdict(head), asdict(how))
    finetuning.check_names(ws, spec, name, seeds)  # what is wrong is refused before all else
    made = pretrain_on(ws, task, encoder, job=job)
    first = ws.run(made.new_id or 0)
    tuned = finetuning.queue_tuning(ws, task, first.id, head, how, name=name, seeds=seeds,
                                    waiting=True)  # fmt: skip
    begun = [] if first.state in ("done", "running") else [first]
    return Chain(first, (*begun, *tuned), made.notes)


@dataclass(frozen=True)
class ChainEstimate:
    """How long the runs of a Chain take here."""

    tuned: Estimate  # of each fine-tuning
    first: float | None  # seconds of going on before; 0: that is done, None: it is not known


def estimate_chain(
    ws: Workspace, task: int | str, encoder: int | str, spec: RunSpec, *, job: Job
) -> ChainEstimate:
    """How long a fine-tuning would take after the encoder went on with the texts of the task."""
    tuned = finetuning.estimate(ws, task, encoder, spec, job=job)
    return ChainEstimate(tuned, _seconds(ws, ws.task(task), ws.run(encoder), job))


def _seconds(ws: Workspace, task: TaskRow, run: RunRow, job: Job) -> float | None:
    """Of going on: steps are timed on the encoder's own text, and counted by the characters."""
    spec, texts = _spec(ws, run, None), _texts(ws, task)
    before = _before(ws, run, spec, _lines(texts).encode())
    if before is not None and before.state == "done":
        return 0.0
    own = SegmentationMeta.load(ws.segmentation_folder(run.segmentation_id)).parts["train"]
    if not own.characters:  # it came without its text
        return None
    timed = training.estimate(ws, run.segmentation_id, spec, job=job)
    share = sum(map(len, texts)) / own.characters
    steps = total_steps(max(1, round(timed.steps_per_epoch * share)), spec.training)
    seconds = steps * timed.seconds / timed.steps
    return min(seconds, spec.training.minutes * 60) if spec.training.minutes else seconds


def pretrain_on(
    ws: Workspace, task: int | str, encoder: int | str, how: TrainingConfig | None = None, *,
    job: Job,
) -> Changes:  # fmt: skip
    """Queue a run like `encoder` on the task's texts to train with, with its weights to begin with.

    Adds a corpus and a segmentation; `how`, unless given, is as the encoder was trained. Where
    there is such a run of the same texts, it is that one. `new_id` is the run, to be started by
    `training.start` and fine-tuned after that. AppError where the encoder counts, or has no model.
    """
    row, run = ws.task(task), ws.run(encoder)
    spec = _spec(ws, run, how)
    training.check_parent(ws, spec, run.id)
    texts = _texts(ws, row)
    data = _lines(texts)
    if before := _before(ws, run, spec, data.encode()):
        note = Message("{run} went on with the texts of {task} before.",
                       {"run": before.name, "task": row.name})  # fmt: skip
        return Changes(runs=True, new_id=before.id, notes=(note,))
    corpus = _corpus(ws, row, data, job)
    cut, told = _cut(ws, run, corpus, job)
    name = ws.free_name("run", made_name(run.name, row.name, by="+"), BY)
    queued = training.queue_run(ws, cut, spec, name=name, warm_start=run.id)
    note = Message(
        "{run} goes on pre-training from {encoder} on the {texts} texts of {task}, cut as "
        "{encoder}'s text was.",
        {"run": name, "encoder": run.name, "texts": len(texts), "task": row.name},
    )
    added = Message("The corpus {corpus} and the run {run} are new in the workspace.",
                    {"corpus": ws.corpus(corpus).name, "run": name})  # fmt: skip
    return Changes(corpora=True, segmentations=True, runs=True, new_id=queued.id,
                   notes=(note, added, *told))  # fmt: skip


def _spec(ws: Workspace, run: RunRow, how: TrainingConfig | None) -> RunSpec:
    spec = replace(runs.spec_of(ws, run.id), task=None)
    usual = replace(spec.training, share=1.0)  # all texts of a task are few
    if "imported" in run.facts:
        usual = replace(usual, learning_rate=RATE)
    return replace(spec, training=how or usual)


def _texts(ws: Workspace, task: TaskRow) -> list[str]:
    """The different texts of the training part, second texts and questions too."""
    examples = read_part(ws.task_folder(task.id), "train")
    return list(dict.fromkeys(text for one in examples for text in (one.text, one.other) if text))


def _lines(texts: list[str]) -> str:
    """What the corpus is made of."""
    return "".join(json.dumps({"text": text}, ensure_ascii=False) + "\n" for text in texts)


def _before(ws: Workspace, run: RunRow, spec: RunSpec, data: bytes) -> RunRow | None:
    """The newest run of the same kind that began with `run` on a corpus of these very bytes."""
    made_of = set(ws.corpora_with(hashlib.sha256(data).hexdigest()))
    cuts = {cut.id for corpus in ws.corpora() if corpus.name in made_of
            for cut in ws.segmentations(corpus.id)}  # fmt: skip
    same = [one for one in ws.runs() if one.parent == run.id and one.segmentation_id in cuts
            and one.state not in _UNUSABLE and one.spec == spec.to_json()]  # fmt: skip
    return same[-1] if same else None


def _corpus(ws: Workspace, task: TaskRow, data: str, job: Job) -> int:
    name = ws.free_name("corpus", made_name(task.name, "texts"), BY)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "texts.jsonl")
        file.write_text(data, encoding="utf-8", newline="\n")
        made = corpora.import_files(ws, [file], name=name, options=_READING,
                                    facts={"texts_of": task.name}, job=job)  # fmt: skip
    assert made.new_id is not None
    return made.new_id


def _cut(ws: Workspace, run: RunRow, corpus: int, job: Job) -> tuple[int, tuple[Message, ...]]:
    """A segmentation of a corpus as that of a run, and what is to be said of it."""
    before = ws.segmentation(run.segmentation_id)
    plan = segmentations.cut_plan(ws, before)
    options = plan.options
    if options.by == "given":  # the texts of tasks come without: what is asked is cut so, too
        options = replace(options, by="whitespace")
    name = ws.free_name("segmentation", made_name(ws.corpus(corpus).name, run.name), BY)
    made = segmentations.create(
        ws, corpus, options, name=name, dictionary=plan.dictionary, tokenizer=plan.tokenizer,
        stop_words=plan.stop_words, known=before.id, job=job,
    )  # fmt: skip
    assert made.new_id is not None
    return made.new_id, made.notes
