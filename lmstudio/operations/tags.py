"""Tags of corpora, runs and findings: put on, taken off, searched for."""

from collections.abc import Sequence

from lmstudio.errors import AppError
from lmstudio.operations.changes import Changes
from lmstudio.store import tags as kept
from lmstudio.store.findings import finding
from lmstudio.store.names import CONTROLS, HALF_CHARACTERS
from lmstudio.store.tags import Noun
from lmstudio.store.workspace import Workspace

MOST, LONGEST = 20, 40
"""Tags of one thing, and characters of one."""


def tags(ws: Workspace, noun: Noun) -> dict[int, tuple[str, ...]]:
    """The tags of all corpora, runs or findings that have some, by their ids."""
    return kept.tags(ws.db, noun)


def set_tags(ws: Workspace, noun: Noun, key: int | str, words: Sequence[str]) -> Changes:
    """Put these tags on a corpus, a run (by id or name) or a finding, instead of those it had.

    AppError where they are too many, too long or cannot be stored.
    """
    found = list(dict.fromkeys(word.strip().lstrip("#") for word in words))
    found = [word for word in found if word]
    if len(found) > MOST:
        raise AppError("There are {count} tags. At most {most} are allowed.",
                       count=len(found), most=MOST)  # fmt: skip
    for word in found:
        if len(word) > LONGEST or CONTROLS.search(word):
            raise AppError("The tag {tag} is too long or holds a control character.",
                           tag=CONTROLS.sub("?", word[:LONGEST]))  # fmt: skip
        if HALF_CHARACTERS.search(word):
            raise AppError("The tag {tag} holds half a character. Remove it.",
                           tag=HALF_CHARACTERS.sub("?", word))  # fmt: skip
    kept.set_tags(ws.db, noun, _id(ws, noun, key), found)
    return Changes(corpora=noun == "corpus", runs=noun == "run", findings=noun == "finding")


def words_of(text: str) -> list[str]:
    """The tags that were typed in one line: white space and commas stand between them."""
    return text.replace(",", " ").replace("，", " ").replace("、", " ").split()  # noqa: RUF001


def matches(query: str, *texts: str) -> bool:
    """Whether every word of a search stands in one of the texts, whatever its case."""
    everything = "\n".join(texts).casefold()
    return all(word.lstrip("#").casefold() in everything for word in query.split())


def _id(ws: Workspace, noun: Noun, key: int | str) -> int:
    if noun == "finding":
        return finding(ws.db, int(key)).id
    return ws.corpus(key).id if noun == "corpus" else ws.run(key).id
