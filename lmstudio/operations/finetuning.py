"""Fine-tuned runs: queued, trained and scored; a head on the network of another run.

Such a run is trained by `operations.training.start`, as any other: it waits in the same queue, can
be paused, stopped and gone on with. `RunRow.facts["labels"]`: its classes or tags by number.
"""

from collections.abc import Callable
from dataclasses import asdict, replace
from typing import Any

from lmstudio.analysis.tasks import judging
from lmstudio.analysis.tasks.one_sided import one_sided
from lmstudio.data.labelled.task_folder import read_part
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import runs, segmentations, task_scores
from lmstudio.operations.made_names import BY, made_name
from lmstudio.operations.valid_parts import check_valid
from lmstudio.options import options_of
from lmstudio.store.rows import HELD_OUT, Facts, Part, RunRow, TaskRow
from lmstudio.store.workspace import Workspace
from lmstudio.training import fit_task
from lmstudio.training.estimate import Estimate
from lmstudio.training.fit_task import Tuning
from lmstudio.training.spec import RunSpec, TrainingConfig
from lmstudio.training.task_config import APPLIES, KINDS, TaskConfig
from lmstudio.training.tuning_presets import TUNING_PRESETS

_UNUSUAL = (
    ("start", "scratch", "scratch", msg("from scratch")),
    ("layers", "mix", "mix", msg("mixed layers")),
    ("crf", True, "crf", msg("CRF")),
    ("reader", "bilstm", "bilstm", msg("BiLSTM")),
    ("tuned", 0, "frozen", msg("frozen")),
    ("layers", "table", "table", msg("embeddings only")),
)
"""Settings of a head that are told by name: field, value, and what is said of it in names."""


def encoder_of(ws: Workspace, encoder: int | str) -> RunRow:
    """A run that can be fine-tuned, be it trained or not; AppError where it is none."""
    run = ws.run(encoder)
    if MODELS[run.model].kind == "table":
        raise AppError("{name} holds vectors and no layers to fine-tune. Choose a network.",
                       name=run.name)  # fmt: skip
    if MODELS[run.model].kind == "count":
        raise AppError("{name} counts, it has no layers to fine-tune. Choose a network.",
                       name=run.name)  # fmt: skip
    if run.task is not None:
        raise AppError("{name} is fine-tuned already. Choose the network that it began with.",
                       name=run.name)  # fmt: skip
    return run


def spec_for(
    ws: Workspace, task: TaskRow, encoder: int | str, head: Facts, training: Facts
) -> RunSpec:
    """The spec of a fine-tuning; what is not given is as TaskConfig and TUNING have it.

    SpecError lists all faults; AppError where the encoder is none, or nothing can be scored.
    """
    run = encoder_of(ws, encoder)
    check_valid(task)
    of_task = head | {"kind": task.kind}
    data = {"model": run.model, "config": run.spec.get("config", {})}
    return RunSpec.from_json(data | {"training": training, "task": of_task})


def usual_way(ws: Workspace, encoder: int | str) -> str:
    """The name of the preset that suits an encoder: what was made elsewhere wants small steps."""
    row: RunRow | None = ws.run(encoder)
    known = {run.id: run for run in ws.runs()}
    while row is not None:
        if "imported" in row.facts:
            return "published"
        row = known.get(row.parent or 0)
    return next(iter(TUNING_PRESETS))


def usual_training(ws: Workspace, encoder: int | str, start: str = "pretrained") -> Facts:
    """The settings of the training that a fresh fine-tuning of an encoder begins with.

    `start`: as of TaskConfig; new weights are of no one's making and want what is wanted here.
    """
    way = usual_way(ws, encoder) if start == "pretrained" else next(iter(TUNING_PRESETS))
    return TUNING_PRESETS[way].training_values()


def queue_tuning(
    ws: Workspace, task: int | str, encoder: int | str, head: TaskConfig, training: TrainingConfig,
    *, name: str = "", seeds: int = 1, waiting: bool = False,
) -> list[RunRow]:  # fmt: skip
    """Add the runs for `operations.training.start`: one a seed, from that of `training` on.

    AppError where the encoder has no model, the name is taken, or the settings have faults. With
    `waiting` the encoder is queued before them, and will have one.
    """
    spec = spec_for(ws, ws.task(task), encoder, asdict(head), asdict(training))
    if not waiting:
        check_encoder(ws, spec, ws.run(encoder))
    check_names(ws, spec, name, seeds)
    titles = _titles(spec, name or name_for(ws, task, encoder, spec), seeds)
    return [
        queue_spec(ws, task, encoder, replace(spec, training=replace(spec.training, seed=seed)),
                   name=title)
        for seed, title in titles.items()
    ]  # fmt: skip


def check_names(ws: Workspace, spec: RunSpec, name: str, seeds: int) -> None:
    """AppError where runs cannot be named so, or the last has no seed; "": usual names."""
    last = replace(spec.training, seed=spec.training.seed + seeds - 1)
    RunSpec.from_json(replace(spec, training=last).to_json())
    for title in _titles(spec, name, seeds).values() if name else ():
        ws.check_name("run", title)


def _titles(spec: RunSpec, name: str, seeds: int) -> dict[int, str]:
    """What runs are called, by their seeds."""
    first = spec.training.seed
    return {seed: f"{name}{BY}seed{seed}" if seeds > 1 else name
            for seed in range(first, first + seeds)}  # fmt: skip


def check_encoder(ws: Workspace, spec: RunSpec, encoder: RunRow) -> None:
    """AppError where the weights that it is to begin with are not there."""
    if spec.task and spec.task.start == "pretrained" and not runs.has_model(ws, encoder):
        raise AppError("The run {name} has no finished model or checkpoint yet.",
                       name=encoder.name)  # fmt: skip


def queue_spec(
    ws: Workspace, task: int | str, encoder: int | str, spec: RunSpec, *, name: str = ""
) -> RunRow:
    """Add one run of a spec that holds a task."""
    row, run = ws.task(task), ws.run(encoder)
    RunSpec.from_json(spec.to_json())
    title = ws.free_name("run", name or name_for(ws, task, encoder, spec), BY)
    return ws.add_run(run.segmentation_id, title, spec.model, spec.to_json(), parent=run.id,
                      task=row.id)  # fmt: skip


def name_for(ws: Workspace, task: int | str, encoder: int | str, spec: RunSpec) -> str:
    """Such as "travel-bert-crf": what is not as usual is told."""
    told = _unusual(spec.task or TaskConfig())
    return made_name(ws.task(task).name, ws.run(encoder).name, *told)


def unusual(head: TaskConfig) -> list[str]:
    """What of a head, and of how much is trained, is not as usual, in the language in use."""
    return [tr(words) for words in _unusual(head).values()]


def _unusual(head: TaskConfig) -> dict[str, str]:
    """The same by the words that names have for it."""
    return {word: words for name, value, word, words in _UNUSUAL
            if getattr(head, name) == value and head.kind in APPLIES.get(name, KINDS)}  # fmt: skip


def tuning(ws: Workspace, run: RunRow) -> Tuning:
    """All that a worker needs to train a run."""
    assert run.task is not None
    cut = ws.segmentation(run.segmentation_id)
    encoder = None if run.parent is None else ws.run_folder(run.parent)
    return Tuning(
        ws.segmentation_folder(cut.id), segmentations.cut_plan(ws, cut), ws.task_folder(run.task),
        ws.run_folder(run.id), runs.spec_of(ws, run.id), encoder,
    )  # fmt: skip


def fitting(ws: Workspace, run: RunRow) -> tuple[Callable[..., Facts], tuple[Any, ...]]:
    """What a worker is to call to train a run, and with what.

    AppError where the encoder was queued before it and came to nothing.
    """
    if run.parent is not None and not runs.has_model(ws, run):
        check_encoder(ws, runs.spec_of(ws, run.id), ws.run(run.parent))
    return fit_task.fit, (tuning(ws, run), judging.judge)


def unmeasured(ws: Workspace, run: RunRow) -> bool:
    """Whether scores that `measure` finds are missing: it was stopped, or failed."""
    return any(ws.evaluation(run.id, part) is None for part in _measured(ws, run))


def measure(ws: Workspace, run_id: int, *, job: Job) -> list[Message]:
    """Score a run on the parts that are held out and labelled, and keep the figures.

    The new notes of the run: where it says the same of all examples.
    """
    notes = []
    for part in _measured(ws, ws.run(run_id)):
        if ws.evaluation(run_id, part) is None:
            found = task_scores.score_part(ws, run_id, part, lean=True, job=job)
            notes += [told for told in [one_sided(found)] if told]
    if notes:
        facts = ws.run(run_id).facts
        kept = [*facts.get("notes", []), *(note.to_json() for note in notes)]
        ws.update_run(run_id, facts=facts | {"notes": kept})
    return notes


def _measured(ws: Workspace, run: RunRow) -> list[Part]:
    """The parts whose answers are known."""
    assert run.task is not None
    folder = ws.task_folder(run.task)
    return [part for part in HELD_OUT if any(one.labelled for one in read_part(folder, part))]


def estimate(
    ws: Workspace, task: int | str, encoder: int | str, spec: RunSpec, *, job: Job
) -> Estimate:
    """How long a fine-tuning would take here: some steps are timed, nothing is written."""
    row, run = ws.task(task), ws.run(encoder)
    cut = ws.segmentation(run.segmentation_id)
    given = Tuning(
        ws.segmentation_folder(cut.id), segmentations.cut_plan(ws, cut), ws.task_folder(row.id),
        ws.run_folder(0), spec, ws.run_folder(run.id),
    )  # fmt: skip
    return job.call(fit_task.estimate, given, judging.judge)


def options(kind: str) -> dict[str, Any]:
    """The settings of TaskConfig that apply to a kind of task, by name."""
    return {name: found for name, found in options_of(TaskConfig).items()
            if name != "kind" and kind in APPLIES.get(name, (kind,))}  # fmt: skip
