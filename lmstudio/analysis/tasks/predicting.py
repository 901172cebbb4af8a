"""Examples and a fine-tuned run -> predictions.

A text that was read in several windows has the mean of their probabilities as its class; of tags
that two windows give a token, the one with more context on its shorter side counts, as in Devlin's
own code; of answers see answer_search.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from lmstudio.analysis.tasks.answer_search import Window, best_answers
from lmstudio.analysis.tasks.asked_task import AskedTask
from lmstudio.analysis.tasks.prediction import FoundSpan, Prediction, TaggedToken
from lmstudio.analysis.tasks.reading import RowAnswer, read
from lmstudio.analysis.tasks.tuned import tuned
from lmstudio.data.labelled.encoding import Row, encode
from lmstudio.data.labelled.example import Example
from lmstudio.data.labelled.tags import spans_of
from lmstudio.data.layout import UNK
from lmstudio.jobs import Job
from lmstudio.training.fit_task import Way, cutting_of, window_of

OTHERS = 3
"""Other tags of a token that are told."""

Windows = list[tuple[Row, RowAnswer]]  # the windows of one example


def predict(asked: AskedTask, examples: Sequence[Example], *, job: Job) -> list[Prediction]:
    """What the run says of each example, whether it has a label or not.

    `text` is what is classified or tagged, the first of a pair, the passage; `other` the second of
    a pair, the question.
    """
    model = tuned(asked, job=job)
    bare = [Example(example.text, example.other, words=example.words, labelled=False)
            for example in examples]  # fmt: skip
    cutting = cutting_of(asked.config, asked.labels, window_of(asked.asked.spec))
    encoded = encode(bare, cutting, asked.asked.plan, model.vocabulary, job=job)
    windows: list[Windows] = [[] for _ in examples]
    for row, answer in zip(encoded.rows, read(model.model, encoded.rows, job=job), strict=True):
        windows[row.example].append((row, answer))
    way = Way(asked.task, asked.labels, asked.config, model.may_be_none)
    return said(way, examples, windows)


def said(way: Way, examples: Sequence[Example], windows: Sequence[Windows]) -> list[Prediction]:
    """What the answers to its windows say of each example."""
    say = {"tag": _tagged, "qa": _answered}.get(way.task, _classified)
    found = zip(examples, windows, strict=True)
    return [say(way, example, _read(example.text, mine), mine) for example, mine in found]


def _read(text: str, windows: Windows) -> Prediction:
    """A prediction of a text that says only how much of it was read."""
    numbers = {int(n) for row, _ in windows for n in row.numbers}
    end = max((row.spans[-1][1] for row, _ in windows if row.spans), default=0)
    whole = numbers == set(range(len(numbers))) and not text[end:].strip()
    unknown = {int(n) for row, _ in windows
               for n, one in zip(row.numbers, row.ids[row.place :], strict=False)
               if one == UNK}  # fmt: skip
    return Prediction(text, read=len(numbers), cut=not whole, unknown=len(unknown))


def _classified(
    way: Way, example: Example, base: Prediction, windows: Windows
) -> Prediction:  # fmt: skip
    labels = way.labels
    shares = np.mean([answer.probabilities for _, answer in windows], 0)
    return replace(base, other=example.other, label=labels[int(shares.argmax())],
                   probabilities=tuple(shares.tolist()))  # fmt: skip


def _answered(
    way: Way, example: Example, base: Prediction, windows: Windows
) -> Prediction:  # fmt: skip
    given = []
    for row, answer in windows:
        own = slice(row.place, row.place + len(row.spans))
        none = float(answer.starts[0] + answer.ends[0])
        given.append(Window(answer.starts[own], answer.ends[own], row.spans, none))
    longest = way.config.answer_length
    found = best_answers(example.text, given, longest, may_be_none=way.may_be_none)
    return replace(base, other=example.other, answers=tuple(found))


def _tagged(way: Way, example: Example, base: Prediction, windows: Windows) -> Prediction:
    chosen: dict[int, tuple[int, TaggedToken]] = {}  # by number: context on the shorter side
    for row, answer in windows:
        every = zip(row.numbers.tolist(), row.spans, answer.tags, answer.probabilities, strict=True)
        for order, (number, span, tag, shares) in enumerate(every):
            context = min(order, len(row.spans) - 1 - order)
            if number not in chosen or chosen[number][0] < context:
                chosen[number] = context, _token(span, tag, shares, way.labels)
    tokens = tuple(token for _, (_, token) in sorted(chosen.items()))
    spans = found_spans(tokens, way.config.scheme)
    return replace(base, spans=tuple(spans), tokens=tokens)


def found_spans(tokens: Sequence[TaggedToken], scheme: str) -> list[FoundSpan]:
    """The stretches of a text that the tags of its tokens write, over code points."""
    return [
        FoundSpan(tokens[span.start].start, tokens[span.end - 1].end, span.type,
                  min(token.p for token in tokens[span.start : span.end]))
        for span in spans_of([token.tag for token in tokens], scheme)
    ]  # fmt: skip


def _token(
    span: tuple[int, int], tag: int, shares: np.ndarray, labels: Sequence[str]
) -> TaggedToken:
    order = [int(n) for n in np.argsort(-shares, kind="stable") if n != tag][:OTHERS]
    others = tuple((labels[n], float(shares[n])) for n in order)
    return TaggedToken(*span, labels[tag], float(shares[tag]), others)
