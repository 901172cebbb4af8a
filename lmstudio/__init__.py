"""LM Workbench 语言模型工作台: train and compare language models on your own text.

Words the code uses, and uses only so:

    document       one text as its author gave it: a file, a member of an archive, a row of a table
    corpus         documents, read, cut into lines and split into train, valid and test
    segmentation   a corpus cut into tokens, with its vocabulary (never: tokenization, dataset)
    vocabulary     the types a model may predict; ids 0, 1, 2 are <unk>, <s>, </s>
    piece          a token that is part of a word, as a subword segmenter cuts it
    event          one scored prediction: a token or the end of a sentence
    run            one training of one model on one segmentation (never: experiment, session)
    checkpoint     the state a run can be resumed from, or asked questions through
    job            a piece of work with progress that can be cancelled
"""

__version__ = "0.1.0"
