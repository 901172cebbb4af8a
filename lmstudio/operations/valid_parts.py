"""Whether the validation part of a task can tell which checkpoint is the best one."""

from lmstudio.data.labelled.checking import UNLABELLED, Report
from lmstudio.errors import AppError
from lmstudio.store.rows import TaskRow


def check_valid(task: TaskRow) -> None:
    """AppError where there is a validation part, and none of its answers can be scored.

    Wrong files do that: those to be predicted only, and those of other labels.
    """
    if "report" not in task.facts:
        return
    found = Report.from_json(task.facts["report"])
    used = found.used.get("valid", 0)
    if not used:
        return
    bare = sum(problem.count for problem in found.problems
               if (problem.sentence, problem.part) == (UNLABELLED, "valid"))  # fmt: skip
    if bare >= used:
        raise AppError(
            "The validation part of {name} has no labels, so no checkpoint can be chosen by its "
            "score. Import the task again with another file for this part, or without one: then a "
            "share of the training part is held out for it.",
            name=task.name,
        )
    if task.kind in ("classify", "pair") and not (
        found.labels.get("valid", {}).keys() & found.labels.get("train", {}).keys()
    ):
        raise AppError(
            "No label of the validation part of {name} is one that is trained on, so no checkpoint "
            "can be chosen by its score. Import the task again with another file for this part, or "
            "without one: then a share of the training part is held out for it.",
            name=task.name,
        )
