"""The three sentences of the cases as a corpus of given words, all of it for training."""

from lmstudio.data.import_options import ImportOptions
from lmstudio.data.split import SplitRule
from lmstudio.jobs import Job
from lmstudio.operations import corpora, segmentations, training
from lmstudio.operations.changes import Changes
from lmstudio.text.document import ReadOptions
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec

TINY = ("我 爱 北京", "我 爱 上海", "他 爱 我")  # c_tiny.txt: V = 7


def add_tiny(state, folder) -> int:
    """The id of their segmentation, selected."""
    file = folder / "c_tiny.txt"
    file.write_text("\n".join(TINY) + "\n", encoding="utf-8")
    options = ImportOptions(reading=ReadOptions(format="words"), split=SplitRule(valid=0, test=0))
    corpus = corpora.import_files(
        state.workspace, [file], name="c_tiny", options=options, job=Job()
    ).new_id
    made = segmentations.create(state.workspace, corpus, SegmentOptions(by="given"), job=Job())
    state.apply(Changes(corpora=True, segmentations=True, new_id=made.new_id))
    return made.new_id


def count(state, cut, **config) -> int:
    """The id of a trained n-gram run."""
    spec = RunSpec.from_json({"model": "ngram", "config": config})
    made = training.train(state.workspace, cut, spec, job=Job()).new_id
    state.apply(Changes(runs=True))
    return made
