"""The program as a library: what it says is what models and panels say."""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lmstudio
from lmstudio.analysis.asked import answering
from lmstudio.errors import AppError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, generation, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.store.workspace import Workspace
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import network

ROOT = Path(__file__).parents[1]
SENTENCE = "小猫爱吃鱼。"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A workspace with the runs that the README's lines would have made, only smaller."""
    folder = tmp_path_factory.mktemp("library") / "W"
    with Workspace(folder) as ws:
        text = "小猫爱吃鱼。\n小狗爱吃肉。\n小猫和小狗爱玩。\n" * 20
        corpora.import_text(ws, text, name="novel", job=Job())
        cut = segmentations.create(ws, "novel", SegmentOptions(by="characters"), job=Job()).new_id
        counted = RunSpec.from_json({"model": "ngram", "config": {"order": 3}})
        training.train(ws, cut, counted, name="kn", job=Job())
        for model in ("gpt", "bert"):
            training.train(ws, cut, network(model), name=model, job=Job())
    return folder


@pytest.fixture
def library(folder):
    with lmstudio.open_workspace(folder) as opened:
        yield opened


def test_runs_are_listed_and_loaded_by_name_or_number(library):
    assert [run.name for run in library.runs()] == ["kn", "gpt", "bert"]
    run = library.runs()[1]
    model = library.load(run.id)
    assert (model.name, model.family, model.proper) == ("gpt", "gpt", True)
    assert not library.load("bert").proper
    with pytest.raises(AppError):
        library.load("nobody")


@pytest.mark.parametrize("name", ["kn", "gpt"])
def test_logprobs_are_those_of_the_model_with_the_end(library, name):
    model = library.load(name)
    tokens, found = model.tokens(SENTENCE), model.token_logprobs(SENTENCE)
    assert tokens == list(SENTENCE)
    assert found.shape == (len(tokens) + 1,)
    opened = answering(asked(library.workspace, name), job=Job())
    ids = opened.vocabulary.encode(tokens)
    chain = [opened.model.next_probs(ids[:place]) for place in range(len(ids) + 1)]
    wanted = [math.log(p[i]) for p, i in zip(chain, [*ids.tolist(), 2], strict=True)]  # 2: </s>
    np.testing.assert_allclose(found, wanted, atol=1e-4)


def test_a_pseudo_likelihood_has_no_end(library):
    assert library.load("bert").token_logprobs(SENTENCE).shape == (len(SENTENCE),)


def test_next_tokens_are_those_of_the_panel(library):
    found = library.load("gpt").next("小猫爱", top=4)
    shown = generation.next_table(library.workspace, "gpt", "小猫爱", count=4, job=Job()).guesses
    assert [(one.text, one.probability) for one in found] == [(one.piece, one.p) for one in shown]
    with pytest.raises(AppError, match="both sides|两边"):
        library.load("bert").next("小猫爱")


def test_blanks_are_filled_one_list_each(library):
    first, second = library.load("bert").fill("小[MASK]爱吃[MASK]。", top=3)
    assert len(first) == len(second) == 3
    assert first[0].probability >= first[1].probability >= first[2].probability > 0


@pytest.mark.parametrize("name", ["gpt", "bert"])
def test_vectors_are_one_a_token_in_each_layer(library, name):
    model = library.load(name)
    table, last = model.embed("小猫小猫", 0), model.embed("小猫小猫")
    assert table.shape == last.shape == (4, 8)
    np.testing.assert_array_equal(table[0], table[2])
    assert not np.allclose(last[0], last[2])
    with pytest.raises(AppError, match="0"):
        model.embed("小猫", layer=9)
    with pytest.raises(AppError, match="16|14|15"):
        model.embed("小猫" * 40)
    with pytest.raises(AppError):
        library.load("kn").embed("小猫")


def test_figures_are_those_that_were_kept(library):
    assert library.load("gpt").evaluation("test")["events"] > 0


def test_the_same_workspace_may_be_written_meanwhile(folder):
    with Workspace(folder), lmstudio.open_workspace(folder) as library:
        assert library.runs()


def test_a_folder_without_a_workspace_is_refused(tmp_path):
    with pytest.raises(AppError, match="workspace|工作区"):
        lmstudio.open_workspace(tmp_path / "no")
    assert not (tmp_path / "no").exists()


def test_nobody_gets_what_is_not_there():
    with pytest.raises(AttributeError, match="nothing"):
        lmstudio.nothing  # noqa: B018


def test_the_readme_s_example_runs_as_it_stands(folder):
    told = (ROOT / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", told, re.DOTALL)
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=folder.parent, capture_output=True, text=True,
        encoding="utf-8", check=False,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    assert not done.returncode, done.stderr
    lines = done.stdout.splitlines()
    assert [line.partition(" ")[0] for line in lines[:3]] == ["kn", "gpt", "bert"]
    assert [line.partition("\t")[0] for line in lines[4:11]] == [*SENTENCE, "</s>"]
    assert lines[-1] == "(6, 8)"
