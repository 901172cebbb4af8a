"""What a file of another program becomes: a segmentation with its words, and a run on that.

The words of the file are the vocabulary, so that nothing is lost or made up. Put on a segmentation
of the user's, its corpus is cut in the same way, once more if it has other words, and words that
the file lacks are unknown; what can take any words stands on the segmentation itself. By itself it
stands on a corpus of its words, one a line.

`RunRow.facts["imported"]` of such a run: "folder" (the name of the file), "type" (its layout),
"sha256", "untrained" (what is missing of its output layer). `CorpusRow.facts["pieces_of"]` of a
corpus of words: whose words they are.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.layout import SPECIALS
from lmstudio.data.split import SplitRule
from lmstudio.data.vocab import Vocabulary
from lmstudio.errors import AppError
from lmstudio.files import folder_beside
from lmstudio.jobs import Job
from lmstudio.messages import Message, listed
from lmstudio.operations import corpora, runs, segmentations
from lmstudio.operations.changes import Changes
from lmstudio.store import unfinished
from lmstudio.store.rows import Facts, RunRow, SegmentationRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment_options import SUBWORD, SegmentOptions
from lmstudio.training.spec import RunSpec

Maker = Callable[[Path, Path], Facts]
"""A segmentation's folder and a folder for a run in; "model", "config" and "facts" out."""


class Made:
    """Rows that an import has added so far, marked as unfinished."""

    def __init__(self, ws: Workspace) -> None:
        self._ws, self._rows = ws, list[tuple[str, int]]()

    def add(self, table: str, changes: Changes) -> int:
        """Remember the row that is new; its id."""
        assert changes.new_id is not None
        self._rows.append((table, changes.new_id))
        return changes.new_id

    def finish(self, run_id: int) -> None:
        """The run is added, so the rows that it stands on are no longer marked."""
        for table, row_id in self._rows:
            unfinished.finish(self._ws, table, row_id)
        self._rows.append(("run", run_id))

    def take_back(self) -> None:
        """Delete all again, the last first."""
        for table, row_id in reversed(self._rows):
            self._ws.delete(table, row_id)


@contextmanager
def all_or_nothing(ws: Workspace) -> Iterator[Made]:
    """What is added in the block is deleted again if the block fails."""
    made = Made(ws)
    try:
        yield made
    except BaseException:
        made.take_back()
        raise


def import_run(
    ws: Workspace, title: str, words: Sequence[str], make: Maker, *, name: str = "",
    segmentation: int | str | None = None, spelled: Callable[[list[str]], list[str]] = list,
    any_words: bool = False, job: Job,
) -> Changes:  # fmt: skip
    """A run of a file that is called `title`, whose vocabulary is `words`; `make` writes its files.

    `spelled` tells how types of a segmentation stand in such files; with `any_words` it can stand
    on one that has others. AppError where the name is
    taken or the words do not fit the segmentation; nothing is left of it then.
    """
    if name:
        ws.check_name("run", name)
    with all_or_nothing(ws) as made:
        if segmentation is None:
            cut = _own(ws, title, words, spelled, made, job)
        elif any_words:
            cut = ws.segmentation(segmentation)
        else:
            cut = _matched(ws, ws.segmentation(segmentation), title, words, spelled, made, job)
        run = add_run(ws, cut, name or ws.free_name("run", title), make, made)
    notes = tuple(runs.notes(run.facts))
    if segmentation is None or not any_words:
        notes += tuple(_notes(ws, run, own=segmentation is None))
    return Changes(corpora=segmentation is None, segmentations=True, runs=True, new_id=run.id,
                   notes=notes)  # fmt: skip


def title_of(path: Path) -> str:
    """What a run is called that comes from a file: its name without what follows the last dot."""
    name = path.resolve().name.removesuffix(".gz")
    return name.rpartition(".")[0] or name


def add_run(ws: Workspace, cut: SegmentationRow, name: str, make: Maker, made: Made) -> RunRow:
    """A run that is done, whose files `make` writes; it is added when they are all there.

    What was `made` for it appears at the same moment.
    """
    home = ws.folder / "runs"
    home.mkdir(parents=True, exist_ok=True)
    with folder_beside(home / "import") as folder:
        found = make(ws.segmentation_folder(cut.id), folder)
        spec = RunSpec.from_json({"model": found["model"], "config": found["config"]})
        facts = found["facts"]
        with ws.db.transaction():
            run = ws.add_run(cut.id, name, spec.model, spec.to_json())
            ws.update_run(run.id, state="done", facts=facts, parameters=facts["parameters"])
            made.finish(run.id)
            os.replace(folder, ws.run_folder(run.id))
    return ws.run(run.id)


def _own(
    ws: Workspace, title: str, words: Sequence[str], spelled: Callable[[list[str]], list[str]],
    made: Made, job: Job,
) -> SegmentationRow:  # fmt: skip
    """A corpus of the words; one of the very same words is used again."""
    own = {row.id for row in ws.corpora() if row.facts.get("pieces_of")}
    for cut in ws.segmentations():
        if cut.corpus_id in own and _same_words(ws, cut, words, spelled):
            return cut
    corpus = own_corpus(ws, title, words, made, job)
    single = all(len(word) == 1 for word in words)
    return _cut(ws, corpus, SegmentOptions(by="characters" if single else "whitespace"), title,
                words, made, job)  # fmt: skip


def own_corpus(ws: Workspace, title: str, words: Sequence[str], made: Made, job: Job) -> int:
    """A corpus of words or pieces, a line each, all of them in the train part."""
    texts = [text for word in words if (text := " ".join(word.split()))]
    if not texts:
        raise AppError("Its pieces hold no text. Choose another vocabulary.")
    options = ImportOptions(
        reading=ReadOptions(encoding="utf-8", format="text", lines="sentence"),
        split=SplitRule(valid=0, test=0),
    )
    return made.add("corpus", corpora.import_text(
        ws, "\n".join(texts) + "\n", name=ws.free_name("corpus", title), options=options,
        facts={"pieces_of": title, unfinished.MARK: True}, job=job,
    ))  # fmt: skip


def _matched(
    ws: Workspace, cut: SegmentationRow, title: str, words: Sequence[str],
    spelled: Callable[[list[str]], list[str]], made: Made, job: Job,
) -> SegmentationRow:  # fmt: skip
    """A segmentation if it has these words; else its corpus, cut in the same way, with them."""
    if _same_words(ws, cut, words, spelled):
        return cut
    plan = segmentations.cut_plan(ws, cut)
    if plan.options.by in SUBWORD:
        raise AppError(
            "The pieces of {name} are not the words of {file}: it can only stand on a segmentation "
            "with the very same pieces.", name=cut.name, file=title,
        )  # fmt: skip
    return _cut(ws, cut.corpus_id, plan.options, title, words, made, job, plan.dictionary)


def _cut(
    ws: Workspace, corpus: int, options: SegmentOptions, title: str, words: Sequence[str],
    made: Made, job: Job, dictionary: Path | None = None,
) -> SegmentationRow:  # fmt: skip
    """A corpus cut so that the vocabulary is `words`."""
    title = ws.free_name("segmentation", f"{ws.corpus(corpus).name} · {title}")
    options = replace(options, unknown="unk", special="")
    return ws.segmentation(made.add("segmentation", segmentations.create(
        ws, corpus, options, name=title, dictionary=dictionary, words=words,
        facts={unfinished.MARK: True}, job=job,
    )))  # fmt: skip


def _same_words(
    ws: Workspace, cut: SegmentationRow, words: Sequence[str],
    spelled: Callable[[list[str]], list[str]],
) -> bool:  # fmt: skip
    """Whether the vocabulary of a segmentation is `words`, in any order."""
    if cut.vocabulary != len(words) + len(SPECIALS) - 1:
        return False
    types = spelled(Vocabulary.load(ws.segmentation_folder(cut.id)).types)
    return set(types[len(SPECIALS) :]) == set(words)


def shared(ws: Workspace, run: RunRow) -> Iterator[Message]:
    """With which runs one that was imported shares the corpus that was made for them."""
    others = [one.name for one in ws.runs(run.segmentation_id) if one.id != run.id]
    if others:
        corpus = ws.corpus(ws.segmentation(run.segmentation_id).corpus_id).name
        yield Message(
            "It has the same words as {names} and shares the corpus {corpus} with it: whoever "
            "deletes that corpus deletes them all.", {"names": listed(others), "corpus": corpus},
        )  # fmt: skip


def _notes(ws: Workspace, run: RunRow, *, own: bool) -> Iterator[Message]:
    cut = ws.segmentation(run.segmentation_id)
    if own:
        yield from shared(ws, run)
        yield Message(
            "It stands on a corpus of its own words, {corpus}. To measure it on a text, import it "
            "onto a segmentation of that text (--segmentation).",
            {"corpus": ws.corpus(cut.corpus_id).name},
        )  # fmt: skip
        if cut.segmenter == "whitespace":
            yield Message("Texts are cut at white space: write its words apart.")
        return
    train: dict[str, Any] = cut.facts["parts"]["train"]
    yield Message("Of {tokens} tokens of the train part it lacks {unknown}; they are unknown.",
                  {"tokens": train["tokens"], "unknown": train["unknown"]})  # fmt: skip
