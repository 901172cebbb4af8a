"""What a run sheet holds, as plain data -> what its page says, in the language in use."""

import shlex
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from lmstudio.figures import count, decimal, duration, size
from lmstudio.formats.chart import Curve
from lmstudio.formats.chart_axis import number_axis
from lmstudio.formats.sheet import Figure, Rows, Sheet, SheetRun, Table
from lmstudio.messages import listed, msg, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation, task_results
from lmstudio.operations.run_names import own_axis
from lmstudio.operations.value_names import split_name, value_name
from lmstudio.options import Option, options_of
from lmstudio.store.rows import Facts
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment_options import SegmentOptions, applies
from lmstudio.training.spec import RunSpec

_SCORES = {
    "bits_per_character": (msg("Bits per character"), 4),
    "perplexity": (msg("Perplexity per event"), 3),
    "perplexity_per_word": (msg("Perplexity per word"), 2),
    "perplexity_without_unknown": (msg("Perplexity without unknown words"), 3),
    "events": (msg("Events"), 0), "unknown": (msg("Unknown"), 0),
    "zero_probability": (msg("Zero events"), 0),
}  # fmt: skip
"""What an evaluation is told by, and with how many decimals."""
_PARTS = {"valid": msg("Valid"), "test": msg("Test")}
_BITS = "bits_per_character"


def page(ws: Workspace, facts: Facts, beside: str) -> Sheet:
    """The page of a sheet; `beside` is the name of the file that holds the same for machines."""
    runs = facts["runs"]
    moment = datetime.fromisoformat(facts["made"]).astimezone().strftime("%Y-%m-%d %H:%M")
    made = tr("Made by {program}, {made}", program=facts["made_by"], made=moment)
    spec = f"--spec {shlex.quote(beside)}" if beside else ""
    several = len(runs) > 1 and spec
    told = tuple(
        _run(ws, entry, f"{spec} --run {shlex.quote(entry['name'])}" if several else spec)
        for entry in runs
    )
    if len(runs) == 1:
        return Sheet(told, made)
    shared = [entry for entry in runs if not _own_axis(ws, entry) and entry["task"] is None]
    figure = _bits_figure(ws, shared) if len(shared) > 1 else None
    return Sheet(told, made, figure, _compared(runs))


def _run(ws: Workspace, entry: Facts, spec: str) -> SheetRun:
    return SheetRun(
        entry["name"], " · ".join(_lead(entry)), _figure(ws, entry), _scores(entry),
        tuple((title, rows) for title, rows in _sections(entry) if rows),
        tuple(_commands(entry, spec)), tuple(_remarks(ws, entry)),
    )  # fmt: skip


def _lead(entry: Facts) -> Iterator[str]:
    yield tr(entry["title"])
    if entry["task"]:
        yield tr("fine-tuned for {name}", name=entry["task"]["name"])
    yield tr("{count} parameters", count=count(entry["parameters"]))
    if entry["seconds"]:  # an imported one took none
        yield duration(entry["seconds"])
    yield entry["created"][:10]
    if entry["note"]:
        yield entry["note"]


# curves


def _own_axis(ws: Workspace, entry: Facts) -> str:
    """Why a run is not on the axis of the others, a catalogue sentence."""
    row = ws.run(entry["name"])
    return own_axis(row, ws.segmentation(row.segmentation_id))


def _figure(ws: Workspace, entry: Facts) -> Figure | None:
    if entry["task"] is None and not _own_axis(ws, entry):
        return _bits_figure(ws, [entry])
    known = entry["curves"].get("valid_loss")
    if not known or len(known["step"]) < 2:
        return None
    points = tuple(zip(known["step"], known["value"], strict=True))
    curve = Curve(entry["name"], entry["model"], points, points[-1][1]) if points else None
    note = f"{tr('lower is better')} · {tr('against steps')}"
    return Figure(tr("Loss (nats)"), note, (curve,), axis=number_axis) if curve else None


def _bits_figure(ws: Workspace, entries: list[Facts]) -> Figure | None:
    curves = tuple(curve for entry in entries if (curve := _bits_curve(entry)) is not None)
    if not curves:
        return None
    corpora = {ws.segmentation(ws.run(e["name"]).segmentation_id).corpus_id for e in entries}
    oracle = evaluation.oracle(ws, corpora.pop(), "valid") if len(corpora) == 1 else None
    told = (tr("lower is better"), tr("same held-out text"), tr("against training time"))
    return Figure(tr("Bits per character"), " · ".join(told), curves, oracle)


def _bits_curve(entry: Facts) -> Curve | None:
    """Of the valid part; a model that counts is one point: what that much time bought."""
    final = entry["scores"].get("valid", {}).get(_BITS)
    known = entry["curves"].get(f"valid_{_BITS}", {"seconds": [], "value": []})
    points = tuple(zip(known["seconds"], known["value"], strict=True))
    if MODELS[entry["model"]].kind == "count" or not points:
        points = () if final is None else ((max(entry["seconds"], 0.01), final),)
    if not points:
        return None
    return Curve(entry["name"], entry["model"], points, points[-1][1] if final is None else final)


# figures


def _scores(entry: Facts) -> Table | None:
    known = {part: entry["scores"][part] for part in _PARTS if part in entry["scores"]}
    if not known:
        return None
    told: dict[str, tuple[str, int]] = dict(_SCORES)
    if entry["task"]:
        told = {name: (title, 4) for name, title in
                task_results.MEASURES[entry["task"]["kind"]].items()}  # fmt: skip
    rows = tuple(
        (tr(title), *(_number(figures.get(name), places) for figures in known.values()))
        for name, (title, places) in told.items()
        if any(figures.get(name) is not None for figures in known.values())
    )
    return Table((tr("Measure"), *(tr(_PARTS[part]) for part in known)), rows)


def _number(value: float | None, places: int) -> str:
    return decimal(value, places) if places else count(value)


def _compared(runs: list[Facts]) -> Table:
    """A row for each run, with what most people compare."""
    header = (tr("Run"), tr("Parameters"), tr("Time"), tr("Valid bits/char"), tr("Test bits/char"),
              tr("Perplexity"))  # fmt: skip
    rows = []
    for entry in runs:
        valid, test = (entry["scores"].get(part, {}) for part in ("valid", "test"))
        rows.append((entry["name"], count(entry["parameters"]), duration(entry["seconds"] or None),
                     decimal(valid.get(_BITS), 4), decimal(test.get(_BITS), 4),
                     decimal(test.get("perplexity"), 3)))  # fmt: skip
    return Table(header, tuple(rows))


# facts


def _sections(entry: Facts) -> Iterator[tuple[str, Rows]]:
    yield tr("Data"), tuple(_data(entry))
    yield tr("Segmentation"), tuple(_cut(entry))
    spec = RunSpec.from_json(entry["resolved"])
    yield tr("Model"), tuple(_settings(spec.config))
    if spec.task is not None:
        yield tr("Head and encoder"), tuple(_settings(spec.task))
    if MODELS[spec.model].kind == "neural":
        yield tr("Course of the training"), (*_course(entry), *_settings(spec.training))
    yield tr("Programs and computer"), tuple(_made_with(entry["made_with"]))


def _data(entry: Facts) -> Iterator[tuple[str, str]]:
    corpus = entry["corpus"]
    if entry["task"]:
        yield tr("Task"), entry["task"]["name"]
    yield tr("Corpus"), corpus["name"]
    for file in corpus["files"][:20]:
        yield tr("File"), f"{file['name']}, {size(file['bytes'])}, SHA-256 {file['sha256'] or '–'}"
    yield tr("SHA-256 of the text"), entry["sha256"]["text"] or tr("not here")
    yield tr("Documents"), count(corpus["documents"])
    yield tr("Lines"), count(corpus["lines"])
    yield tr("Split"), split_name(corpus["split"])
    names = {"train": tr("Train, characters"), "valid": tr("Valid, characters"),
             "test": tr("Test, characters")}  # fmt: skip
    for part, name in names.items():
        if part in corpus["parts"]:
            yield name, count(corpus["parts"][part]["characters"])
    yield tr("SHA-256 of the split"), entry["sha256"]["split"] or tr("not here")


def _cut(entry: Facts) -> Iterator[tuple[str, str]]:
    cut = entry["segmentation"]
    yield tr("Name"), cut["name"]
    segmenter = value_name(cut["segmenter"])
    if cut["version"]:
        segmenter = tr("{name}, version {version}", name=segmenter, version=cut["version"])
    yield tr("Segmenter"), segmenter
    pieces = (cut["tokenizer"] or {}).get("name", "")
    heeded = set(applies(cut["segmenter"], pieces))
    known = {name: value for name, value in (cut["options"] or {}).items() if name in heeded}
    yield from _named(known, options_of(SegmentOptions))
    for title, file in ((tr("Dictionary"), cut["dictionary"]), (tr("Stop words"),
                        cut["stop_words"])):  # fmt: skip
        if file:
            yield title, tr("{name}, {count} words", name=file["name"], count=count(file["words"]))
    yield tr("Vocabulary"), count(cut["vocabulary"])
    yield tr("Tokens"), count(cut["tokens"])
    yield tr("SHA-256 of the tokens"), entry["sha256"]["tokens"] or tr("not here")


def _settings(config: Any) -> Iterator[tuple[str, str]]:
    known = options_of(config)
    return _named({name: getattr(config, name) for name in known}, known)


def _named(values: Facts, known: dict[str, tuple[Any, Option]]) -> Iterator[tuple[str, str]]:
    for name, (_, option) in known.items():
        if name in values:
            yield tr(option.label), _plain(values[name])


def _plain(value: object) -> str:
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    if isinstance(value, float):
        return f"{value:g}"
    return value_name(str(value)) or "–"


def _course(entry: Facts) -> Iterator[tuple[str, str]]:
    yield tr("Steps"), count(entry["steps"])
    if entry["why_ended"]:
        yield tr("End"), entry["why_ended"]
    if entry["warm_start"]:
        yield tr("Begins with"), entry["warm_start"]


def _made_with(known: Facts) -> Iterator[tuple[str, str]]:
    if "lmstudio" not in known:
        yield tr("Programs"), tr("not recorded")
    programs = {"lmstudio": "LM Workbench", "python": "Python", "torch": "PyTorch",
                "numpy": "NumPy", "cuda": "CUDA"}  # fmt: skip
    for name, title in programs.items():
        if known.get(name):
            yield title, str(known[name])
    titles = {"system": tr("System"), "processor": tr("Processor"), "threads": tr("Threads"),
              "card": tr("Graphics card"), "processes": tr("Processes")}  # fmt: skip
    for name, title in titles.items():
        if known.get(name):
            yield title, str(known[name])


# to repeat it


def _commands(entry: Facts, spec: str) -> Iterator[tuple[str, str]]:
    """`spec`: the option that names the file beside the page, and the run in it."""
    known = entry["commands"]
    yield tr("The text, from the folder with its files"), known["import"]
    yield tr("Its tokens"), known["segment"]
    if spec and entry["task"] is None:
        checked = tr("The run, with the file beside this page, which also checks that the data "
                     "are the same")  # fmt: skip
        yield checked, f"lmstudio train {spec}"
        yield tr("Or with all settings written out"), known["train"]
    else:
        yield tr("The run"), known["train"]


def _remarks(ws: Workspace, entry: Facts) -> Iterator[str]:
    """What keeps a repetition from having the same figures to the last digit."""
    known, plan = entry["made_with"], entry["plan"] or {}
    if why := _own_axis(ws, entry):
        yield tr(why)
    if entry["continued"]:
        steps = listed(map(count, entry["continued"]))
        yield tr("Its training was gone on with after step {steps}. Trained in one go it ends "
                 "elsewhere, if it was made longer then.", steps=steps)  # fmt: skip
    if entry["warm_start"] and entry["task"] is None:
        yield tr("It begins with the weights of {name}: repeat that run first.",
                 name=entry["warm_start"])  # fmt: skip
    if plan.get("valid_tokens"):
        yield tr("While it was trained it was looked at by {count} tokens of the valid part. That "
                 "is in the file, not in the settings.",
                 count=count(plan["valid_tokens"]))  # fmt: skip
    if MODELS[entry["model"]].kind == "count":
        yield tr("Counting is the same everywhere.")
    elif known.get("device", "cpu") != "cpu":
        yield tr("On a graphics card sums are rounded in an order that changes: the last digits do "
                 "too.")  # fmt: skip
    elif known.get("threads"):
        yield tr("The same figures to the last digit come with the same versions and processor and "
                 "the environment variable OMP_NUM_THREADS={threads}.",
                 threads=known["threads"])  # fmt: skip
