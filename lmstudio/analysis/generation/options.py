"""GenerationOptions: how a model writes, as a form, a command line and JSON have it."""

from dataclasses import dataclass

from lmstudio.errors import Fault
from lmstudio.messages import Message, msg
from lmstudio.options import option

BETWEEN = "|"
"""Between two texts to stop at."""


@dataclass(frozen=True)
class GenerationOptions:
    """How the next token is chosen, again and again, and when that ends."""

    temperature: float = option(
        1.0, msg("Temperature"),
        msg("Below 1 it is surer of itself, above 1 bolder; 0: always the likeliest token"),
        low=0, high=100,
    )  # fmt: skip
    top_k: int = option(
        0, msg("Top-k"), msg("Only so many of the likeliest tokens; 0: all of them"),
        low=0, high=2**31 - 1,
    )  # fmt: skip
    top_p: float = option(
        1.0, msg("Top-p"),
        msg("Only the likeliest tokens that have this share together; 1: all of them"),
        low=0, high=1, above=True,
    )  # fmt: skip
    min_p: float = option(
        0.0, msg("Min-p"),
        msg("Only tokens at least this share as likely as the likeliest; 0: all of them"),
        low=0, high=1,
    )  # fmt: skip
    repetition: float = option(
        1.0, msg("Repetition penalty"),
        msg("ln p of what it has written already is multiplied by this; 1: no penalty"),
        low=0, high=100, above=True,
    )  # fmt: skip
    seed: int = option(1, msg("Seed"), msg("Start of the random numbers"), low=0, high=2**31 - 1)
    length: int = option(60, msg("Most tokens"), msg("It stops after so many"), low=1, high=100_000)
    count: int = option(
        1, msg("Texts"), msg("So many different ones of each model"), low=1, high=64
    )
    beam: int = option(
        1, msg("Beam width"),
        msg("1: tokens are drawn; more: so many beginnings are kept, the likeliest text wins"),
        low=1, high=64,
    )  # fmt: skip
    sentences: int = option(
        3, msg("Most sentences"), msg("It stops after so many sentence ends"),
        low=1, high=100_000, more=True,
    )  # fmt: skip
    stop: str = option(
        "", msg("Stop at"),
        msg("It stops where it has written one of these texts, separated by |; \\n: a new line"),
        more=True,
    )  # fmt: skip
    unknown: bool = option(
        False, msg("May write <unk>"),
        msg("The token for all words that the vocabulary lacks"), more=True,
    )  # fmt: skip
    length_penalty: float = option(
        0.6, msg("Length exponent"),
        msg("Of beams: ln p is divided by ((5 + tokens) / 6) to this power; 0: short ones win"),
        low=0, high=10, more=True,
    )  # fmt: skip

    def faults(self) -> list[Fault]:
        """What does not go together."""
        if 1 < self.beam < self.count:
            most: dict[str, object] = {"beam": self.beam}
            return [Fault("count", Message("a beam of {beam} has no more texts than that", most))]
        return []

    @property
    def stops(self) -> tuple[str, ...]:
        """The texts to stop at."""
        return tuple(part.replace("\\n", "\n") for part in self.stop.split(BETWEEN) if part)
