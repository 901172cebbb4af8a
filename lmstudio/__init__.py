"""LM Workbench 语言模型工作台: train and compare language models on your own text.

Words the code uses, and uses only so:

    source         a file that was imported; its copy is kept with the corpus
    document       one text as its author gave it: a file, a member of an archive, a row of a table
    line           what is read and located: a sentence, a paragraph, a cell
    corpus         documents, read, cut into lines and split into train, valid and test
    part           train, valid or test; the last two are held out
    leak           held-out text that stands in train too, word for word or nearly
    given words    words that came with the text: between spaces, as word/tag, in CoNLL-U
    segmentation   a corpus cut into tokens, with its vocabulary (never: tokenization, dataset)
    segmenter      what cuts: characters, jieba, whitespace, given, or one of the four for pieces
    token          one unit of a segmentation, where it stands; a type is its form, counted once
    vocabulary     the types a model may predict; ids 0, 1, 2 are <unk>, <s>, </s>
    piece          a token that is part of a word, as a subword segmenter cuts it
    dictionary     words of the user's own for jieba; those of a workspace are edited in it
    gold           words that people cut, against which segmenters are scored
    hit            a place that a concordance found, in its context
    axis           bits per character of one text; what scores another text has an axis of its own
    smoothing      how an n-gram model keeps probability for what was not seen
    event          one scored prediction: a token or the end of a sentence
    run            one training of one model on one segmentation (never: experiment, session)
    checkpoint     the state a run can be resumed from, or asked questions through
    probe          a question that a network is asked at each validation, to replay its learning
    finding        a question that was kept with what models answered to it
    tag            a word that the user puts on corpora, runs and findings to find them again
    job            a piece of work with progress that can be cancelled
"""

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lmstudio.library import Library, Model, open_workspace

__version__ = "0.1.0"
__all__ = ["Library", "Model", "open_workspace"]


def __getattr__(name: str) -> object:
    """The library, imported when it is first used: the program itself starts without it."""
    if name in __all__:
        return getattr(importlib.import_module("lmstudio.library"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
