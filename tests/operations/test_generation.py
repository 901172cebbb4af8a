"""Next tokens and texts of every family, against reading each text anew."""

import json

import numpy as np
import pytest

from lmstudio.analysis.asked import answering
from lmstudio.analysis.generation.next_table import entropy, next_probs
from lmstudio.analysis.generation.options import GenerationOptions
from lmstudio.analysis.generation.prompt import read_prompt
from lmstudio.data.layout import EOS, UNK
from lmstudio.errors import AppError, Cancelled, SpecError
from lmstudio.jobs import Job
from lmstudio.operations import corpora, findings, generation, prompts, segmentations, training
from lmstudio.operations.asked import asked
from lmstudio.text.segment import SegmentOptions
from lmstudio.training.spec import RunSpec
from tests.operations.families import CONFIGS, network

TEXT = "我爱北京天安门。他爱上海的春天。\n北京的春天很短，上海的春天很长。\n" * 12
COUNTED = {"ngram": {"order": 3}, "class-ngram": {"order": 2, "classes": 4}}
WRITERS = [*COUNTED, *(name for name in CONFIGS if name != "bert")]
SHORT = GenerationOptions(length=12)


@pytest.fixture
def cut(workspace):
    corpus = corpora.import_text(workspace, TEXT, name="t", job=Job())
    options = SegmentOptions(by="characters", sentences="punctuation")
    return segmentations.create(workspace, corpus.new_id, options, job=Job()).new_id


def train(workspace, cut, model="ngram", **config):
    if model in COUNTED:
        spec = RunSpec.from_json({"model": model, "config": COUNTED[model] | config})
    else:
        spec = network(model, config)
    return training.train(workspace, cut, spec, job=Job()).new_id


@pytest.fixture(params=WRITERS)
def run(request, workspace, cut):
    return train(workspace, cut, request.param)


def test_next_tokens_are_what_the_model_says(workspace, run):
    found = generation.next_table(workspace, run, "他爱", count=4, job=Job())
    model = answering(asked(workspace, run), job=Job())
    ids = [piece.id for piece in model.pieces("他爱", job=Job())]
    probs = model.model.next_probs(np.array(ids))
    assert [guess.p for guess in found.guesses] == sorted(probs, reverse=True)[:4]
    assert [probs[guess.id] for guess in found.guesses] == [guess.p for guess in found.guesses]
    assert [model.types[guess.id] for guess in found.guesses] == [g.piece for g in found.guesses]
    assert found.rest + sum(guess.p for guess in found.guesses) == pytest.approx(1)
    assert (found.end, found.unknown) == (probs[EOS], probs[UNK])
    positive = probs[probs > 0]
    assert found.entropy == pytest.approx(-(positive * np.log2(positive)).sum(), rel=1e-6)
    assert found.read == ["<s>", "他", "爱"]


def test_texts_are_what_reading_anew_gives(workspace, run):
    """Tokens of the fast way, each with the p that the model gives after all before it."""
    options = GenerationOptions(length=40, count=2, sentences=4, unknown=True, seed=3)
    [found] = generation.generate(workspace, [run], "他爱上海。我", options, job=Job())
    model = answering(asked(workspace, run), job=Job())
    ids = read_prompt(model, "他爱上海。我", job=Job()).ids
    assert ids[-2] == EOS
    for text in found.texts:
        seen = list(ids)
        for token, others in zip(text.tokens, text.alternatives, strict=True):
            probs = next_probs(model.model, seen)
            assert token.p == pytest.approx(probs[token.id], rel=1e-4)
            assert token.share == pytest.approx(token.p, rel=1e-4)
            assert others[0].p == pytest.approx(probs.max(), rel=1e-4)
            seen.append(token.id)
        assert len(text.tokens) == 40 or text.tokens[-1].id == EOS
        assert text.text == "".join(token.text for token in text.tokens)


def test_case_h2_greedy_is_the_same_for_every_seed(workspace, run):
    found = [
        generation.generate(
            workspace, [run], "我", GenerationOptions(temperature=0, length=10, seed=seed),
            job=Job(),
        )[0].texts
        for seed in (1, 2, 3)
    ]  # fmt: skip
    assert found[0] == found[1] == found[2]
    best = [others[0].id for others in found[0][0].alternatives]
    chosen = [token.id for token in found[0][0].tokens]
    assert all(a in (b, UNK) for a, b in zip(best, chosen, strict=True))


def test_runs_write_side_by_side_and_are_shown_meanwhile(workspace, cut, monkeypatch):
    monkeypatch.setattr("lmstudio.analysis.generation.generate.SHOW_EVERY", 0)
    runs = [train(workspace, cut, name) for name in ("ngram", "rnn")]
    seen = []

    class Watched(Job):
        def show(self, partial):
            seen.append([len(one.texts[0].tokens) for one in partial])

    found = generation.generate(workspace, runs, "我", SHORT, job=Watched())
    assert [one.name for one in found] == [workspace.run(run).name for run in runs]
    assert seen[2] == [3, 3]
    alone = generation.generate(workspace, runs[1:], "我", SHORT, job=Job())
    assert alone[0].texts == found[1].texts


def test_a_stop_keeps_what_is_written(workspace, cut, monkeypatch):
    monkeypatch.setattr("lmstudio.analysis.generation.generate.SHOW_EVERY", 0)
    run = train(workspace, cut)

    class Stopped(Job):
        def show(self, partial):
            if len(partial[0].texts[0].tokens) == 5:
                self.cancel()

    [found] = generation.generate(
        workspace, [run], "我", GenerationOptions(length=50, sentences=50), job=Stopped()
    )
    assert found.stopped
    assert len(found.texts[0].tokens) in (5, 6)
    assert len(found.texts[0].alternatives) == len(found.texts[0].tokens) == found.written
    before = Job()
    before.cancel()
    with pytest.raises(Cancelled):
        generation.generate(workspace, [run], "我", SHORT, job=before)


def test_a_text_branches_where_another_token_is_kept(workspace, cut):
    run = train(workspace, cut)
    [first] = generation.generate(workspace, [run], "我", SHORT, job=Job())
    [text] = first.texts
    other = next(c.id for c in text.alternatives[2] if c.id != text.tokens[2].id)
    kept = [*(token.id for token in text.tokens[:2]), other]
    [branch] = generation.generate(workspace, [run], "我", SHORT, {run: kept}, job=Job())
    assert [token.id for token in branch.texts[0].tokens[:3]] == kept


def test_what_cannot_answer_says_why(workspace, cut):
    bert = train(workspace, cut, "bert")
    joint = train(workspace, cut, "elmo", head="joint")
    bare = train(workspace, cut, smoothing="maximum-likelihood")
    for run in (bert, joint):
        with pytest.raises(AppError, match="reads both sides"):
            generation.next_table(workspace, run, "我", job=Job())
        with pytest.raises(AppError, match="reads both sides"):
            generation.generate(workspace, [run], "我", SHORT, job=Job())
    with pytest.raises(AppError, match="without smoothing"):
        generation.next_table(workspace, bare, "安安", job=Job())
    [found] = generation.generate(workspace, [bare], "安安", SHORT, job=Job())
    assert [text.end for text in found.texts] == ["undefined"]


def test_scores_are_marked_and_drawn_in_their_proportions(workspace, cut):
    run = train(workspace, cut, smoothing="stupid-backoff")
    assert not generation.next_table(workspace, run, "我", job=Job()).proper
    [found] = generation.generate(workspace, [run], "我", SHORT, job=Job())
    assert all(0 < token.share <= 1 for token in found.texts[0].tokens)


def test_case_h2_wrong_options_are_refused(workspace, cut):
    run = train(workspace, cut)
    with pytest.raises(SpecError, match="temperature"):
        generation.generate(workspace, [run], "我", GenerationOptions(temperature=-1), job=Job())
    with pytest.raises(SpecError):
        generation.generate_again(workspace, run, "我", {"temperature": ""}, job=Job())


def test_case_h2_top_k_above_the_vocabulary_changes_nothing(workspace, cut):
    run = train(workspace, cut)
    wide, none = (
        generation.generate(workspace, [run], "我", GenerationOptions(top_k=k), job=Job())[0].texts
        for k in (10_000, 0)
    )
    assert wide == none


def test_unknown_words_of_a_prompt_are_told(workspace, cut):
    run = train(workspace, cut)
    [note] = generation.next_table(workspace, run, "我Ω", job=Job()).notes
    assert "Ω" in str(note)


def test_a_new_line_ends_the_last_sentence_of_a_prompt(workspace, cut):
    model = answering(asked(workspace, train(workspace, cut)), job=Job())

    def marks(text):
        return "".join(model.types[i] for i in read_prompt(model, text, job=Job()).ids)

    assert marks("我爱。他爱") == "我爱。</s>他爱"
    assert marks("我爱。") == "我爱。"
    assert marks("我爱\n") == "我爱</s>"
    assert marks("") == marks(" \n ") == ""


def test_tables_are_saved(workspace, cut, tmp_path):
    run = train(workspace, cut)
    table = generation.next_table(workspace, run, "我", count=3, job=Job())
    generation.save_next([table], tmp_path / "n.csv", job=Job())
    lines = (tmp_path / "n.csv").read_text(encoding="utf-8-sig").splitlines()
    assert lines[1].split(",")[2] == table.guesses[0].piece
    assert float(lines[4].split(",")[3]) == table.rest
    found = generation.generate(workspace, [run], "我", SHORT, job=Job())
    generation.save_generated(found, tmp_path / "g.csv", job=Job())
    lines = (tmp_path / "g.csv").read_text(encoding="utf-8-sig").splitlines()
    assert len(lines) == 1 + len(found[0].texts[0].tokens)
    assert float(lines[1].split(",")[5]) == found[0].texts[0].tokens[0].p


def test_a_finding_can_be_asked_again(workspace, cut):
    run = train(workspace, cut)
    other = train(workspace, cut, order=2)
    for kind, question in (("next", {"text": "我", "count": 3}),
                           ("generate", {"text": "我", "options": {"length": 5}})):  # fmt: skip
        number = findings.save(workspace, kind, "t", question, {}).new_id
        for one in (run, other):
            findings.ask_again(workspace, number, one, job=Job())
        answers = findings.finding(workspace, number).answers
        assert len(answers) == 2
        json.dumps(answers)


def test_prompts_are_kept_with_the_workspace(workspace):
    built_in = prompts.templates(workspace)
    assert not any(one.own for one in built_in)
    assert prompts.template(workspace, "answer").places == ("text", "question")
    made = prompts.save(workspace, " my  prompt ", "{text}? {other}!")
    assert (made.name, made.places, made.own) == ("my prompt", ("text", "other"), True)
    changed = prompts.save(workspace, "summary", "{text}\n一句话：")
    assert prompts.templates(workspace)[1] == changed
    assert prompts.title(changed) == "Sum up (Chinese)"
    prompts.delete(workspace, "summary")
    prompts.delete(workspace, "my prompt")
    assert prompts.templates(workspace) == built_in
    for wrong in (("", "{text}"), ("a", "no place"), ("a", "{text}" + "x" * 30_000)):
        with pytest.raises(AppError):
            prompts.save(workspace, *wrong)
    for name in ("summary", "none"):
        with pytest.raises(AppError):
            prompts.delete(workspace, name)
    (workspace.folder / prompts.FILE).write_text("[broken", encoding="utf-8")
    assert prompts.templates(workspace) == built_in


def test_what_is_certain_costs_nothing_without_a_sign():
    assert str(generation.bits(1.0)) == str(entropy(np.array([0.0, 1.0]))) == "0.0"
