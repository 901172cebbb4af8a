"""Corpora and segmentations in; the ones that a workspace opens on out."""

from collections.abc import Sequence

from lmstudio.store.rows import CorpusRow, SegmentationRow, with_text


def opening(
    corpora: list[CorpusRow], cuts: Sequence[SegmentationRow], seen: int = 0
) -> tuple[int | None, int | None]:
    """The ids of a corpus and its segmentation; None where there is none.

    What was `seen` last (the id of a segmentation), else the newest that the user imported: what
    was made of a task's texts, or for a model, only where there is nothing else.
    """
    texts = with_text(corpora)
    own = [row.id for row in texts if not row.by_product] or [row.id for row in texts]
    known = {row.id for row in corpora}
    offered = [cut for cut in cuts if cut.id == seen and cut.corpus_id in known] or [
        cut for cut in cuts if cut.corpus_id in own
    ]
    if offered:
        return offered[-1].corpus_id, offered[-1].id
    return (own[-1] if own else None), None
