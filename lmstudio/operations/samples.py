"""Sample corpora: made by the grammar of the program, with the bits no model can go below.

`CorpusRow.facts["oracle"]` of such a corpus: bits per character by part, twice. "sentence" holds
for models that see one sentence at a time, "document" for those that see the sentences before it
in the document as well. What is computed and why it is a bound: `lmstudio.text.grammar`.
"""

import tempfile
from dataclasses import dataclass
from pathlib import Path

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.layout import PART_NAMES
from lmstudio.errors import AppError
from lmstudio.files import unwritten, written
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations import corpora
from lmstudio.operations.changes import Changes
from lmstudio.store.rows import CorpusRow
from lmstudio.store.workspace import Workspace
from lmstudio.text.document import ReadOptions
from lmstudio.text.grammar import Oracle, documents, load

SMALLEST = 50_000  # bytes: enough documents for a split by document
WRITING = Message("Writing sample documents")


@dataclass(frozen=True)
class Scored:
    """A document in its file, with the bits of all its sentences."""

    name: str
    sentence_bits: float
    document_bits: float


def create(
    ws: Workspace, *, size: int = 300_000, seed: int = 1, name: str = "", job: Job
) -> Changes:
    """Add a corpus of generated documents, at least `size` bytes of them, each a text of its own.

    Raises AppError if the size is too small or the name is taken.
    """
    if size < SMALLEST:
        raise AppError("A sample corpus has {size} bytes or more.", size=SMALLEST)
    if name:
        ws.check_name("corpus", name)
    name = name or ws.free_name("corpus", tr("Sample corpus"))
    with tempfile.TemporaryDirectory() as folder:
        scored = job.call(make, Path(folder), size, seed)
        options = ImportOptions(ReadOptions("utf-8", "sentence", "text"))
        changes = corpora.import_files(ws, [Path(folder)], name=name, options=options, job=job)
    if changes.new_id is not None:
        _keep_origin(ws, changes.new_id, {"size": size, "seed": seed}, scored)
    return changes


def write(path: Path, *, size: int = 300_000, seed: int = 1, job: Job) -> None:
    """Write the text of a sample corpus: a sentence a line, a blank line between documents.

    AppError if nothing can be written there.
    """
    with (
        unwritten(path),
        written(path) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        made = 0
        for document in documents(load(), size, seed):
            file.write(("\n" if made else "") + document.text)
            made += len(document.text.encode("utf-8"))
            job.tick(made, size, WRITING)


def make(folder: Path, size: int, seed: int, *, job: Job) -> list[Scored]:
    """Write each document to a file in `folder` and score it. Runs in a worker process."""
    grammar = load()
    oracle = Oracle(grammar)
    scored = []
    made = 0
    for number, document in enumerate(documents(grammar, size, seed), 1):
        path = folder / f"{number:06}-{document.topic}.txt"
        path.write_bytes(document.text.encode("utf-8"))
        made += path.stat().st_size
        readings = [oracle.readings(line) for line in document.lines]
        alone = sum(oracle.bits_of(each) for each in readings)
        scored.append(Scored(path.name, alone, sum(oracle.filter_bits(readings))))
        job.tick(made, size, WRITING)
    return scored


def find(ws: Workspace, *, size: int, seed: int = 1) -> CorpusRow | None:
    """The corpus that `create` made of the same size and seed, whatever it is called now."""
    made = {"size": size, "seed": seed}
    return next((row for row in ws.corpora() if row.facts.get("sample") == made), None)


def _keep_origin(ws: Workspace, corpus_id: int, made: dict[str, int], scored: list[Scored]) -> None:
    """Add how a sample was made, and the oracle's figures, to the facts of its corpus."""
    by_name = {document.name: document for document in scored}
    bits = {kind: dict.fromkeys(PART_NAMES, 0.0) for kind in ("sentence", "document")}
    for row in ws.documents(corpus_id):
        bits["sentence"][row.part] += by_name[row.name].sentence_bits
        bits["document"][row.part] += by_name[row.name].document_bits
    facts = ws.corpus(corpus_id).facts
    facts["oracle"] = {
        kind: {part: bits[kind][part] / facts["parts"][part]["characters"] for part in PART_NAMES}
        for kind in bits
    }
    facts["sample"] = made
    ws.set_facts("corpus", corpus_id, facts)
