"""Two commands on a fresh machine with Python and pip: `run` starts the program, `test` checks it.

    python3 packaging/bootstrap.py run      install what is missing, then start on a sample
    python3 packaging/bootstrap.py test     install what tests need, then run every check
    python3 packaging/bootstrap.py check    the same without the slow tests
    python3 packaging/bootstrap.py test --bundle    build the installers and try them, no more

PyTorch is installed in the build that fits this computer's NVIDIA driver, or the one for CPUs;
--cuda and --cpu ask for one of them, also later. No questions are asked.
"""

# Standard library only. Old Pythons read this file too and must be able to say what is wrong, so
# it keeps to the grammar of Python 3.6.

import sys

NEEDED = (3, 11)
VERBS = ("run", "test", "check")
BUILDS = {"--cpu": "cpu", "--cuda": "cuda"}


def main(arguments):  # noqa: ANN001, ANN201
    """Do what the verb says and give the exit code: 0 well, 1 something failed, 2 wrong call."""
    if sys.version_info < NEEDED:
        have = ".".join(str(number) for number in sys.version_info[:3])
        sys.stderr.write(
            "LM Workbench needs Python 3.11 or newer; this is Python " + have + ". Install a newer "
            "one and start this file with it, for example: python3.11 packaging/bootstrap.py run\n"
        )
        return 2
    verb, options = (arguments or [""])[0], set(arguments[1:])
    torch = [BUILDS[option] for option in options & set(BUILDS)] or [""]
    if options - set(BUILDS) == {"--bundle"} and verb == "test":
        verb = "bundle"
    elif options - set(BUILDS) or verb not in VERBS:
        verb = ""
    if not verb or len(torch) > 1:
        sys.stderr.write(__doc__)
        return 2
    import steps  # newer grammar from here on

    return getattr(steps, verb)(torch[0])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
