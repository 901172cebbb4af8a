"""The verbs that look into n-gram models, and what --help says of every verb."""

import argparse
import json

import pytest

from lmstudio import cli

TRAIN = "我 爱 北京\n我 爱 上海\n他 爱 我\n" * 4


@pytest.fixture
def lm(tmp_path, capsys):
    """Runs a command line in a workspace that holds a segmentation `words`."""

    def command(*words):
        code = cli.main(["--workspace", str(tmp_path / "w"), *map(str, words)])
        return code, *capsys.readouterr()

    parts = {"train": TRAIN, "valid": "我 爱 广州\n", "test": "他 爱 北京\n"}
    for name, text in parts.items():
        (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
    given = [word for name in parts for word in (f"--{name}", tmp_path / f"{name}.txt")]
    assert command("import", *given, "--name", "c", "--format", "text")[0] == 0
    assert command("segment", "c", "--by", "whitespace", "--name", "words")[0] == 0
    return command


def test_an_impossible_valid_part_is_infinity_and_no_huge_number(lm):
    code, out, _ = lm("smoothing", "words", "我", "--order", 2)
    assert code == 0
    row = next(line for line in out.splitlines() if line.startswith("maximum-likelihood"))
    assert row.endswith("∞")
    assert out.splitlines()[-1].startswith("stupid-backoff")
    assert out.endswith("–\n")  # no perplexity: its scores are no probabilities
    assert all(len(line) < 120 for line in out.splitlines())


def test_frequent_contexts_and_files(lm, tmp_path):
    found = json.loads(lm("smoothing", "words", "--frequent", "--order", 2, "--json")[1])
    love = next(context for context in found if context["words"] == ["爱"])
    assert (love["occurrences"], love["followers"]) == (12, 3)
    assert "爱" in lm("smoothing", "words", "--frequent", "--order", 2)[1]
    _, out, err = lm("smoothing", "words", "--frequent", "--order", 2, "--top", 1)
    assert len(out.splitlines()) == 2
    assert f"{len(found) - 1} more are not listed" in err
    lm("smoothing", "words", "--frequent", "--order", 2, "--csv", tmp_path / "f.csv")
    assert len((tmp_path / "f.csv").read_text(encoding="utf-8-sig").splitlines()) == 1 + len(found)


def test_the_best_knob_is_named_and_small_numbers_are_told(lm, tmp_path):
    csv = tmp_path / "k.csv"
    code, out, err = lm("smoothing", "words", "--against", "k", "--csv", csv)
    assert code == 0
    values = [line.split()[0] for line in out.splitlines()[1:]]
    assert values[:2] == ["0.0001", "0.000162"]
    rows = [line.split(",") for line in csv.read_text(encoding="utf-8-sig").splitlines()[1:]]
    assert len(rows) == len(values) > 25
    best = min(rows, key=lambda row: float(row[1]))
    assert f"at k = {float(best[0]):.3g}." in err
    assert lm("smoothing", "words", "--against", "k", "--smoothing", "katz")[0] == 1
    _, out, _ = lm("smoothing", "words", "<s> 他", "--k", "0.0001", "--order", 2)
    row = next(line for line in out.splitlines() if line.startswith("add-k"))
    assert "0.000" not in row.split()
    assert "2.5e-05" in row


def test_a_short_context_is_anywhere(lm):
    asked = ["--order", 3, "--json"]
    found = json.loads(lm("smoothing", "words", "爱", *asked)[1])
    assert (found["context"], found["occurrences"]) == (["爱"], 12)
    found = json.loads(lm("smoothing", "words", "<s> 我", *asked)[1])
    assert (found["context"], found["words"][0]) == (["<s>", "我"], "爱")


def test_surprising_figures_are_explained(lm):
    _, out, err = lm("smoothing", "words", "爱")
    assert "good-turing: Good–Turing counts all 3-grams together" in err
    assert "katz, kneser-ney, modified-kneser-ney: <unk> was never counted" in err
    assert "remarks" in json.loads(lm("smoothing", "words", "爱", "--json")[1])["columns"][0]


def test_options_of_n_grams_name_their_model(lm):
    assert lm("train", "words", "--order", 2, "--k", "0.5", "--smoothing", "add-k")[0] == 0
    code, _, err = lm("train", "words", "--order", 2, "--epochs", 3)
    assert code == 1
    assert "model: say which kind with --model" in err


def test_scores_are_told_to_be_no_probabilities(lm):
    how = ["--model", "ngram", "--order", 2, "--smoothing", "stupid-backoff"]
    assert "no probabilities" in lm("train", "words", *how, "--name", "s")[2]
    code, out, err = lm("evaluate", "s", "--json")
    assert "no probabilities" in err
    assert json.loads(out)["comparable"] is False
    assert code == 0


def test_an_arpa_file_scores_as_its_run_did(lm, tmp_path):
    how = ["--model", "ngram", "--order", 2, "--smoothing", "witten-bell"]
    assert lm("train", "words", *how, "--name", "m")[0] == 0
    assert lm("export-arpa", "m", tmp_path / "m.arpa")[0] == 0
    ours = json.loads(lm("evaluate", "m", "--json")[1])
    file = json.loads(lm("score-arpa", tmp_path / "m.arpa", tmp_path / "test.txt", "--json")[1])
    assert file["perplexity"] == pytest.approx(ours["perplexity"], rel=1e-4)
    csv = tmp_path / "walk.csv"
    steps = json.loads(lm("walk", "m", "他 爱 北京", "--csv", csv, "--json")[1])
    assert len(csv.read_text(encoding="utf-8-sig").splitlines()) == 5
    assert [step["token"] for step in steps] == ["他", "爱", "北京", "</s>"]
    assert [step["context"] for step in steps] == [["<s>"], ["他"], ["爱"], ["北京"]]
    bits = sum(step["bits"] for step in steps)
    assert 2 ** (bits / 4) == pytest.approx(ours["perplexity"], rel=1e-4)


def test_every_verb_and_every_word_of_it_is_explained():
    top = cli.parser()
    [verbs] = [a for a in top._actions if isinstance(a, argparse._SubParsersAction)]
    assert {choice.dest for choice in verbs._choices_actions if choice.help} == set(verbs.choices)
    silent = [f"{name} {action.dest}" for name, verb in verbs.choices.items()
              for action in verb._actions if not action.help]  # fmt: skip
    assert not silent


def test_a_text_may_be_several_words_before_or_after_options(lm):
    whole = json.loads(lm("smoothing", "words", "我 爱", "--json")[1])
    for words in (["--top", 5, "我", "爱", "--json"], ["我", "--json", "爱"]):
        assert json.loads(lm("smoothing", "words", *words)[1])["context"] == whole["context"]
    assert lm("train", "words", "--order", 1, "--name", "one")[0] == 0
    steps = json.loads(lm("walk", "one", "他", "爱", "--json")[1])
    assert [step["token"] for step in steps] == ["他", "爱", "</s>"]
    with pytest.raises(SystemExit):
        lm("runs", "extra")
    with pytest.raises(SystemExit):
        lm("smoothing", "words", "--no-such", "爱")


def test_a_context_that_is_too_short_for_the_order_says_so(lm):
    _, _, err = lm("smoothing", "words", "爱")
    assert "3-grams look at 2 tokens, and the context has 1" in err
    assert "--order 2" in err
    assert "kneser-ney, modified-kneser-ney: Below order 3" in err
    for fits in (["爱", "--order", 2], ["<s>"], ["我", "爱"]):
        assert "look at" not in lm("smoothing", "words", *fits)[2]


def test_one_question_at_a_time_and_settings_that_are_heeded(lm):
    for two in (["--against", "k", "--against", "order"], ["--frequent", "--against", "k"],
                ["爱", "--frequent"]):  # fmt: skip
        code, _, err = lm("smoothing", "words", *two)
        assert (code, "One question at a time" in err) == (1, True)
    code, _, err = lm("smoothing", "words", "爱", "--smoothing", "katz", "--k", 2)
    assert code == 1
    assert "k: is a setting of add-k only, not of katz" in err
    asked = ["爱", "--order", 2, "--k", "0.5", "--discount", "0.3", "--no-interpolate"]
    rows = [line.split()[:2] for line in lm("smoothing", "words", *asked)[1].splitlines()]
    assert ["add-k", "k=0.5"] in rows
    assert ["kneser-ney", "D=0.3"] in rows
    assert "Without a context: " in lm("smoothing", "words")[2]
    notes = json.loads(lm("smoothing", "words", "新 </s>", "--json")[1])["notes"]
    assert ["新" in note or "</s>" in note for note in notes] == [True, True]


@pytest.mark.parametrize(("given", "told"), [
    (["--discount", "0.5"], "absolute-discounting, kneser-ney only, not of modified-kneser-ney"),
    (["--smoothing", "katz", "--k", "0.5"], "add-k only, not of katz"),
    (["--smoothing", "katz", "--no-interpolate"], "only, not of katz"),
    (["--smoothing", "add-one", "--prune", "0.1"], "shorter n-grams"),
    (["--order", 3, "--min-counts", "1,1,1,2,2"], "names 5 orders, but the model has 3"),
    (["--name", "x"], "say which kind with --model: ngram"),
])  # fmt: skip
def test_what_would_be_ignored_is_refused(lm, given, told):
    code, _, err = lm("train", "words", *given)
    assert (code, told in err) == (1, True), err


def test_json_is_strict_and_in_no_language(lm):
    how = ["--smoothing", "maximum-likelihood", "--order", 2]
    assert lm("train", "words", *how, "--name", "ml")[0] == 0
    out = lm("evaluate", "ml", "--split", "valid", "--json")[1]
    assert json.loads(out, parse_constant=pytest.fail)["perplexity"] is None
    assert "-∞" in lm("evaluate", "ml", "--split", "valid")[1]
    assert lm("train", "words", "--order", 2, "--name", "kn")[0] == 0
    found = json.loads(lm("mix", "kn", "--cache", 9, "--json")[1])
    assert [part["name"] for part in found["components"]] == ["kn", "cache"]
    assert found["mixture"]["name"] == "mixture"


def test_scores_have_no_perplexity(lm):
    how = ["--smoothing", "stupid-backoff", "--order", 2, "--name", "s"]
    assert "perplexity 1" not in lm("train", "words", *how)[2]
    row = next(line for line in lm("runs")[1].splitlines() if line.startswith("s"))
    assert row.split()[-3:] == ["–"] * 3
    grown = lm(
        "smoothing", "words", "--against", "order", "--smoothing", "stupid-backoff", "--json"
    )
    assert all(point["valid_perplexity"] is None for point in json.loads(grown[1]))


def test_a_walk_tells_counts_and_its_total(lm):
    for smoothing, told in (
        ("katz", " × 8 / 12"),
        ("good-turing", "r*("),
        ("stupid-backoff", " / 12"),
    ):
        how = ["--order", 2, "--smoothing", smoothing, "--name", smoothing]
        assert lm("train", "words", *how)[0] == 0
        steps = json.loads(lm("walk", smoothing, "我 爱 北京", "--json")[1])
        formulas = [step["formula"] for step in steps]
        assert any(told in formula for formula in formulas), formulas
    assert "Together: log10 p = -" in lm("walk", "katz", "我 爱 北京")[2]
    err = lm("walk", "katz", "新 爱")[2]
    assert "Unknown here and read as <unk>: 新." in err


def test_words_are_written_for_other_programs(lm, tmp_path):
    assert lm("train", "words", "--order", 2, "--name", "m")[0] == 0
    assert lm("export-arpa", "m", tmp_path / "m.arpa")[0] == 0
    assert lm("write-words", "words", tmp_path / "w.txt", "--part", "valid")[0] == 0
    assert (tmp_path / "w.txt").read_text(encoding="utf-8") == "我 爱 <unk>\n"
    out = lm("score-arpa", tmp_path / "m.arpa", tmp_path / "w.txt")[1]
    assert "(SRILM: ppl1)" in out
    assert "srilm_ppl1" not in out
