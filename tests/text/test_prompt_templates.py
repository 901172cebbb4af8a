"""Templates are filled at their places and nowhere else."""

from lmstudio.text.prompt_templates import BUILT_IN, filled, places


def test_places_are_found_and_filled():
    form = "{text} 问：{question}{text} {} {a b} { c }"
    assert places(form) == ("text", "question")
    assert filled(form, {"text": "{question}"}) == "{question} 问：{question} {} {a b} { c }"


def test_all_that_are_built_in_have_a_text():
    assert all("text" in one.places for one in BUILT_IN)
