"""What was deleted: listed, had back, or deleted for good."""

from collections.abc import Callable, Sequence

from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed, msg
from lmstudio.operations.changes import Changes
from lmstudio.store import findings
from lmstudio.store import trash as kept
from lmstudio.store.trash import Deleted as Deleted
from lmstudio.store.workspace import Workspace

NOUN_NAMES = {
    "corpus": msg("Corpus"), "segmentation": msg("Segmentation"), "run": msg("Run"),
    "task": msg("Task"), "finding": msg("Finding"),
}  # fmt: skip
"""What can be deleted, as people say it."""
_NAMED = 8  # runs in a sentence


def delete(ws: Workspace, noun: str, row_id: int) -> Changes:
    """Put a row, and all that stands on it, into the trash; runs that go with it are named."""
    ids = kept.belonging(ws.db, noun, row_id)
    runs = going(ws, noun, row_id) if noun != "run" else []
    notes = (with_it(runs),) if runs else ()
    return _changes(ids, deleted=(kept.put(ws, noun, row_id),), notes=notes)


def going(ws: Workspace, noun: str, row_id: int) -> list[str]:
    """The names of the runs that go to the trash with a row, fine-tuned ones among them."""
    return [ws.run(number).name for number in kept.belonging(ws.db, noun, row_id).get("run", [])]


def with_it(runs: Sequence[str]) -> Message:
    """Which runs go to the trash with what they stand on, the first few of many."""
    told = listed(runs[:_NAMED]) + (f" … ({len(runs)})" if len(runs) > _NAMED else "")
    return Message("Runs that go to the trash with it: {names}.", {"names": told})


def delete_each(
    ws: Workspace, operation: Callable[..., Changes], keys: Sequence[int | str], *, job: Job
) -> Changes:  # fmt: skip
    """Carry out the `delete` of a noun for several of them."""
    changes = []
    for key in keys:
        job.check()
        changes.append(operation(ws, key))
    return _joined(changes)


def restore_each(ws: Workspace, numbers: Sequence[int], *, job: Job) -> Changes:
    """Bring several things back, those first that were deleted last."""
    return _joined([restore(ws, number, job=job) for number in reversed(numbers)])


def _joined(changes: Sequence[Changes]) -> Changes:
    """What several deletions, or several returns, changed together."""

    def either(name: str) -> bool:
        return any(getattr(one, name) for one in changes)

    return Changes(
        corpora=either("corpora"), segmentations=either("segmentations"), runs=either("runs"),
        findings=either("findings"), tasks=either("tasks"), trash=True,
        deleted=tuple(number for one in changes for number in one.deleted),
        new_id=changes[0].new_id if len(changes) == 1 else None,
        notes=tuple(note for one in changes for note in one.notes),
    )  # fmt: skip


def deleted(ws: Workspace) -> list[Deleted]:
    """All that is in the trash, newest first."""
    return kept.deleted(ws.db)


def find(ws: Workspace, key: int | str, noun: str = "") -> Deleted:
    """What is in the trash under a number or, the newest, under a name; with `noun`, what is that.

    AppError if nothing is.
    """
    if isinstance(key, int) or (key.isdecimal() and not noun):
        return kept.find(ws.db, int(key))
    there = [one for one in deleted(ws) if noun in ("", one.noun)]
    found = next((one for one in there if one.name == key), None) or next(
        (one for one in there if str(one.id) == key), None
    )
    if found is None:
        raise AppError("There is nothing called {name} in the trash.", name=key)
    return found


def restore(ws: Workspace, key: int | str, *, job: Job) -> Changes:
    """Bring something back. AppError where it is not there, or what it stood on is gone."""
    job.check()
    one = kept.restore(ws, find(ws, key).id)
    now = _name(ws, one)
    notes = [Message("{name} is back.", {"name": now})]
    if now != one.name:
        notes.append(Message("There is another {name} now: what came back is called {new}.",
                             {"name": one.name, "new": now}))  # fmt: skip
    return _changes(one.ids, notes=tuple(notes), new_id=_selected(one))


def empty(ws: Workspace, keys: Sequence[int | str] = (), *, job: Job) -> Changes:
    """Delete for good what has these numbers or names; without any, all that is in the trash."""
    job.check()
    kept.empty(ws, [find(ws, key).id for key in keys] or None)
    return Changes(trash=True)


def _name(ws: Workspace, one: Deleted) -> str:
    row_id = one.ids[one.noun][0]
    if one.noun == "finding":
        return findings.finding(ws.db, row_id).title
    name: str = getattr(ws, one.noun)(row_id).name
    return name


def _selected(one: Deleted) -> int | None:
    """What a window selects that shows it again: its last run, segmentation, or itself."""
    if one.noun == "task":
        return one.ids["task"][0]
    for noun in ("run", "segmentation", "corpus"):
        if one.noun in ("corpus", "segmentation") and (ids := one.ids.get(noun)):
            return ids[-1]
    return None


def _changes(
    ids: kept.Ids, *, deleted: tuple[int, ...] = (), notes: tuple[Message, ...] = (),
    new_id: int | None = None,
) -> Changes:  # fmt: skip
    """What rows of these nouns changed by going or coming."""
    nouns = {noun for noun, rows in ids.items() if rows}
    return Changes(
        corpora="corpus" in nouns, segmentations="segmentation" in nouns, runs="run" in nouns,
        findings="finding" in nouns, tasks="task" in nouns, trash=True, deleted=deleted,
        notes=notes, new_id=new_id,
    )  # fmt: skip
