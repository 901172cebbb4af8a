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
SHORT = msg(
    "{order}-grams look at {reach} tokens, and the context has {given}: shorter n-grams answer. At "
    "order {fits} it would be all they look at (--order {fits})."
)
CONTINUED = msg(
    "Below order {order} Kneser–Ney does not ask how often a word stands here but after how many "
    "different words, so a short context has other figures than at its own order: --order {fits}."
)
_CONTINUING = ("kneser-ney", "modified-kneser-ney")
_UNKNOWN_MATTERS = ("katz", "kneser-ney", "modified-kneser-ney")


def remarks(
    smoothing: str, order: int, *, given: int | None, counted: int, unknown: float
) -> tuple[Message, ...]:
    """What to know before comparing: `counted` times `<unk>` in train, its share of valid.

    `given`: tokens of the context, None where it begins a sentence and so can have no more.
    """
    found = []
    if given is not None and given < order - 1:
        fits: dict[str, object] = {"order": order, "fits": given + 1}
        found.append(Message(SHORT, fits | {"given": given, "reach": order - 1}))
        found += [Message(CONTINUED, fits)] if smoothing in _CONTINUING else []
    if smoothing == "good-turing" and order > 1:
        found.append(Message(JOINT, {"order": order}))
    if smoothing in _UNKNOWN_MATTERS and not counted and unknown:
        found.append(Message(NEVER_UNKNOWN, {"percent": f"{100 * unknown:.2g}"}))
    return tuple(found)
