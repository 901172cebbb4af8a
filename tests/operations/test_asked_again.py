"""Every kind of question can be kept and put to another run, with what panels keep of it."""

import json

import pytest

from lmstudio.jobs import Job
from lmstudio.operations import (
    corpora,
    finding_questions,
    finding_runs,
    findings,
    segmentations,
    training,
)
from lmstudio.operations.finding_tables import ANSWERS
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

TEXT = "我爱北京天安门。\n他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 40
QUESTIONS = {
    "sentence": ("gpt", {"text": "我爱北京。", "words": "auto"}),
    "compare": ("gpt", {"base": "elmo", "part": "test", "by": "sentence"}),
    "next": ("gpt", {"text": "我爱"}),
    "generate": ("gpt", {"text": "我爱", "options": {"seed": 3}}),
    "fill": ("bert", {"text": "我爱北京。", "blanks": [[2, 4]], "in_order": False}),
    "neighbors": ("gpt", {"text": "我"}),
    "similarity": ("gpt", {"words": ["我", "他", "京"]}),
    "attention": ("gpt", {"text": "我爱北京。", "heads": ["1.1"]}),
    "inside": ("gpt", {"text": "我爱北京。"}),
    "lens": ("gpt", {"text": "我爱北京。"}),
    "directions": ("elmo", {"text": "我爱北京。"}),
    "layer-similarity": ("gpt", {"text": "我爱北京。"}),
    "input-sum": ("bert", {"text": "我爱北京。"}),
    "positions": ("gpt", {}),
    "polysemy": ("gpt", {"word": "春天", "groups": 0}),
    "sentences": ("gpt", {"sentences": ["我爱北京。", "他爱上海。"], "pooling": "mean"}),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A transformer of each kind and an ELMo."""
    with Workspace(tmp_path_factory.mktemp("asked") / "workspace") as ws:
        corpora.import_text(ws, TEXT, name="文", job=Job())
        cut = segmentations.create(ws, "文", SegmentOptions(by="characters"), job=Job()).new_id
        for model in ("gpt", "bert", "elmo"):
            training.train(ws, cut, network(model), name=model, job=Job())
        spec = RunSpec.from_json({"model": "ngram", "config": {"order": 2}})
        training.train(ws, cut, spec, name="二元", job=Job())
        yield ws


@pytest.mark.parametrize("kind", findings.KINDS)
def test_it_is_kept_and_asked_again(made, kind):
    run, question = QUESTIONS[kind]
    number = findings.save(made, kind, kind, question, {}).new_id
    findings.ask_again(made, number, run, job=Job())
    answer = findings.finding(made, number).answers[run]
    table = ANSWERS[kind](json.loads(json.dumps(answer)))
    assert table.facts or table.rows
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert findings.kind_name(kind)
    assert not any(mark in finding_questions.told(kind, question) for mark in "{[_") or (
        kind == "fill" and finding_questions.told(kind, question) == "我爱[北京]。"
    )


@pytest.mark.parametrize(("kind", "names"), [
    ("attention", {"gpt", "bert"}), ("directions", {"elmo"}), ("next", {"gpt", "elmo", "二元"}),
    ("compare", {"gpt", "二元"}), ("polysemy", {"gpt", "bert", "elmo"}),
])  # fmt: skip
def test_only_runs_that_can_answer_are_offered(made, kind, names):
    number = findings.save(made, kind, kind, QUESTIONS[kind][1], {}).new_id
    able = finding_runs.able(made, findings.finding(made, number))
    assert {run.name for run in able} == names


def test_blanks_come_from_the_marks_of_the_text(made):
    question = {"text": "我爱[MASK]京。"}
    number = findings.new(made, "fill", "t", question, "gpt", job=Job()).new_id
    table = ANSWERS["fill"](findings.finding(made, number).answers["gpt"])
    assert [row[0] for row in table.rows] == list(range(1, len(table.rows) + 1))
    assert finding_questions.told("fill", question) == question["text"]


def test_only_settings_that_are_unusual_are_told():
    usual = {"text": "我", "heads": ["2.1"], "rollout": None, "words": "tokens", "marks": False,
             "renormalise": False, "off": []}  # fmt: skip
    told = finding_questions.told("attention", usual)
    assert told == "我 · Heads that are shown: 2.1 · Hide <s> and </s>"
    told = finding_questions.told("generate", {"text": "我", "options": {"seed": 3, "top_k": 0}})
    assert told == "我 · Seed: 3"
    assert finding_questions.told("horoscope", {"a": [1]}) == "a: [1]"
    assert finding_questions.told("fill", {"text": 3}) == "text: 3"
