"""Words in; the documents of a corpus whose name, title or label holds them out."""

from lmstudio.jobs import Job
from lmstudio.store.workspace import Workspace


def search(ws: Workspace, corpus_id: int, words: str, *, job: Job) -> list[int]:
    """The numbers of the documents, ascending; the case of ASCII letters does not matter."""
    job.check()
    return ws.documents_named(corpus_id, words.strip())
