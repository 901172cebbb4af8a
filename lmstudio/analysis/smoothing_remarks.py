"""A smoothing and what it was estimated on; what surprises in its figures, explained, out."""

from lmstudio.messages import Message, msg

JOINT = msg(
    "Good–Turing counts all {order}-grams together: their unseen share n1/N is spread evenly over "
    "the rest of V^{order}, nearly all of it after contexts that never occur. So a context that "
    "does occur keeps almost nothing for words not seen there, and frequent ones can get more "
    "than c / N."
)
NEVER_UNKNOWN = msg(
    "<unk> was never counted in the train part but is {percent} % of the valid one. Katz gives it "
    "all that single words leave to unseen ones; Kneser–Ney, as KenLM has it, only 1/V of that. "
    "This alone can decide which figure is the lower."
)
_UNKNOWN_MATTERS = ("katz", "kneser-ney", "modified-kneser-ney")


def remarks(smoothing: str, order: int, *, counted: int, unknown: float) -> tuple[Message, ...]:
    """What to know before comparing: `counted` times `<unk>` in train, its share of valid."""
    if smoothing == "good-turing" and order > 1:
        return (Message(JOINT, {"order": order}),)
    if smoothing in _UNKNOWN_MATTERS and not counted and unknown:
        return (Message(NEVER_UNKNOWN, {"percent": f"{100 * unknown:.2g}"}),)
    return ()
