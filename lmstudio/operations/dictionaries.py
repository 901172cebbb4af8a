"""User dictionaries of a workspace: `dictionaries/NAME.txt`, a word a line, with undo.

`NAME.undo` beside it holds the last steps: for each word that a step changed its line before.
"""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from lmstudio.data.suggest import suggest as find_suggestions
from lmstudio.errors import AppError
from lmstudio.files import read_json, unwritten, write_json, written
from lmstudio.formats.table_file import save_table
from lmstudio.jobs import Job
from lmstudio.messages import Message, tr
from lmstudio.operations.changes import Changes
from lmstudio.store.settings import cache_folder
from lmstudio.store.workspace import Workspace
from lmstudio.text.jieba_tokenizer import base_dictionary
from lmstudio.text.segment import segmenter
from lmstudio.text.segment_options import SegmentOptions
from lmstudio.text.sentences import sentence_spans
from lmstudio.text.userdict import UserWord, line_of, parse_dictionary, read_dictionary
from lmstudio.text.userdict import check_word as check_word  # asked at every key press
from lmstudio.text.word_finding import Suggestion

_FOLDER = "dictionaries"
_NO_NAME = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|]|^[\s.]|[\s.]$|^$')  # on any system
_LONGEST_NAME = 80
_TAG = re.compile("[a-z]{0,3}")
_STEPS = 100  # that can be undone
_LARGEST = 1_000_000_000_000  # frequency: sums stay exact whole numbers


def names(ws: Workspace) -> list[str]:
    """The user dictionaries of a workspace, in alphabetical order."""
    return sorted(file.stem for file in (ws.folder / _FOLDER).glob("*.txt"))


def path(ws: Workspace, name: str) -> Path:
    """Where the dictionary is or would be; what segmenting takes as `dictionary`.

    AppError for a name that files cannot have.
    """
    if _NO_NAME.search(name) or len(name) > _LONGEST_NAME:
        raise AppError("A dictionary cannot be called {name}. Use letters and digits.", name=name)
    return ws.folder / _FOLDER / f"{name}.txt"


def chosen(ws: Workspace, name: str) -> Path:
    """The file of a dictionary: the workspace's of that name, or else a file of that path.

    AppError if there is neither.
    """
    if name in names(ws):
        return path(ws, name)
    if Path(name).is_file():
        return Path(name)
    raise AppError(
        "There is no dictionary {name} in this workspace, nor a file of that name.", name=name
    )


def words(ws: Workspace, name: str) -> list[UserWord]:
    """The words of a dictionary in the order they were added; none if it is not there yet."""
    file = path(ws, name)
    return list(read_dictionary(file).words) if file.exists() else []


def add(
    ws: Workspace, name: str, word: str, frequency: int | None = None, tag: str = ""
) -> Changes:
    """Add a word, or change it; the dictionary is made if need be.

    `frequency` None asks for one that keeps the word whole, 0 takes the word away from jieba.
    Raises AppError for a word that could never match, a frequency out of its limits or a tag that
    is none.
    """
    word = word.strip()
    if wrong := check_word(word):
        raise AppError(wrong.sentence, **wrong.values)
    if frequency is not None and not 0 <= frequency <= _LARGEST:
        raise AppError("The frequency must be between 0 and {most}.", most=_LARGEST)
    if not _TAG.fullmatch(tag):
        raise AppError("A tag is one to three small letters, such as n or nz.")
    return _change(ws, name, [UserWord(word, frequency, tag)])


def remove(ws: Workspace, name: str, word: str) -> Changes:
    """Take a word out of a dictionary; AppError if it is not in it."""
    if word not in {known.word for known in words(ws, name)}:
        raise AppError("{word} is not in the dictionary {name}.", word=word, name=name)
    return _change(ws, name, [], [word])


def import_file(ws: Workspace, name: str, file: Path) -> Changes:
    """Add the words of a file; the notes tell what was left out. AppError if it is unreadable."""
    found = read_dictionary(Path(file))
    kept, notes = [], list(found.warnings)
    for word in found.words:
        if wrong := check_word(word.word):
            notes.append(wrong)
        else:
            kept.append(word)
    return _change(ws, name, kept, notes=notes)


def undo(ws: Workspace, name: str) -> Changes:
    """Take back the last change; AppError if there is none."""
    steps = _steps(ws, name)
    if not steps:
        raise AppError("There is nothing to undo in the dictionary {name}.", name=name)
    known = {word.word: word for word in words(ws, name)}
    for word, line in steps.pop().items():
        known.pop(word, None)
        if line is not None:
            known[word] = parse_dictionary(line).words[0]
    _save(ws, name, known.values(), steps)
    return Changes(dictionaries=True)


def suggest(
    ws: Workspace,
    corpus: int | str,
    *,
    dictionary: str | Path | None = None,
    limit: int = 200,
    job: Job,
) -> list[Suggestion]:
    """Strings of a corpus's training part that may be words and are in no dictionary yet.

    `dictionary` is one of this workspace, or a file; its words are not suggested again.
    """
    known: Sequence[UserWord] = ()
    if isinstance(dictionary, Path):
        known = read_dictionary(dictionary).words
    elif dictionary:
        known = words(ws, dictionary)
    folder = ws.corpus_folder(ws.corpus(corpus).id)
    spelled = [word.word for word in known]
    return job.call(find_suggestions, folder, spelled, cache_folder() / "jieba", limit)


def save_suggestions(found: Sequence[Suggestion], path: Path, *, job: Job) -> None:
    """Write suggestions as a CSV file; UTF-8 with a mark. AppError if it cannot be written."""
    rows = [[s.word, s.count, *(f"{x:.3f}" for x in (s.pmi, s.left_entropy, s.right_entropy))]
            for s in found]  # fmt: skip
    save_table(path, suggestion_header(), rows, job=job)


def suggestion_header() -> list[str]:
    """The columns of a table of suggestions; figures in bits."""
    return [tr("Word"), tr("Count"), tr("Cohesion (PMI)"), tr("Left entropy"), tr("Right entropy")]


def effect(ws: Workspace, name: str, word: str, *, job: Job) -> tuple[Message, ...]:
    """How jieba cuts a word of this dictionary, where that is not what one would expect.

    A note if it is still cut into pieces, or if jieba's own dictionary had it already.
    """
    if word not in {known.word for known in words(ws, name)}:
        raise AppError("{word} is not in the dictionary {name}.", word=word, name=name)
    return job.call(_effect, path(ws, name), word, cache_folder() / "jieba")


def _effect(dictionary: Path, word: str, cache: Path, *, job: Job) -> tuple[Message, ...]:
    job.check()
    cutter = segmenter(SegmentOptions(by="jieba"), dictionary, cache=cache)
    pieces = [word[start:end] for start, end in cutter.cut(word)]
    wanted = next(w for w in read_dictionary(dictionary).words if w.word == word)
    own = base_dictionary(cache)[0].get(word, 0)
    notes = []
    if own:
        notes.append(
            Message(
                "jieba has {word} already, with frequency {count}; yours counts instead.",
                {"word": word, "count": own},
            )
        )
    if pieces != [word] and wanted.frequency != 0:
        notes.append(
            Message(
                "{word} is still cut as {pieces}. Leave its frequency out, or give a higher one.",
                {"word": word, "pieces": " | ".join(pieces)},
            )
        )
    if len(sentence_spans(word)) > 1:
        notes.append(
            Message(
                "{word} holds a sentence end: it is found only where a sentence is a line.",
                {"word": word},
            )
        )
    return tuple(notes)


def delete(ws: Workspace, name: str) -> Changes:
    """Delete a dictionary; segmentations made with it keep their tokens."""
    file = path(ws, name)
    file.unlink(missing_ok=True)
    file.with_suffix(".undo").unlink(missing_ok=True)
    return Changes(dictionaries=True)


def _change(
    ws: Workspace,
    name: str,
    added: Iterable[UserWord],
    removed: Iterable[str] = (),
    notes: Iterable[Message] = (),
) -> Changes:
    known = {word.word: word for word in words(ws, name)}
    before: dict[str, str | None] = {}
    for word in added:
        before[word.word] = line_of(known[word.word]) if word.word in known else None
        known[word.word] = word
    for gone in removed:
        before[gone] = line_of(known.pop(gone))
    _save(ws, name, known.values(), [*_steps(ws, name), before][-_STEPS:])
    return Changes(dictionaries=True, notes=tuple(notes))


def _save(
    ws: Workspace, name: str, kept: Iterable[UserWord], steps: list[dict[str, str | None]]
) -> None:
    file = path(ws, name)
    with unwritten(file, own=True):
        with written(file) as temporary:
            text = "".join(f"{line_of(word)}\n" for word in kept)
            temporary.write_text(text, encoding="utf-8", newline="\n")
        write_json(file.with_suffix(".undo"), steps)


def _steps(ws: Workspace, name: str) -> list[dict[str, str | None]]:
    """What can be undone; nothing if its file is missing or damaged."""
    try:
        steps = read_json(path(ws, name).with_suffix(".undo"))
    except (OSError, ValueError):
        return []
    return steps if isinstance(steps, list) else []
