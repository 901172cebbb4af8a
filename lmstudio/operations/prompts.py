"""Prompt templates: those that are built in, and those that a user keeps with the workspace."""

from dataclasses import replace
from pathlib import Path

from lmstudio.errors import AppError
from lmstudio.files import read_json, write_json
from lmstudio.messages import listed, tr
from lmstudio.store.workspace import Workspace
from lmstudio.text.prompt_templates import BUILT_IN, PromptTemplate, places

FILE = "prompts.json"
LONGEST = 20_000  # characters


def templates(ws: Workspace) -> list[PromptTemplate]:
    """All of them; one of the user's in the place of that which is built in under its name."""
    own = _own(ws)
    found = [
        replace(one, text=own.pop(one.name), own=True) if one.name in own else one
        for one in BUILT_IN
    ]
    return [*found, *(PromptTemplate(name, text, name, own=True) for name, text in own.items())]


def template(ws: Workspace, name: str) -> PromptTemplate:
    """One of them. AppError, with the names there are, if there is none."""
    found = {one.name: one for one in templates(ws)}
    if name not in found:
        raise AppError("There is no prompt {name}. There are: {names}.", name=name,
                       names=listed(found))  # fmt: skip
    return found[name]


def save(ws: Workspace, name: str, text: str) -> PromptTemplate:
    """Keep a template under a name, instead of the one of that name. AppError where it is none."""
    name = " ".join(name.split())
    if not name:
        raise AppError("Give the prompt a name.")
    if not places(text):
        raise AppError("A prompt needs a place for a text, such as {place}.", place="{text}")
    if len(text) > LONGEST:
        raise AppError("A prompt has {most} characters at most.", most=LONGEST)
    write_json(_path(ws), _own(ws) | {name: text})
    return template(ws, name)


def delete(ws: Workspace, name: str) -> None:
    """Forget a template of the user's; what was built in under its name is back."""
    own = _own(ws)
    if own.pop(template(ws, name).name, None) is None:
        raise AppError("The prompt {name} is built in and stays.", name=name)
    write_json(_path(ws), own)


def title(one: PromptTemplate) -> str:
    """What it is called where people choose."""
    return tr(one.title) if one.title != one.name else one.name


def _own(ws: Workspace) -> dict[str, str]:
    """By name; what is no template in a damaged file counts as absent."""
    try:
        data = read_json(_path(ws))
    except (OSError, ValueError):
        return {}
    pairs = data.items() if isinstance(data, dict) else ()
    return {name: text for name, text in pairs if isinstance(text, str) and places(text)}


def _path(ws: Workspace) -> Path:
    return ws.folder / FILE
