"""LabelOptions: how files of labelled examples are to be read, and what is held out of them."""

from dataclasses import dataclass

from lmstudio.data.labelled.tags import SCHEMES
from lmstudio.messages import msg
from lmstudio.options import option
from lmstudio.text.document import HEADERS


@dataclass(frozen=True)
class LabelOptions:
    """ "auto" or empty for what is found in the files. Kept with the task."""

    encoding: str = option("auto", msg("Encoding"), msg("Of text files; auto for what is found."))
    text_column: str = option(
        "", msg("Text column"), msg("Its name, or its number from 1; empty to guess it.")
    )
    other_column: str = option(
        "", msg("Second text"), msg("Column of the second sentence of a pair; empty to guess it.")
    )
    label_column: str = option(
        "", msg("Label column"), msg("Of classes or tags: name or number; empty to guess it.")
    )
    part_column: str = option(
        "", msg("Part column"),
        msg("Says train, valid or test; empty for one called so, if any; - for none."),
    )  # fmt: skip
    header: str = option(
        "auto", msg("Header"), msg("Whether the first row of a table names its columns."),
        choices=HEADERS,
    )  # fmt: skip
    scheme: str = option(
        "auto", msg("Tags in the file"), msg("The scheme in which a file of tags is written."),
        choices=("auto", *SCHEMES),
    )  # fmt: skip
    valid_share: float = option(
        0.1, msg("Share for validation"),
        msg("Of the training part, where no validation part is given"),
        low=0, high=0.9, above=True,
    )  # fmt: skip
    test_share: float = option(
        0.0, msg("Share for testing"), msg("Of the training part, where no test part is given"),
        low=0, high=0.9,
    )  # fmt: skip
    seed: int = option(1, msg("Seed of the split"), msg("Another seed, another split"), low=0)
