"""The command line: each verb parses its words, calls one operation, and prints what came back.

Exit codes: 0 done, 1 refused with a sentence that says what to do, 2 wrong words, 3 a bug (see the
log), 130 stopped by Ctrl+C; what was trained until then is kept.
"""

import argparse
import logging
import sys
from pathlib import Path

from lmstudio import __version__, limits, messages
from lmstudio.cli import (
    attention,
    browse,
    comparison,
    corpora,
    curves,
    disk,
    embeddings,
    exchange,
    fill,
    findings,
    finetuning,
    generation,
    import_report,
    inside,
    laboratory,
    layers,
    leaks,
    meanings,
    mixtures,
    others,
    packed,
    predicting,
    probes,
    runs,
    scaling,
    segmentations,
    sheets,
    smoothing,
    surprisal,
    task_attention,
    task_figures,
    task_layers,
    task_results,
    tasks,
    training,
    trash,
    word_classes,
    words,
)
from lmstudio.cli.shared import TopParser, VerbParser, telling, unknown
from lmstudio.cli.terminal import say
from lmstudio.errors import Cancelled, refusal
from lmstudio.log import logged_to
from lmstudio.messages import tr
from lmstudio.store import settings
from lmstudio.training import processes

_VERBS = (
    corpora, import_report, leaks, segmentations, words, browse, training, runs, curves, sheets,
    scaling, comparison, probes, inside, fill, attention, generation, layers, meanings,
    smoothing, laboratory, surprisal, tasks, finetuning, embeddings, word_classes, mixtures,
    exchange, findings, predicting, task_results, trash, disk, packed, task_attention, task_layers,
    task_figures, others,
)  # fmt: skip
"""The modules of the verbs, in the order of --help."""


def main(arguments: list[str] | None = None) -> int:
    """Carry out a command line; the exit code."""
    chosen = settings.Settings.load()
    messages.use(chosen.language or messages.system_language())
    limits.choose(chosen.threads, chosen.memory)
    limits.keep()
    if chosen.trouble:
        say(str(chosen.trouble))
    argparse._ = messages.tr  # type: ignore[attr-defined]  # its own words from our catalogue
    options = _parsed(arguments)
    with logged_to(settings.log_file()):
        return _carry_out(options)


def _parsed(arguments: list[str] | None) -> argparse.Namespace:
    """The words of a command line; argparse leaves out those of a text that follow an option."""
    top = parser()
    options, left = top.parse_known_args(arguments)
    spread = getattr(options, "spread", "")
    if left and (not spread or any(word.startswith("-") for word in left)):
        unknown(getattr(options, "own", top), left)
    elif left:
        getattr(options, spread).extend(left)
    return options


def _carry_out(options: argparse.Namespace) -> int:
    try:
        limits.check()
        if processes.rank():
            processes.follow()
        with telling(options):
            code: int = options.verb(options) or 0
        processes.dismiss(code)
        return code
    except (Cancelled, KeyboardInterrupt):
        say(tr("Stopped. What was finished until now is kept."))
        return 130
    except BrokenPipeError:  # `lmstudio runs | head`
        sys.stdout = None  # nothing more to flush at exit
        return 0
    except Exception as error:  # the command line: one of the three places that catch everything
        if told := refusal(error):
            say(tr("Error: {error}", error=told))
            return 1
        logging.getLogger(__name__).exception("bug")
        say(tr("This should not have happened ({error}). The details are in the log.", error=error))
        return 3


def parser() -> argparse.ArgumentParser:
    """All verbs and their options; without a verb, the window."""
    top = TopParser(
        prog="lmstudio", description=tr("Train and compare language models on your own text.")
    )
    top.add_argument("--version", action="version", version=__version__,
                     help=tr("show program's version number and exit"))  # fmt: skip
    top.add_argument("--workspace", type=Path, metavar="W", help=tr("Folder of the workspace"))
    top.add_argument(
        "--self-test", action="store_const", dest="verb", const=others.self_test,
        help=tr("Check that everything the program needs is here"),
    )  # fmt: skip
    top.set_defaults(verb=others.window, files=[], sample=False, tour=False, json=False)
    verbs = top.add_subparsers(metavar=tr("VERB"), parser_class=VerbParser)
    for module in _VERBS:
        module.add_verbs(verbs)
    return top
