"""What something is made of -> the name of it where nobody gave one, to be typed as it is.

Such as "thu-bert-mix": no blank or mark that a shell, or a list, would part it at. It is the same
in every language, so that a command that is written down holds for all.
"""

import re

BY = "-"
"""Between the parts of a name, and before the number that makes it free."""
_PARTING = re.compile(r"""[\s"'`$&|;<>(){}\[\]*?!#~\\/^,·，、；：（）“”]+""")


def made_name(*parts: str, by: str = BY) -> str:
    """A name of the names of what it is made of, as "bert+thu" `by` "+"."""
    return by.join(map(_typed, parts))


def _typed(name: str) -> str:
    """A name without what parts it; as it is if nothing is left then."""
    return _PARTING.sub(BY, name.replace("×", "x")).strip(BY) or name
