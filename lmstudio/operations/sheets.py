"""Run sheets: all that is needed to judge a run or to repeat it, as a page and for machines.

A page, sheet.html, has the same beside it as sheet.json, from which a run is repeated where the
same data are, to the same figures on the same processor with as many threads.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lmstudio.data.digest import digests
from lmstudio.errors import AppError
from lmstudio.figures import decimal
from lmstudio.files import read_json, unwritten, write_json, written
from lmstudio.formats import sheet
from lmstudio.formats.parcel import DAMAGED
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.operations import metrics, sheet_facts, training
from lmstudio.operations.changes import Changes
from lmstudio.operations.export_format import ExportOptions
from lmstudio.operations.sheet_facts import FORMAT, VERSION
from lmstudio.operations.sheet_page import page
from lmstudio.store.rows import Facts, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.training.spec import LARGEST_SHEET, RunSpec

refuse = sheet_facts.refuse
_HELD: dict[str, tuple[str, ...]] = {
    "spec": (), "resolved": (), "scores": (), "corpus": ("characters", "lines", "files"),
    "segmentation": ("tokens",), "sha256": ("text", "split", "tokens"),
    "commands": ("import", "segment", "train"),
}  # fmt: skip
"""What a run is repeated from, and what must stand in each; people edit sheets."""


def write(ws: Workspace, run: RunRow, path: Path, options: ExportOptions, *, job: Job) -> Changes:
    """Write the sheet of one run, see operations.exporting."""
    save(ws, [run.id], path, job=job)
    return Changes()


def save(ws: Workspace, keys: Sequence[int | str], path: Path, *, job: Job) -> None:
    """Write the sheet of some runs: a page, and beside it .json; or that alone, by the ending.

    AppError where a run has no sheet, or it cannot be written.
    """
    rows = list({row.id: row for row in map(ws.run, keys)}.values())
    path = Path(path)
    if path.suffix.lower() not in (".html", ".htm", ".json"):
        raise AppError("{name} must end in .html or .json. The window can save a PDF.",
                       name=path.name)  # fmt: skip
    facts = sheet_facts.sheet_of(ws, rows, job=job)
    beside = path.with_suffix(".json")
    with unwritten(path), unwritten(beside):
        if path.suffix.lower() != ".json":
            text = sheet.html(page(ws, facts, beside.name))
            with written(path) as temporary:
                temporary.write_text(text, encoding="utf-8")
        write_json(beside, metrics.strict(facts))


def paper(ws: Workspace, keys: Sequence[int | str], *, job: Job) -> sheet.Paper:
    """The page of some runs for a program that knows little CSS, to be printed."""
    rows = list({row.id: row for row in map(ws.run, keys)}.values())
    return sheet.paper(page(ws, sheet_facts.sheet_of(ws, rows, job=job), ""))


def read(path: Path, name: str = "") -> Facts | None:
    """What a sheet holds of its only run, or of that called `name`; None where it is no sheet.

    AppError where it holds several runs and none is named, or another, where it lacks what a run is
    repeated from, or was written by a newer program.
    """
    try:
        data: Any = read_json(Path(path), largest=LARGEST_SHEET)
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        return None
    version, found = data.get("version", 0), data.get("runs") or []
    if not isinstance(version, int) or not isinstance(found, list):
        raise AppError(DAMAGED, path=path)
    if version > VERSION:
        raise AppError("{path} was written by a newer version of this program.", path=path)
    entry = _chosen(path, found, name)
    if not _is_whole(entry):
        raise AppError(DAMAGED, path=path)
    return entry


def _chosen(path: Path, found: list[Any], name: str) -> Facts:
    """The entry of a sheet that is called `name`, or its only one."""
    entries = {one["name"]: one for one in found
               if isinstance(one, dict) and isinstance(one.get("name"), str)}  # fmt: skip
    if not entries:
        raise AppError(DAMAGED, path=path)
    if name in entries or len(entries) == 1 and not name:
        entry: Facts = entries[name or next(iter(entries))]
        return entry
    names = listed(entries)
    if name:
        raise AppError("{path} holds no run {name}. It holds: {names}.", path=path, name=name,
                       names=names)  # fmt: skip
    raise AppError("{path} holds several runs: {names}. Say with --run which of them to repeat.",
                   path=path, names=names)  # fmt: skip


def _is_whole(entry: Any) -> bool:
    """Whether an entry holds what a run is repeated from, in the shapes that are written."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        return False
    if not {"plan", "warm_start"} <= entry.keys():
        return False
    if not all(isinstance(entry.get(name), dict) and entry[name].keys() >= set(keys)
               for name, keys in _HELD.items()):  # fmt: skip
        return False
    parts = [spec.get(part, {}) for spec in (entry["spec"], entry["resolved"])
             for part in ("config", "training")]  # fmt: skip
    scores, files = entry["scores"].values(), entry["corpus"]["files"]
    return isinstance(files, list) and all(
        isinstance(one, dict) for one in (*parts, *files, *filter(None, (entry["plan"], *scores)))
    )


def spec_of(entry: Facts) -> RunSpec:
    """What the run of a sheet is repeated with. AppError where `train` cannot."""
    spec = RunSpec.from_json(entry["spec"])
    if spec.task is not None:
        raise AppError("{name} is fine-tuned. Repeat it with: {command}", name=entry["name"],
                       command=entry["commands"]["train"])  # fmt: skip
    if "training" not in entry["spec"]:
        return spec
    decided = entry["resolved"].get("training", {})
    known = {name: decided[name] for name in ("device", "precision", "batch") if name in decided}
    return RunSpec.from_json(entry["spec"] | {"training": entry["spec"]["training"] | known})


def queue(
    entry: Facts, ws: Workspace, segmentation: int | str, spec: RunSpec | None = None, *,
    name: str = "", warm_start: int | str | None = None,
) -> RunRow:  # fmt: skip
    """Queue a run that repeats that of a sheet, on the segmentation that `matching` found.

    With another `spec` it is a new run on the same data. AppError where the run began with the
    weights of another that is not here.
    """
    repeated = spec_of(entry)
    row = training.queue_run(
        ws, segmentation, spec or repeated, name=name or ws.free_name("run", entry["name"]),
        warm_start=entry["warm_start"] if warm_start is None else warm_start,
    )  # fmt: skip
    if entry["plan"] and spec in (None, repeated):
        ws.update_run(row.id, facts=row.facts | {training.COURSE: entry["plan"]})
    return ws.run(row.id)


def matching(
    ws: Workspace, entry: Facts, key: int | str | None = None, *, job: Job
) -> SegmentationRow:
    """The segmentation with the data of a sheet: the one that is named, or any.

    AppError says what differs, and the command that makes what is missing.
    """
    if not entry["sha256"]["tokens"]:
        raise AppError("The sheet does not tell the data of {name}: its text was not there.",
                       name=entry["name"])  # fmt: skip
    rows = ws.segmentations() if key is None else [ws.segmentation(key)]
    told: AppError | None = None
    for row in sorted(rows, key=lambda row: row.facts.get("tokens") != _tokens(entry)):
        if key is None and row.facts.get("tokens") != _tokens(entry):
            break  # nor have the rest as many tokens
        differs = _difference(ws, row, entry, job)
        if differs is None:
            return row
        told = differs
    if key is not None and told is not None:
        raise told
    raise _nowhere(ws, entry)


def _tokens(entry: Facts) -> object:
    return entry["segmentation"]["tokens"]


def _difference(ws: Workspace, cut: SegmentationRow, entry: Facts, job: Job) -> AppError | None:
    """What tells the data of a segmentation from those of a sheet; None: they are the same."""
    here, there = _digests(ws, cut, job), entry["sha256"]
    names = {"name": cut.name, "corpus": ws.corpus(cut.corpus_id).name}
    if here["text"] != there["text"]:
        return AppError("The corpus {corpus} is not the one of the sheet: its text differs.",
                        corpus=names["corpus"])  # fmt: skip
    if here["split"] != there["split"]:
        return AppError("The corpus {corpus} has the text of the sheet, but is split otherwise. "
                        "Import it with: {command}", corpus=names["corpus"],
                        command=entry["commands"]["import"])  # fmt: skip
    if here["tokens"] != there["tokens"]:
        return AppError("{name} is cut otherwise than for the sheet. Segment the corpus with: "
                        "{command}", name=names["name"],
                        command=entry["commands"]["segment"])  # fmt: skip
    return None


def _nowhere(ws: Workspace, entry: Facts) -> AppError:
    """No segmentation has the data of a sheet; perhaps a corpus has its text."""
    wanted = entry["corpus"]
    for corpus in ws.corpora():
        if corpus.characters == wanted["characters"] and corpus.lines == wanted["lines"]:
            return AppError("The corpus {corpus} may be the one of the sheet, but no segmentation "
                            "of it is cut alike. Segment it with: {command}",
                            corpus=corpus.name, command=entry["commands"]["segment"])  # fmt: skip
    files = listed(file["name"] for file in wanted["files"][:5])
    return AppError("No corpus here holds the data of the sheet ({files}). Import them with: "
                    "{command}", files=files, command=entry["commands"]["import"])  # fmt: skip


def _digests(ws: Workspace, cut: SegmentationRow, job: Job) -> dict[str, str]:
    return job.call(digests, ws.corpus_folder(cut.corpus_id), ws.segmentation_folder(cut.id))


def compared(ws: Workspace, run: RunRow, entry: Facts) -> Message | None:
    """Whether the figures of a run are those of a sheet; None where either has none."""
    for part in ("test", "valid"):
        here, there = ws.evaluation(run.id, part), entry["scores"].get(part)
        if not here or not there:
            continue
        ours, theirs = (decimal(found["bits_per_character"], 6) for found in (here, there))
        if metrics.strict(here["bits_per_character"]) == there["bits_per_character"]:
            return Message("The figures are those of the sheet: {bits} bits per character.",
                           {"bits": ours})  # fmt: skip
        return Message(
            "Bits per character are {here}, on the sheet {there}. On another processor, with "
            "other versions or other threads, sums are rounded otherwise.",
            {"here": ours, "there": theirs},
        )  # fmt: skip
    return None
