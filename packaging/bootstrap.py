"""Two commands on a fresh machine with Python and pip: `run` starts the program, `test` checks it.

    python3 packaging/bootstrap.py run      install what is missing, then start on a sample
    python3 packaging/bootstrap.py test     install what tests need, then run every check
    python3 packaging/bootstrap.py check    the same without the slow tests

No questions are asked.
"""

# Standard library only. Old Pythons read this file too and must be able to say what is wrong, so
# it keeps to the grammar of Python 3.6.

import sys

NEEDED = (3, 11)
VERBS = ("run", "test", "check")


def main(arguments):  # noqa: ANN001, ANN201
    """Do what the verb says and give the exit code: 0 well, 1 something failed, 2 wrong call."""
    if sys.version_info < NEEDED:
        have = ".".join(str(number) for number in sys.version_info[:3])
        sys.stderr.write(
            "LM Workbench needs Python 3.11 or newer; this is Python " + have + ". Install a newer "
            "one and start this file with it, for example: python3.11 packaging/bootstrap.py run\n"
        )
        return 2
    if len(arguments) != 1 or arguments[0] not in VERBS:
        sys.stderr.write(__doc__)
        return 2
    import steps  # newer grammar from here on

    return getattr(steps, arguments[0])()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
