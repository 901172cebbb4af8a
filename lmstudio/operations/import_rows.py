"""What an import found, as rows of the workspace and as sentences for the user.

`CorpusRow.facts` of a corpus:

    options         ImportOptions as JSON
    parts           for each part "documents", "lines" and "characters"
    empty_lines, joined_lines, cut_lines (cuts in lines over 4 Mi characters), blank_documents,
    marks           (lines with a literal <s>, </s> or <unk>): what was counted
    given_words, tags    words that the files gave, and the kinds of their tags
    skipped         files of which nothing was taken: [name, sentence, values] each
    partly          what was left out of other files: the same
    duplicates      "exact_documents" and "near_documents" that were found, how many were "dropped",
                    and the first groups of their numbers, "exact" and "near", if none was
    leaks           by held-out part, see `data.leaks.PartLeaks`; leaks_dropped: lines taken out
    normalise       by step its "value", the characters it "changed", the "version" of its tables
    sources         how many files it was made of
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.importing import Imported
from lmstudio.data.layout import PART_NAMES
from lmstudio.figures import percent
from lmstudio.messages import Message
from lmstudio.store.rows import CorpusRow, DocumentRow, Facts, SourceRow
from lmstudio.text.document import Refusal

NAMED = 5  # files named in a message
_KEPT = 1000  # refusals in the facts


def corpus_row(corpus_id: int, name: str, options: ImportOptions, found: Imported) -> CorpusRow:
    """The row of a new corpus."""
    documents = found.documents
    encodings = {document.encoding for document in documents} - {""} or {""}
    lines_by_rule: Counter[str] = Counter()
    for document in documents:
        lines_by_rule[document.rule] += document.characters
    return CorpusRow(
        id=corpus_id,
        name=name,
        created="",
        encoding=encodings.pop() if len(encodings) == 1 else "mixed",
        lines_rule=lines_by_rule.most_common(1)[0][0],
        split_rule=found.split,
        documents=len(documents),
        lines=sum(document.lines for document in documents),
        characters=sum(document.characters for document in documents),
        bytes=sum(source.bytes for source in found.sources),
        facts=_facts(options, found),
    )


def _facts(options: ImportOptions, found: Imported) -> Facts:
    return {
        "options": options.to_json(),
        "parts": found.parts,
        **asdict(found.taken),
        "skipped": _refusals(found.skipped),
        "partly": _refusals(found.partly),
        "duplicates": found.duplicates,
        "leaks": found.leaks,
        "leaks_dropped": found.leaks_dropped,
        "sources": len(found.sources),
    }


def _refusals(refused: list[Refusal]) -> list[list[object]]:
    return [[r.name, r.reason.sentence, r.reason.values] for r in refused[:_KEPT]]


def document_rows(corpus_id: int, found: Imported) -> Iterator[DocumentRow]:
    """The rows of its documents."""
    for number, d in enumerate(found.documents):
        yield DocumentRow(
            corpus_id, number, d.name, d.encoding, d.bytes, d.lines, d.characters, d.first_line,
            d.part, d.source, d.title, d.label,
        )  # fmt: skip


def source_rows(corpus_id: int, found: Imported) -> Iterator[SourceRow]:
    """The rows of its files."""
    for number, s in enumerate(found.sources):
        yield SourceRow(corpus_id, number, s.name, s.sha256, s.bytes, s.encoding, s.format)


def notes(found: Imported, options: ImportOptions) -> Iterator[Message]:
    """What the user should be told of an import."""
    for refusal in found.skipped[:NAMED]:
        yield Message(
            "{name} was left out. {reason}", {"name": refusal.name, "reason": refusal.reason}
        )
    if len(found.skipped) > NAMED:
        yield Message("{count} more files were left out.", {"count": len(found.skipped) - NAMED})
    for refusal in found.partly[:NAMED]:
        yield Message("{name}: {reason}", {"name": refusal.name, "reason": refusal.reason})
    if len(found.partly) > NAMED:
        yield Message(
            "{count} more things were left out of files.", {"count": len(found.partly) - NAMED}
        )
    yield from _counted(found)
    yield from _twice(found)
    if options.leaks == "drop":
        yield Message(
            "{count} lines were taken out of the held-out parts, for they stand in the training "
            "part as well.",
            {"count": found.leaks_dropped},
        )
    if not all(found.parts[part]["lines"] for part in PART_NAMES):
        yield Message(
            "The validation or the test part is empty, and nothing can be measured on it. "
            "A split takes three lines or more, and texts that are not all copies of one another."
        )


def _counted(found: Imported) -> Iterator[Message]:
    """What happened to lines and characters."""
    taken = found.taken
    if taken.blank_documents:
        yield Message("{count} documents hold no text.", {"count": taken.blank_documents})
    if taken.empty_lines:
        yield Message("{count} empty lines were skipped.", {"count": taken.empty_lines})
    if taken.joined_lines:
        yield Message("{count} line ends were joined.", {"count": taken.joined_lines})
    if taken.cut_lines:
        yield Message(
            "Lines of more than 4 million characters were cut, {count} times.",
            {"count": taken.cut_lines},
        )
    if taken.marks:
        yield Message(
            "{count} lines hold <s>, </s> or <unk>. They are taken for marks, not for words.",
            {"count": taken.marks},
        )
    if taken.given_words:
        yield Message(
            "The files give {count} words. The segmenter “given” keeps them.",
            {"count": taken.given_words},
        )
    if changed := sum(step["changed"] for step in taken.normalise.values()):
        yield Message("{count} characters were normalised.", {"count": changed})


def _twice(found: Imported) -> Iterator[Message]:
    """What stands in the corpus more than once."""
    exact = found.duplicates.get("exact_documents", 0)
    near = found.duplicates.get("near_documents", 0)
    if exact:
        yield Message("{count} documents have the same text as another.", {"count": exact})
    if near:
        yield Message("{count} documents are nearly the same as another.", {"count": near})
    if dropped := found.duplicates.get("dropped"):
        yield Message("{count} documents were left out as duplicates.", {"count": dropped})
    for part, leak in found.leaks.items():
        if leak["leaked_lines"] or leak["share"]:
            yield Message(
                "{leaked} of {lines} lines of the {part} part stand in the training part as well; "
                "with what nearly does, {share} of its characters.",
                {"leaked": leak["leaked_lines"], "lines": leak["lines"],
                 "part": Message(part), "share": percent(leak["share"], 1)},
            )  # fmt: skip
