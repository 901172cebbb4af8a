"""A segmentation and a RunSpec -> a trained neural model in a run folder. Torch-free at import."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lmstudio.jobs import Job
from lmstudio.messages import Message
from lmstudio.training.environment import environment
from lmstudio.training.feeds import TrainingData, tokens_per_step
from lmstudio.training.plan import Plan
from lmstudio.training.spec import RunSpec

if TYPE_CHECKING:
    from lmstudio.training.loop import Training


def fit(
    segmentation_folder: Path,
    run_folder: Path,
    spec: RunSpec,
    *,
    resume: bool = False,
    warm: tuple[Path, Path] | None = None,
    course: dict[str, Any] | None = None,
    job: Job,
) -> dict[str, Any]:
    """Train the model of `spec` and leave its checkpoints and records in `run_folder`.

    Returns facts: parameters, seconds, step, steps_per_epoch, tokens_per_step, batch, device,
    precision, processes, made_with, best_step, best_valid_loss (nats per event of the headline
    losses, None without a valid part), why_ended and notes as [sentence, values]. `resume` goes on
    from the last checkpoint; where `spec` asks for another length than before, to that. `warm`, the
    folders of another run and of its segmentation: begin with those weights. `course`: the Plan to
    train by, as JSON, instead of one made here. Raises Cancelled (after a last checkpoint) and
    AppError.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")  # read when torch is first imported
    from lmstudio.training import device as devices
    from lmstudio.training.assembly import Assembly
    from lmstudio.training.distributed import TeamJob, team_for

    device, absent = devices.choose(spec.training.device)
    if absent:  # said before any data is read
        job.remark(absent)
    devices.use_threads()
    team = team_for((segmentation_folder, run_folder, spec, resume, warm), device)
    told: Any = TeamJob(job) if team.size > 1 else job
    assembly = Assembly(segmentation_folder, run_folder, spec, team, told)
    given = None if course is None else Plan(**course)
    training, data = assembly.resumed(warm) if resume else assembly.fresh(warm, given)
    for note in assembly.notes:
        told.remark(note)
    devices.refuse_too_large(training.module, device)
    told.tick(training.progress.step, training.total, Message("Training"))
    why_ended = training.run(told)
    notes = [*([absent] if absent else []), *assembly.notes, *training.progress.notes]
    return _facts(training, data, why_ended, notes)


def _facts(
    training: "Training", data: TrainingData, why_ended: Message, notes: list[Message]
) -> dict[str, Any]:
    progress = training.progress
    return {
        "parameters": sum(p.numel() for p in training.module.parameters()),
        "seconds": progress.seconds,
        "step": progress.step,
        "steps_per_epoch": len(data.train),
        "tokens_per_step": tokens_per_step(data.train),
        "batch": training.config.batch,
        "device": str(training.device),
        "precision": training.precision.name,
        "processes": training.team.size,
        "made_with": environment(training.device),
        "best_step": progress.early.best_step or progress.step,
        "best_valid_loss": progress.early.best_loss,
        "why_ended": [why_ended.sentence, why_ended.values],
        "notes": [note.to_json() for note in notes],
    }
