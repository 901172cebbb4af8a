"""What was used last is kept, as it was made."""

from lmstudio.analysis.last_used import LastUsed


def test_the_thing_longest_unused_is_made_anew_and_so_is_one_of_another_state():
    kept, made = LastUsed[str](2), []

    def ask(key, state="as it was"):
        return kept.get(key, state, lambda: made.append(key) or f"{key} {state}")

    assert [ask("a"), ask("b"), ask("a")] == ["a as it was", "b as it was", "a as it was"]
    assert ask("c") == "c as it was"
    assert ask("a") == "a as it was"
    assert made == ["a", "b", "c"]
    assert ask("a", "changed") == "a changed"
    ask("b")
    assert made == ["a", "b", "c", "a", "b"]
