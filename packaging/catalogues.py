"""Message catalogues: the .po files of a language in, one compiled .mo out.

python packaging/catalogues.py
"""

import os
from pathlib import Path

import polib

LOCALE = Path(__file__).resolve().parents[1] / "resources" / "locale"


def compile_catalogues(locale: Path = LOCALE) -> list[Path]:
    """Join resources/locale/<language>/*.po into <language>/LC_MESSAGES/lmstudio.mo.

    A sentence that stands in two files keeps its first translation. Returns the files written.
    """
    languages = sorted({file.parent for file in locale.glob("*/*.po")})
    return [_compile(language) for language in languages]


def _compile(language: Path) -> Path:
    joined = polib.POFile(check_for_duplicates=False)
    joined.metadata = {"Content-Type": "text/plain; charset=UTF-8"}
    known: set[str] = set()
    for file in sorted(language.glob("*.po")):
        for entry in polib.pofile(str(file), encoding="utf-8").translated_entries():
            if entry.msgid not in known:
                known.add(entry.msgid)
                joined.append(entry)
    target = language / "LC_MESSAGES" / "lmstudio.mo"
    target.parent.mkdir(exist_ok=True)
    temporary = target.with_suffix(f".{os.getpid()}.tmp")
    joined.save_as_mofile(str(temporary))
    os.replace(temporary, target)  # whole or not there: two test runs may do this at once
    return target


if __name__ == "__main__":
    compile_catalogues()
