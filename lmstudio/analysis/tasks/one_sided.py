"""The scores of a part -> a sentence where the run says the same whatever it is given."""

from lmstudio.analysis.tasks.errors import PartScores
from lmstudio.messages import Message, shortened


def one_sided(found: PartScores) -> Message | None:
    """What is said of everything: one class, one type of span, nothing at all; else None.

    Only where there is more to tell apart. Tags are read leniently, so that a span that is written
    wrong is one.
    """
    part: dict[str, object] = {"part": Message(found.part)}
    if found.task == "qa":
        there = any(one.spans for one in found.examples)
        if there and not any(one.answer for one in found.predictions):
            return Message("It found no answer to any question of {part}.", part)
        return None
    rows = found.lenient if found.task == "tag" else found.rows
    gold = [label for label, one in rows.items() if one.gold]
    said = [label for label, one in rows.items() if one.found]
    if gold and not said:
        return Message("It found no span in any text of {part}.", part)
    if len(said) > 1 or len(gold) < 2:  # noqa: PLR2004 - or there is a choice
        return None
    values = part | {"label": shortened(said[0])}
    if found.task == "tag":
        return Message("All spans that it found in {part} are of the type {label}.", values)
    return Message("It takes every example of {part} for {label}.", values)
