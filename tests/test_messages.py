"""Every sentence of the code has its Chinese, with the same places to fill, and no other has."""

import ast
import json
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import polib
import pytest

from lmstudio import messages
from lmstudio.store import names

ROOT = Path(__file__).resolve().parents[1]
FRAGMENTS = sorted((ROOT / "resources" / "locale" / "zh_CN").glob("*.po"))

SHOWN = {
    "QLabel", "QPushButton", "QCheckBox", "QRadioButton", "QGroupBox", "QAction", "QMenu",
    "QToolButton", "setText", "setToolTip", "setStatusTip", "setWindowTitle", "setAccessibleName",
    "setAccessibleDescription", "setPlaceholderText", "addMenu",
}  # fmt: skip
"""Calls whose first argument people read: never a literal with words in it."""


@dataclass
class Use:
    """One sentence in the code, where it stands, and the values it is given (None: unknown)."""

    sentence: str
    place: str
    given: set[str] | None


def places(sentence: str) -> set[str]:
    """What is filled in: `{name}`, and in the sentences of argparse `%(name)s` and `%s`."""
    if old := re.findall(r"%(?:\(\w+\))?[sr]", sentence):
        return set(old)
    return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}


def has_words(sentence: str) -> bool:
    return bool(re.search(r"[^\W\d_]", re.sub(r"\{[^}]*\}", "", sentence)))


def files() -> list[Path]:
    return sorted((ROOT / "lmstudio").rglob("*.py"))


def name_of(call: ast.Call) -> str:
    function = call.func
    return getattr(function, "id", "") or getattr(function, "attr", "")


def calls() -> list[tuple[str, ast.Call]]:
    """Every call in the package, with its place."""
    found = []
    for file in files():
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                found.append((f"{file.relative_to(ROOT)}:{node.lineno}", node))
    return found


def error_classes() -> dict[str, ast.ClassDef]:
    """AppError and all that derive from it."""
    trees = [ast.parse(file.read_text(encoding="utf-8")) for file in files()]
    classes = {node.name: node for tree in trees for node in ast.walk(tree)
               if isinstance(node, ast.ClassDef)}  # fmt: skip
    above = {name: {getattr(base, "id", "") for base in node.bases}
             for name, node in classes.items()}  # fmt: skip
    errors = {"AppError"}
    while more := {name for name, bases in above.items() if bases & errors} - errors:
        errors |= more
    return {name: classes[name] for name in errors}


def own_init(node: ast.ClassDef) -> bool:
    return any(getattr(part, "name", "") == "__init__" for part in node.body)


def given(call: ast.Call, name: str) -> set[str] | None:
    """The names of the values that a call fills in; None if it cannot be told here."""
    if name == "msg" or any(keyword.arg is None for keyword in call.keywords):
        return None
    if name != "Message":
        return {keyword.arg for keyword in call.keywords}
    if len(call.args) < 2:
        return set()
    values = call.args[1]
    if isinstance(values, ast.Dict) and all(isinstance(key, ast.Constant) for key in values.keys):
        return {key.value for key in values.keys}
    return None


@pytest.fixture(scope="module")
def markers() -> set[str]:
    """Calls whose first argument is a sentence; an error with an own constructor is none."""
    plain = {name for name, node in error_classes().items() if not own_init(node)}
    return {"tr", "msg", "Message", "AppError"} | plain


@pytest.fixture(scope="module")
def uses(markers) -> list[Use]:
    """The sentences of the code, those in `super().__init__(...)` of an error included."""
    found = [(place, call, name_of(call)) for place, call in calls() if name_of(call) in markers]
    for name, node in error_classes().items():
        found += [(name, call, name) for call in ast.walk(node)
                  if isinstance(call, ast.Call) and name_of(call) == "__init__"]  # fmt: skip
    return [
        Use(call.args[0].value, place, given(call, name))
        for place, call, name in found
        if call.args and isinstance(getattr(call.args[0], "value", None), str)
    ]


@pytest.fixture(scope="module")
def chinese() -> dict[str, dict[str, str]]:
    """By sentence, its translations by file."""
    found = defaultdict(dict)
    for file in FRAGMENTS:
        for entry in polib.pofile(str(file), encoding="utf-8"):
            found[entry.msgid][file.name] = entry.msgstr
    return found


def test_every_sentence_has_chinese(uses, chinese):
    known = {sentence for sentence, by in chinese.items() if all(by.values())}
    missing = {use.sentence: use.place for use in uses
               if has_words(use.sentence) and use.sentence not in known}  # fmt: skip
    assert not missing, "\n".join(f"{place}: {sentence}" for sentence, place in missing.items())


def test_no_translation_is_left_over(uses, chinese):
    known = {use.sentence for use in uses}
    unused = [f"{', '.join(by)}: {sentence}" for sentence, by in chinese.items()
              if sentence not in known and list(by) != ["argparse.po"]]  # fmt: skip
    assert not unused, "\n".join(unused)


def test_a_sentence_is_translated_one_way(chinese):
    differing = [sentence for sentence, by in chinese.items() if len(set(by.values())) > 1]
    assert not differing


def test_translations_fill_the_same_places(chinese):
    wrong = [sentence for sentence, by in chinese.items()
             for text in by.values() if places(text) != places(sentence)]  # fmt: skip
    assert not wrong


def test_the_code_gives_what_a_sentence_asks_for(uses):
    wrong = [f"{use.place}: {use.sentence}" for use in uses
             if use.given is not None and use.given != places(use.sentence)]  # fmt: skip
    assert not wrong, "\n".join(wrong)


def test_sentences_are_literals(markers):
    """`tr(f"...")` would never be found in the catalogue; a name or field was marked elsewhere."""
    wrong = [place for place, call in calls()
             if name_of(call) in markers and call.args and is_built(call.args[0])]  # fmt: skip
    assert not wrong


def is_built(value: ast.expr) -> bool:
    """Put together from pieces: f-string, `+`, `%`, format, join."""
    if isinstance(value, ast.Call):
        return name_of(value) in ("format", "join", "replace")
    return isinstance(value, ast.JoinedStr | ast.BinOp)


def test_nothing_is_shown_that_is_not_in_the_catalogue():
    wrong = []
    for place, call in calls():
        shown = [word.value for word in call.keywords if word.arg in ("help", "description")]
        shown += call.args[:1] if name_of(call) in SHOWN else []
        for text in shown:
            literal = isinstance(text, ast.Constant) and isinstance(text.value, str)
            if literal and has_words(text.value):
                wrong.append(f"{place}: {text.value}")
    assert not wrong, "\n".join(wrong)


def test_chinese_is_shown(chinese):
    messages.use("zh_CN")
    assert messages.tr("Bits per character") == "比特/字"
    messages.use("en")
    assert messages.tr("Bits per character") == "Bits per character"


@pytest.mark.parametrize(("variables", "language"), [
    ({"LANG": "zh_CN.UTF-8"}, "zh_CN"),
    ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C.UTF-8"}, "en"),
    ({"LANG": "de_DE.UTF-8", "LMSTUDIO_LANGUAGE": "zh_CN"}, "zh_CN"),
    ({"LANG": "de_DE.UTF-8"}, "en"),
])  # fmt: skip
def test_the_language_is_that_of_the_system(monkeypatch, variables, language):
    for name in ("LMSTUDIO_LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert messages.system_language() == language


def test_nothing_is_said_of_nothing():
    """The empty sentence is the key of a catalogue's header."""
    messages.use("zh_CN")
    assert messages.tr("") == ""
    assert str(messages.Message("")) == ""


def test_a_message_is_kept_as_plain_data_with_the_messages_in_it():
    inner = messages.Message("No usable GPU: this Mac has no Metal device for PyTorch.")
    whole = messages.Message("{a} {b}", {"a": inner, "b": 3})
    kept = json.loads(json.dumps(whole.to_json()))
    assert messages.Message.from_json(kept) == whole


def test_names_are_listed_as_the_language_does():
    assert messages.listed(["a", 2]) == "a, 2"
    messages.use("zh_CN")
    assert messages.listed(["a", 2]) == "a、2"
    assert messages.listed(["训练集 268", "验证集 32"], clauses=True) == "训练集 268，验证集 32"
    assert messages.phrases(["a、b", "c"]) == "a、b；c"
    assert names.listed(["a", "b"]) == "“a”、“b”"


MACHINES = (
    "store/trash", "store/workspace", "operations/model_card", "operations/task_relations",
    "operations/task_scaling", "operations/task_scores", "data/labelled/reading/questions",
)  # fmt: skip
"""What joins SQL, code, or cells of a table that programs read."""


def test_lists_that_people_read_are_joined_as_the_language_does():
    """`", ".join` leaves the commas of English in a Chinese sentence."""
    found = []
    for path in sorted((ROOT / "lmstudio").rglob("*.py")):
        module = path.relative_to(ROOT / "lmstudio").with_suffix("").as_posix()
        if module not in (*MACHINES, "messages") and re.search(
            r'"[,;] "\.join', path.read_text("utf-8")
        ):
            found.append(module)
    assert found == []
