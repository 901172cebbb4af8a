"""A run of the workspace -> the README.md that goes with its weights: what it is, and how to ask.

In the language in use, with the facts that somebody needs to judge or repeat the run.
"""

import json
from collections.abc import Iterator

from lmstudio import __version__
from lmstudio.data.labelled.checking import HELD_OUT
from lmstudio.errors import AppError
from lmstudio.formats.huggingface.task_heads import TaskHead, loader_of
from lmstudio.messages import listed, tr
from lmstudio.models.registry import MODELS
from lmstudio.operations import evaluation, segmentations, task_results
from lmstudio.store.rows import RunRow, TaskRow
from lmstudio.store.workspace import Workspace

_LOAD = """```python
from transformers import AutoTokenizer, {kind}

tokenizer = AutoTokenizer.from_pretrained(".")
model = {kind}.from_pretrained(".")
print(model(**tokenizer({texts}, return_tensors="pt")))
```"""
_LABELS = 50  # that are listed; config.json has them all


def model_card(ws: Workspace, run: RunRow, head: TaskHead | None) -> str:
    """The Markdown of a run's card; `head` is what it was fine-tuned for."""
    kind = "AutoModelForMaskedLM" if run.model == "bert" else "AutoModelForCausalLM"
    kind = loader_of(head.kind) if head else kind
    cut = ws.segmentation(run.segmentation_id)
    by_words = cut.segmenter in ("jieba", "given")
    facts = [f"- {name}: {value}" for name, value in _facts(ws, run, head)]
    text = "我 爱 北京" if by_words else "我爱北京"
    texts = [text, text] if head and head.kind in ("pair", "qa") else [text]
    parts = [
        f"# {run.name}", *([run.note] if run.note else []), "\n".join(facts),
        _LOAD.format(kind=kind, texts=", ".join(map(repr, texts))),
        *_remarks(run, cut.segmenter, head),
        tr("Settings:") + f"\n\n```json\n{_spec(run)}\n```",
    ]  # fmt: skip
    return "\n\n".join(parts) + "\n"


def _facts(ws: Workspace, run: RunRow, head: TaskHead | None) -> Iterator[tuple[str, object]]:
    cut = ws.segmentation(run.segmentation_id)
    corpus = ws.corpus(cut.corpus_id)
    yield tr("Model"), tr(MODELS[run.model].title)
    yield tr("Parameters"), f"{run.parameters or 0:,}"
    if head:
        yield from _of_task(ws, run, head)
    if "imported" in run.facts:
        yield tr("Imported from"), run.facts["imported"]["folder"]
    yield tr("Corpus"), corpus.name
    for source in ws.sources(corpus.id)[:5]:
        yield tr("File"), f"{source.name} (sha256 {source.sha256})"
    yield tr("Split"), corpus.split_rule
    options = segmentations.cut_plan(ws, cut).options
    yield tr("Segmentation"), f"{segmentations.describe(options)}, {cut.facts.get('version', '')}"
    yield tr("Vocabulary"), cut.vocabulary
    yield tr("Step"), run.facts.get("best_step") or run.step  # whose weights these are
    for part in ("valid", "test"):
        figures = ws.evaluation(run.id, part) or {}
        for name in evaluation.MEASURES[:2]:
            if name in figures:
                yield f"{name} ({part})", f"{figures[name]:.4f}"
    yield tr("Made by"), f"lmstudio {__version__}"


def _of_task(ws: Workspace, run: RunRow, head: TaskHead) -> Iterator[tuple[str, object]]:
    """What it was fine-tuned for, on which examples, how well it does, and what it began with."""
    assert run.task is not None
    task = ws.task(run.task)
    yield tr("Task"), f"{task.name} ({head.kind})"
    if head.labels:
        more = f" … ({len(head.labels)})" if len(head.labels) > _LABELS else ""
        yield tr("Labels of the model"), ", ".join(head.labels[:_LABELS]) + more
    if counts := task.facts.get("counts"):
        told = (f"{tr(part)} {n:,}" for part, n in counts.items())
        yield tr("Examples"), listed(told, clauses=True)
        yield tr("Split of the task"), _split(task) or tr("as the files give it")
    for part in ("valid", "test"):
        figures = ws.evaluation(run.id, part) or {}
        for name, title in task_results.MEASURES[head.kind].items():
            if name in figures:
                yield f"{tr(title)} ({part})", f"{figures[name]:.4f}"
        if "majority" in figures:
            yield f"{tr('Majority baseline')} ({part})", f"{figures['majority']:.4f}"
    if run.parent is not None:
        yield tr("Encoder"), ws.run(run.parent).name


def _split(task: TaskRow) -> str:
    """What parts the program drew, and how; "" for none."""
    shares, seed = task.facts.get("split", {}), task.facts.get("options", {}).get("seed")
    return " ".join(tr(HELD_OUT, share=f"{share:.0%}", part=tr(part), seed=seed)
                    for part, share in shares.items())  # fmt: skip


def _spec(run: RunRow) -> str:
    """What it was trained with; how an imported model was trained is not known."""
    names = ("model", "config") if "imported" in run.facts else tuple(run.spec)
    return json.dumps({name: run.spec[name] for name in names}, ensure_ascii=False, indent=1)


def _remarks(run: RunRow, segmenter: str, head: TaskHead | None) -> Iterator[str]:
    if segmenter in ("jieba", "given"):
        yield tr("The words of a text must stand between spaces: they were cut by {segmenter}.",
                 segmenter=segmenter)  # fmt: skip
    if head:
        if head.kind == "qa":
            yield tr("An answer stands in the passage, or at the first mark: there is none. Leave "
                     "all other places out of the softmax.")  # fmt: skip
    elif run.model == "gpt":
        yield tr("`<s>` was never to be predicted: leave it out of the softmax over the logits.")
    else:
        yield tr("The marks are never predicted: their logits are 10,000 lower.")


def refuse(run: RunRow) -> None:
    """AppError for a kind of network that transformers has not."""
    if run.model not in ("bert", "gpt"):
        raise AppError(
            "{name} is of the kind {model}: only BERT and GPT can be written for transformers.",
            name=run.name, model=tr(MODELS[run.model].title),
        )  # fmt: skip
