"""The program's log -> lines that hold nothing of the user's: no text, no names, no folders.

Kept is what is known to be harmless: dates, levels, who spoke, our own sentences up to the first
path, places in code, kinds of errors. All else is left out; what an error says may quote a text.
"""

import re
from collections.abc import Iterable, Iterator

LEFT_OUT = "[…]"
_HEAD = re.compile(r"(\d{4}-\d\d-\d\d [\d:,]+ [A-Z]+) ([\w.]+): (.*)")
_FRAME = re.compile(r'(\s*)File "(.*)", line (\d+), in ([\w<>.]+)')
_ERROR = re.compile(r"((?:[A-Za-z_]\w*\.)*[A-Za-z_]\w*(?:Error|Exception|Interrupt|Exit|Died|"
                    r"Warning|Cancelled|Expired))(: .*)?")  # fmt: skip
_FIXED = (
    "Traceback (most recent call last):",
    "During handling of the above exception, another exception occurred:",
    "The above exception was the direct cause of the following exception:",
)
_CODE = re.compile(r".*[/\\]((?:lmstudio|site-packages|python3[\d.]*)[/\\].*)")
_OURS = re.compile(r"lmstudio(\.\w+)*|__main__|root")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"|“[^”]*”|「[^」]*」")
_FOREIGN = re.compile(r"[^\x20-\x7e]+")
_INSIDE = re.compile(r"\([^()]+\)")
_PATH = re.compile(r"\S*[/\\].*")


def scrubbed(lines: Iterable[str]) -> Iterator[str]:
    """The lines, without line ends; what is left out in a row is one mark."""
    in_code, said, before = False, False, ""
    for line in map(str.rstrip, lines):
        said = said and line not in _FIXED and not _HEAD.fullmatch(line)
        found = None if said else _FRAME.fullmatch(line)
        if said:  # an error goes on, and may quote anything
            kept = LEFT_OUT
        elif found is None and in_code and line.startswith("    "):
            kept = line if line.isascii() else LEFT_OUT
        else:
            kept = _kept(line)
        in_code = bool(found and _CODE.fullmatch(found[2])) or (found is None and in_code)
        in_code = in_code and (found is not None or line.startswith("    "))
        said = said or bool(found is None and (error := _ERROR.fullmatch(line)) and error[2])
        if kept != LEFT_OUT or before != LEFT_OUT:
            yield kept
        before = kept


def _kept(line: str) -> str:
    if head := _HEAD.fullmatch(line):
        start, logger, text = head.groups()
        said = plain(text) if _OURS.fullmatch(logger) else _kind(text)
        return f"{start} {logger}: {said}"
    if frame := _FRAME.fullmatch(line):
        code = _CODE.fullmatch(frame[2]) if frame[2].isascii() else None
        return f'{frame[1]}File "{code[1] if code else LEFT_OUT}", line {frame[3]}, in {frame[4]}'
    if error := _ERROR.fullmatch(line):
        return f"{error[1]}: {LEFT_OUT}" if error[2] else error[1]
    return line if not line or line in _FIXED else LEFT_OUT


def plain(text: str) -> str:
    """A sentence of ours without what was filled in: in quotes or brackets, a path, not ASCII."""
    for foreign in (_QUOTED, _INSIDE, _PATH, _FOREIGN):
        text = foreign.sub(LEFT_OUT, text)
    return text


def _kind(text: str) -> str:
    """Of what others say, the kind of a warning."""
    found = re.search(r"\b\w+Warning\b", text)
    return f"{found[0]} {LEFT_OUT}" if found else LEFT_OUT
